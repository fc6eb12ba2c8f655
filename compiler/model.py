"""The tree as meant: every name is resolved, every value typed. Later phases never meet an unresolved name.

All mappings are keyed by name, in the order of declaration. `Span`s point to the place that a message should show.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from mcpx.compiler.source import Span

Scalar = str | int | bool


@dataclass(frozen=True, slots=True)
class FieldType:
    """The type of a run field or property.

    Attributes:
        kind: `choice` is `one of`, `list` is `list of string`.
        choices: the values of a `choice`.
        max: most characters of a string, or of each item of a list; 256 unless declared.
        matches: a pattern for the whole string, or for each item.
        items: most items of a list; 8 unless declared.
    """

    kind: Literal["string", "int", "bool", "choice", "list"]
    choices: tuple[str, ...] = ()
    max: int = 256
    matches: str | None = None
    items: int = 8


@dataclass(frozen=True, slots=True)
class Field:
    """One fact of a run: `verified` by the application or `claimed` by the caller."""

    name: str
    verified: bool
    optional: bool
    type: FieldType
    default: Scalar | tuple[str, ...] | None
    tags: tuple[str, ...]
    span: Span
    doc: str | None = None
    tag_spans: Mapping[str, Span] | None = None


@dataclass(frozen=True, slots=True)
class Tag:
    """A word of the vocabulary for fields, servers and secrets."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Setting:
    """Non-secret configuration, read from `variable` when the table is loaded."""

    name: str
    variable: str
    default: str | None
    choices: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class EnvSource:
    """`env("X")`."""

    variable: str


@dataclass(frozen=True, slots=True)
class FileSource:
    """`file("/p")`."""

    path: str


SecretSource = EnvSource | FileSource


@dataclass(frozen=True, slots=True)
class Secret:
    """A value that only the runtime reads. `shared`: one secret may serve several servers."""

    name: str
    source: SecretSource
    shared: bool
    tags: tuple[str, ...]
    span: Span


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


Part = TextPart | FieldPart | CredentialPart | SecretPart | SettingPart
UrlPart = TextPart | SettingPart


@dataclass(frozen=True, slots=True)
class Header:
    """One header line of a server. `via` is the word that policies see."""

    name: str
    parts: tuple[Part, ...]
    optional: bool
    span: Span
    name_span: Span
    value_span: Span
    doc: str | None = None

    @property
    def via(self) -> str:
        """`header:` and the name in lower case."""
        return "header:" + self.name.lower()


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


@dataclass(frozen=True, slots=True)
class CredentialLine:
    """`credential for A to S = secret.k`, one per line of the file; holders are agents or groups."""

    holders: tuple[str, ...]
    servers: tuple[str, ...]
    secret: str
    span: Span
    secret_span: Span


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


@dataclass(frozen=True, slots=True)
class CedarText:
    """Cedar policies as somebody wrote them: a whole `.cedar` file or one inline block.

    `span.start` is where `text` begins in the source `span.file`, so an offset in `text` maps by addition.
    """

    text: str
    span: Span


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
