"""What the value of a header may be: lists, encodings, advisory headers, settings with choices; compiled, then sent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.compiling import BASE, Compiled, compiled, replaced, with_lines

from mcpx.runtime.errors import ConfigurationError, HeaderRefused, RunRefused
from mcpx.runtime.router import Router
from mcpx.runtime.table import read, write

ROLES = "verified roles: list of string"
KEYS = {"CRM_KEY": "k-123"}


def with_field(folder: Path, field: str, header: str, *, to: str = "crm") -> Compiled:
    """Base with one more field, a rule that lets it reach the server, and a header."""
    name = field.split(":")[0].split()[-1].rstrip("?")
    return compiled(folder, with_lines(run=f"  {field}", crm=f"  {header}", more=f"allow run.{name} -> {to}"))


def sent(result: Compiled, **verified: object) -> dict[str, str]:
    """What `analyst` sends to `crm` in a run of tenant `acme`."""
    assert result.outcome.body is not None, result.text
    router = Router(read(write(result.outcome.body)), KEYS)
    return dict(router.run("analyst", verified={"tenant": "acme", **verified}).headers("crm"))


def test_hdr_01_text_around_a_reference_and_no_fifth_header(tmp_path: Path) -> None:
    lines = '  header X-Customer = "t-${run.tenant}"\n  header X-Seats = run.seats'
    result = compiled(tmp_path, with_lines(run="  verified seats: int", crm=lines, more="allow run.seats -> crm"))
    assert sent(result, seats=7) == {
        "Authorization": "Bearer k-123",
        "X-Tenant-Id": "acme",
        "X-Customer": "t-acme",
        "X-Seats": "7",
    }
    for truth, text in ((True, "true"), (False, "false")):
        assert (
            sent(with_field(tmp_path, "verified beta: bool", "header X-Beta = run.beta"), beta=truth)["X-Beta"] == text
        )


@pytest.mark.parametrize(
    ("encode", "name", "wire"),
    [
        ("", "acme", "acme"),
        ("encode sf-display", "Müller", '%"M%c3%bcller"'),
        ("encode pct", "Müller", "M%C3%BCller"),
        ("encode mcp-base64", "Müller", "=?base64?TcO8bGxlcg==?="),
        ("encode mcp-base64", "acme", "acme"),
        ("encode mcp-base64", "=?base64?YWNtZQ==?=", "=?base64?PT9iYXNlNjQ/WVdOdFpRPT0/PQ==?="),
        ("", "Müller", None),
        ("encode sf-string", "Müller", None),
    ],
)
def test_hdr_05_a_name_that_is_not_ascii(tmp_path: Path, encode: str, name: str, wire: str | None) -> None:
    result = with_field(tmp_path, "verified name: string", f"header X-Name = run.name {encode}")
    result.clean  # noqa: B018
    if wire is not None:
        assert sent(result, name=name)["X-Name"] == wire
    else:
        with pytest.raises(HeaderRefused, match="`X-Name`") as refused:
            sent(result, name=name)
        assert name not in str(refused.value)


@pytest.mark.parametrize("encode", ["", " encode sf-list"])
def test_hdr_06_a_role_with_a_comma_in_its_name(tmp_path: Path, encode: str) -> None:
    result = with_field(tmp_path, ROLES, f"header X-Roles = run.roles{encode}")
    assert sent(result, roles=["admin", "a,b"])["X-Roles"] == '"admin", "a,b"'
    assert sent(result, roles=["admin,a", "b"])["X-Roles"] == '"admin,a", "b"'


@pytest.mark.parametrize(("encoding", "separator"), [("comma", ","), ("space", " ")])
def test_hdr_07_a_list_joined_with_commas_or_blanks(tmp_path: Path, encoding: str, separator: str) -> None:
    header = f"header X-Roles = run.roles encode {encoding}"
    refused = with_field(tmp_path, ROLES, header)
    assert (refused.codes, refused.places) == (["MX267"], [encoding])
    assert f"an item may contain the {encoding}" in refused.text
    right = with_field(tmp_path, f'{ROLES} matches "[a-z-]+"', header)
    right.clean  # noqa: B018
    assert sent(right, roles=["admin", "ops"])["X-Roles"].split(separator) == ["admin", "ops"]
    with pytest.raises(RunRefused, match="`roles`"):
        sent(right, roles=[f"a{separator}b"])


@pytest.mark.parametrize(
    ("pattern", "right"),
    [
        ("[a-z]*", False),
        ("[a-z ]+", True),
        ("[^,]+", True),
        ("[a-z,]+", False),
        ("(?i)[a-z]+", False),
        (".+", False),
        (r"\\w+(:\\w+)?", True),
        ("a|b|", False),
    ],
)
def test_a_separator_needs_a_pattern_that_proves_it_absent_and_no_item_empty(
    tmp_path: Path, pattern: str, *, right: bool
) -> None:
    field = f'{ROLES} matches "{pattern}"'
    codes = with_field(tmp_path, field, "header X-Roles = run.roles encode comma").codes
    assert [code for code in codes if code != "MX319"] == ([] if right else ["MX267"])


def test_an_empty_list_is_not_sent(tmp_path: Path) -> None:
    with pytest.raises(HeaderRefused, match="`roles` is an empty list"):
        sent(with_field(tmp_path, ROLES, "header X-Roles = run.roles"), roles=[])
    assert "X-Roles" not in sent(with_field(tmp_path, ROLES, "optional header X-Roles = run.roles"), roles=[])


def test_a_list_is_bounded_in_items_and_in_each(tmp_path: Path) -> None:
    result = with_field(tmp_path, f"{ROLES} max 3 items 2", "header X-Roles = run.roles")
    assert sent(result, roles=["abc", "d"])["X-Roles"] == '"abc", "d"'
    for roles in (["a", "b", "c"], ["abcd"], "abc", ["a", 1]):
        with pytest.raises(RunRefused, match="`roles`"):
            sent(result, roles=roles)


@pytest.mark.parametrize(
    ("field", "header", "code", "place"),
    [
        ("verified f: string", "header X-F = run.f encode sf-dispaly", "MX264", "sf-dispaly"),
        ("verified f: string", "header X-F = run.f encode base64", "MX264", "base64"),
        ("verified f: string", 'header X-F = "a ${run.f}" encode pct', "MX265", "pct"),
        ("verified f: string", 'header X-F = "${run.f}/${run.tenant}" encode pct', "MX265", "pct"),
        ("verified f: string", 'header X-F = "a" encode pct', "MX265", "pct"),
        ("verified f: string", "header X-F = credential encode pct", "MX265", "pct"),
        ("verified f: string", "header X-F = run.f encode comma", "MX266", "comma"),
        ("verified f: string", "header X-F = run.f encode sf-list", "MX266", "sf-list"),
        ('verified f: one of ["a"]', "header X-F = run.f encode space", "MX266", "space"),
        ("verified f: int", "header X-F = run.f encode pct", "MX266", "pct"),
        ("verified f: bool", "header X-F = run.f encode sf-string", "MX266", "sf-string"),
        (ROLES.replace("roles", "f"), "header X-F = run.f encode pct", "MX266", "pct"),
        (ROLES.replace("roles", "f"), 'header X-F = "roles ${run.f}"', "MX268", "run.f"),
        (ROLES.replace("roles", "f"), 'header X-F = "${run.tenant} ${run.f}"', "MX268", "run.f"),
    ],
)
def test_an_encoding_is_for_one_whole_field_of_its_type(
    tmp_path: Path, field: str, header: str, code: str, place: str
) -> None:
    result = with_field(tmp_path, field, header)
    assert result.outcome.body is None
    assert (code, place) in list(zip(result.codes, result.places, strict=True))


def test_one_reference_in_quotes_is_exactly_one_reference(tmp_path: Path) -> None:
    result = with_field(tmp_path, "verified name: string", 'header X-Name = "${run.name}" encode pct')
    assert sent(result, name="ü")["X-Name"] == "%C3%BC"


def test_an_unknown_encoding_suggests_the_near_name(tmp_path: Path) -> None:
    result = with_field(tmp_path, "verified f: string", "header X-F = run.f encode sf-dispaly")
    assert result.only.labels[0].text == "did you mean `sf-display`?"
    assert [edit.text for fix in result.only.fixes for edit in fix.edits] == ["sf-display"]


@pytest.mark.parametrize(
    ("field", "encode", "right"),
    [
        ('claimed f: string = "Zürich"', "", False),
        ('claimed f: string = "Zürich"', "encode pct", True),
        ('claimed f: string = "Zürich"', "encode sf-string", False),
        ('claimed f: string = ""', "encode sf-display", True),
        ('claimed f: string = ""', "encode pct", False),
        ('claimed f: list of string = ["a"]', "", True),
        ('claimed f: list of string = ["ü"]', "", False),
        ("claimed f: list of string = []", "", False),
        ('verified f: one of ["eu", "Zürich"]', "", False),
        ('verified f: one of ["eu", "Zürich"]', "encode mcp-base64", True),
        ('verified f: one of ["eu", " us"]', "", False),
    ],
)
def test_a_declared_value_can_be_sent_as_it_is_encoded(tmp_path: Path, field: str, encode: str, *, right: bool) -> None:
    codes = with_field(tmp_path, field, f"header Crm-F = run.f {encode}").codes
    assert [code for code in codes if code != "MX319"] == ([] if right else ["MX317"])


@pytest.mark.parametrize(
    ("field", "encode", "size"),
    [
        ("string max 100", "", 100),
        ("string max 100", "encode sf-string", 202),
        ('string max 100 matches "[a-z]+"', "encode sf-string", 102),
        ("string max 100", "encode sf-display", 3 + 1200),
        ("string max 100", "encode pct", 1200),
        ("string max 100", "encode mcp-base64", 11 + 4 * 134),
        ('one of ["a", "üü"]', "encode pct", 12),
        ("list of string max 10 items 3", "", 3 * 22 + 4),
        ('list of string max 10 items 3 matches "[a-z]+"', "", 3 * 12 + 4),
        ('list of string max 10 items 3 matches "[a-z]+"', "encode comma", 3 * 10 + 2),
    ],
)
def test_sizes_are_those_of_the_longest_encoded_value(tmp_path: Path, field: str, encode: str, size: int) -> None:
    filler = 4001 - len("Crm-F: ") - size
    exact = with_field(tmp_path, f"verified f: {field}", f"header Crm-F{'x' * (filler - 1)} = run.f {encode}")
    assert "MX319" not in exact.codes
    over = with_field(tmp_path, f"verified f: {field}", f"header Crm-F{'x' * filler} = run.f {encode}")
    assert "MX319" in over.codes


def longest_values(kind: str) -> list[object]:
    return ['"' * 100, "\U0001f600" * 100] if kind == "string" else [['"' * 10] * 3]


@pytest.mark.parametrize("encode", ["sf-string", "sf-display", "pct", "mcp-base64", "sf-list"])
def test_the_longest_value_is_no_longer_than_was_proved(tmp_path: Path, encode: str) -> None:
    kind = "list" if encode == "sf-list" else "string"
    field = "list of string max 10 items 3" if kind == "list" else "string max 100"
    proved = {"sf-string": 202, "sf-display": 1203, "pct": 1200, "mcp-base64": 547, "sf-list": 70}[encode]
    result = with_field(tmp_path, f"verified f: {field}", f"header Crm-F = run.f encode {encode}")
    lengths = []
    for value in longest_values(kind):
        if encode == "sf-string" and value != '"' * 100:
            continue
        lengths.append(len(sent(result, f=value)["Crm-F"]))
    assert max(lengths) == proved


WIKI = """
server wiki {{
  url = "https://wiki.example.com/mcp"
  {line}
}}
"""


def with_wiki(folder: Path, *lines: str) -> Compiled:
    """Base, where `analyst` also uses `wiki`, which the tenant may reach."""
    text = replaced("uses crm", "uses crm, wiki") + WIKI.format(line="\n  ".join(lines))
    text += 'secret wiki_key = env("WIKI_KEY")\n' * any("wiki_key" in line for line in lines)
    return compiled(folder, f"{text}allow run.tenant -> wiki\n")


@pytest.mark.parametrize("words", ["advisory header", "optional advisory header"])
def test_hdr_13_an_advisory_header_may_carry_an_identity_that_the_server_cannot_check(
    tmp_path: Path, words: str
) -> None:
    assert with_wiki(tmp_path, f"{words.replace('advisory ', '')} X-Tenant-Id = run.tenant").codes == ["MX314"]
    body = with_wiki(tmp_path, f"{words} X-Tenant-Id = run.tenant").clean
    advisory = [program.advisory for program in body.programs.values() if program.name == "X-Tenant-Id"]
    assert sorted(advisory) == [False, True]


def test_hdr_13_an_optional_proof_is_none(tmp_path: Path) -> None:
    lines = ("header X-Tenant-Id = run.tenant", "optional header X-Key = secret.wiki_key")
    assert with_wiki(tmp_path, *lines).codes == ["MX314"]
    with_wiki(tmp_path, lines[0], lines[1].removeprefix("optional ")).clean  # noqa: B018


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["advisory header X-Region = run.tenant"], "its name is no identity's"),
        (['advisory header X-Tenant-Id = "acme"'], "it carries no field of a run"),
        (
            ["advisory header X-Tenant-Id = run.tenant", "header X-Key = secret.wiki_key"],
            "the server can tell who sends it",
        ),
    ],
)
def test_an_advisory_without_effect_is_a_warning(tmp_path: Path, lines: list[str], why: str) -> None:
    [found] = [finding for finding in with_wiki(tmp_path, *lines).warnings if finding.code == "MX351"]
    assert found.labels[0].text == why


def test_advisory_lifts_nothing_else(tmp_path: Path) -> None:
    claimed = BASE.replace("verified tenant: string", "claimed tenant: string")
    claimed = claimed.replace("header X-Tenant-Id", "advisory header X-Tenant-Id").replace("require", "allow")
    assert compiled(tmp_path, claimed).outcome.body is None
    assert "MX313" in compiled(tmp_path, claimed).codes
    without_rule = with_wiki(tmp_path, "advisory header X-Tenant-Id = run.tenant")
    text = without_rule.outcome.sources["app.mcpx"].text.replace("allow run.tenant -> wiki\n", "")
    assert "MX402" in compiled(tmp_path, text).codes


SETTING = 'setting region = env("REGION", "eu") one of ["eu", "us"]\n'


def test_a_setting_with_choices_is_held_to_them_at_load(tmp_path: Path) -> None:
    body = compiled(tmp_path, with_lines(crm="  header X-Region = setting.region", more=SETTING)).clean
    assert body.settings["region"].choices == ("eu", "us")
    table = read(write(body))
    assert (
        Router(table, {**KEYS, "REGION": "us"}).run("analyst", verified={"tenant": "a"}).headers("crm")["X-Region"]
        == "us"
    )
    with pytest.raises(ConfigurationError, match="REGION is none of the choices"):
        Router(table, {**KEYS, "REGION": "apac"})


@pytest.mark.parametrize(
    ("declared", "code", "place"),
    [
        ('env("R", "apac") one of ["eu", "us"]', "MX269", '"apac"'),
        ('env("R") one of ["eu", 3]', "MX269", "3"),
        ('env("R") one of ["eu", ""]', "MX269", '""'),
        ('env("R") one of ["eu", "eu"]', "MX216", '"eu"'),
        ('env("R") one of []', "MX217", "[]"),
        ('env("R") one of ["eu", "Zürich"]', "MX352", "setting.region"),
        ('env("R", " eu")', "MX352", "setting.region"),
    ],
)
def test_choices_of_a_setting_are_texts_that_can_be_met(tmp_path: Path, declared: str, code: str, place: str) -> None:
    text = with_lines(crm="  header X-Region = setting.region", more=f"setting region = {declared}")
    result = compiled(tmp_path, text)
    assert (result.codes, result.places) == ([code], [place])


def test_every_choice_of_a_setting_makes_an_address(tmp_path: Path) -> None:
    url = '"https://${setting.region}.example.com/mcp"'
    text = replaced('"https://crm.example.com/mcp"', url) + SETTING
    compiled(tmp_path, text).clean  # noqa: B018
    result = compiled(tmp_path, text.replace('"us"', '"u_s/x"'))
    assert (result.codes, result.places) == (["MX335"], [url])


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (
            with_lines(
                crm="  header Crm-Mode = setting.mode", more='setting mode = env("MODE", "sk-1234567890abcdef")'
            ),
            "mode",
        ),
        (
            with_lines(
                crm="  header Crm-Mode = setting.mode",
                more='setting mode = env("MODE") one of ["a", "ghp_0123456789abcdefghij"]',
            ),
            "mode",
        ),
        (
            with_lines(
                run='  claimed f: string = "AKIA0123456789ABCDEF"',
                crm="  header Crm-F = run.f",
                more="allow run.f -> crm",
            ),
            "f",
        ),
        (
            with_lines(
                crm='  p = ["xoxb-12345678-abcdef"]',
                more='property server.p: list of string\ncedar """\n@id("p") forbid (principal, action, resource) '
                'when { resource.p.contains("x") };\n"""',
            ),
            "crm",
        ),
    ],
)
def test_a_declared_value_is_no_secret(tmp_path: Path, text: str, place: str) -> None:
    result = compiled(tmp_path, text)
    assert (result.codes, result.places) == (["MX315"], [place])


def test_a_pattern_is_written_in_normalization_form_c(tmp_path: Path) -> None:
    result = with_field(tmp_path, 'verified f: string matches "e\\u{301}+"', "header Crm-F = run.f encode pct")
    assert (result.codes, result.places) == (["MX230"], ['"e\\u{301}+"'])


@pytest.mark.parametrize(
    ("pattern", "right"), [("[a-z]+", True), ("[a-z/]+", False), (".*", False), ("(?i)[a-z]+", False)]
)
def test_text_of_two_fields_is_told_apart_by_what_a_pattern_excludes(
    tmp_path: Path, pattern: str, *, right: bool
) -> None:
    field = f'verified f: string matches "{pattern}"'
    codes = with_field(tmp_path, field, 'header Crm-F = "${run.f}/${run.tenant}"').codes
    assert codes == ([] if right else ["MX309"])


def test_one_place_has_one_set_of_properties(tmp_path: Path) -> None:
    twin = (
        'property server.region?: string\nserver twin {\n  url = "https://crm.example.com/other"\n  region = "eu"\n}\n'
    )
    guarded = 'cedar """\n@id("p") forbid (principal, action, resource) when { resource has region };\n"""\n'
    result = compiled(tmp_path, BASE + twin + guarded)
    assert ("MX336", "twin") in list(zip(result.codes, result.places, strict=True))


def test_the_table_says_how_a_value_is_encoded(tmp_path: Path) -> None:
    result = with_field(tmp_path, f"{ROLES} max 9", "header X-Roles = run.roles")
    programs = json.loads(write(result.clean))["body"]["programs"].values()
    assert {program["name"]: program["encode"] for program in programs} == {
        "Authorization": None,
        "X-Tenant-Id": None,
        "X-Roles": "sf-list",
    }
