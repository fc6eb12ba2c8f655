"""`test` blocks about arguments, keyed sessions and tokens."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.blocks import CRM, GIVEN, block, outcome, project

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
