"""A policy as Cedar itself parsed it (its JSON form), and what can be read off it.

Questions of soundness are answered here and not on the text, so that no spelling escapes them.
Source: "JSON policy format" in the Cedar reference.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import cedarpy

Json = Any
"""JSON as Cedar writes it; its shape is checked where it is read."""

RUN: Json = {".": {"left": {"Var": "context"}, "attr": "run"}}
"""`context.run`."""

_JSON_WORD = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\]]|[^\s{}\[\]:,"]+')


@dataclass(frozen=True, slots=True)
class Parsed:
    """One policy.

    Attributes:
        template: whether it has a slot and is no policy before somebody links it.
        forbids: its effect.
        annotations: by name; `None` for one without a value.
        scope: the constraints on principal, action and resource.
        clauses: the expressions of its `when` and `unless`, in order.
    """

    template: bool
    forbids: bool
    annotations: dict[str, str | None]
    scope: tuple[Json, Json, Json]
    clauses: tuple[Json, ...]

    def entities(self) -> Iterator[tuple[str, str]]:
        """Type and id of each entity that it names, in scope and conditions."""
        for node in _nodes([*self.scope, *self.clauses]):
            match node:
                case {"type": str(kind), "id": str(name)} if len(node) == 2:
                    yield kind, name

    def entity_types(self) -> Iterator[str]:
        """The types behind `is`."""
        for node in _nodes([*self.scope, *self.clauses]):
            match node:
                case {"entity_type": str(kind)}:
                    yield kind

    def calls(self, function: str) -> bool:
        """Whether it calls an extension function of this name."""
        return any(isinstance(node.get(function), list) for node in _nodes([*self.clauses]))

    def context_beyond(self, items: frozenset[str]) -> bool:
        """Whether it uses the context for anything but to read, or ask for, one of these items."""
        allowed = 0
        seen = 0
        for node in _nodes([*self.clauses]):
            match node:
                case {"Var": "context"}:
                    seen += 1
                case {".": {"left": {"Var": "context"}, "attr": str(item)}} | {
                    "has": {"left": {"Var": "context"}, "attr": str(item)}
                } if item in items:
                    allowed += 1
        return seen != allowed

    def run_fields(self) -> frozenset[str]:
        """The fields of the run that it reads or asks for."""
        return frozenset(name for clause in self.clauses for name in run_fields(clause))

    def run_beyond(self) -> bool:
        """Whether it uses the run for anything but to read, or ask for, its fields."""
        seen = sum(1 for node in _nodes([*self.clauses]) if node == RUN)
        return seen != sum(1 for node in _nodes([*self.clauses]) if _run_field(node) is not None)

    def reads(self, clause: int, attributes: frozenset[str]) -> frozenset[str]:
        """Which of these attributes one clause reads, or asks for, on anything but the context."""
        found = set()
        for node in _nodes([self.clauses[clause]]):
            match node:
                case {".": {"left": left, "attr": str(name)}} | {"has": {"left": left, "attr": str(name)}}:
                    if name in attributes and left != {"Var": "context"}:
                        found.add(name)
        return frozenset(found)


def parse(text: str) -> Parsed:
    """Parse the text of exactly one policy.

    Raises:
        ValueError: it is not Cedar; the message is Cedar's own.
    """
    cedarpy.PolicySet.from_str(text)
    match _read(cedarpy.policies_to_json_str(text)):
        case {"templates": dict(templates), "staticPolicies": dict(policies)}:
            found = [*templates.values(), *policies.values()]
        case _:
            found = []
    match found:
        case [{"effect": effect, "principal": principal, "action": action, "resource": resource, **rest}]:
            conditions = rest.get("conditions")
            annotations = rest.get("annotations")
            return Parsed(
                template=bool(templates),
                forbids=effect == "forbid",
                annotations=annotations if isinstance(annotations, dict) else {},
                scope=(principal, action, resource),
                clauses=tuple(one["body"] for one in conditions) if isinstance(conditions, list) else (),
            )
    raise ValueError("this is not exactly one policy")


def run_fields(expression: Json) -> Iterator[str]:
    """The fields of the run that an expression reads or asks for, each as often as it does."""
    return (name for node in nodes(expression) if (name := _run_field(node)) is not None)


def nodes(expression: Json) -> Iterator[dict[str, Json]]:
    """Every operation, variable and literal of an expression, itself included."""
    return _nodes([expression])


def _run_field(node: dict[str, Json]) -> str | None:
    match node:
        case {".": {"left": left, "attr": str(name)}} | {"has": {"left": left, "attr": str(name)}} if left == RUN:
            return name
    return None


def _nodes(roots: list[Json]) -> Iterator[dict[str, Json]]:
    """Every JSON object below some roots; without recursion, since chains make deep trees."""
    waiting = roots
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            yield node
            waiting.extend(node.values())
        elif isinstance(node, list):
            waiting.extend(node)


def _read(text: str) -> Json:
    """JSON that Cedar wrote; unlike `json.loads`, to any depth that the limits of a policy allow."""
    top: list[Json] = []
    open_nodes: list[dict[str, Json] | list[Json]] = [top]
    keys: list[str | None] = [None]

    def add(value: Json) -> None:
        node = open_nodes[-1]
        if isinstance(node, list):
            node.append(value)
            return
        key = keys[-1]
        if key is None:
            raise ValueError("JSON object without a key")
        node[key] = value
        keys[-1] = None

    for word in _JSON_WORD.findall(text):
        if word in ("{", "["):
            node: dict[str, Json] | list[Json] = {} if word == "{" else []
            add(node)
            open_nodes.append(node)
            keys.append(None)
        elif word in ("}", "]"):
            open_nodes.pop()
            keys.pop()
        elif isinstance(open_nodes[-1], dict) and keys[-1] is None:
            keys[-1] = json.loads(word)
        else:
            add(json.loads(word))
    return top[0]
