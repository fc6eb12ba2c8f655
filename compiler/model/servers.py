"""Servers, and all the ways by which a value can reach one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from mcpx.compiler.model.facts import PropertyValue
from mcpx.compiler.model.values import FieldPart, Part, TextPart, UrlPart
from mcpx.compiler.source import Span
from mcpx.runtime.encodings import Encoding


@dataclass(frozen=True, slots=True)
class Header:
    """One header line of a server. `via` is the word that policies see.

    Attributes:
        advisory: the author says that the server does not authorise by it.
        encode: the encoding, where one is declared; `mcpx.compiler.encodings` knows the one that a list has without.
    """

    name: str
    parts: tuple[Part, ...]
    optional: bool
    span: Span
    name_span: Span
    value_span: Span
    doc: str | None = None
    advisory: bool = False
    encode: Encoding | None = None
    encode_span: Span | None = None

    @property
    def via(self) -> str:
        """`header:` and the name in lower case."""
        return "header:" + self.name.lower()


@dataclass(frozen=True, slots=True)
class Meta:
    """One key of `params._meta` that the runtime sets on calls (MCP, "General fields: `_meta`")."""

    key: str
    parts: tuple[Part, ...]
    optional: bool
    span: Span
    key_span: Span
    value_span: Span
    doc: str | None = None

    @property
    def via(self) -> str:
        """`meta:` and the key."""
        return "meta:" + self.key

    @property
    def name(self) -> str:
        """The key, for messages about every kind of way."""
        return self.key

    @property
    def name_span(self) -> Span:
        """Where the key stands."""
        return self.key_span


@dataclass(frozen=True, slots=True)
class Argument:
    """`argument n must equal run.f` (`check`) or `argument n = run.f` (`set`), for calls with arguments."""

    name: str
    mode: Literal["check", "set"]
    field: str
    span: Span
    name_span: Span
    field_span: Span
    doc: str | None = None

    @property
    def via(self) -> str:
        """`argument:` and the name; only an argument that is set is a way for a value."""
        return "argument:" + self.name

    @property
    def parts(self) -> tuple[Part, ...]:
        """What it is made of, as of every way: its one field."""
        return (FieldPart(self.field, self.field_span),)

    @property
    def optional(self) -> bool:
        """Never: an argument that is set is always set."""
        return False


Way = Header | Meta | Argument
"""A way for values to a server; an argument is one only where it is set."""


@dataclass(frozen=True, slots=True)
class SessionKey:
    """What the calls that may share one session have in common; `span` is `None` for the default."""

    kind: Literal["shared", "agent", "fields", "run"] = "agent"
    fields: tuple[str, ...] = ()
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Url:
    """A server's address: literal text and settings, with the span of the whole string."""

    parts: tuple[UrlPart, ...]
    span: Span

    @property
    def text(self) -> str:
        """As written, for messages: settings as `${setting.x}`."""
        return "".join(
            part.text if isinstance(part, TextPart) else f"${{setting.{part.setting}}}" for part in self.parts
        )


@dataclass(frozen=True, slots=True)
class Server:
    """A remote MCP server. `scheme` and `host` are `None` where an open setting decides them (see `check.urls`)."""

    name: str
    tags: tuple[str, ...]
    url: Url
    headers: tuple[Header, ...]
    span: Span
    doc: str | None = None
    audience: Url | None = None
    authorization_servers: tuple[TextPart, ...] = ()
    session: SessionKey = SessionKey()
    discovery: Literal["session", "run"] = "session"
    metas: tuple[Meta, ...] = ()
    arguments: tuple[Argument, ...] = ()
    properties: Mapping[str, PropertyValue] = field(default_factory=dict)
    deprecated: str | None = None

    @property
    def ways(self) -> tuple[Way, ...]:
        """Every way for values to this server: headers, `meta`, arguments that are set; tokens travel in headers."""
        return (*self.headers, *self.metas, *(argument for argument in self.arguments if argument.mode == "set"))
