"""`when`: what it may say, what it means, what it may not hang on (LANG-08, LANG-09, CEDAR-08, CEDAR-09)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support.compiling import BASE, compiled, with_lines

from mcpx.runtime.errors import RunRefused
from mcpx.runtime.router import Router
from mcpx.runtime.run import Run
from mcpx.runtime.table import read, write

RUN = """  verified user: string
  verified plan: one of ["free", "pro"]
  verified seats: int
  verified beta: bool
  verified scopes: list of string
  verified region?: string
  claimed locale: string = "en"
"""
PLAIN, OPTIONAL = "  header X-User = run.user", "  optional header X-User = run.user"


def _text(rule: str, header: str = OPTIONAL, more: str = "") -> str:
    return with_lines(run=RUN, crm=header, more=f"{rule}\n{more}")


def _codes(found: Any) -> set[str]:
    """Without what is said about fields that a test leaves unused."""
    return set(found.codes) - {"MX602"}


def _router(folder: Path, rule: str, more: str = "", header: str = OPTIONAL) -> Router:
    outcome = compiled(folder, _text(rule, header, more))
    assert outcome.outcome.body is not None, outcome.text
    return Router(read(write(outcome.outcome.body)), {"CRM_KEY": "k"})


def _run(router: Router, **changes: Any) -> Run:
    verified = {"tenant": "acme", "user": "u-1", "plan": "free", "seats": 1, "beta": False, "scopes": []}
    claimed = {name: changes.pop(name) for name in ("locale",) if name in changes}
    given = {name: value for name, value in {**verified, **changes}.items() if value is not None}
    return router.run("analyst", verified=given, claimed=claimed)


def _sent(router: Router, **changes: Any) -> bool:
    headers = _run(router, **changes).headers("crm")
    assert headers["X-Tenant-Id"] == "acme"
    assert headers["Authorization"] == "Bearer k"
    return "X-User" in headers


def test_lang_08_a_plain_header_under_a_condition_is_an_error_that_names_the_rule(tmp_path: Path) -> None:
    outcome = compiled(tmp_path, _text('allow run.user -> crm when run.plan == "pro" as pro_only', PLAIN))
    [finding] = [one for one in outcome.findings if one.code == "MX409"]
    assert "pro_only" in finding.message
    assert outcome.shown(finding.primary) == "run.user"
    assert outcome.labels(finding)[1].startswith("allow run.user -> crm when")
    assert outcome.outcome.body is None


def test_lang_08_an_optional_header_goes_where_the_condition_holds(tmp_path: Path) -> None:
    router = _router(tmp_path, 'allow run.user -> crm when run.plan == "pro" as pro_only')
    assert _sent(router, plan="pro")
    assert not _sent(router, plan="free")


def test_lang_09_a_claim_may_narrow_and_not_widen(tmp_path: Path) -> None:
    widening = compiled(tmp_path, _text('allow run.user -> crm when run.locale == "de"'))
    [finding] = [one for one in widening.findings if one.code == "MX284"]
    assert widening.shown(finding.primary) == "run.locale"
    assert widening.outcome.body is None
    narrowing = compiled(tmp_path, _text("allow run.user -> crm", more='deny run.user -> crm when run.locale == "xx"'))
    assert _codes(narrowing) == {"MX285"}
    assert "escape" in next(one.message for one in narrowing.findings if one.code == "MX285")
    router = _router(tmp_path, "allow run.user -> crm", 'deny run.user -> crm when run.locale == "xx"')
    assert _sent(router, locale="de")
    assert not _sent(router, locale="xx")


@pytest.mark.parametrize(
    ("region", "sent"), [("eu", True), ("us", False), (None, False)], ids=["eu", "us", "not there"]
)
def test_cedar_08_a_guardrail_decides_each_run(tmp_path: Path, region: str | None, sent: bool) -> None:
    residency = '''cedar """
  @id("residency") forbid (principal, action == Mcpx::Action::"send", resource)
  when { context.field == Mcpx::Field::"user" }
  unless { context.run has region && resource.regions.contains(context.run.region) };
"""'''
    text = _text("allow run.user -> crm", more=f"property server.regions: list of string\n{residency}")
    outcome = compiled(tmp_path, text.replace("server crm {", 'server crm {\n  regions = ["eu"]'))
    assert outcome.outcome.body is not None, outcome.text
    router = Router(read(write(outcome.outcome.body)), {"CRM_KEY": "k"})
    assert _sent(router, region=region) is sent


def test_cedar_09_the_edge_of_a_number_and_what_is_no_number(tmp_path: Path) -> None:
    router = _router(tmp_path, "allow run.user -> crm when run.seats > 5")
    assert [_sent(router, seats=seats) for seats in (-(2**63), 5, 6, 2**63 - 1)] == [False, False, True, True]
    for seats in (True, 6.0, "6"):
        with pytest.raises(RunRefused):
            _run(router, seats=seats)


@pytest.mark.parametrize(
    ("condition", "yes", "no"),
    [
        ('run.plan != "free"', {"plan": "pro"}, {"plan": "free"}),
        ('run.plan in ["pro"]', {"plan": "pro"}, {"plan": "free"}),
        ("run.seats >= 5", {"seats": 5}, {"seats": 4}),
        ("5 >= run.seats", {"seats": 5}, {"seats": 6}),
        ("run.seats < -1", {"seats": -2}, {"seats": -1}),
        ("run.beta", {"beta": True}, {"beta": False}),
        ("!run.beta", {"beta": False}, {"beta": True}),
        ("run.beta == false", {"beta": False}, {"beta": True}),
        ('run.scopes contains "a"', {"scopes": ["b", "a"]}, {"scopes": ["b"]}),
        ("has run.region", {"region": ""}, {}),
        ('has run.region && run.region == ""', {"region": ""}, {"region": "x"}),
        ('!(has run.region) || run.plan == "pro"', {}, {"region": "x"}),
        ('run.beta && run.seats == 1 || run.plan == "pro"', {"beta": True}, {"beta": True, "seats": 2}),
        ('run.beta && (run.seats == 1 || run.plan == "pro")', {"beta": True}, {"plan": "pro"}),
    ],
)
def test_a_condition_means_what_cedar_means(
    tmp_path: Path, condition: str, yes: dict[str, Any], no: dict[str, Any]
) -> None:
    router = _router(tmp_path, f"allow run.user -> crm when {condition}")
    assert _sent(router, **yes)
    assert not _sent(router, **no)


@pytest.mark.parametrize(
    ("condition", "code", "place"),
    [
        ('run.seats == "5"', "MX280", 'run.seats == "5"'),
        ('run.user < "b"', "MX280", "<"),
        ("run.user in run.plan", "MX280", "run.plan"),
        ("run.user", "MX280", "run.user"),
        ("run.user == run.tenant", "MX281", "run.user == run.tenant"),
        ("run.user in run.scopes", "MX281", "run.user in run.scopes"),
        ('run.region == "eu"', "MX282", "run.region"),
        ('!(has run.region) || run.region == "eu"', "MX282", "run.region"),
        ('(has run.region || run.beta) && run.region == "eu"', "MX282", "run.region"),
        ('run.plan == "por"', "MX283", '"por"'),
        ('run.plan in ["pro", "fre"]', "MX283", '"fre"'),
        ('"a" == "a"', "MX286", '"a" == "a"'),
        ("has run.user && run.beta", "MX287", "run.user"),
    ],
)
def test_what_cannot_be_decided_or_meant_is_an_error_at_its_place(
    tmp_path: Path, condition: str, code: str, place: str
) -> None:
    outcome = compiled(tmp_path, _text(f"allow run.user -> crm when {condition}"))
    [finding] = [one for one in outcome.findings if one.code != "MX602"]
    assert (finding.code, outcome.shown(finding.primary)) == (code, place)
    assert outcome.outcome.body is None


def test_a_choice_that_is_none_is_told_with_the_near_one(tmp_path: Path) -> None:
    outcome = compiled(tmp_path, _text('allow run.user -> crm when run.plan == "por"'))
    [finding] = [one for one in outcome.findings if one.code == "MX283"]
    assert finding.fixes[0].edits[0].text == '"pro"'


@pytest.mark.parametrize(
    ("require", "allow", "fulfilled"),
    [
        ('run.plan == "pro"', 'run.plan == "pro"', True),
        ('run.plan == "pro" && run.beta', 'run.plan != "free"', True),
        ("run.seats > 9", "run.seats > 5", True),
        ('run.plan == "pro"', "run.beta", True),
    ],
)
def test_a_require_with_a_condition_is_fulfilled_by_its_own_permit(
    tmp_path: Path, require: str, allow: str, fulfilled: bool
) -> None:
    outcome = compiled(
        tmp_path, _text(f"require run.user -> crm when {require}", more=f"allow run.user -> crm when {allow}")
    )
    assert ("MX405" not in outcome.codes) is fulfilled


def test_a_require_is_not_fulfilled_where_a_deny_leaves_the_header_out(tmp_path: Path) -> None:
    rule = 'require run.user -> crm when run.plan == "pro"'
    stopped = compiled(tmp_path, _text(rule, more="deny run.user -> crm when run.seats > 5"))
    assert "MX405" in stopped.codes
    elsewhere = compiled(tmp_path, _text(rule, more='deny run.user -> crm when run.plan == "free"'))
    assert "MX405" not in elsewhere.codes


def test_a_require_without_a_condition_wants_a_plain_header(tmp_path: Path) -> None:
    assert "MX405" in compiled(tmp_path, _text("require run.user -> crm")).codes
    assert "MX405" not in compiled(tmp_path, _text("require run.user -> crm", PLAIN)).codes


def test_equal_guards_are_stored_once(tmp_path: Path) -> None:
    outcome = compiled(
        tmp_path,
        _text(
            'allow run.user -> crm when run.plan == "pro"',
            f"{OPTIONAL}\n  optional header X-Seats = run.seats",
            'allow run.seats -> crm when run.plan in ["pro"]',
        ),
    )
    body = outcome.outcome.body
    assert body is not None
    sends = [step.send for steps in body.plans.values() for step in steps]
    assert len({send for send in sends if isinstance(send, str)}) <= 2
    again = compiled(
        tmp_path, _text('allow run.user -> crm when run.plan == "pro"', more="deny run.user -> crm when run.seats > 5")
    )
    assert again.outcome.body is not None
    assert len(again.outcome.body.guards) == 2


def test_a_server_that_only_some_runs_may_use_is_an_error(tmp_path: Path) -> None:
    text = (
        BASE.replace("run {", "run {\n  verified beta: bool")
        + '''cedar """
  @id("beta_only") forbid (principal, action == Mcpx::Action::"connect", resource) unless { context.run.beta };
"""
'''
    )
    outcome = compiled(tmp_path, text)
    assert outcome.codes == ["MX409"]
    assert "beta_only" in outcome.only.message
