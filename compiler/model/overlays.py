"""Overlays: named variants of a program, for another place where it runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mcpx.compiler.model.servers import Url
from mcpx.compiler.model.sources import SecretSource, Setting
from mcpx.compiler.model.values import TextPart
from mcpx.compiler.source import Span


@dataclass(frozen=True, slots=True)
class ServerChange:
    """`server.s.url = …`, `server.s.audience = …`."""

    server: str
    key: Literal["url", "audience"]
    value: Url
    span: Span


@dataclass(frozen=True, slots=True)
class IssuersChange:
    """`server.s.authorization_server = …`."""

    server: str
    value: tuple[TextPart, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class LifetimeChange:
    """`token.t.ttl = …`, `grant.g.ttl = …`; seconds."""

    kind: Literal["token", "grant"]
    name: str
    seconds: int
    span: Span


@dataclass(frozen=True, slots=True)
class SettingChange:
    """`setting.n = env("X", "default")`: the variable and the default; choices stay those of the declaration."""

    setting: Setting
    span: Span


@dataclass(frozen=True, slots=True)
class SecretChange:
    """`secret.n = …`: its source alone."""

    secret: str
    source: SecretSource
    span: Span


Change = ServerChange | IssuersChange | LifetimeChange | SettingChange | SecretChange


@dataclass(frozen=True, slots=True)
class Refused:
    """A line that names what no overlay may change."""

    target: str
    span: Span


@dataclass(frozen=True, slots=True)
class Overlay:
    """`overlay o { … }`.

    Attributes:
        changes: in the order of the lines.
        refused: lines that an overlay may not have; reported by `check`, so that the others are checked as well.
    """

    name: str
    changes: tuple[Change, ...]
    refused: tuple[Refused, ...]
    span: Span
    doc: str | None = None
