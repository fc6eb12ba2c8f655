from __future__ import annotations

from pathlib import Path

import pytest
from support.parsing import nodes, parsed, statement, well_formed

from mcpx.compiler import syntax

COMPLETE = Path(__file__).parents[1] / "data" / "complete.mcpx"


EVERY_NAME = """\
tag WORD
run {
  verified WORD: string @WORD
}
server WORD @WORD {
  header WORD = run.WORD
}
group WORD
agent WORD in WORD uses WORD { WORD = 1 }
token WORD for WORD {
  claims {
    WORD = run.WORD
    optional WORD = run.WORD
  }
}
allow run.WORD -> WORD for WORD when has run.WORD as WORD
overlay WORD {
  server.WORD.url = setting.WORD
}
test "t" {
  given WORD = 1
  send WORD -> WORD
}
"""


def field(text: str) -> syntax.Field:
    (only,) = statement("run {\n" + text + "\n}").fields
    assert isinstance(only, syntax.Field)
    return only


def item(text: str) -> syntax.ServerItem:
    (only,) = statement("server s {\n" + text + "\n}").items
    return only  # type: ignore[no-any-return]


def condition(text: str) -> syntax.Condition:
    return statement(f"allow run.a -> s when {text}").condition  # type: ignore[no-any-return]


def texts(names: tuple[syntax.Name, ...]) -> list[str]:
    return [name.text for name in names]


def test_the_complete_example_has_all_its_statements_in_order() -> None:
    file, _ = parsed(COMPLETE.read_text(encoding="utf-8"))
    kinds = [type(part).__name__ for part in file.statements]
    assert kinds == [
        *("Import", "Tags", "RunBlock", "SettingDecl", *["SecretDecl"] * 3, *["Server"] * 3, "Groups", *["Agent"] * 2),
        *(*["Credential"] * 3, *["Rule"] * 5, "CedarBlock", "Token", "Overlay", *["Test"] * 2),
    ]
    assert file.edition is not None
    assert file.edition.value == 1


def test_every_span_lies_in_the_text_and_names_stand_where_their_span_says() -> None:
    text = COMPLETE.read_text(encoding="utf-8")
    file, _ = parsed(text)
    seen = list(nodes(file.statements))
    assert len(seen) > 200
    for node in seen:
        written = text[node.span.start : node.span.end]
        assert written
        match node:
            case syntax.Name(name):
                assert written == name
            case syntax.TagRef(name):
                assert written == "@" + name.text
            case syntax.Ref():
                assert written == node.text
            case syntax.StringLiteral() | syntax.Text():
                assert written[0] == written[-1] == '"'
            case syntax.CedarBlock(body, where):
                assert text[where.start : where.end] == body
            case syntax.Chunk(piece):
                assert written == piece
            case _:
                assert written == written.strip()


# --- No reserved words ---


@pytest.mark.parametrize(
    "word", ["server", "token", "run", "test", "allow", "in", "uses", "true", "mcpx", "header", "per"]
)
def test_no_word_is_reserved(word: str) -> None:
    file = well_formed(EVERY_NAME.replace("WORD", word))
    assert len(file.statements) == 9


def test_a_claim_may_be_called_optional() -> None:
    claims = statement("token t for s { claims {\n optional = 1\n optional optional = 2\n} }").claims
    assert [(claim.name.text, claim.optional) for claim in claims] == [("optional", False), ("optional", True)]


def test_header_argument_and_claim_names_are_quoted_where_they_are_odd() -> None:
    header = item('optional advisory header "X.A!" = run.a encode sf-display')
    assert isinstance(header, syntax.Header)
    assert (header.name.text, header.optional, header.advisory) == ("X.A!", True, True)
    assert header.encode is not None
    assert header.encode.text == "sf-display"
    argument = item('argument "a b" must equal run.a')
    assert isinstance(argument, syntax.Argument)
    assert (argument.name.text, argument.mode) == ("a b", "check")


def test_a_name_does_not_end_in_a_hyphen_and_an_arrow_needs_no_blanks() -> None:
    rule = statement("allow run.a-b->s")
    assert (rule.items[0].text, rule.targets[0].text) == ("run.a-b", "s")


# --- Line breaks ---


@pytest.mark.parametrize(
    "text",
    [
        "tag a,\n  b",
        "tag a, # why\n\n  # more\n  b",
        'server s {\n  url =\n    "x"\n}',
        "allow run.a ->\n  s",
        "allow run.a -> s when run.a ==\n 1 &&\n !\n (\n run.b\n ) ||\n run.c",
        'server s { p = [\n  "a",\n  "b"\n] }',
        'server s { p = [\n  "a",\n  "b",\n] }',
        'setting n = env(\n  "A",\n  "b"\n)',
        "run {\n\n}",
        "run {}",
        "run { verified a: string }",
    ],
)
def test_a_line_breaks_after_operators_commas_and_opening_brackets_and_before_closing_ones(text: str) -> None:
    well_formed(text)
    well_formed(text.replace("\n", "\r\n"))


@pytest.mark.parametrize(
    "text", ["agent a\n  uses s", "agent a uses\n  s", "allow run.a\n  -> s", "tag a\n  , b", "run\n{ }"]
)
def test_a_line_breaks_nowhere_else(text: str) -> None:
    _, found = parsed("mcpx 1\n" + text)
    assert found != ()


def test_a_file_may_end_without_a_line_end_and_begin_with_comments() -> None:
    file, found = parsed("# first\n\n  # second\nmcpx 1 # third\n\ntag a # last")
    assert (len(file.statements), found) == (1, ())


# --- Values, types, conditions ---


def test_values_of_every_kind() -> None:
    agent = statement(
        'agent a uses s {\n  a = "x"\n  b = -12\n  c = true\n  d = 5m\n  e = ["x", 1, false]\n  f = env("X", "y")\n'
        "  g = per run.a, run.b\n  h = shared\n  i = setting.x\n  j = []\n}"
    )
    a, b, c, d, e, f, g, h, i, j = (assignment.value for assignment in agent.properties)
    assert (a.value, b.value, c.value, d.seconds) == ("x", -12, True, 300)
    assert ([part.value for part in e.items], j.items) == (["x", 1, False], ())
    assert (f.function.text, [argument.value for argument in f.arguments]) == ("env", ["X", "y"])
    assert ([ref.text for ref in g.refs], h.text, i.text) == (["run.a", "run.b"], "shared", "setting.x")


@pytest.mark.parametrize(("written", "seconds"), [("30s", 30), ("5m", 300), ("2h", 7200)])
def test_durations_are_seconds(written: str, seconds: int) -> None:
    assert statement(f"grant g {{ ttl = {written} }}").items[0].value.seconds == seconds


def test_a_type_takes_its_options_in_any_order() -> None:
    first, second = (field(f'claimed a?: list of string {o} = ["x"]').type for o in ("max 4 items 2", "items 2 max 4"))
    for kind in (first, second):
        assert kind.max is not None
        assert kind.items is not None
        assert (kind.kind, kind.max.value, kind.items.value, kind.matches) == ("list of string", 4, 2, None)


def test_a_field_in_full() -> None:
    whole = field(
        '## doc\n  verified plan?: one of ["free", "pro"] = "free" @a @deprecated("use tier") @b { region = "eu" }'
    )
    assert (whole.trust, whole.name.text, whole.optional, whole.doc) == ("verified", "plan", True, "doc")
    assert [choice.value for choice in whole.type.choices] == ["free", "pro"]
    assert isinstance(whole.default, syntax.StringLiteral)
    assert [tag.name.text for tag in whole.tags] == ["a", "b"]
    assert whole.deprecated is not None
    assert (whole.deprecated.value, whole.properties[0].name.text) == ("use tier", "region")


def test_an_agent_in_full() -> None:
    agent = statement('agent a @deprecated("use b") in g, h uses s, t { p = 1 }')
    assert (texts(agent.groups), texts(agent.uses), agent.deprecated.value) == (["g", "h"], ["s", "t"], "use b")


def test_a_secret_in_full() -> None:
    secret = statement('shared secret k @a @b = provider("p", "k") per run.f, run.g')
    assert (secret.shared, len(secret.tags), secret.source.function.text) == (True, 2, "provider")
    assert [ref.text for ref in secret.per.refs] == ["run.f", "run.g"]


def test_and_binds_tighter_than_or_and_chains_are_flat() -> None:
    whole = condition("run.a || run.b && !run.c && (run.d || run.e)")
    assert isinstance(whole, syntax.Any)
    truth, both = whole.conditions
    assert isinstance(truth, syntax.Truth)
    assert isinstance(both, syntax.All)
    assert [type(part).__name__ for part in both.conditions] == ["Truth", "Not", "Any"]


@pytest.mark.parametrize("operator", ["==", "!=", "<", "<=", ">", ">="])
def test_comparisons(operator: str) -> None:
    comparison = condition(f"run.a {operator} 5")
    assert isinstance(comparison, syntax.Comparison)
    assert comparison.operator.text == operator


def test_membership_contains_and_has() -> None:
    parts = condition('run.a in ["x"] && run.a in server.p && "x" in server.p && run.l contains "x" && has run.f')
    assert isinstance(parts, syntax.All)
    assert [type(part).__name__ for part in parts.conditions] == ["In", "In", "In", "Contains", "Has"]


@pytest.mark.parametrize("effect", ["allow", "deny", "require", "never"])
def test_rules(effect: str) -> None:
    rule = statement(f"{effect} run.a, @t -> s, @u for a, g as n")
    assert (rule.effect, len(rule.items), len(rule.targets), texts(rule.agents)) == (effect, 2, 2, ["a", "g"])
    assert (rule.name.text, rule.condition) == ("n", None)


def test_tests_of_the_language_in_full() -> None:
    whole = statement(
        'test "t" {\n  given a = "x", b = 3, c = ["y"]\n  send a -> s with argument "n.m" = "v"\n'
        '  send session a -> s\n  expect header X == "v"\n  expect header X\n  expect no header X\n'
        "  expect denied run.a, run.b\n  expect refused\n}"
    )
    given, send, session, equal, present, absent, denied, refused = whole.items
    assert [name.text for name, _ in given.values] == ["a", "b", "c"]
    assert (send.session, send.argument[0].text, session.session, session.argument) == (False, "n.m", True, None)
    assert [(check.value is None, check.absent) for check in (equal, present, absent)] == [
        (False, False),
        (True, False),
        (True, True),
    ]
    assert ([ref.text for ref in denied.refs], type(refused)) == (["run.a", "run.b"], syntax.ExpectRefused)


def test_the_rest_of_the_language() -> None:
    assert statement("property server.regions?: list of string").optional
    assert statement('setting n = env("X") one of ["a", "b"]').choices.items[1].value == "b"
    assert statement("credential for session to s = token.t").value.text == "token.t"
    meta = item('optional meta "app/tenant" = run.a')
    assert isinstance(meta, syntax.Meta)
    assert (meta.key.value, meta.optional) == ("app/tenant", True)
    overlay = statement('overlay o { server.s.url = "x" }')
    assert (overlay.lines[0].target.text, overlay.lines[0].value.value) == ("server.s.url", "x")


# --- Doc comments ---


def test_a_doc_comment_belongs_to_the_declaration_below() -> None:
    file = well_formed(
        "## one\n##   two\n# plain\nserver s {\n  ## of the header\n  header X = run.a\n}\n### no doc\ntag a"
    )
    server, tag = file.statements
    assert isinstance(server, syntax.Server)
    assert isinstance(tag, syntax.Tags)
    assert (server.doc, tag.doc) == ("one\n  two", None)
    assert isinstance(server.items[0], syntax.Header)
    assert server.items[0].doc == "of the header"


def test_a_loose_doc_comment_does_not_join_the_next() -> None:
    file, (finding,) = parsed("mcpx 1 # why\n## of nothing\n\n## of a\ntag a # end of line\n## of b\ntag b\n")
    assert [tags.doc for tags in file.statements if isinstance(tags, syntax.Tags)] == ["of a", "of b"]
    assert finding.primary.end - finding.primary.start == len("## of nothing")


def test_doc_comments_survive_crlf() -> None:
    assert statement("## one\r\n## two\r\ntag a\r\n").doc == "one\ntwo"


@pytest.mark.parametrize(
    "text",
    [
        "## loose\n\ntag a",
        "tag a\n## loose",
        "tag a ## loose",
        'server s {\n  ## loose\n  url = "x"\n}',
        '## loose\nimport "x.mcpx"',
    ],
)
def test_a_doc_comment_that_belongs_to_nothing_is_a_warning(text: str) -> None:
    _, (finding,) = parsed("mcpx 1\n" + text)
    assert (finding.code, finding.severity) == ("MX150", "warning")
    assert ("mcpx 1\n" + text)[finding.primary.start : finding.primary.end] == "## loose"


def test_a_hash_in_a_string_begins_no_comment() -> None:
    assert item('url = "https://x/##a"').value.value == "https://x/##a"  # type: ignore[union-attr]
