"""`test` blocks: what is refused in them, and what they find out about the table."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.compiling import Compiled, compiled, with_lines

from mcpx.compiler.testing import Failure, run_tests
from mcpx.runtime.errors import CallRefused
from mcpx.runtime.router import Router
from mcpx.runtime.table import read, write

GIVEN = '  given tenant = "acme"\n'
CRM = "  send analyst -> crm\n"


def block(items: str, title: str = "t") -> str:
    return f'test "{title}" {{\n{items}}}\n'


def project(folder: Path, tests: str, *, run: str = "", crm: str = "", more: str = "") -> Compiled:
    return compiled(folder, with_lines(run=run, crm=crm, more=f"{more}\n{tests}"))


def failures(found: Compiled) -> list[Failure]:
    program, body = found.outcome.program, found.outcome.body
    assert program is not None, found.text
    assert body is not None
    return [failure for result in run_tests(body, program.tests) for failure in result.failures]


def outcome(folder: Path, expect: str, **parts: str) -> list[tuple[str, str]]:
    """The `expect` lines that failed, as written, and what came instead."""
    lines = parts.pop("given", GIVEN)
    send = parts.pop("send", CRM)
    found = project(folder, block(f"{lines}{send}{expect}"), **parts)
    return [(found.shown(failure.span), failure.found) for failure in failures(found)]


# --- What is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("items", "place", "near"),
    [
        (f"{GIVEN}  send analist -> crm\n  expect refused\n", "analist", "analyst"),
        (f"{GIVEN}  send analyst -> crn\n  expect refused\n", "crn", "crm"),
        (f'  given tenent = "acme", tenant = "acme"\n{CRM}  expect refused\n', "tenent", "tenant"),
        (f"{GIVEN}{CRM}  expect header X-Tenant-Ib\n", "X-Tenant-Ib", "X-Tenant-Id"),
        (f"{GIVEN}{CRM}  expect no header X-Tenant-Ib\n", "X-Tenant-Ib", "X-Tenant-Id"),
        (f"{GIVEN}{CRM}  expect denied run.tenent\n", "tenent", "tenant"),
    ],
)
def test_an_unknown_name_in_a_test_is_an_error_with_the_near_one(
    items: str, place: str, near: str, tmp_path: Path
) -> None:
    found = project(tmp_path, block(items))
    assert (found.codes, found.places) == (["MX201"], [place])
    assert f"`{near}`" in found.text


def test_a_group_sends_nothing(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        block(f"{GIVEN}  send research -> crm\n  expect refused\n"),
        more="group research\nallow run.tenant -> crm for research",
    )
    assert ("MX201", "research") in zip(found.codes, found.places, strict=True)


@pytest.mark.parametrize(
    ("items", "code", "place"),
    [
        ("", "MX701", '"t"'),
        (GIVEN, "MX701", '"t"'),
        (f"{GIVEN}{CRM}", "MX701", "send analyst -> crm"),
        (f"{GIVEN}{CRM}{CRM}  expect refused\n", "MX701", "send analyst -> crm"),
        (f"{CRM}{GIVEN}  expect refused\n", "MX702", 'given tenant = "acme"'),
        (f"{GIVEN}  expect refused\n{CRM}  expect refused\n", "MX702", "expect refused"),
        (f"  given tenant = 7\n{CRM}  expect refused\n", "MX703", "7"),
        (f'  given tenant = ["acme"]\n{CRM}  expect refused\n', "MX703", '["acme"]'),
        (f"{CRM}  expect refused\n", "MX704", '"t"'),
        (f'{GIVEN}{CRM}  expect header Authorization == "k"\n', "MX705", '"k"'),
        (f"{GIVEN}{CRM}  expect refused\n  expect no header X-Tenant-Id\n", "MX706", "expect no header X-Tenant-Id"),
        (f'  given tenant = "a", tenant = "b"\n{CRM}  expect refused\n', "MX204", "tenant"),
        (f"{GIVEN}{CRM}  expect denied tenant\n", "MX206", "tenant"),
        (f"{GIVEN}{CRM}  expect denied secret.crm_key\n", "MX206", "secret.crm_key"),
    ],
)
def test_a_test_that_proves_nothing_or_cannot_be_run_is_refused(
    items: str, code: str, place: str, tmp_path: Path
) -> None:
    found = project(tmp_path, block(items))
    assert (found.codes, found.places) == ([code], [place])


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ('verified plan: one of ["free", "pro"]', '"gold"'),
        ("verified plan: string max 3", '"long"'),
        ('verified plan: string matches "[a-z]+"', '"A"'),
        ("verified plan: int", "true"),
        ("verified plan: bool", '"true"'),
    ],
)
def test_what_is_given_fits_the_type_of_its_field(field: str, value: str, tmp_path: Path) -> None:
    found = project(
        tmp_path,
        block(f'  given tenant = "acme", plan = {value}\n{CRM}  expect header X-Plan\n'),
        run=f"  {field}",
        crm="  header X-Plan = run.plan",
        more="allow run.plan -> crm",
    )
    assert [(code, place) for code, place in zip(found.codes, found.places, strict=True) if code == "MX703"] == [
        ("MX703", value)
    ]


def test_two_tests_of_one_title_cannot_be_told_apart(tmp_path: Path) -> None:
    one = block(f"{GIVEN}{CRM}  expect header X-Tenant-Id\n")
    found = project(tmp_path, one + one)
    assert found.codes == ["MX202"]
    assert found.labels(found.only) == ['"t"', '"t"']


def test_a_test_of_session_requests_may_give_nothing_but_no_half_of_a_run(tmp_path: Path) -> None:
    run = "  verified user: string"
    parts = {"run": run, "crm": "  optional header X-User = run.user", "more": "allow run.user -> crm"}
    items = "  send session analyst -> crm\n  expect header Authorization\n"
    assert project(tmp_path, block(items), **parts).findings == ()
    found = project(tmp_path, block(GIVEN + items), **parts)
    assert (found.codes, found.places) == (["MX704"], ['given tenant = "acme"'])
    found = project(tmp_path, block(f"{items}  expect denied run.user\n"), **parts)
    assert (found.codes, found.places) == (["MX704"], ['"t"'])


# --- What comes of it -------------------------------------------------------------------------------------------------


def test_what_is_sent_satisfies_an_expectation_of_it(tmp_path: Path) -> None:
    assert outcome(tmp_path, '  expect header X-Tenant-Id == "acme"\n  expect header Authorization\n') == []


def test_names_of_headers_are_compared_without_case(tmp_path: Path) -> None:
    assert outcome(tmp_path, '  expect header x-tenant-id == "acme"\n') == []
    assert outcome(tmp_path, "  expect no header x-tenant-id\n") == [("expect no header x-tenant-id", '"acme"')]


def test_another_value_is_told_lang_21(tmp_path: Path) -> None:
    line = 'expect header X-Tenant-Id == "globex"'
    assert outcome(tmp_path, f"  {line}\n") == [(line, '"acme"')]


def test_every_expectation_that_fails_is_told(tmp_path: Path) -> None:
    lines = ['expect header X-Tenant-Id == "a"', "expect no header Authorization", "expect denied run.tenant"]
    found = outcome(tmp_path, "".join(f"  {line}\n" for line in lines))
    assert [line for line, _ in found] == lines


def test_numbers_and_booleans_are_compared_as_the_header_carries_them(tmp_path: Path) -> None:
    parts = {
        "given": '  given tenant = "acme", seats = -3, beta = true\n',
        "run": "  verified seats: int\n  verified beta: bool",
        "crm": "  header X-Seats = run.seats\n  header X-Beta = run.beta",
        "more": "allow run.seats, run.beta -> crm",
    }
    assert outcome(tmp_path, "  expect header X-Seats == -3\n  expect header X-Beta == true\n", **parts) == []
    assert outcome(tmp_path, "  expect header X-Seats == 3\n  expect header X-Beta == false\n", **parts) == [
        ("expect header X-Seats == 3", '"-3"'),
        ("expect header X-Beta == false", '"true"'),
    ]


def test_an_optional_header_is_left_out_where_its_field_is_missing(tmp_path: Path) -> None:
    parts = {
        "run": "  verified user?: string",
        "crm": "  optional header X-User = run.user",
        "more": "allow run.user -> crm",
    }
    assert outcome(tmp_path, "  expect no header X-User\n", **parts) == []
    with_user = '  given tenant = "acme", user = "u-1"\n'
    assert outcome(tmp_path, '  expect header X-User == "u-1"\n', given=with_user, **parts) == []
    assert outcome(tmp_path, "  expect header X-User\n", **parts) == [("expect header X-User", "no header X-User")]


def test_a_claimed_field_has_its_default_unless_it_is_given(tmp_path: Path) -> None:
    parts = {
        "run": '  claimed locale: string = "en"',
        "crm": "  header Crm-Locale = run.locale",
        "more": "allow run.locale -> crm",
    }
    assert outcome(tmp_path, '  expect header Crm-Locale == "en"\n', **parts) == []
    german = '  given tenant = "acme", locale = "de"\n'
    assert outcome(tmp_path, '  expect header Crm-Locale == "de"\n', given=german, **parts) == []


def test_session_requests_carry_what_the_session_fixes_and_nothing_of_a_run(tmp_path: Path) -> None:
    send = "  send session analyst -> crm\n"
    assert outcome(tmp_path, "  expect header Authorization\n  expect no header X-Tenant-Id\n", send=send) == []
    assert outcome(tmp_path, "  expect header X-Tenant-Id\n", send=send) == [
        ("expect header X-Tenant-Id", "no header X-Tenant-Id")
    ]


def test_a_value_that_no_header_can_carry_refuses_the_call(tmp_path: Path) -> None:
    given = '  given tenant = "ac\\u{e9}me"\n'
    assert outcome(tmp_path, "  expect refused\n", given=given) == []
    [(_, told)] = outcome(tmp_path, "  expect header X-Tenant-Id\n", given=given)
    assert told.startswith("refused: ")
    assert "`X-Tenant-Id`" in told


def test_a_call_that_goes_is_not_refused(tmp_path: Path) -> None:
    assert outcome(tmp_path, "  expect refused\n") == [("expect refused", "sent, with Authorization, X-Tenant-Id")]


def test_a_pair_that_does_not_exist_is_refused_and_lets_nothing_through(tmp_path: Path) -> None:
    more = """secret other_key = env("OTHER_KEY")
server other {
  url = "https://other.example.com/mcp"
  header X-Api-Key = credential
}
agent clerk uses other
credential for clerk to other = secret.other_key"""
    send = "  send analyst -> other\n"
    assert outcome(tmp_path, "  expect refused\n  expect denied run.tenant\n", send=send, more=more) == []
    [(_, told)] = outcome(tmp_path, "  expect header X-Api-Key\n", send=send, more=more)
    assert "does not use server `other`" in told


def test_denied_means_that_no_way_leads_to_the_server(tmp_path: Path) -> None:
    """The field has no header of its own here, but a rule would let it go: that is not denied."""
    run = "  verified user: string"
    given = '  given tenant = "acme", user = "u"\n'
    assert outcome(tmp_path, "  expect denied run.user\n", run=run, given=given) == []
    [(line, told)] = outcome(
        tmp_path, "  expect denied run.user\n", run=run, given=given, more="allow run.user -> crm as open"
    )
    assert line == "expect denied run.user"
    assert "`open`" in told


def test_each_send_has_the_expectations_below_it(tmp_path: Path) -> None:
    items = (
        f'{CRM}  expect header X-Tenant-Id == "acme"\n  send session analyst -> crm\n  expect header X-Tenant-Id\n{CRM}'
    )
    assert [line for line, _ in outcome(tmp_path, "  expect refused\n", send=items)] == [
        "expect header X-Tenant-Id",
        "expect refused",
    ]


def test_secrets_and_settings_of_the_machine_take_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRM_KEY", "k-123")
    monkeypatch.setenv("CRM_REGION", "eu-1")
    found = outcome(
        tmp_path,
        "  expect no header Authorization\n  expect no header Crm-Region\n",
        crm="  header Crm-Region = setting.region",
        more='setting region = env("CRM_REGION", "us-1")',
    )
    assert [told for _, told in found] == ['"Bearer (secret crm_key)"', '"(setting region)"']


def test_a_file_without_its_secret_file_and_settings_is_tested_all_the_same(tmp_path: Path) -> None:
    text = with_lines(more=block(f"{GIVEN}{CRM}  expect header Authorization\n"))
    text = text.replace('env("CRM_KEY")', 'file("/nowhere/at/all")').replace(
        '"https://crm.example.com/mcp"', '"${setting.address}/mcp"'
    )
    found = compiled(tmp_path, f'{text}setting address = env("CRM_ADDRESS_THAT_NOBODY_SETS")\n')
    assert failures(found) == []


GUARDED = {
    "run": '  verified user: string\n  verified plan?: one of ["free", "pro"]',
    "crm": "  optional header X-User = run.user",
    "more": 'allow run.user -> crm when has run.plan && run.plan == "pro" as pro_only',
}


@pytest.mark.parametrize(("plan", "goes"), [(', plan = "pro"', True), (', plan = "free"', False), ("", False)])
def test_a_condition_decides_for_the_run_that_is_given_lang_08(plan: str, goes: bool, tmp_path: Path) -> None:
    given = f'  given tenant = "acme", user = "u"{plan}\n'
    header, denied = '  expect header X-User == "u"\n', "  expect no header X-User\n  expect denied run.user\n"
    right, wrong = (header, denied) if goes else (denied, header)
    assert outcome(tmp_path, right, given=given, **GUARDED) == []
    told = [told for _, told in outcome(tmp_path, wrong, given=given, **GUARDED)]
    assert told == (['"u"', "`run.user` may go, by `pro_only`"] if goes else ["no header X-User"])


# --- Arguments, sessions, tokens --------------------------------------------------------------------------------------

CHECKED = "  argument tenant_id must equal run.tenant"


@pytest.mark.parametrize(
    ("argument", "refused"), [('tenant_id = "globex"', True), ('tenant_id = "acme"', False), ("tenant_id = 7", True)]
)
def test_the_model_names_another_tenant_run_05(argument: str, refused: bool, tmp_path: Path) -> None:
    send = f"  send analyst -> crm with argument {argument}\n"
    expect = "  expect refused\n" if refused else '  expect header X-Tenant-Id == "acme"\n'
    assert outcome(tmp_path, expect, send=send, crm=CHECKED) == []


def test_a_refused_argument_is_named_and_its_value_is_not_told(tmp_path: Path) -> None:
    send = '  send analyst -> crm with argument tenant_id = "globex"\n'
    [(_, told)] = outcome(tmp_path, "  expect header X-Tenant-Id\n", send=send, crm=CHECKED)
    assert "`tenant_id`" in told
    assert "globex" not in told


def test_a_call_without_its_argument_goes(tmp_path: Path) -> None:
    assert outcome(tmp_path, '  expect header X-Tenant-Id == "acme"\n', crm=CHECKED) == []


def test_an_argument_that_is_set_is_nobody_elses(tmp_path: Path) -> None:
    crm = "  argument tenant_id = run.tenant"
    assert outcome(tmp_path, '  expect header X-Tenant-Id == "acme"\n', crm=crm) == []
    send = '  send analyst -> crm with argument tenant_id = "acme"\n'
    assert outcome(tmp_path, "  expect refused\n", send=send, crm=crm) == []


def test_an_argument_that_no_statement_names_is_an_error_with_the_near_one(tmp_path: Path) -> None:
    items = f'{GIVEN}  send analyst -> crm with argument tenant_ib = "acme"\n  expect refused\n'
    found = project(tmp_path, block(items), crm=CHECKED)
    assert (found.codes, found.places) == (["MX201"], ["tenant_ib"])
    assert "`tenant_id`" in found.text


def test_session_requests_have_no_arguments(tmp_path: Path) -> None:
    send = 'send session analyst -> crm with argument tenant_id = "acme"'
    found = project(tmp_path, block(f"  {send}\n  expect header Authorization\n"), crm=CHECKED)
    assert (found.codes, found.places) == (["MX707"], [send])


def test_a_session_keyed_by_fields_opens_with_them_and_needs_the_run(tmp_path: Path) -> None:
    crm = "  session = per run.tenant"
    send = "  send session analyst -> crm\n"
    assert outcome(tmp_path, '  expect header X-Tenant-Id == "acme"\n', send=send, crm=crm) == []
    found = project(tmp_path, block(f"{send}  expect header X-Tenant-Id\n"), crm=crm)
    assert (found.codes, found.places) == (["MX704"], ['"t"'])


def test_a_token_is_sent_and_cannot_be_compared(tmp_path: Path) -> None:
    parts = {
        "crm": "  header X-Proof = token.proof",
        "more": 'token proof for crm {\n  issuer = "https://app.example.com"\n  key = host\n  ttl = 5m\n}',
    }
    assert outcome(tmp_path, "  expect header X-Proof\n", **parts) == []
    assert outcome(tmp_path, "  expect no header X-Proof\n", **parts) == [
        ("expect no header X-Proof", '"(token proof)"')
    ]
    found = project(tmp_path, block(f'{GIVEN}{CRM}  expect header X-Proof == "e30"\n'), **parts)
    assert (found.codes, found.places) == (["MX705"], ['"e30"'])


def test_a_claim_is_a_way_to_the_server_too(tmp_path: Path) -> None:
    parts = {
        "run": "  verified user: string",
        "given": '  given tenant = "acme", user = "u"\n',
        "crm": "  header X-Proof = token.proof",
    }
    token = 'token proof for crm {\n  issuer = "https://app.example.com"\n  key = host\n  ttl = 5m\n%s}\n'
    claims = "  claims {\n    user = run.user\n  }\n"
    denied = "  expect denied run.user\n"
    assert outcome(tmp_path, denied, more=token % "", **dict(parts)) == []
    [(_, told)] = outcome(tmp_path, denied, more=token % claims + "allow run.user -> crm as open", **dict(parts))
    assert "`open`" in told


@pytest.fixture(scope="module")
def base_program(tmp_path_factory: pytest.TempPathFactory) -> Compiled:
    items = f'{GIVEN}{CRM}  expect header X-Tenant-Id == "acme"\n{CRM}  expect refused\n'
    return project(tmp_path_factory.mktemp("base"), block(items))


@given(tenant=st.one_of(st.just("acme"), st.text(max_size=12)).map(lambda text: unicodedata.normalize("NFC", text)))
def test_a_test_finds_what_the_runtime_does_with_the_secrets_of_a_machine(base_program: Compiled, tenant: str) -> None:
    program, body = base_program.outcome.program, base_program.outcome.body
    assert program is not None
    assert body is not None
    router = Router(read(write(body)), {"CRM_KEY": "k-123"})
    try:
        sent = router.run("analyst", verified={"tenant": tenant}).headers("crm").get("X-Tenant-Id")
    except CallRefused:
        sent = None
    [result] = run_tests(body, [replace(program.tests[0], given={"tenant": tenant})])
    failed = {base_program.shown(failure.span) for failure in result.failures}
    equal, refused = 'expect header X-Tenant-Id == "acme"', "expect refused"
    assert failed == {line for line, met in ((equal, sent == "acme"), (refused, sent is None)) if not met}
