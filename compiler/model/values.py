"""Values made of parts: text and references."""

from __future__ import annotations

from dataclasses import dataclass

from mcpx.compiler.source import Span


@dataclass(frozen=True, slots=True)
class TextPart:
    """Literal text of a value."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class FieldPart:
    """`run.f`."""

    field: str
    span: Span


@dataclass(frozen=True, slots=True)
class CredentialPart:
    """`credential`: what the agent's credential line names."""

    span: Span


@dataclass(frozen=True, slots=True)
class SecretPart:
    """`secret.s`, sent by every agent that uses the server."""

    secret: str
    span: Span


@dataclass(frozen=True, slots=True)
class SettingPart:
    """`setting.s`."""

    setting: str
    span: Span


@dataclass(frozen=True, slots=True)
class TokenPart:
    """`token.t`."""

    token: str
    span: Span


Part = TextPart | FieldPart | CredentialPart | SecretPart | SettingPart | TokenPart
UrlPart = TextPart | SettingPart
