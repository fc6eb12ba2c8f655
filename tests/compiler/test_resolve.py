"""Names and types: each is looked up once, and a mistake is reported once, at its cause."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.compiling import BASE, compiled, replaced, with_lines

PLAIN = 'mcpx 1\nserver docs {\n  url = "https://docs.example.com/mcp"\n}\nagent analyst uses docs\n'


def test_lang_01_misspelt_names_are_all_reported_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = replaced("run.tenant\n}", "run.tenat\n}")
    text = replaced("secret.crm_key", "secret.crm_kee", text)
    text += "tag third_party\ndeny run.tenant -> @thirdparty as nothing_leaves\n"
    result = compiled(tmp_path, text)
    assert result.codes == ["MX201", "MX201", "MX201"]
    assert result.places == ["tenat", "crm_kee", "thirdparty"]
    for near, finding in zip(("`tenant`", "`crm_key`", "`third_party`"), result.findings, strict=True):
        assert near in finding.labels[0].text
    assert result.outcome.body is None


def test_a_suggestion_comes_with_the_edit_that_follows_it(tmp_path: Path) -> None:
    finding = compiled(tmp_path, replaced("analyst uses crm", "analyst uses cmr")).only
    [fix] = finding.fixes
    assert [(edit.span, edit.text) for edit in fix.edits] == [(finding.primary, "crm")]


def test_a_second_run_block_hides_no_name_that_it_declares(tmp_path: Path) -> None:
    text = BASE + "run {\n  verified user: string\n}\nallow run.user -> crm\n"
    result = compiled(tmp_path, text)
    assert result.codes == ["MX203"]
    assert result.labels(result.only) == ["run", "run"]


@pytest.mark.parametrize(
    ("first", "second"),
    [("group research", "agent research uses docs"), ("agent research uses docs", "group research")],
)
def test_agents_and_groups_share_their_names_and_the_later_one_is_the_second(
    tmp_path: Path, first: str, second: str
) -> None:
    result = compiled(tmp_path, f"{PLAIN}{first}\n{second}\n")
    assert result.codes == ["MX202"]
    assert result.only.primary.start > result.only.labels[1].span.start


def test_other_kinds_have_names_of_their_own(tmp_path: Path) -> None:
    text = replaced("crm_key = env", "crm = env").replace("secret.crm_key", "secret.crm")
    compiled(tmp_path, text).clean  # noqa: B018 - a secret and a server, both called `crm`


def test_lang_06_a_verified_field_has_no_default_and_a_claimed_one_may(tmp_path: Path) -> None:
    result = compiled(tmp_path, with_lines(run='  verified user: string = "nobody"'))
    assert result.codes == ["MX211"]
    assert result.places == ['"nobody"']
    claimed = with_lines(
        run='  claimed locale: string = "en"', crm="  header Crm-Locale = run.locale", more="allow run.locale -> crm"
    )
    assert compiled(tmp_path, claimed).clean.fields["locale"].default == "en"


@pytest.mark.parametrize(
    ("field", "place"),
    [
        ('claimed f: string max 2 = "abc"', '"abc"'),
        ('claimed f: string matches "[a-z]+" = "A"', '"A"'),
        ('claimed f: string matches "a|b" = "ax"', '"ax"'),
        ('claimed f: string = "e\\u{301}"', '"e\\u{301}"'),
        ('claimed f: one of ["a", "b"] = "c"', '"c"'),
        ("claimed f: int = true", "true"),
        ("claimed f: bool = 1", "1"),
        ("claimed f: string = 3", "3"),
    ],
)
def test_a_default_is_a_value_that_the_field_could_have(tmp_path: Path, field: str, place: str) -> None:
    result = compiled(tmp_path, with_lines(run=f"  {field}"))
    assert (result.codes, result.places) == (["MX212"], [place])


@pytest.mark.parametrize("edge", ["-9223372036854775808", "9223372036854775807"])
def test_the_first_and_last_int_are_ints(tmp_path: Path, edge: str) -> None:
    text = with_lines(
        run=f"  claimed rows: int = {edge}", crm="  header Crm-Rows = run.rows", more="allow run.rows -> crm"
    )
    assert compiled(tmp_path, text).clean.fields["rows"].default == int(edge)


@pytest.mark.parametrize("pattern", ["(?=a).*", "(?<!b)a", r"(a)\\1", "a)|(?:b", "("])
def test_a_pattern_is_of_the_linear_time_subset(tmp_path: Path, pattern: str) -> None:
    assert compiled(tmp_path, with_lines(run=f'  verified f: string matches "{pattern}"')).codes == ["MX215"]


def test_two_rules_of_one_name_are_refused_and_rules_without_name_are_not(tmp_path: Path) -> None:
    twice = with_lines(run="  verified user: string", more="deny run.user -> crm as n\nallow run.tenant -> crm as n")
    result = compiled(tmp_path, twice)
    assert (result.codes, result.places) == (["MX229"], ["n"])
    without = with_lines(run="  verified user: string", more="deny run.user -> crm\ndeny run.user -> crm")
    assert "MX229" not in compiled(tmp_path, without).codes


def test_no_cedar_id_takes_the_place_of_a_rule_without_name(tmp_path: Path) -> None:
    text = BASE + 'cedar """\n  @id("app.mcpx:13:1")\n  permit (principal, action, resource);\n"""\n'
    result = compiled(tmp_path, text)
    assert len(result.codes) == 1
    assert result.codes[0].startswith("MX5")
    assert result.outcome.body is None


def test_an_agent_in_a_group_twice_is_a_slip(tmp_path: Path) -> None:
    result = compiled(tmp_path, PLAIN.replace("analyst uses", "analyst in g, g uses") + "group g\n")
    assert result.codes == ["MX204"]


@pytest.mark.parametrize("line", ["agent session uses docs", "group session"])
def test_nobody_is_called_session(tmp_path: Path, line: str) -> None:
    assert compiled(tmp_path, f"{PLAIN}{line}\n").codes == ["MX205"]


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("deny secret.crm_key -> crm", "secret.crm_key"),
        ("deny run -> crm", "run"),
        ("deny run.tenant.name -> crm", "run.tenant.name"),
        ("credential for analyst to crm = run.tenant", "run.tenant"),
    ],
)
def test_a_reference_stands_only_where_its_kind_fits(tmp_path: Path, line: str, place: str) -> None:
    result = compiled(tmp_path, f"{BASE}{line}\n")
    assert (result.codes, result.places) == (["MX206"], [place])


@pytest.mark.parametrize(
    "source",
    [
        'env("")',
        'env("A B")',
        'env("A", "B")',
        'file("key")',
        'file("/run/../key")',
        'file("//run/key")',
        'file("/a\\u{a}b")',
    ],
)
def test_a_secret_comes_from_one_plain_place(tmp_path: Path, source: str) -> None:
    assert compiled(tmp_path, replaced('env("CRM_KEY")', source)).codes == ["MX220"]


def test_a_variable_is_not_both_secret_and_setting(tmp_path: Path) -> None:
    text = with_lines(crm="  header Crm-Region = setting.region", more='setting region = env("CRM_KEY")')
    result = compiled(tmp_path, text)
    assert result.codes == ["MX226"]
    assert result.labels(result.only) == ["region", "crm_key"]


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (BASE + "never run.tenant -> crm\n", "never run.tenant -> crm"),
    ],
)
def test_what_is_not_implemented_yet_says_so_at_its_place(tmp_path: Path, text: str, place: str) -> None:
    result = compiled(tmp_path, text)
    assert result.outcome.body is None
    assert ("MX290", place) in [(finding.code, result.shown(finding.primary)) for finding in result.findings]
