"""The words that policies may use: the Cedar schema of a program, generated, closed and strict.

Source: "JSON schema format" in the Cedar reference. The `mcp_…` annotations make it a stub for Cedar's own generator of
tool schemas, so that policies over tool calls can join later.
"""

from __future__ import annotations

from typing import Any

from mcpx.compiler.model import FieldType, Program

NAMESPACE = "Mcpx"
ITEMS = frozenset({"field", "credential", "via"})
"""What the context of a request holds beside the run."""
ACTION_ITEMS = {
    "connect": frozenset[str](),
    "send": frozenset({"field", "via"}),
    "present": frozenset({"credential", "via"}),
    "attach": frozenset({"via"}),
}
ACTION_GROUP = "egress"
NO_TAG = "(no tag)"
"""The one id of `Tag` in a program without tags: no declaration can have it, and no enumeration may be empty."""

_TYPES: dict[str, dict[str, Any]] = {
    "string": {"type": "String"},
    "choice": {"type": "String"},
    "int": {"type": "Long"},
    "bool": {"type": "Boolean"},
    "list": {"type": "Set", "element": {"type": "String"}},
}
_ITEM_TYPES: dict[str, dict[str, Any]] = {
    "field": {"type": "Entity", "name": "Field"},
    "credential": {"type": "Entity", "name": "Credential"},
    "via": {"type": "String"},
}


def qualified(kind: str) -> str:
    """`Mcpx::Agent` for `Agent`."""
    return f"{NAMESPACE}::{kind}"


def declared(program: Program) -> dict[str, frozenset[str]]:
    """The ids that a policy may name, by qualified entity type."""
    return {
        qualified(kind): frozenset(names)
        for kind, names in (
            ("Agent", program.agents),
            ("Group", program.groups),
            ("Server", program.servers),
            ("Field", program.fields),
            ("Credential", program.secrets),
            ("Tag", program.tags),
            ("Action", [*ACTION_ITEMS, ACTION_GROUP]),
        )
    }


def schema(program: Program) -> dict[str, Any]:
    """The Cedar schema of a program, in Cedar's JSON form."""
    tags = list(program.tags) or [NO_TAG]
    run = {name: _attribute(field.type, optional=field.optional) for name, field in program.fields.items()}
    return {
        NAMESPACE: {
            "commonTypes": {"Run": {**_record(run), "annotations": {"mcp_context": "run"}}},
            "entityTypes": {
                "Agent": {
                    "memberOfTypes": ["Group"],
                    "shape": _record(_properties(program, "agent")),
                    "annotations": {"mcp_principal": "Agent"},
                },
                "Group": {},
                "Server": {
                    "memberOfTypes": ["Tag"],
                    "shape": _record(
                        {
                            **{name: {"type": "String", "required": False} for name in ("scheme", "host")},
                            **_properties(program, "server"),
                        }
                    ),
                    "annotations": {"mcp_resource": "Server"},
                },
                "Field": {
                    "memberOfTypes": ["Tag"],
                    "shape": _record({"verified": {"type": "Boolean"}, **_properties(program, "field")}),
                },
                "Credential": {
                    "memberOfTypes": ["Tag"],
                    "shape": _record(
                        {
                            "holders": {"type": "Set", "element": {"type": "Entity", "name": "Agent"}},
                            "per": {"type": "Set", "element": {"type": "String"}},
                        }
                    ),
                },
                "Tag": {"enum": tags},
            },
            "actions": {ACTION_GROUP: {}, **{name: _action(items) for name, items in ACTION_ITEMS.items()}},
        }
    }


def _record(attributes: dict[str, Any]) -> dict[str, Any]:
    return {"type": "Record", "attributes": attributes}


def _properties(program: Program, owner: str) -> dict[str, Any]:
    return {
        declared.name: _attribute(declared.type, optional=declared.optional)
        for declared in program.properties.values()
        if declared.owner == owner
    }


def _attribute(of: FieldType, *, optional: bool) -> dict[str, Any]:
    return {**_TYPES[of.kind], **({"required": False} if optional else {})}


def _action(items: frozenset[str]) -> dict[str, Any]:
    context = {name: _ITEM_TYPES[name] for name in sorted(items)}
    return {
        "memberOf": [{"id": ACTION_GROUP}],
        "appliesTo": {
            "principalTypes": ["Agent"],
            "resourceTypes": ["Server"],
            "context": _record({**context, "run": {"type": "Run"}}),
        },
    }
