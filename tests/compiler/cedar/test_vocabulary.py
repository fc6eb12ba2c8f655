"""The generated schema: closed, strict, and true to the program; and the policies made from rules."""

from __future__ import annotations

import json
from dataclasses import replace

import cedarpy
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.cedar_projects import BASE, decided, program_of

from mcpx.compiler.cedar import lowering, vocabulary
from mcpx.compiler.cedar.decision import Policy
from mcpx.compiler.cedar.entities import entities
from mcpx.compiler.cedar.lowering import Lowered
from mcpx.compiler.model import Field, FieldType, Program
from mcpx.compiler.source import Span

TYPES = {
    "name": FieldType("string"),
    "plan": FieldType("choice", choices=("free", "pro")),
    "seats": FieldType("int"),
    "beta": FieldType("bool"),
    "roles": FieldType("list"),
}


def everything() -> Program:
    """A program with a field of each type, of which `roles` is optional."""
    program, _ = program_of("mcpx 1\ntag secretive\n")
    here = Span("app.mcpx", 0, 0)
    fields = {name: Field(name, True, name == "roles", kind, None, (), here) for name, kind in TYPES.items()}
    return replace(program, fields=fields)


def spelt(policy: object) -> str:
    return json.dumps(policy, sort_keys=True)


def fits(condition: str) -> bool:
    policy = f'permit (principal, action == Mcpx::Action::"send", resource) when {{ {condition} }};'
    return cedarpy.validate_policies(policy, vocabulary.schema(everything())).validation_passed


@pytest.mark.parametrize(
    "condition",
    [
        'context.run.name == "x"',
        'context.run.plan == "pro"',
        "context.run.seats > 1",
        "context.run.beta",
        'context.run has roles && context.run.roles.contains("admin")',
        'context.field.verified && context.via like "header:*"',
        'resource has scheme && resource.scheme == "https" && resource has host && resource.host == "x"',
        'resource in Mcpx::Tag::"secretive" && context.field in Mcpx::Tag::"secretive"',
        'principal in Mcpx::Group::"any"',
    ],
)
def test_the_words_of_the_vocabulary_have_their_types(condition: str) -> None:
    assert fits(condition)


@pytest.mark.parametrize(
    "condition",
    [
        "context.run.name > 1",
        'context.run.roles.contains("admin")',
        'context.run.seats == "1"',
        'resource.host == "x"',
        'resource in Mcpx::Tag::"other"',
        "context.credential.holders.contains(principal)",
        "context.run.nothing",
        "principal.nothing",
        "resource.nothing",
        "context.nothing",
        'principal.getTag("x") == "y"',
    ],
)
def test_the_vocabulary_is_closed(condition: str) -> None:
    assert not fits(condition)


def test_a_program_without_tags_has_one_that_no_policy_can_name() -> None:
    bare = "mcpx 1\n"
    assert decided('@id("p") forbid (principal, action, resource);', bare).codes == []
    outcome = decided(f'@id("p") forbid (principal, action, resource in Mcpx::Tag::"{vocabulary.NO_TAG}");', bare)
    assert outcome.codes == ["MX508"]


def test_the_schema_is_marked_for_the_generator_of_tool_schemas() -> None:
    words = vocabulary.schema(everything())["Mcpx"]
    assert words["entityTypes"]["Agent"]["annotations"] == {"mcp_principal": "Agent"}
    assert words["entityTypes"]["Server"]["annotations"] == {"mcp_resource": "Server"}
    assert words["commonTypes"]["Run"]["annotations"] == {"mcp_context": "run"}
    assert list(words["commonTypes"]["Run"]["attributes"]) == list(TYPES)


def test_generated_policies_say_the_same_as_text_and_as_json() -> None:
    program, _ = program_of(
        BASE
        + "group guests\n"
        + "deny @pii -> @third_party for analyst, guests as no_pii\n"
        + "deny run.user, @pii -> search, @third_party\n"
    )
    lowered = [*lowering.rules(program), *lowering.relations(program, program.agents["analyst"])]
    text = lowering.to_text(lowered)
    again = json.loads(cedarpy.policies_to_json_str(text))["staticPolicies"]
    assert sorted(map(spelt, again.values())) == sorted(spelt(one.form) for one in lowered)
    names = {policy["annotations"]["id"] for policy in again.values()}
    assert names == {one.policy.id for one in lowered}
    assert cedarpy.validate_policies(text, vocabulary.schema(program)).validation_passed


def test_the_holders_of_a_secret_are_those_that_can_present_it() -> None:
    program, _ = program_of(
        BASE
        + 'secret direct = env("DIRECT")\nsecret idle = env("IDLE")\n'
        + 'server ledger {\n  url = "https://ledger.example.com/mcp"\n  header X-Key = secret.direct\n}\n'
        + "agent clerk uses ledger\nagent guest uses crm\n"
    )
    holders = {
        entity["uid"]["id"]: [holder["__entity"]["id"] for holder in entity["attrs"]["holders"]]
        for entity in entities(program)
        if entity["uid"]["type"] == "Mcpx::Credential"
    }
    assert holders == {"crm_key": ["analyst"], "search_key": ["analyst"], "direct": ["clerk"], "idle": []}


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12))
def test_an_id_comes_back_from_cedar_as_it_was(name: str) -> None:
    policy = Policy(name, forbids=False, span=Span("app.mcpx", 0, 0))
    form = {
        "effect": "permit",
        "principal": {"op": "All"},
        "action": {"op": "All"},
        "resource": {"op": "All"},
        "conditions": [],
        "annotations": {"id": name},
    }
    text = lowering.to_text([Lowered(policy, form)])
    request = {"principal": 'A::"a"', "action": 'Action::"b"', "resource": 'C::"c"', "context": {}}
    result = cedarpy.is_authorized(request, text, [])
    assert list(result.diagnostics.id_annotations_by_reason.values()) == [name]
