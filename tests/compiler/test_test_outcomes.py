"""What `test` blocks find out about the table: by the runtime's own code, offline."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.blocks import CRM, GIVEN, block, failures, outcome, project
from support.compiling import Compiled, compiled, with_lines

from mcpx.compiler.testing import run_tests
from mcpx.runtime.errors import CallRefused
from mcpx.runtime.router import Router
from mcpx.runtime.table import read, write


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
