"""Everything together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from mcpx.compiler.model.facts import Field, Property, Tag
from mcpx.compiler.model.overlays import Overlay
from mcpx.compiler.model.relations import Agent, CedarText, CredentialLine, Group, Rule, SessionCredential
from mcpx.compiler.model.servers import Server
from mcpx.compiler.model.sources import Secret, Setting
from mcpx.compiler.model.tests import Test
from mcpx.compiler.model.tokens import Grant, Token


@dataclass(frozen=True, slots=True)
class Program:
    """Everything that the sources of one project say."""

    tags: Mapping[str, Tag]
    fields: Mapping[str, Field]
    settings: Mapping[str, Setting]
    secrets: Mapping[str, Secret]
    servers: Mapping[str, Server]
    groups: Mapping[str, Group]
    agents: Mapping[str, Agent]
    credentials: tuple[CredentialLine, ...]
    rules: tuple[Rule, ...]
    cedar: tuple[CedarText, ...]
    properties: Mapping[tuple[str, str], Property] = field(default_factory=dict)
    session_credentials: tuple[SessionCredential, ...] = ()
    tokens: Mapping[str, Token] = field(default_factory=dict)
    grants: Mapping[str, Grant] = field(default_factory=dict)
    overlays: Mapping[str, Overlay] = field(default_factory=dict)
    tests: tuple[Test, ...] = ()
    lines_to: Mapping[str, tuple[CredentialLine, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Sort the credential lines by server, once: they are looked up for every row."""
        found: dict[str, list[CredentialLine]] = {}
        for line in self.credentials:
            for server in line.servers:
                found.setdefault(server, []).append(line)
        object.__setattr__(self, "lines_to", {server: tuple(lines) for server, lines in found.items()})
