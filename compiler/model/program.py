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
    """Everything that the sources of one project say.

    Attributes:
        lines_to: the credential lines of each server that has some.
        sessions_to: the first `credential for session` line of each server that has one.
        users: the agents that use each server, in the order of declaration.
    """

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
    sessions_to: Mapping[str, SessionCredential] = field(init=False, repr=False, compare=False)
    users: Mapping[str, tuple[str, ...]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Sort by server, once, what is looked up for every row."""
        lines: dict[str, list[CredentialLine]] = {}
        for line in self.credentials:
            for server in line.servers:
                lines.setdefault(server, []).append(line)
        sessions: dict[str, SessionCredential] = {}
        for own in self.session_credentials:
            for server in own.servers:
                sessions.setdefault(server, own)
        users: dict[str, list[str]] = {name: [] for name in self.servers}
        for agent in self.agents.values():
            for server in agent.uses:
                users.setdefault(server, []).append(agent.name)
        for name, found in (("lines_to", lines), ("users", users)):
            object.__setattr__(self, name, {server: tuple(of_server) for server, of_server in found.items()})
        object.__setattr__(self, "sessions_to", sessions)
