"""What Cedar decided, held against the headers: what may not flow reaches a server in no way."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.compiling import BASE, compiled, with_lines

USER = {"run": "  verified user: string", "crm": "  header X-User = run.user"}
BILLING = "agent billing uses crm\ncredential for billing to crm = secret.crm_key\n"
SEARCH = """mcpx 1
tag pii, third_party
run {
  verified user: string @pii
}
secret search_key = env("SEARCH_KEY")
server search @third_party {
  url = "https://search.example.net/mcp"
  header X-Api-Key = credential
  header X-User = run.user
}
agent analyst uses search
credential for analyst to search = secret.search_key
allow run.user -> search
deny @pii -> @third_party as no_pii_leaves
"""


def forbid(condition: str, name: str = "stop") -> str:
    return f'@id("{name}")\nforbid (principal, action in Mcpx::Action::"egress", resource) when {{ {condition} }};\n'


def test_lang_07_no_rule_no_flow(tmp_path: Path) -> None:
    result = compiled(tmp_path, with_lines(**USER))
    assert (result.codes, result.places) == (["MX402"], ["run.user"])
    assert "`crm`" in result.only.message
    assert "allow run.user -> crm" in result.only.helps[0]


def test_a_rule_for_some_agents_names_the_others(tmp_path: Path) -> None:
    result = compiled(tmp_path, with_lines(**USER, more=BILLING + "allow run.user -> crm for analyst"))
    assert result.codes == ["MX402"]
    assert "`billing`" in result.only.message
    assert "`analyst`" not in result.only.message


def test_an_optional_header_goes_where_a_rule_lets_it(tmp_path: Path) -> None:
    text = with_lines(**USER, more=BILLING + "allow run.user -> crm for analyst").replace(
        "header X-User", "optional header X-User"
    )
    body = compiled(tmp_path, text).clean
    sent = {
        row.agent: [body.programs[step.program].name for step in body.plans[row.plan] if step.send] for row in body.rows
    }
    assert sent == {
        "analyst": ["X-User", "Authorization", "X-Tenant-Id"],
        "billing": ["Authorization", "X-Tenant-Id"],
    }


def test_an_optional_header_that_no_rule_lets_through_for_anybody_is_an_error(tmp_path: Path) -> None:
    text = with_lines(**USER).replace("header X-User", "optional header X-User")
    assert compiled(tmp_path, text).codes == ["MX402"]


def test_lang_11_deny_wins(tmp_path: Path) -> None:
    result = compiled(tmp_path, SEARCH)
    assert (result.codes, result.places) == (["MX401"], ["run.user"])
    assert result.labels(result.only)[1:] == ["deny @pii -> @third_party as no_pii_leaves"]
    assert "`no_pii_leaves`" in result.only.message


def test_a_denied_optional_header_is_left_out_for_each_agent_that_it_is_denied_for(tmp_path: Path) -> None:
    text = SEARCH.replace("header X-User", "optional header X-User")
    result = compiled(tmp_path, text)
    assert {found.code for found in result.warnings} == {"MX404", "MX522"}
    body = result.outcome.body
    assert body is not None
    assert {body.programs[step.program].name: step.send for step in body.plans["p0"]} == {
        "X-Api-Key": True,
        "X-User": False,
    }
    assert body.flows[body.rows[0].flows]["user"].permitted is False
    assert body.flows[body.rows[0].flows]["user"].by == ("no_pii_leaves",)


@pytest.mark.parametrize("optional", [False, True])
def test_an_imported_forbid_wins_over_every_allow(tmp_path: Path, *, optional: bool) -> None:
    text = with_lines(**USER, more="allow run.user -> crm").replace("mcpx 1\n", 'mcpx 1\nimport "org.cedar"\n')
    text = text.replace("header X-User", "optional header X-User") if optional else text
    policy = forbid('context has field && context.field == Mcpx::Field::"user"')
    result = compiled(tmp_path, text, org_cedar=policy)
    assert set(result.codes) == ({"MX404", "MX522"} if optional else {"MX401"})
    for finding in result.findings:
        assert [label.span.file for label in finding.labels] == ["app.mcpx", "org.cedar"]


def test_every_agent_and_policy_that_stops_a_header_is_said(tmp_path: Path) -> None:
    text = with_lines(
        **USER,
        more=BILLING
        + "allow run.user -> crm\ndeny run.user -> crm for analyst as a\ndeny run.user -> crm for billing as b",
    )
    result = compiled(tmp_path, text)
    assert [(found.code, "`analyst`" in found.message, "`b`" in found.message) for found in result.findings] == [
        ("MX401", True, False),
        ("MX401", False, True),
    ]


def test_one_reference_of_a_header_that_is_stopped_stops_the_header(tmp_path: Path) -> None:
    fields = "  verified seats: int\n  verified rows: int"
    text = with_lines(run=fields, crm='  header Crm-Limits = "${run.seats}/${run.rows}"', more="allow run.seats -> crm")
    result = compiled(tmp_path, text)
    assert (result.codes, result.places) == (["MX402"], ["run.rows"])


@pytest.mark.parametrize(
    ("action", "code", "place"),
    [("connect", "MX406", "crm"), ("present", "MX407", "credential"), ("attach", "MX408", "Authorization")],
)
def test_each_action_that_a_policy_forbids_is_said_where_it_is_asked_for(
    tmp_path: Path, action: str, code: str, place: str
) -> None:
    cedar = f'@id("stop")\nforbid (principal, action == Mcpx::Action::"{action}", resource == Mcpx::Server::"crm");'
    result = compiled(tmp_path, f'{BASE}cedar """\n{cedar}\n"""\n')
    assert code in result.codes
    finding = next(found for found in result.findings if found.code == code)
    assert result.labels(finding)[0] == place
    assert "`stop`" in finding.message
    assert result.outcome.body is None


def test_a_secret_with_a_denied_tag_goes_through_no_door(tmp_path: Path) -> None:
    direct = SEARCH.replace("secret search_key", "secret search_key @pii").replace("  header X-User = run.user\n", "")
    direct = direct.replace("allow run.user -> search\n", "")
    assert compiled(tmp_path, direct).codes[-1] == "MX407"
    named = direct.replace("X-Api-Key = credential", "X-Api-Key = secret.search_key")
    named = named.replace("credential for analyst to search = secret.search_key\n", "")
    assert compiled(tmp_path, named).codes[-1] == "MX407"


def test_a_policy_about_one_way_stops_that_way_alone(tmp_path: Path) -> None:
    text = with_lines(
        crm="  optional header Crm-Tenant = run.tenant", more=f'cedar """\n{forbid_via("crm-tenant")}\n"""'
    )
    result = compiled(tmp_path, text)
    assert result.codes == ["MX404"]
    body = result.outcome.body
    assert body is not None
    steps = {body.programs[step.program].name: step.send for step in body.plans["p0"]}
    assert steps == {"Crm-Tenant": False, "Authorization": True, "X-Tenant-Id": True}


def forbid_via(name: str) -> str:
    return forbid(f'context has via && context.via == "header:{name}"', "one_way")


def test_the_table_says_which_policies_let_a_value_through(tmp_path: Path) -> None:
    body = compiled(tmp_path, BASE + "allow run.tenant -> crm as by_name\n").clean
    steps = {body.programs[step.program].name: step for step in body.plans["p0"]}
    assert steps["X-Tenant-Id"].by == ("app.mcpx:13:1", "by_name")
    assert (body.policies["by_name"].file, body.policies["by_name"].line) == ("app.mcpx", 14)


def test_headers_with_a_field_go_on_calls_alone(tmp_path: Path) -> None:
    body = compiled(tmp_path, with_lines(crm='  header Crm-Region = "eu"')).clean
    requests = {body.programs[step.program].name: step.requests for step in body.plans["p0"]}
    assert requests == {"Crm-Region": "session", "Authorization": "session", "X-Tenant-Id": "calls"}
