"""Sessions: their keys, what opens them, and on which requests each header goes."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.compiling import BASE, Compiled, compiled, replaced, with_lines

from mcpx.compiler.report.diagnostic import Severity
from mcpx.runtime.body import Body, SessionCredential

SESSION_KEY = 'secret session_key = env("SESSION_KEY")\ncredential for session to crm = secret.session_key'


def placements(body: Body) -> dict[str, str]:
    """Header names of the first row to the requests that they go on."""
    return {body.programs[step.program].name: step.requests for step in body.plans[body.rows[0].plan]}


def partitioned(session: str) -> str:
    """Base whose credential is one per user."""
    text = replaced('env("CRM_KEY")', 'provider("vault", "crm") per run.user')
    return with_lines(
        run="  verified user: string", crm=f"  session = {session}", more="allow run.user -> crm", base=text
    )


@pytest.mark.parametrize(
    ("written", "key", "tenant"),
    [
        ("per agent", "agent", "calls"),
        ("shared", "shared", "calls"),
        ("per run.tenant", ("tenant",), "session"),
        ("per run", "run", "session"),
    ],
)
def test_a_field_goes_on_session_requests_only_where_the_key_fixes_it(
    tmp_path: Path, written: str, key: object, tenant: str
) -> None:
    more = SESSION_KEY if written == "shared" else ""
    body = compiled(tmp_path, with_lines(crm=f"  session = {written}", more=more)).clean
    assert body.servers["crm"].session == key
    assert placements(body) == {"Authorization": "session", "X-Tenant-Id": tenant}


def test_a_key_of_other_fields_does_not_fix_this_one(tmp_path: Path) -> None:
    text = with_lines(run="  verified user: string", crm="  session = per run.user")
    assert placements(compiled(tmp_path, text).clean)["X-Tenant-Id"] == "calls"


def test_a_header_whose_guard_reads_the_run_goes_on_calls_alone(tmp_path: Path) -> None:
    crm = '  optional header X-Region = "eu"'
    guard = """cedar \"\"\"
  @id("pro_only")
  forbid (principal, action == Mcpx::Action::"attach", resource)
  when { context.via == "header:x-region" && context.run.plan == "free" };
\"\"\""""
    text = with_lines(run='  verified plan: one of ["free", "pro"]', crm=crm, more=guard)
    assert placements(compiled(tmp_path, text).clean)["X-Region"] == "calls"
    keyed = with_lines(
        run='  verified plan: one of ["free", "pro"]', crm=f"  session = per run.plan\n{crm}", more=guard
    )
    assert placements(compiled(tmp_path, keyed).clean)["X-Region"] == "session"


def test_a_shared_session_carries_what_every_agent_may_send(tmp_path: Path) -> None:
    more = f"""{SESSION_KEY}
agent billing uses crm
credential for billing to crm = secret.crm_key
cedar \"\"\"
  @id("no_region_of_billing")
  forbid (principal == Mcpx::Agent::"billing", action == Mcpx::Action::"attach", resource)
  when {{ context.via == "header:x-region" }};
\"\"\""""
    crm = '  session = shared\n  optional header X-Region = "eu"\n  header X-Zone = "a"'
    body = compiled(tmp_path, with_lines(crm=crm, more=more)).clean
    for row in body.rows:
        where = {body.programs[step.program].name: step.requests for step in body.plans[row.plan]}
        assert (where["X-Region"], where["X-Zone"]) == ("calls", "session")


@pytest.mark.parametrize("field", ["claimed locale: string", "verified user?: string"])
def test_a_key_is_of_verified_fields_that_every_run_has(tmp_path: Path, field: str) -> None:
    name = field.split()[1].rstrip("?:")
    result = compiled(tmp_path, with_lines(run=f"  {field}", crm=f"  session = per run.{name}"))
    assert result.codes == ["MX380"]
    assert result.places == [f"per run.{name}"]


def test_lang_20_a_shared_session_without_a_credential_is_told(tmp_path: Path) -> None:
    [warning] = compiled(tmp_path, with_lines(crm="  session = shared")).warnings
    assert warning.code == "MX384"
    assert "`crm`" in warning.message
    assert "credential for session to crm" in warning.helps[0]


def test_lang_20_the_sessions_own_credential_opens_it_and_no_call_carries_it(tmp_path: Path) -> None:
    body = compiled(tmp_path, with_lines(crm="  session = shared", more=SESSION_KEY)).clean
    by = ("credential for session to crm = secret.session_key",)
    assert body.servers["crm"].session_credential == SessionCredential("session_key", None, by)
    assert body.rows[0].credential == "crm_key"
    assert placements(body)["Authorization"] == "session"


def test_a_policy_may_stop_a_session_from_being_opened_for_one_of_its_agents(tmp_path: Path) -> None:
    more = f"""{SESSION_KEY}
agent billing uses crm
credential for billing to crm = secret.crm_key
cedar \"\"\"
  @id("not_billing")
  forbid (principal == Mcpx::Agent::"billing", action == Mcpx::Action::"present", resource)
  when {{ context.via == "session" }};
\"\"\""""
    result = compiled(tmp_path, with_lines(crm="  session = shared", more=more))
    assert result.codes == ["MX407"]
    assert "`billing`" in result.only.message
    assert "`analyst`" not in result.only.message
    assert "`not_billing`" in result.only.message


def test_a_tag_of_the_sessions_secret_is_denied_like_that_of_any_other(tmp_path: Path) -> None:
    more = SESSION_KEY.replace("session_key =", "session_key @inner =", 1) + "\ndeny @inner -> crm as stay"
    result = compiled(
        tmp_path, "mcpx 1\ntag inner\n" + with_lines(crm="  session = shared", more=more)[len("mcpx 1\n") :]
    )
    assert [finding.code for finding in result.findings if finding.severity is Severity.ERROR] == ["MX407"]


def test_a_credential_for_a_session_that_belongs_to_an_agent_has_no_effect(tmp_path: Path) -> None:
    assert compiled(tmp_path, BASE + SESSION_KEY + "\n").codes == ["MX382"]


def test_a_session_that_nothing_asks_a_credential_of_does_not_use_one(tmp_path: Path) -> None:
    text = with_lines(crm="  session = shared", more=SESSION_KEY)
    text = replaced('header Authorization = "Bearer ${credential}"', "header X-Key = secret.crm_key", base=text)
    text = replaced("credential for analyst to crm = secret.crm_key\n", "", base=text)
    [warning] = compiled(tmp_path, text).warnings
    assert (warning.code, warning.message) == ("MX607", "this credential is never used")


def test_a_secret_per_user_draws_on_the_user(tmp_path: Path) -> None:
    assert placements(compiled(tmp_path, partitioned("per run.user")).clean)["Authorization"] == "session"
    [warning] = compiled(tmp_path, partitioned("per agent")).warnings
    assert warning.code == "MX384"


def test_a_secret_per_user_reaches_a_server_only_where_the_user_may(tmp_path: Path) -> None:
    without = partitioned("per run.user").replace("allow run.user -> crm\n", "")
    result = compiled(tmp_path, without)
    assert result.codes == ["MX402"]
    assert "run.user" in result.only.message
    denied = compiled(tmp_path, partitioned("per run.user") + "deny run.user -> crm as never_the_user\n")
    assert [finding.code for finding in denied.findings] == ["MX401"]


def test_a_policy_sees_the_fields_of_a_partition(tmp_path: Path) -> None:
    policy = """cedar \"\"\"
  @id("no_users_own_secrets")
  forbid (principal, action == Mcpx::Action::"present", resource) when { context.credential.per.contains("user") };
\"\"\"
"""
    result = compiled(tmp_path, partitioned("per run.user") + policy)
    assert [finding.code for finding in result.findings if finding.severity is Severity.ERROR] == ["MX407"]


def test_a_secret_per_user_opens_no_shared_session(tmp_path: Path) -> None:
    more = SESSION_KEY.replace('env("SESSION_KEY")', 'provider("vault", "session") per run.tenant')
    result = compiled(tmp_path, with_lines(crm="  session = shared", more=more))
    assert result.codes == ["MX389"]


def test_two_names_of_one_secret_carry_one_set_of_tags(tmp_path: Path) -> None:
    def both(tags: str) -> Compiled:
        more = f'shared secret second{tags} = env("CRM_KEY")\n'
        crm = "  header X-Second = secret.second"
        text = with_lines(crm=crm, more=more, base=replaced("secret crm_key", "shared secret crm_key @inner"))
        return compiled(tmp_path, text.replace("mcpx 1\n", "mcpx 1\ntag inner\n"))

    assert both("").codes == ["MX385"]
    assert both(" @inner").codes == []


@pytest.mark.parametrize(("session", "value"), [("none", "none"), ("per tenant", "per tenant")])
def test_a_session_has_one_of_four_kinds(tmp_path: Path, session: str, value: str) -> None:
    result = compiled(tmp_path, with_lines(crm=f"  session = {session}"))
    assert result.codes in (["MX210"], ["MX206"])
    assert result.places[0] in (value, "tenant")


def test_discovery_is_with_the_session_or_the_run(tmp_path: Path) -> None:
    assert compiled(tmp_path, BASE).clean.servers["crm"].discovery == "session"
    assert compiled(tmp_path, with_lines(crm="  discovery = per run")).clean.servers["crm"].discovery == "run"
    assert compiled(tmp_path, with_lines(crm="  discovery = shared")).codes == ["MX210"]


def test_what_opens_a_session_goes_to_one_server_like_every_secret(tmp_path: Path) -> None:
    more = f"""{SESSION_KEY}
server docs {{
  url = "https://docs.example.com/mcp"
  header X-Key = secret.session_key
}}
agent reader uses docs"""
    result = compiled(tmp_path, with_lines(crm="  session = shared", more=more))
    assert result.codes == ["MX316"]
    assert "`session_key`" in result.only.message
