"""Sentences between things: agents, credentials, rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from mcpx.compiler.model.conditions import Condition
from mcpx.compiler.model.facts import PropertyValue
from mcpx.compiler.source import Span


@dataclass(frozen=True, slots=True)
class Group:
    """A set of agents that rules and credentials may name."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Agent:
    """An agent; `uses` maps the name of each server to the span where it is named."""

    name: str
    groups: tuple[str, ...]
    uses: Mapping[str, Span]
    span: Span
    doc: str | None = None
    properties: Mapping[str, PropertyValue] = field(default_factory=dict)
    deprecated: str | None = None


@dataclass(frozen=True, slots=True)
class CredentialLine:
    """`credential for A to S = secret.k`, one per line of the file; holders are agents or groups."""

    holders: tuple[str, ...]
    servers: tuple[str, ...]
    secret: str
    span: Span
    secret_span: Span


SESSION = "session"
"""The `via` of what a session itself presents."""


@dataclass(frozen=True, slots=True)
class SessionCredential:
    """`credential for session to S = secret.k` or `= token.t`: for the session requests of a `shared` session."""

    servers: tuple[str, ...]
    secret: str | None
    token: str | None
    span: Span
    value_span: Span


@dataclass(frozen=True, slots=True)
class Rule:
    """`allow`, `deny` or `require`. Empty `agents` and `groups` together mean every agent.

    Attributes:
        id: the id of the Cedar policy made from it: its name, else the place where it stands (`file:line:column`).
        named: whether `id` is a name given with `as`.
        fields: fields named one by one.
        field_tags: tags on the left of `->`; they cover every field (and for `deny` every secret) that carries them.
        servers: servers named one by one.
        server_tags: tags on the right of `->`.
    """

    effect: Literal["allow", "deny", "require"]
    id: str
    named: bool
    fields: tuple[str, ...]
    field_tags: tuple[str, ...]
    servers: tuple[str, ...]
    server_tags: tuple[str, ...]
    agents: tuple[str, ...]
    groups: tuple[str, ...]
    span: Span
    doc: str | None = None
    condition: Condition | None = None


@dataclass(frozen=True, slots=True)
class CedarText:
    """Cedar policies as somebody wrote them: a whole `.cedar` file or one inline block.

    `span.start` is where `text` begins in the source `span.file`, so an offset in `text` maps by addition.
    """

    text: str
    span: Span
