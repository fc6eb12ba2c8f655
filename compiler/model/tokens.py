"""Tokens and grants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mcpx.compiler.model.facts import Scalar
from mcpx.compiler.model.sources import FileSource
from mcpx.compiler.model.values import FieldPart
from mcpx.compiler.source import Span


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim of a token: a literal (`value`), or else one field (`parts`), whose JSON type it keeps."""

    name: str
    parts: tuple[FieldPart, ...]
    value: Scalar | None
    optional: bool
    span: Span
    name_span: Span
    value_span: Span


@dataclass(frozen=True, slots=True)
class Token:
    """`token t for s { … }`. `key` is the name of a secret, or `None` for the host's minter; `ttl` in seconds."""

    name: str
    servers: tuple[str, ...]
    kind: Literal["assertion", "access"]
    issuer: str
    ttl: int
    key: str | None
    client_id: str | None
    claims: tuple[Claim, ...]
    span: Span
    ttl_span: Span | None = None
    issuer_span: Span | None = None
    key_span: Span | None = None
    doc: str | None = None

    @property
    def via(self) -> str:
        """`token:` and the name."""
        return "token:" + self.name


@dataclass(frozen=True, slots=True)
class Grant:
    """`grant g { … }`. `keys` is a JWKS by file or https address; `key` the secret that this process issues with."""

    name: str
    issuer: str
    audience: str
    ttl: int
    keys: FileSource | str
    key: str | None
    span: Span
    key_span: Span | None = None
    doc: str | None = None
