"""`test` blocks: what is refused in them, each with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.blocks import CRM, GIVEN, block, project


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
