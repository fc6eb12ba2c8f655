"""`meta` and `argument` lines: what may be said of the params of calls, and what Cedar is asked about it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.compiling import BASE, compiled, with_lines

from mcpx.runtime.body import ArgumentCheck, ArgumentStep, CallPlan, FieldPart, MetaStep, TextPart


def test_meta_and_arguments_stand_in_the_table_with_what_permits_them(tmp_path: Path) -> None:
    crm = """  meta "example.com/tenant" = run.tenant
  argument tenant_id must equal run.tenant
  argument owner = run.tenant"""
    body = compiled(tmp_path, with_lines(crm=crm).replace("-> crm\n", "-> crm as told\n")).clean
    assert body.servers["crm"].checks == (ArgumentCheck("tenant_id", "tenant"),)
    assert body.rows[0].call is not None
    assert body.calls[body.rows[0].call] == CallPlan(
        (MetaStep("example.com/tenant", (FieldPart("tenant"),), False, True, ("told",)),),
        (ArgumentStep("owner", "tenant", ("told",)),),
    )


def test_a_server_without_such_lines_has_none_in_the_table(tmp_path: Path) -> None:
    body = compiled(tmp_path, BASE).clean
    assert (body.rows[0].call, dict(body.calls), body.servers["crm"].checks) == (None, {}, ())


@pytest.mark.parametrize(
    "line",
    ['meta "example.com/user" = run.user', 'meta "note" = "of ${run.user}"', "argument user = run.user"],
)
def test_a_field_needs_a_rule_to_go_by_meta_or_argument(tmp_path: Path, line: str) -> None:
    text = with_lines(run="  verified user: string", crm=f"  {line}")
    assert compiled(tmp_path, text).codes == ["MX402"]
    assert compiled(tmp_path, text + "allow run.user -> crm\n").codes == []
    assert compiled(tmp_path, text + "allow run.user -> crm\ndeny run.user -> crm as no\n").codes[0] == "MX401"


@pytest.mark.parametrize(
    ("via", "line"),
    [("meta:example.com/user", 'meta "example.com/user" = run.user'), ("argument:user", "argument user = run.user")],
)
def test_a_policy_can_tell_the_ways_apart(tmp_path: Path, via: str, line: str) -> None:
    policy = f"""allow run.user -> crm
cedar \"\"\"
  @id("not_this_way")
  forbid (principal, action == Mcpx::Action::"send", resource) when {{ context.via == "{via}" }};
\"\"\"
"""
    text = with_lines(run="  verified user: string", crm=f"  header X-User = run.user\n  {line}") + policy
    result = compiled(tmp_path, text)
    assert result.codes == ["MX401"]
    assert "`not_this_way`" in result.only.message


def test_an_optional_meta_is_left_out_where_a_rule_says_so(tmp_path: Path) -> None:
    more = "allow run.user -> crm for analyst\nagent billing uses crm\ncredential for billing to crm = secret.crm_key"
    text = with_lines(run="  verified user: string", crm='  optional meta "example.com/user" = run.user', more=more)
    body = compiled(tmp_path, text).clean
    sent = {row.agent: body.calls[row.call or ""].metas[0].send for row in body.rows}
    assert sent == {"analyst": True, "billing": False}


def test_an_argument_that_is_checked_is_no_way_for_its_field(tmp_path: Path) -> None:
    text = with_lines(run="  verified user?: string", crm="  argument user must equal run.user")
    assert compiled(tmp_path, text).clean.rows[0].call is None


@pytest.mark.parametrize(
    "key",
    [
        "progressToken",
        "ProgressToken",
        "traceparent",
        "tracestate",
        "baggage",
        "io.modelcontextprotocol/clientInfo",
        "modelcontextprotocol.io/x",
        "com.mcp/x",
        "mcp.dev/x",
        "api.mcp.dev/x",
        "Mcp.Dev/x",
        "",
        "a b",
        "/x",
        "example.com/",
        "1.example/x",
        "example..com/x",
        "-x",
        "a/b/c",
        "\\u{e9}",
    ],
)
def test_a_key_that_is_none_or_not_the_files_is_refused(tmp_path: Path, key: str) -> None:
    result = compiled(tmp_path, with_lines(crm=f'  meta "{key}" = run.tenant'))
    assert result.codes[0] == "MX390"
    assert result.outcome.body is None


@pytest.mark.parametrize(
    "key", ["x", "tenant-note", "example.com/x", "com.example.sub/a_b.c", "mymcp.example/x", "a/1"]
)
def test_a_key_of_ones_own_may_be_set(tmp_path: Path, key: str) -> None:
    assert compiled(tmp_path, with_lines(crm=f'  meta "{key}" = run.tenant')).codes == []


@pytest.mark.parametrize(
    ("fields", "line", "code"),
    [
        ("verified user?: string", 'meta "u" = run.user', "MX310"),
        ("claimed user: string", 'meta "user" = run.user', "MX313"),
        ("claimed user: string", 'meta "u" = "${run.tenant}:${run.user}"', "MX308"),
        ("verified user: string", 'meta "u" = "${run.tenant}:${run.user}"', "MX309"),
        ("verified user: list of string", 'meta "u" = "all ${run.user}"', "MX394"),
        ("verified user: string", 'meta "api-key" = "abc"', "MX315"),
        ("verified user?: string", "argument user = run.user", "MX310"),
        ("claimed user: string", "argument user = run.user", "MX393"),
        ("claimed user: string", "argument user must equal run.user", "MX393"),
    ],
)
def test_the_rules_of_headers_hold_for_what_calls_carry(tmp_path: Path, fields: str, line: str, code: str) -> None:
    crm = f"  optional header X-Note = run.user\n  {line}" if "list" not in fields else f"  {line}"
    result = compiled(tmp_path, with_lines(run=f"  {fields}", crm=crm, more="allow run.user -> crm"))
    assert [found for found in result.codes if found != "MX813"] == [code]


def test_an_identity_goes_in_meta_only_to_a_server_that_can_check_its_caller(tmp_path: Path) -> None:
    text = """mcpx 1
run {
  verified tenant: string
}
server wiki {
  url = "https://wiki.example.com/mcp"
  meta "example.com/tenant" = run.tenant
}
agent analyst uses wiki
allow run.tenant -> wiki
"""
    assert compiled(tmp_path, text).codes == ["MX314"]


@pytest.mark.parametrize("second", ["argument a must equal run.tenant", "argument a = run.tenant"])
@pytest.mark.parametrize("first", ["argument a must equal run.tenant", "argument a = run.tenant"])
def test_an_argument_has_one_statement(tmp_path: Path, first: str, second: str) -> None:
    assert compiled(tmp_path, with_lines(crm=f"  {first}\n  {second}")).codes == ["MX392"]


def test_names_of_arguments_are_exact(tmp_path: Path) -> None:
    crm = "  argument a must equal run.tenant\n  argument A must equal run.tenant"
    assert len(compiled(tmp_path, with_lines(crm=crm)).clean.servers["crm"].checks) == 2


def test_a_meta_of_text_keeps_its_parts(tmp_path: Path) -> None:
    body = compiled(tmp_path, with_lines(crm='  meta "x" = "t-${run.tenant}"')).clean
    assert body.calls["m0"].metas[0].parts == (TextPart("t-"), FieldPart("tenant"))
