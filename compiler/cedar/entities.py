"""The entities of a program, and its requests, in Cedar's JSON form.

Source: "Entities JSON format" in the Cedar reference. Every parent is itself an entity of the list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mcpx.compiler.cedar.addresses import address_of
from mcpx.compiler.cedar.vocabulary import NO_TAG, qualified
from mcpx.compiler.credentials import credential_of, session_credential_of
from mcpx.compiler.model import Agent, Field, Program, PropertyValue, SecretPart


def uid(kind: str, name: str) -> dict[str, str]:
    """The id of an entity of the vocabulary: `uid("Agent", "analyst")`."""
    return {"type": qualified(kind), "id": name}


def reference(kind: str, name: str) -> dict[str, Any]:
    """An entity as a value of the context or of an attribute."""
    return {"__entity": uid(kind, name)}


def entities(program: Program) -> list[dict[str, Any]]:
    """All that a program declares; the actions come with the schema."""
    holders = _holders(program)
    return [
        *(_entity("Tag", name) for name in list(program.tags) or [NO_TAG]),
        *(_entity("Group", name) for name in program.groups),
        *(
            _entity("Agent", agent.name, _values(agent.properties), _uids("Group", agent.groups))
            for agent in program.agents.values()
        ),
        *(
            _entity(
                "Server",
                server.name,
                {**address_of(server.url).known, **_values(server.properties)},
                _uids("Tag", server.tags),
            )
            for server in program.servers.values()
        ),
        *(
            _entity(
                "Field",
                field.name,
                {"verified": field.verified, **_values(field.properties)},
                _uids("Tag", field.tags),
            )
            for field in program.fields.values()
        ),
        *(
            _entity(
                "Credential",
                secret.name,
                {"holders": [reference("Agent", name) for name in holders[secret.name]], "per": list(secret.per)},
                _uids("Tag", secret.tags),
            )
            for secret in program.secrets.values()
        ),
    ]


def any_run(program: Program) -> dict[str, Any]:
    """A run that fits the schema: requests need one, and no admitted policy can see it."""
    return {field.name: _any_value(field) for field in program.fields.values()}


def direct_secrets(program: Program, server: str) -> tuple[tuple[str, str], ...]:
    """(secret, via) for each `secret.s` that stands in a value for the server."""
    return tuple(
        (part.secret, way.via)
        for way in program.servers[server].ways
        for part in way.parts
        if isinstance(part, SecretPart)
    )


def _holders(program: Program) -> dict[str, list[str]]:
    holders: dict[str, list[str]] = {secret: [] for secret in program.secrets}
    for agent in program.agents.values():
        for secret in sorted(_secrets_of(program, agent)):
            holders[secret].append(agent.name)
    return holders


def _secrets_of(program: Program, agent: Agent) -> set[str]:
    lines = {line.secret for server in agent.uses for line in credential_of(program, agent.name, server)}
    sessions = (session_credential_of(program, server) for server in agent.uses)
    return (
        lines
        | {line.secret for line in sessions if line is not None and line.secret is not None}
        | {secret for server in agent.uses for secret, _ in direct_secrets(program, server)}
    )


def _uids(kind: str, names: Iterable[str]) -> list[dict[str, str]]:
    return [uid(kind, name) for name in names]


def _values(properties: Mapping[str, PropertyValue]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in properties.items()}


def _entity(
    kind: str, name: str, attributes: dict[str, Any] | None = None, parents: list[dict[str, str]] | None = None
) -> dict[str, Any]:
    return {"uid": uid(kind, name), "attrs": attributes or {}, "parents": parents or []}


def _any_value(field: Field) -> Any:
    match field.type.kind:
        case "string":
            return ""
        case "choice":
            return field.type.choices[0]
        case "int":
            return 0
        case "bool":
            return False
        case "list":
            return []
