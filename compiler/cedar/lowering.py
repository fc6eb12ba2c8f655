"""The relations and rules of a program as Cedar policies, in Cedar's JSON form.

Each policy carries its id as `@id`, as the written ones do. A policy about one agent names it in its scope.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import cedarpy

from mcpx.compiler.cedar.decision import Policy
from mcpx.compiler.cedar.entities import direct_secrets, reference, uid
from mcpx.compiler.cedar.when import lowered_condition
from mcpx.compiler.credentials import credential_of
from mcpx.compiler.model import SESSION, Agent, Program, Rule, SecretPart

Json = dict[str, Any]
_ANY: Json = {"op": "All"}
MOST_DEPTH = 110
"""Cedar's reader of JSON ends at 128 levels; the set around a policy has some of its own."""


@dataclass(frozen=True, slots=True)
class Lowered:
    """A policy that was made from a statement of an `.mcpx` file, and its Cedar JSON."""

    policy: Policy
    form: Json


def rules(program: Program) -> tuple[Lowered, ...]:
    """`allow`, `require` and `deny`, secrets that values name directly, and sessions: what may concern any agent."""
    return (*(_rule(rule) for rule in program.rules), *_direct(program), *_sessions(program))


def relations(program: Program, agent: Agent) -> tuple[Lowered, ...]:
    """What `uses` and the credential lines permit to one agent; each policy is about it and one server."""
    return tuple(one for server in agent.uses for one in row_relations(program, agent, server))


def row_relations(program: Program, agent: Agent, server: str) -> tuple[Lowered, ...]:
    """The same for one server of the agent."""
    scope = {"principal": _is(uid("Agent", agent.name)), "resource": _is(uid("Server", server))}
    return tuple(
        Lowered(policy, _form(policy, actions=("connect", "attach"), **scope))
        if secret is None
        else Lowered(
            policy, _form(policy, _equal("credential", _entity("Credential", secret)), actions=("present",), **scope)
        )
        for policy, secret in row_policies(program, agent, server)
    )


def row_policies(program: Program, agent: Agent, server: str) -> tuple[tuple[Policy, str | None], ...]:
    """Which policies those are, each with the secret that it is about: that of `uses` is about none."""
    lines = {line.secret: line for line in credential_of(program, agent.name, server)}
    return (
        (Policy(relation_id("uses", agent.name, server), forbids=False, span=agent.uses[server]), None),
        *(
            (Policy(relation_id("credential", agent.name, server, secret), forbids=False, span=line.span), secret)
            for secret, line in lines.items()
        ),
    )


def relation_id(kind: str, agent: str, server: str, secret: str | None = None, via: str | None = None) -> str:
    """The id of the policy that a statement other than a rule becomes."""
    match kind:
        case "uses":
            return f"agent {agent} uses {server}"
        case "credential":
            return f"credential for {agent} to {server} = secret.{secret}"
        case "direct":
            return f"server {server} {via} = secret.{secret}"
        case "session":
            return f"credential for session to {server} = secret.{secret}"
    raise ValueError(kind)


def depth(form: Json) -> int:
    """How deep a policy's JSON nests."""
    deepest, waiting = 0, [(form, 1)]
    while waiting:
        value, level = waiting.pop()
        deepest = max(deepest, level)
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        waiting.extend((one, level + 1) for one in inner)
    return deepest


def to_json(lowered: Iterable[Lowered]) -> str:
    """A Cedar policy set in JSON, for `cedarpy`."""
    policies = {f"policy{number}": one.form for number, one in enumerate(lowered)}
    return json.dumps({"staticPolicies": policies, "templates": {}, "templateLinks": []})


def to_text(lowered: Iterable[Lowered]) -> str:
    """The same policies as Cedar prints them."""
    return cedarpy.policies_from_json_str(to_json(lowered))


def _rule(rule: Rule) -> Lowered:
    forbids = rule.effect == "deny"
    policy = Policy(rule.id, forbids, rule.span)
    items = [_item("field", rule.fields, "Field"), _item("field", rule.field_tags, "Tag")]
    if forbids:
        items.append(_item("credential", rule.field_tags, "Tag"))
    conditions = [
        _either(items),
        _either([_within("resource", rule.servers, "Server"), _within("resource", rule.server_tags, "Tag")]),
        _either([_within("principal", rule.agents, "Agent"), _within("principal", rule.groups, "Group")]),
        None if rule.condition is None else lowered_condition(rule.condition),
    ]
    # Only a tag reaches secrets: without one, `present` is no action of the policy.
    actions = ("send", "present") if forbids and rule.field_tags else ("send",)
    return Lowered(policy, _form(policy, *(one for one in conditions if one is not None), actions=actions))


def _direct(program: Program) -> Iterable[Lowered]:
    for server in program.servers.values():
        places = {
            (part.secret, way.via): part.span
            for way in server.ways
            for part in way.parts
            if isinstance(part, SecretPart)
        }
        for secret, via in dict.fromkeys(direct_secrets(program, server.name)):
            policy = Policy(
                relation_id("direct", "", server.name, secret, via), forbids=False, span=places[secret, via]
            )
            yield _presented(policy, secret, server.name, via)


def _sessions(program: Program) -> Iterable[Lowered]:
    """A token needs no permit of its own: `uses` lets it be attached."""
    for line in program.session_credentials:
        for server in line.servers:
            if line.secret is not None:
                name = relation_id("session", "", server, line.secret)
                policy = Policy(name, forbids=False, span=line.span)
                yield _presented(policy, line.secret, server, SESSION)


def _presented(policy: Policy, secret: str, server: str, via: str) -> Lowered:
    return Lowered(
        policy,
        _form(
            policy,
            _equal("credential", _entity("Credential", secret)),
            _equal("via", {"Value": via}),
            actions=("present",),
            resource=_is(uid("Server", server)),
        ),
    )


def _form(
    policy: Policy, *conditions: Json, actions: Sequence[str], principal: Json = _ANY, resource: Json = _ANY
) -> Json:
    entities = [uid("Action", name) for name in actions]
    return {
        "effect": "forbid" if policy.forbids else "permit",
        "principal": principal,
        "action": _is(entities[0]) if len(entities) == 1 else {"op": "in", "entities": entities},
        "resource": resource,
        "conditions": [{"kind": "when", "body": condition} for condition in conditions],
        "annotations": {"id": policy.id},
    }


def _is(entity: Json) -> Json:
    return {"op": "==", "entity": entity}


def _entity(kind: str, name: str) -> Json:
    return {"Value": reference(kind, name)}


def _context(item: str) -> Json:
    return {".": {"left": {"Var": "context"}, "attr": item}}


def _equal(item: str, value: Json) -> Json:
    return {"==": {"left": _context(item), "right": value}}


def _members(left: Json, names: Sequence[str], kind: str) -> Json:
    # One set for one type: strict validation has no sets of mixed types, and a set is no chain that could grow deep.
    return {"in": {"left": left, "right": {"Set": [_entity(kind, name) for name in names]}}}


def _within(variable: str, names: Sequence[str], kind: str) -> Json | None:
    return _members({"Var": variable}, names, kind) if names else None


def _item(item: str, names: Sequence[str], kind: str) -> Json | None:
    if not names:
        return None
    present = {"has": {"left": {"Var": "context"}, "attr": item}}
    return {"&&": {"left": present, "right": _members(_context(item), names, kind)}}


def _either(conditions: Iterable[Json | None]) -> Json | None:
    given = [condition for condition in conditions if condition is not None]
    return reduce(lambda left, right: {"||": {"left": left, "right": right}}, given) if given else None
