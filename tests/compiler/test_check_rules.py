"""Credentials, rules, and declarations without effect."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.compiling import BASE, compiled, replaced, with_lines

NIGHT = """secret night_key = env("NIGHT_KEY")
group research
group night
agent early in research uses crm
agent late in night uses crm
credential for research to crm = secret.crm_key
credential for night to crm = secret.night_key
"""
TWO_GROUPS = (
    replaced("agent analyst uses", "agent analyst in research, night uses").replace(
        "credential for analyst to crm = secret.crm_key\n", ""
    )
    + NIGHT
)
LEDGER = """server ledger {
  url = "https://ledger.example.com/mcp"
  header Authorization = "Bearer ${credential}"
}
agent billing uses ledger
"""


def test_lang_13_two_equally_narrow_credentials_are_an_error_that_names_both(tmp_path: Path) -> None:
    result = compiled(tmp_path, TWO_GROUPS)
    assert result.codes == ["MX304"]
    assert result.labels(result.only) == [
        "credential for night to crm = secret.night_key",
        "credential for research to crm = secret.crm_key",
    ]


def test_lang_13_the_line_for_the_agent_beats_those_for_its_groups(tmp_path: Path) -> None:
    body = compiled(tmp_path, TWO_GROUPS + "credential for analyst to crm = secret.crm_key\n").clean
    assert {row.agent: row.credential for row in body.rows} == {
        "analyst": "crm_key",
        "early": "crm_key",
        "late": "night_key",
    }


def test_lang_13_no_credential_names_the_pair_and_labels_its_uses(tmp_path: Path) -> None:
    text = replaced("credential for analyst to crm = secret.crm_key\n", "").replace(
        'secret crm_key = env("CRM_KEY")\n', ""
    )
    result = compiled(tmp_path, text)
    assert result.codes == ["MX303"]
    assert "`analyst`" in result.only.message
    assert "`crm`" in result.only.message
    assert result.labels(result.only) == ["credential", "crm"]


def test_each_agent_without_a_credential_is_named(tmp_path: Path) -> None:
    result = compiled(tmp_path, BASE + "agent billing uses crm\nagent sales uses crm\n")
    assert result.codes == ["MX303", "MX303"]
    assert ["billing" in found.message for found in result.findings] == [True, False]
    assert "`sales`" in result.findings[1].message


@pytest.mark.parametrize(
    "line", ["credential for billing to ledger = secret.crm_key", "credential for all to ledger, crm = secret.crm_key"]
)
def test_lang_14_one_secret_for_two_servers(tmp_path: Path, line: str) -> None:
    text = BASE + LEDGER + line + "\n"
    if " all " in line:
        text = text.replace("agent billing", "group all\nagent billing in all").replace(
            "agent analyst", "agent analyst in all"
        )
        text = text.replace("credential for analyst to crm = secret.crm_key\n", "")
    result = compiled(tmp_path, text)
    assert result.codes == ["MX316"]
    for name in ("crm_key", "crm", "ledger", "shared secret crm_key"):
        assert f"`{name}" in result.text
    compiled(tmp_path, text.replace("secret crm_key =", "shared secret crm_key =")).clean  # noqa: B018


@pytest.mark.parametrize("source", ['env("CRM_KEY")', 'file("/run/crm")'])
@pytest.mark.parametrize(("first", "second"), [("", ""), ("shared ", ""), ("", "shared ")])
def test_lang_14_two_secrets_of_one_source_are_one(tmp_path: Path, source: str, first: str, second: str) -> None:
    text = replaced('secret crm_key = env("CRM_KEY")', f"{first}secret crm_key = {source}")
    text += LEDGER + f"{second}secret other = {source}\ncredential for billing to ledger = secret.other\n"
    assert compiled(tmp_path, text).codes == ["MX316"]


def test_a_secret_that_two_headers_draw_on_directly_goes_to_two_servers(tmp_path: Path) -> None:
    text = with_lines(crm="  header Crm-Key = secret.key", more='secret key = env("KEY")')
    text += LEDGER.replace('Authorization = "Bearer ${credential}"', "Ledger-Key = secret.key")
    result = compiled(tmp_path, text)
    assert (result.codes, result.places) == (["MX316"], ["secret.key"])


def test_one_unshared_secret_among_shared_ones_of_its_source_is_enough_for_an_error(tmp_path: Path) -> None:
    wiki = LEDGER.replace("ledger", "wiki").replace("billing", "reader")
    text = replaced("secret crm_key", "shared secret crm_key") + LEDGER + wiki
    text += (
        'secret again = env("CRM_KEY")\ncredential for billing to ledger = secret.crm_key\n'
        'secret wiki_key = env("WIKI_KEY")\ncredential for reader to wiki = secret.wiki_key\n'
        "agent extra uses crm\ncredential for extra to crm = secret.again\n"
    )
    assert compiled(tmp_path, text).codes == ["MX316"]


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("credential for analyst, billing to crm = secret.crm_key", ["`billing`"]),
        ("credential for analyst to crm, ledger = secret.crm_key", ["`ledger`"]),
    ],
)
def test_a_part_of_a_credential_line_that_does_nothing_is_named(tmp_path: Path, line: str, named: list[str]) -> None:
    text = replaced("credential for analyst to crm = secret.crm_key", line).replace(
        "secret crm", "shared secret crm", 1
    )
    text += LEDGER + 'secret ledger_key = env("LEDGER_KEY")\ncredential for billing to ledger = secret.ledger_key\n'
    result = compiled(tmp_path, text)
    assert [found.code for found in result.warnings] == ["MX607"]
    assert all(name in result.only.message for name in named)


def test_a_line_that_narrower_ones_leave_nothing_to_do_is_unused(tmp_path: Path) -> None:
    text = (
        BASE.replace("agent analyst uses", "group g\nagent analyst in g uses")
        + "credential for g to crm = secret.crm_key\n"
    )
    result = compiled(tmp_path, text)
    assert [found.code for found in result.warnings] == ["MX607"]
    assert result.places == ["credential for g to crm = secret.crm_key"]


@pytest.mark.parametrize(
    ("text", "code", "named"),
    [
        (replaced("  header X-Tenant-Id = run.tenant\n", ""), "MX405", ("`analyst`", "`crm`", "tenant")),
        (replaced("header X-Tenant-Id", "optional header X-Tenant-Id"), "MX405", ("`analyst`", "`crm`", "tenant")),
        (
            replaced("tenant: string", "tenant?: string").replace("header X-Tenant", "optional header X-Tenant"),
            "MX342",
            ("optional", "tenant"),
        ),
    ],
)
def test_lang_12_require_that_nothing_carries(tmp_path: Path, text: str, code: str, named: tuple[str, ...]) -> None:
    result = compiled(tmp_path, text)
    assert (result.codes, result.places) == ([code], ["require run.tenant -> crm"])
    assert all(name in result.only.message for name in named)


def test_each_field_and_server_of_a_require_that_nothing_carries_is_named(tmp_path: Path) -> None:
    text = with_lines(
        run="  verified seats: int", more=LEDGER.replace("\n  header Authorization", "\n  header Ledger-Key")
    )
    text = text.replace('Ledger-Key = "Bearer ${credential}"', 'Ledger-Region = "eu"')
    text += "require run.tenant, run.seats -> crm, ledger\n"
    found = [finding.message for finding in compiled(tmp_path, text).findings]
    assert len(found) == 3
    assert [("seats" in message, "ledger" in message) for message in found] == [
        (True, False),
        (True, True),
        (False, True),
    ]


@pytest.mark.parametrize("rule", ["require run.team -> crm", "require @claims -> crm"])
def test_what_the_caller_claims_cannot_be_required(tmp_path: Path, rule: str) -> None:
    text = with_lines(
        run="  claimed team: string @claims", crm="  header Crm-Team = run.team", more=f"tag claims\n{rule}"
    )
    assert compiled(tmp_path, text).codes == ["MX341"]


def test_lang_19_nothing_is_without_an_effect(tmp_path: Path) -> None:
    text = (
        BASE
        + """tag spare
group night
secret old_key = env("OLD_KEY")
setting spare_host = env("SPARE_HOST", "x.example.com")
server ledger {
  url = "https://ledger.example.com/mcp"
}
"""
    )
    result = compiled(tmp_path, text)
    assert len(result.warnings) == 5
    assert result.places == ["spare", "night", "old_key", "spare_host", "ledger"]


def test_a_group_that_rules_name_and_nobody_is_in_is_unused(tmp_path: Path) -> None:
    result = compiled(tmp_path, BASE + "group night\nallow run.tenant -> crm for analyst, night\n")
    assert [found.code for found in result.warnings] == ["MX605"]


def test_a_tag_or_group_that_only_a_guardrail_names_is_used(tmp_path: Path) -> None:
    cedar = '@id("g")\n  forbid (principal in Mcpx::Group::"night", action, resource in Mcpx::Tag :: "spare");'
    text = (
        BASE.replace("agent analyst uses", "agent analyst in night uses")
        + f'tag spare\ngroup night\ncedar """\n  {cedar}\n"""\n'
    )
    compiled(tmp_path, text).clean  # noqa: B018


IDLE = (
    BASE.replace("verified tenant: string", "verified tenant: string @own")
    + LEDGER.replace("server ledger", "server ledger @inner").replace(
        '\n  header Authorization = "Bearer ${credential}"', ""
    )
    + "tag own, inner, free\ngroup desk\nagent clerk in desk uses ledger\n"
)


@pytest.mark.parametrize(
    ("rule", "warns"),
    [
        ("deny run.tenant -> ledger for analyst", True),
        ("deny run.tenant -> @inner for analyst", True),
        ("deny run.tenant -> @free", True),
        ("deny @free -> ledger", True),
        ("deny run.tenant -> ledger for analyst, billing", True),
        ("deny run.tenant -> crm, ledger for billing", True),
        ("deny run.tenant -> ledger for billing", False),
        ("deny @own -> @inner for desk", False),
        ("deny run.tenant -> ledger for desk", False),
        ("deny @own -> @inner", False),
    ],
)
def test_a_rule_or_a_part_of_it_that_never_matches_is_named(tmp_path: Path, rule: str, *, warns: bool) -> None:
    uses_desk = "" if "desk" in rule else "deny run.tenant -> ledger for desk\n"
    result = compiled(tmp_path, f"{IDLE}{uses_desk}{'' if '@free' in rule else 'deny @free -> ledger'}\n{rule}\n")
    about = [result.shown(found.primary) for found in result.warnings if found.code == "MX608"]
    assert (rule in about) is warns


def test_a_deny_over_the_tag_of_a_secret_matches_and_an_allow_does_not(tmp_path: Path) -> None:
    text = (
        replaced("secret crm_key =", "secret crm_key @keys =")
        + "tag keys\n"
        + LEDGER.replace('\n  header Authorization = "Bearer ${credential}"', "")
    )
    compiled(tmp_path, text + "deny @keys -> ledger\n").clean  # noqa: B018
    assert compiled(tmp_path, text + "allow @keys -> ledger\n").codes == ["MX608"]
