"""`property server.p: T`, and the values that blocks give: typed attributes for conditions and policies to read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal

from mcpx.compiler import model, syntax
from mcpx.compiler.report import name_errors, property_errors
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.resolve.types import field_type, literal_fault, scalar

Properties = Mapping[tuple[str, str], model.Property]

_OWNERS: dict[str, Literal["server", "agent", "field"]] = {"server": "server", "agent": "agent", "field": "field"}
_VOCABULARY = frozenset(("host", "scheme", "verified", "holders", "per"))
SERVER_KEYS = ("url", "audience", "authorization_server", "session", "discovery")
"""What a `server` block sets by `name = value` beside properties."""
_SERVER_WORDS = frozenset((*SERVER_KEYS, "header", "optional", "advisory", "meta", "argument"))


def resolve_properties(declared: Iterable[syntax.Property], findings: list[Diagnostic]) -> Properties:
    """The declared properties by owner and name, in order."""
    properties: dict[tuple[str, str], model.Property] = {}
    places: dict[tuple[str, str], syntax.Name] = {}
    for node in declared:
        kind = field_type(node.type, findings)
        owner = _OWNERS.get(node.owner.text)
        if owner is None:
            findings.append(property_errors.owner_unknown(node.owner, _OWNERS))
            continue
        if (why := _taken(owner, node.name.text)) is not None:
            findings.append(property_errors.name_taken(owner, node.name, why))
        key = (owner, node.name.text)
        if places.setdefault(key, node.name) is not node.name:
            findings.append(name_errors.declared_twice(f"property of {owner}s", node.name, places[key]))
            continue
        properties[key] = model.Property(owner, node.name.text, kind, node.optional, node.name.span)
    return properties


def _taken(owner: str, name: str) -> str | None:
    if name in _VOCABULARY:
        return "policies know this name already"
    if owner == "server" and name in _SERVER_WORDS:
        return "a `server` block has this word already"
    return None


def property_values(
    owner: Literal["server", "agent", "field"],
    name: syntax.Name,
    assignments: Iterable[syntax.Assignment],
    properties: Properties,
    findings: list[Diagnostic],
) -> dict[str, model.PropertyValue]:
    """The values that one block gives, each of its property's type, and none left out that has to be there.

    Args:
        owner: what kind of thing the block declares.
        name: its name.
        assignments: the lines of the block that may be properties; every other line has been taken out.
        properties: all that are declared.
        findings: gets whatever is wrong.
    """
    known = {declared.name: declared for declared in properties.values() if declared.owner == owner}
    values: dict[str, model.PropertyValue] = {}
    said: dict[str, syntax.Name] = {}
    others = SERVER_KEYS if owner == "server" else ()
    for line in assignments:
        declared = known.get(line.name.text)
        if said.setdefault(line.name.text, line.name) is not line.name:
            findings.append(name_errors.assigned_twice(line.name, said[line.name.text].span))
        elif declared is None:
            findings.append(name_errors.unknown_key(owner, line.name, (*others, *known)))
        elif (value := _value(line, declared, findings)) is not None:
            values[line.name.text] = value
    findings.extend(
        property_errors.missing(name, declared)
        for declared in known.values()
        if not declared.optional and declared.name not in said
    )
    return values


def _value(line: syntax.Assignment, declared: model.Property, findings: list[Diagnostic]) -> model.PropertyValue | None:
    given = line.value
    if not isinstance(given, syntax.StringLiteral | syntax.IntLiteral | syntax.BoolLiteral | syntax.ListLiteral):
        fault = "expected a value that is written out"
    elif (why := literal_fault(given, declared.type)) is not None:
        fault = why
    else:
        return scalar(given)
    findings.append(property_errors.value_does_not_fit(line.name, given.span, fault, declared))
    return None
