"""What one policy can see of an agent, a server, a field or a credential: those that look alike to it are one class.

A policy that uses one of them in any way that is not listed here sees it whole, and then it is a class of its own.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mcpx.compiler.cedar.parsed import Json, Parsed, nodes

Uid = tuple[str, str]
"""Type and id."""

SUBJECTS: Mapping[str, Json] = {
    "principal": {"Var": "principal"},
    "resource": {"Var": "resource"},
    "field": {".": {"left": {"Var": "context"}, "attr": "field"}},
    "credential": {".": {"left": {"Var": "context"}, "attr": "credential"}},
}
VIA: Json = {".": {"left": {"Var": "context"}, "attr": "via"}}


@dataclass(frozen=True, slots=True)
class Entity:
    """What Cedar knows of an entity. `above` are its ancestors and itself."""

    uid: Uid
    attributes: Mapping[str, Any]
    above: frozenset[Uid]


@dataclass(frozen=True, slots=True)
class Sight:
    """What a policy can see of one subject.

    Attributes:
        whole: everything.
        attributes: those that it reads or asks for.
        above: sets of entities; it sees whether the subject is in, or is, one of each.
    """

    whole: bool
    attributes: tuple[str, ...]
    above: tuple[frozenset[Uid], ...]

    def of(self, entity: Entity) -> Hashable:
        """Equal for entities that the policy cannot tell apart."""
        if self.whole:
            return entity.uid
        return (
            tuple(_frozen(entity.attributes.get(name)) for name in self.attributes),
            tuple(not entity.above.isdisjoint(uids) for uids in self.above),
        )


def sights(policy: Parsed) -> dict[str, Sight]:
    """What a policy can see of each subject, scope included."""
    every = [node for clause in policy.clauses for node in nodes(clause)]
    principal, _, resource = policy.scope
    return {
        name: _sight(subject, every, scope)
        for (name, subject), scope in zip(SUBJECTS.items(), (principal, resource, None, None), strict=True)
    }


def sees_via(policy: Parsed) -> bool:
    """Whether the conditions read by which way a value goes."""
    return any(node == VIA for clause in policy.clauses for node in nodes(clause))


def in_scope(constraint: Json, entity: Entity) -> bool:
    """Whether a scope constraint on principal or resource holds; its types were validated."""
    targets = _scope_targets(constraint)
    return targets is None or (
        not entity.above.isdisjoint(targets) and (constraint["op"] != "==" or entity.uid in targets)
    )


def actions_in_scope(constraint: Json, actions: Sequence[str], group: str) -> frozenset[str]:
    """The actions that the scope covers."""
    match constraint:
        case {"op": "All"}:
            return frozenset(actions)
        case {"entity": entity}:
            named = {_uid(entity)[1]}
        case {"entities": list(entities)}:
            named = {_uid(entity)[1] for entity in entities}
    return frozenset(actions) if group in named and constraint["op"] == "in" else frozenset(actions) & named


def _scope_targets(constraint: Json) -> frozenset[Uid] | None:
    match constraint:
        case {"op": "All"}:
            return None
        case {"op": "is", "in": {"entity": entity}} | {"op": "==" | "in", "entity": entity}:
            return frozenset({_uid(entity)})
        case {"op": "is"}:
            return None
    raise ValueError("a scope of no form that Cedar has")


def _sight(subject: Json, every: Sequence[dict[str, Json]], scope: Json | None) -> Sight:
    attributes: set[str] = set()
    above: set[frozenset[Uid]] = set()
    understood = 0
    for node in every:
        match node:
            case {".": {"left": left, "attr": str(name)}} | {"has": {"left": left, "attr": str(name)}} if (
                left == subject
            ):
                attributes.add(name)
            case {"in": {"left": left, "right": right}} if left == subject and (uids := _literals(right)) is not None:
                above.add(uids)
            case {"is": {"left": left, **rest}} if left == subject:
                uids = _literals(rest["in"]) if "in" in rest else frozenset[Uid]()
                if uids is None:
                    continue
                above.add(uids)
            case {"==": {"left": left, "right": right}} | {"!=": {"left": left, "right": right}} if subject in (
                left,
                right,
            ):
                uids = _literals(right if left == subject else left)
                if uids is None:
                    continue
                # An entity is in itself, so the ancestors that a policy names by `==` are told apart as well.
                above.add(uids)
            case _:
                continue
        understood += 1
    targets = _scope_targets(scope) if scope is not None else None
    if targets is not None:
        above.add(targets)
    whole = understood != sum(node == subject for node in every)
    return Sight(whole, tuple(sorted(attributes)), tuple(sorted(above, key=sorted)))


def _literals(expression: Json) -> frozenset[Uid] | None:
    """The entities of a literal or of a set of literals."""
    match expression:
        case {"Value": {"__entity": entity}}:
            return frozenset({_uid(entity)})
        case {"Set": list(items)}:
            uids = [_uid(item["Value"]["__entity"]) for item in items if _literals(item) and "Set" not in item]
            return frozenset(uids) if len(uids) == len(items) else None
    return None


def _uid(entity: Json) -> Uid:
    return entity["type"], entity["id"]


def _frozen(value: Any) -> Hashable:
    if isinstance(value, list):
        return tuple(sorted(repr(item) for item in value))
    return (type(value).__name__, value if isinstance(value, Hashable) else repr(value))


def each(entity_list: Sequence[dict[str, Any]]) -> Iterator[Entity]:
    """The entities of Cedar's JSON form, whose parents have no parents of their own."""
    for one in entity_list:
        uid = _uid(one["uid"])
        yield Entity(uid, one["attrs"], frozenset({uid, *map(_uid, one["parents"])}))
