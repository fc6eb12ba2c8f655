from __future__ import annotations

import pytest
from support.parsing import BASE, applied, mistakes, only_finding, parsed

from mcpx.compiler.parse import NEWEST_EDITION
from mcpx.compiler.recovery import DEEPEST, MOST_ERRORS

THIRTEEN = """\
mcpx 1
tag a b
sever one {
  url = "x"
}
run {
  tenant: string
  verified user string
}
server two {
  url "https://two.example"
  header X-Tenant: run.tenant
  heder X-Plan = run.plan
}
agent a usess two
credential for a to two == secret.k
allow run.user -> two when run.plan = "pro"
token t for two {
  ttl = 5min
agent b uses two
deny run.user => two
"""


def test_thirteen_mistakes_give_thirteen_errors_each_at_its_token() -> None:
    assert mistakes(THIRTEEN) == [
        ("MX120", 2, "b"),
        ("MX121", 3, "sever"),
        ("MX121", 7, "tenant"),
        ("MX120", 8, "string"),
        ("MX120", 11, '"https://two.example"'),
        ("MX124", 12, ":"),
        ("MX121", 13, "heder"),
        ("MX120", 15, "usess"),
        ("MX124", 16, "=="),
        ("MX124", 17, "="),
        ("MX125", 18, "{"),
        ("MX140", 19, "5min"),
        ("MX124", 21, "=>"),
    ]


def test_what_is_well_formed_between_mistakes_stays_in_the_tree() -> None:
    file, _ = parsed(THIRTEEN)
    assert [type(part).__name__ for part in file.statements] == [
        "RunBlock",
        "Server",
        "Credential",
        "Rule",
        "Token",
        "Agent",
        "Rule",
    ]


# --- The edition ---


def test_a_missing_edition_has_a_safe_fix_lang_02() -> None:
    text = BASE.removeprefix("mcpx 1\n")
    finding = only_finding(text)
    (fix,) = finding.fixes
    assert (finding.code, fix.safe) == ("MX110", True)
    assert applied(text, fix.edits) == BASE
    assert parsed(applied(text, fix.edits))[1] == ()


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", "# about\r\n\r\nrun {}\r\n"])
def test_the_fix_for_a_missing_edition_works_on_any_file(text: str) -> None:
    fixed = applied(text, only_finding(text).fixes[0].edits)
    assert parsed(fixed)[1] == ()
    assert fixed.startswith("mcpx 1\r\n" if "\r" in text else "mcpx 1\n")


@pytest.mark.parametrize("number", ["2", "0", "-1", "99999999999999999999999999", "9" * 10_000])
def test_another_edition_is_the_only_finding_lang_02(number: str) -> None:
    text = f'# about\n\nmcpx {number}\nwhat is this ] "\n'
    finding = only_finding(text)
    assert finding.code == "MX111"
    assert text[finding.primary.start : finding.primary.end] == number
    assert f"is {NEWEST_EDITION}" in finding.message
    assert len(finding.message) < 100


def test_the_edition_is_the_first_statement_and_said_once() -> None:
    assert mistakes("mcpx 1\ntag a\nmcpx 1\n") == [("MX112", 3, "mcpx 1")]
    assert mistakes("tag a\nmcpx 1\n") == [("MX110", 1, "tag"), ("MX112", 2, "mcpx 1")]


@pytest.mark.parametrize(
    ("line", "piece"), [("mpcx 1", "mpcx"), ("mcpx one", "one"), ("mcpx", "\n"), ("mcpx 1.0", "1.0")]
)
def test_a_misspelt_edition_is_one_mistake(line: str, piece: str) -> None:
    ((_, number, text),) = mistakes(line + "\ntag a\n")
    assert (number, text) == (1, piece.strip("\n"))


# --- Slips of the pen ---


@pytest.mark.parametrize(
    ("old", "new", "code", "piece"),
    [
        ("agent analyst", "// keys\nagent analyst", "MX122", "//"),
        ("uses crm", "uses crm // why", "MX122", "//"),
        ('/mcp"', '/mcp";', "MX123", ";"),
        ("X-Tenant-Id =", "X-Tenant-Id:", "MX124", ":"),
        ("crm\nheader", "crm", "MX129", "server."),
        ("tenant: string", "tenant = string", "MX124", "="),
        ("run.tenant -> crm", "run.tenant => crm", "MX124", "=>"),
        ("server crm {", "server crm\n{", "MX137", "{"),
        ("run {", "run\n\n{", "MX137", "{"),
        ("analyst uses", "analyst\n  uses", "MX137", "uses"),
        ("run.tenant ->", "run.tenant\n  ->", "MX137", "->"),
        ("}\nagent", "}\n}\nagent", "MX126", "}"),
    ],
)
def test_a_slip_is_one_finding_and_its_safe_fix_ends_it_lang_03(old: str, new: str, code: str, piece: str) -> None:
    text = BASE.replace("uses crm", "uses server.crm") if code == "MX129" else BASE.replace(old, new, 1)
    finding = only_finding(text)
    assert finding.code == code
    assert text[finding.primary.start : finding.primary.end] == piece
    for fix in finding.fixes:
        assert fix.safe
        assert parsed(applied(text, fix.edits))[1] == ()
    assert finding.fixes or code == "MX126"


def test_the_fixed_file_has_the_tree_that_was_meant() -> None:
    good, _ = parsed(BASE)
    kinds = [type(part).__name__ for part in good.statements]
    for old, new in [
        ("X-Tenant-Id =", "X-Tenant-Id:"),
        ("-> crm\n", "=> crm\n"),
        ('/mcp"', '/mcp";'),
        ("agent", "// a\nagent"),
    ]:
        assert [type(part).__name__ for part in parsed(BASE.replace(old, new, 1))[0].statements] == kinds


@pytest.mark.parametrize(
    ("text", "fixed", "safe"),
    [
        ("agent a in group.g uses s", "agent a in g uses s", True),
        ("allow run.a -> server.s", "allow run.a -> s", True),
        ("allow run.a -> s for agent.a", "allow run.a -> s for a", True),
        ("allow run.a -> s for server.a", "allow run.a -> s for a", False),
        ("deny run.a -> tag.t", "deny run.a -> @t", False),
    ],
)
def test_a_kind_before_a_bare_name_is_removed_without_asking_only_where_it_fits(
    text: str, fixed: str, *, safe: bool
) -> None:
    finding = only_finding("mcpx 1\n" + text)
    (fix,) = finding.fixes
    assert (finding.code, fix.safe, applied("mcpx 1\n" + text, fix.edits)) == ("MX129", safe, "mcpx 1\n" + fixed)


def test_a_semicolon_between_statements_breaks_the_line() -> None:
    text = "mcpx 1\ntag a; tag b\n"
    finding = only_finding(text)
    assert applied(text, finding.fixes[0].edits) == "mcpx 1\ntag a\n tag b\n"
    assert len(parsed(text)[0].statements) == 2


@pytest.mark.parametrize(("written", "meant"), [("=", "=="), ("and", "&&"), ("or", "||"), ("&", "&&"), ("|", "||")])
def test_other_spellings_of_operators_are_named(written: str, meant: str) -> None:
    left = "run.a" if written == "=" else "run.a == 1"
    finding = only_finding(f"mcpx 1\nallow run.a -> s when {left} {written} run.b\n")
    assert finding.code == "MX124"
    assert f"`{meant}`" in finding.message


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("alow run.a -> s", "allow"),
        ("dney run.a -> s", "deny"),
        ("agnet a uses s", "agent"),
        ("server s {\n  optinal header X = run.a\n}", "optional"),
        ("run {\n  verifed a: string\n}", "verified"),
        ("run {\n  verified a: strng\n}", "string"),
        ("agent a usess s", "uses"),
        ('test "t" {\n  sned a -> s\n}', "send"),
    ],
)
def test_a_misspelt_word_gets_the_near_one_which_is_no_safe_fix(text: str, word: str) -> None:
    finding = only_finding("mcpx 1\n" + text)
    assert f"`{word}`" in finding.helps[0]
    assert [fix.safe for fix in finding.fixes] == [False] * len(finding.fixes)
    fix = next(fix for fix in finding.fixes if word in fix.title)
    assert parsed(applied("mcpx 1\n" + text, fix.edits))[1] == ()


@pytest.mark.parametrize("word", ["for a", "when run.b", "as n"])
def test_a_word_that_goes_on_with_a_statement_is_told_to_stay_on_its_line(word: str) -> None:
    finding = only_finding(f"mcpx 1\nallow run.a -> s\n  {word}\n")
    assert "same line" in finding.helps[0]


def test_a_name_that_ends_in_a_hyphen_is_told_so() -> None:
    assert only_finding("mcpx 1\ntag a-\n").helps == ("a name does not end in `-`",)


def test_a_field_without_trust_is_told_what_it_begins_with() -> None:
    finding = only_finding("mcpx 1\nrun {\n  tenant: string\n}\n")
    assert "`claimed` or `verified`" in finding.helps[0]


# --- Blocks and brackets ---


def test_an_unclosed_block_is_told_at_its_brace_and_what_follows_is_read_lang_03() -> None:
    text = BASE.replace("run.tenant\n}\nagent", "run.tenant\nagent") + "allow run.tenant => crm"
    assert mistakes(text) == [("MX125", 6, "{"), ("MX124", 13, "=>")]
    file, (unclosed, _) = parsed(text)
    assert "`server crm`" in unclosed.message
    assert [type(part).__name__ for part in file.statements] == [
        *("RunBlock", "SecretDecl", "Server", "Agent", "Credential", "Rule", "Rule")
    ]


def test_unclosed_blocks_at_the_end_are_told_each() -> None:
    assert mistakes("mcpx 1\ntoken t for s {\n  claims {\n    a = 1\n") == [("MX125", 2, "{"), ("MX125", 3, "{")]


def test_an_unfinished_statement_does_not_swallow_the_next() -> None:
    text = "mcpx 1\nagent a uses b,\nagent c uses d\n"
    assert mistakes(text) == [("MX120", 3, "agent")]
    assert len(parsed(text)[0].statements) == 1


def test_a_declaration_word_may_be_a_name_on_a_line_of_its_own() -> None:
    assert parsed("mcpx 1\ntag a,\nserver\nagent a uses s\n")[1] == ()


def test_an_unclosed_bracket_costs_its_own_line_alone() -> None:
    text = 'mcpx 1\nserver s {\n  p = ["a"\n  q = 1\n  r ==\n}\n'
    assert mistakes(text)[0] == ("MX125", 3, "[")
    assert mistakes('mcpx 1\nserver s {\n  p = ["a"\n    "b"]\n  q = 1\n}\n') == [("MX120", 4, '"b"')]


def test_a_mistake_inside_brackets_costs_the_rest_of_the_brackets() -> None:
    text = 'mcpx 1\nserver s {\n  p = [\n    a,\n    "b",\n  ]\n  q = 1\n}\n'
    assert mistakes(text) == [("MX120", 4, "a")]
    (server,) = parsed(text)[0].statements
    assert len(server.items) == 1  # type: ignore[union-attr]


def test_a_mistake_before_a_block_costs_the_block_and_nothing_behind_it() -> None:
    assert mistakes("mcpx 1\nserver s t {\n  url = 1 1\n}\ntag @\n") == [("MX120", 2, "t"), ("MX128", 5, "@")]


@pytest.mark.parametrize("text", ["(" * 100_000, "(\n" * 100_000, "!" * 100_000, "!(" * 50_000])
def test_deep_nesting_is_one_error(text: str) -> None:
    assert len(mistakes("mcpx 1\nallow run.a -> s when " + text)) == 1
    assert len(mistakes("mcpx 1\n" + text)) == 1


def test_nesting_is_allowed_up_to_its_limit() -> None:
    def nested(depth: int) -> str:
        return "mcpx 1\nallow run.a -> s when " + "(" * depth + "run.b" + ")" * depth

    assert parsed(nested(DEEPEST))[1] == ()
    assert mistakes(nested(DEEPEST + 1)) == [("MX127", 2, "(")]
    assert parsed("mcpx 1\nallow run.a -> s when " + " && ".join(["!!(run.b)"] * 1000))[1] == ()


def test_too_many_mistakes_end_the_reading_and_say_so() -> None:
    _, found = parsed("mcpx 1\n" + "tag @\n" * 100)
    assert len(found) == MOST_ERRORS
    assert [bool(finding.notes) for finding in found] == [False] * (MOST_ERRORS - 1) + [True]


# --- Strings ---


@pytest.mark.parametrize(
    ("value", "code", "piece"),
    [
        ('"${upper(run.tenant)}"', "MX134", "("),
        ('"${run.tenant + 1}"', "MX134", "+"),
        ('"${}"', "MX134", "}"),
        ('"${run.}"', "MX134", "."),
        ('"${run.a-}"', "MX134", "-"),
        ('"${run.tenant"', "MX133", "${"),
        ('"a ${"', "MX133", "${"),
        ('"a\\qb"', "MX132", "\\q"),
        ('"\\u{d800}"', "MX132", "\\u{d800}"),
        ('"\\u{110000}"', "MX132", "\\u{110000}"),
        ('"\\u0041"', "MX132", "\\u"),
        ('"open', "MX130", '"'),
        ('"""raw"""', "MX136", '"""'),
        ("'single'", "MX128", "'"),
        ("5min", "MX140", "5min"),
        ("1.5", "MX140", "1.5"),
    ],
)
def test_what_cannot_stand_in_a_value_is_told_at_its_place_lang_04(value: str, code: str, piece: str) -> None:
    assert mistakes(BASE.replace("X-Tenant-Id = run.tenant", "X-Tenant-Id = " + value)) == [(code, 9, piece)]


def test_escapes_and_references_have_their_places_lang_04() -> None:
    text = 'mcpx 1\nserver s {\n  header X = "a\\"\\\\\\u{e9}$\\${run.x} ${ run.tenant }z"\n}\n'
    file, found = parsed(text)
    parts = file.statements[0].items[0].value.parts  # type: ignore[union-attr]
    assert found == ()
    assert [part.text for part in parts] == ['a"\\é$${run.x} ', "run.tenant", "z"]
    assert [text[part.span.start : part.span.end] for part in parts] == [
        *('a\\"\\\\\\u{e9}$\\${run.x} ', "run.tenant", "z")
    ]


def test_an_escaped_dollar_makes_no_reference_lang_04() -> None:
    file, found = parsed(BASE.replace("X-Tenant-Id = run.tenant", 'X-Note = "literal \\${run.tenant}"'))
    header = file.statements[2].items[2]  # type: ignore[union-attr]
    assert (found, header.value.value) == ((), "literal ${run.tenant}")  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ['import "${run.a}"', 'setting n = env("${run.a}")', 'test "${run.a}" {}'])
def test_a_reference_in_a_string_that_takes_none_is_an_error(text: str) -> None:
    assert mistakes("mcpx 1\n" + text) == [("MX135", 2, "${")]


def test_unclosed_cedar_text_is_told_at_its_quotes_and_later_declarations_are_read() -> None:
    text = 'mcpx 1\ncedar """\n  permit(principal, action, resource);\nagent a usess s\ncedar """x"""\n'
    assert mistakes(text) == [("MX131", 2, '"""'), ("MX120", 4, "usess")]
    assert mistakes('mcpx 1\ncedar """\n  permit;\ntag a\n') == [("MX131", 2, '"""')]


def test_numbers_fit_64_bits() -> None:
    assert parsed("mcpx 1\nagent a uses s {\n  p = -9223372036854775808\n}")[1] == ()
    for number in ("9223372036854775808", "9" * 10_000, "9" * 10_000 + "h"):
        assert mistakes(f"mcpx 1\nagent a uses s {{\n  p = {number}\n}}") == [("MX141", 3, number)]


@pytest.mark.parametrize(
    ("text", "code", "piece"),
    [
        ("run { verified a: string max 1 max 2 }", "MX142", "max"),
        ("run { verified a: one of [1] }", "MX145", "1"),
        ('server s @deprectd("x") { }', "MX143", "@deprectd"),
        ('server s @deprecated("x") @deprecated("y") { }', "MX143", "@deprecated"),
        ("agent a @t uses s", "MX144", "@t"),
    ],
)
def test_what_the_grammar_takes_and_the_language_does_not(text: str, code: str, piece: str) -> None:
    assert mistakes("mcpx 1\n" + text) == [(code, 2, piece)]


# --- Manners ---


@pytest.mark.parametrize(
    "text",
    [
        "secret k = sk-live-51Hq7",
        "secret k = 51Hq7TzLk",
        'secret k "sk-live-51Hq7"',
        "server s {\n  header Authorization = Bearer sk-live-51Hq7\n}",
        "overlay o {\n  secret.k = sk-live-51Hq7 x\n}",
    ],
)
def test_no_message_repeats_a_value(text: str) -> None:
    _, found = parsed("mcpx 1\n" + text)
    said = " ".join(part for finding in found for part in (finding.message, *finding.helps, *finding.notes))
    assert found
    assert "51Hq7" not in said


def test_messages_are_short_lines_in_lower_case() -> None:
    _, found = parsed(THIRTEEN)
    for finding in found:
        assert finding.message[0] == "`" or finding.message[0].islower()
        assert not finding.message.endswith(".")
        assert len(finding.message) < 120
        assert 1 <= len(finding.labels) <= 3
