"""The situations CEDAR-01 to CEDAR-13, on a base without properties and enumerated fields."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support.cedar_projects import BASE, decided

SEND = 'action == Mcpx::Action::"send"'
PRESENT = 'action == Mcpx::Action::"present"'
TO_THIRD_PARTIES = 'resource in Mcpx::Tag::"third_party"'


def test_cedar_00_without_a_guardrail_the_rules_and_relations_of_the_file_decide() -> None:
    decisions = decided().sound
    assert decisions.send["analyst", "crm", "tenant", "header:x-tenant-id"].permitted
    assert not decisions.send["analyst", "crm", "seats", "header:x-tenant-id"].permitted
    assert not decisions.send["analyst", "search", "user", "header:x-source"].permitted
    assert {key for key, value in decisions.present.items() if value.permitted} == {
        ("analyst", "crm", "crm_key", "header:authorization"),
        ("analyst", "search", "search_key", "header:x-api-key"),
    }
    assert all(decision.permitted for decision in (*decisions.connect.values(), *decisions.attach.values()))


@pytest.mark.parametrize("inline", [False, True])
def test_cedar_01_a_guardrail_beats_a_rule_of_the_file_and_is_named(inline: bool) -> None:
    policy = f"""@id("users_stay_home")
forbid (principal, {SEND}, resource == Mcpx::Server::"crm")
when {{ context.field == Mcpx::Field::"user" }};
"""
    outcome = decided(mcpx=f'{BASE}cedar """{policy}"""\n') if inline else decided(policy)
    decisions = outcome.sound
    user = decisions.send["analyst", "crm", "user", "header:x-user"]
    assert (user.permitted, user.by) == (False, ("users_stay_home",))
    assert decisions.send["analyst", "crm", "tenant", "header:x-tenant-id"].permitted
    span = decisions.policies["users_stay_home"].span
    assert span.file == ("app.mcpx" if inline else "org.cedar")
    assert outcome.shown(span) == policy.strip()


def test_cedar_02_misspelt_names_are_errors_at_the_name_with_the_near_one() -> None:
    outcome = decided(
        '@id("t") forbid (principal, action, resource in Mcpx::Tag::"third_prty");\n'
        '@id("a") forbid (principal == Mcpx::Agent::"analist", action, resource);\n'
    )
    assert outcome.places == ['"third_prty"', '"analist"']
    assert [finding.labels[0].text for finding in outcome.findings] == [
        "not declared, did you mean `third_party`?",
        "not declared, did you mean `analyst`?",
    ]


@pytest.mark.parametrize(
    ("policy", "place", "near"),
    [
        ('forbid (principal in Mcpx::Group::"reserch", action, resource)', '"reserch"', "research"),
        ('forbid (principal, action, resource == Mcpx::Server::"cmr")', '"cmr"', "crm"),
        (f'forbid (principal, {SEND}, resource) when {{ context.field == Mcpx::Field::"usr" }}', '"usr"', "user"),
        (
            f'forbid (principal, {PRESENT}, resource) when {{ context.credential == Mcpx::Credential::"crm_ky" }}',
            '"crm_ky"',
            "crm_key",
        ),
        ('forbid (principal, action == Mcpx::Action::"sned", resource)', '"sned"', "send"),
        ('forbid (principal, action in [Mcpx::Action::"sned"], resource)', '"sned"', "send"),
        ('forbid (principal is Mcpx::Agent in Mcpx::Group::"reserch", action, resource)', '"reserch"', "research"),
        (
            'permit (principal, action, resource) when { principal in [Mcpx::Group::"reserch"] }',
            '"reserch"',
            "research",
        ),
    ],
)
def test_cedar_02_holds_for_every_kind_of_entity_and_place(policy: str, place: str, near: str) -> None:
    outcome = decided(f'@id("p") {policy};')
    assert outcome.codes == ["MX508"]
    assert outcome.places == [place]
    assert f"`{near}`" in outcome.findings[0].labels[0].text


@pytest.mark.parametrize(
    ("condition", "code", "place"),
    [
        ('when { context.run.tenant in ["free"] }', "MX510", None),
        ('when { context.run.region == "eu" }', "MX510", "context.run.region"),
        ("when { context.run.tenant == context.run.user }", "MX517", "context.run.tenant"),
        ("when { context.run.seats + 1 > 5 }", "MX517", "context.run.seats"),
        ("when { context.run.seats * 2 > 5 }", "MX517", "context.run.seats"),
        ("when { -context.run.seats > 5 }", "MX517", "context.run.seats"),
        ("when { ip(context.run.tenant).isIpv4() }", "MX510", None),
        ('when { [context.run.tenant].contains("a") }', "MX517", "context.run.tenant"),
        ("when { {a: context.run.seats}.a == 1 }", "MX517", "context.run.seats"),
        ("when { (if true then context.run.seats else 1) == 1 }", "MX517", "context.run.seats"),
        ("when { (context.run.seats > 1) == true }", "MX517", "context.run.seats"),
    ],
)
def test_cedar_03_04_10_a_condition_that_cannot_be_decided_is_an_error_at_its_place(
    condition: str, code: str, place: str | None
) -> None:
    outcome = decided(f'@id("p") forbid (principal, {SEND}, resource) {condition};')
    assert outcome.codes == [code]
    if place is not None:
        assert outcome.places == [place]


def test_cedar_04_an_optional_field_is_asked_for_first() -> None:
    [finding] = decided(f'@id("p") forbid (principal, {SEND}, resource) when {{ context.run.region == "x" }};').findings
    assert any("has region &&" in line for line in finding.helps)


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("context.run.tenant == context.run.user", "two values of the run"),
        ("context.run.seats + 1 > 5", "calculates"),
        ('[context.run.tenant].contains("a")', "inside a set"),
    ],
)
def test_cedar_10_the_reason_is_given_in_words(condition: str, words: str) -> None:
    [finding] = decided(f'@id("p") forbid (principal, {SEND}, resource) when {{ {condition} }};').findings
    assert words in finding.message


def test_cedar_11_a_policy_that_no_run_satisfies_is_idle() -> None:
    never = decided(
        f'@id("p") forbid (principal, {SEND}, resource) when {{ context.run.seats > 3 && context.run.seats < 2 }};'
    ).sound
    assert never.idle == ("p",)
    assert decided(f'@id("p") forbid (principal, {SEND}, resource) when {{ context.run.seats > 3 }};').sound.idle == ()


def test_cedar_11_an_allow_that_a_deny_covers_is_shadowed_by_it() -> None:
    decisions = decided(mcpx=f"{BASE}deny run.user -> crm as never\n").sound
    [(shadowed, by)] = decisions.shadowed.items()
    assert by == ("never",)
    assert shadowed.startswith("app.mcpx:")


def test_what_the_caller_claims_may_narrow_and_not_widen() -> None:
    mcpx = BASE.replace("run {", "run {\n  claimed locale: string")
    condition = f'(principal, {SEND}, resource) when {{ context.run.locale == "de" }}'
    widening = decided(f'@id("p") permit {condition};', mcpx)
    assert (widening.codes, widening.places) == (["MX519"], ["context.run.locale"])
    narrowing = decided(f'@id("p") forbid {condition};', mcpx)
    assert (narrowing.codes, narrowing.places) == (["MX520"], ["context.run.locale"])
    assert narrowing.decisions is not None
    assert not narrowing.decisions.send["analyst", "crm", "user", "header:x-user"].always


def test_cedar_05_an_item_that_the_action_does_not_have_is_an_error_at_the_item() -> None:
    outcome = decided(
        '@id("no_pii_out") forbid (principal, action, resource in Mcpx::Tag::"third_party")\n'
        'when { context.field in Mcpx::Tag::"pii" };'
    )
    assert outcome.codes == ["MX511"]
    assert outcome.places == ["context.field"]
    assert "`connect`" in outcome.findings[0].message


@pytest.mark.parametrize(
    "policy",
    [
        f'(principal, {SEND}, {TO_THIRD_PARTIES}) when {{ context.field in Mcpx::Tag::"pii" }}',
        f'(principal, action, {TO_THIRD_PARTIES}) when {{ context has field && context.field in Mcpx::Tag::"pii" }}',
    ],
)
def test_cedar_05_is_accepted_where_the_item_is_there_and_decides(policy: str) -> None:
    decisions = decided(f'@id("no_pii_out") forbid {policy};', BASE + "allow run.user -> search\n").sound
    user = decisions.send["analyst", "search", "user", "header:x-source"]
    assert (user.permitted, user.by) == (False, ("no_pii_out",))
    assert decisions.attach["analyst", "search", "header:x-source"].permitted


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ('@id("a") forbid (principal == ?principal, action, resource);', "MX506", "?principal"),
        ('@id("a") forbid (principal, action, resource) when { unknown("x") };', "MX507", "unknown"),
        ('@id("a") forbid (principal, action, resource) when { unknown // (\n ("x") };', "MX507", "unknown"),
        ('@id("") forbid (principal, action, resource);', "MX504", '""'),
        ("@id forbid (principal, action, resource);", "MX504", "id"),
        ('@id("\\u{1b}[31m") forbid (principal, action, resource);', "MX504", '"\\u{1b}[31m"'),
        ("forbid (principal, action, resource);", "MX503", "forbid"),
    ],
)
def test_cedar_06_text_that_validates_and_guards_nothing_is_an_error_at_its_place(
    text: str, code: str, place: str
) -> None:
    outcome = decided(text)
    assert (outcome.codes, outcome.places) == ([code], [place])


def test_cedar_06_an_id_is_unique_over_all_files_and_blocks() -> None:
    outcome = decided(
        '@id("a") forbid (principal, action, resource);',
        BASE + 'cedar """@id("a") forbid (principal, action, resource in Mcpx::Tag::"third_party");"""\n',
    )
    assert outcome.codes == ["MX505"]
    second, first = outcome.findings[0].labels
    assert {second.span.file, first.span.file} == {"app.mcpx", "org.cedar"}
    assert outcome.shown(second.span) == outcome.shown(first.span) == '"a"'


@pytest.mark.parametrize("name", ["no_users", "agent analyst uses crm"])
def test_the_ids_of_rules_and_of_generated_policies_are_taken(name: str) -> None:
    outcome = decided(
        f'@id("{name}") permit (principal, action, resource);', BASE + "deny run.user -> search as no_users\n"
    )
    assert outcome.codes == ["MX505"]
    assert outcome.findings[0].labels[1].span.file == "app.mcpx"


@pytest.mark.parametrize(
    "condition",
    ["(" * 700 + "true" + ")" * 700, " || ".join(["principal == resource"] * 2000)],
    ids=["CEDAR-07a", "CEDAR-07b"],
)
def test_cedar_07_text_that_hurts_the_engine_is_an_error_and_ends_no_process(condition: str) -> None:
    text = f'@id("a") forbid (principal, action, resource) when {{ {condition} }};'
    script = "import sys; from support.cedar_projects import decided; print(decided(sys.stdin.read()).codes)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={"PYTHONPATH": "tests"},
    )
    assert (done.returncode, done.stdout.strip()) == (0, "['MX501']"), done.stderr


def test_cedar_12_presenting_a_credential_and_connecting_are_decided_too() -> None:
    keys = decided(
        '@id("keys_stay") forbid (principal, action == Mcpx::Action::"present", resource in Mcpx::Tag::"third_party");'
    ).sound
    presented = keys.present["analyst", "search", "search_key", "header:x-api-key"]
    assert (presented.permitted, presented.by) == (False, ("keys_stay",))
    assert keys.present["analyst", "crm", "crm_key", "header:authorization"].permitted
    connections = decided(
        '@id("no_analyst") forbid (principal == Mcpx::Agent::"analyst", action == Mcpx::Action::"connect",'
        ' resource == Mcpx::Server::"crm");'
    ).sound.connect
    assert (connections["analyst", "crm"].permitted, connections["analyst", "crm"].by) == (False, ("no_analyst",))
    assert connections["analyst", "search"].permitted


@pytest.mark.parametrize("member", [True, False])
def test_cedar_13_one_guardrail_over_everything_reaches_agents_through_groups(member: bool) -> None:
    mcpx = BASE if member else BASE.replace("agent analyst in research uses", "agent analyst uses")
    decisions = decided(
        '@id("sealed") forbid (principal in Mcpx::Group::"research", action in Mcpx::Action::"egress",'
        ' resource in Mcpx::Tag::"third_party");',
        mcpx,
    ).sound
    answers = [
        decisions.connect["analyst", "search"],
        decisions.attach["analyst", "search", "header:x-source"],
        decisions.present["analyst", "search", "search_key", "header:x-api-key"],
    ]
    assert [answer.permitted for answer in answers] == [not member] * 3
    assert all((answer.by == ("sealed",)) == member for answer in answers)
    assert decisions.connect["analyst", "crm"].permitted
