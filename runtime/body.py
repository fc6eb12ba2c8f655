"""What a routing table says, as frozen records. `table` reads and writes them, `integrity` checks that they agree.

Equal programs, guards, plans and flow decisions are stored once and named by an id that means nothing outside its table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import AfterValidator, ConfigDict, WrapSerializer

from mcpx.runtime.encodings import Encoding

FORMAT: Final = 1
"""Raised whenever a runtime of the older format could misread the table."""

_K = TypeVar("_K")
_V = TypeVar("_V")


def _frozen(mapping: Mapping[_K, _V]) -> Mapping[_K, _V]:
    return MappingProxyType(dict(mapping))


def _plain(mapping: Mapping[Any, Any], serialize: Callable[[Any], Any]) -> Any:
    return serialize(dict(mapping))


FrozenMap = Annotated[Mapping[_K, _V], AfterValidator(_frozen), WrapSerializer(_plain)]


class _Model:
    """Base of the table's records: no unknown keys, no coercion."""

    __slots__ = ()
    __pydantic_config__ = ConfigDict(extra="forbid", strict=True)


@dataclass(frozen=True, slots=True)
class FieldSpec(_Model):
    """The schema of one run field; see `compiler.model.FieldType` for `kind` and the bounds."""

    verified: bool
    optional: bool
    kind: Literal["string", "int", "bool", "choice", "list"]
    choices: tuple[str, ...]
    max: int
    matches: str | None
    items: int
    default: str | int | bool | tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class SettingSpec(_Model):
    """A setting: the environment variable, its default, and the values it may have (any, when empty)."""

    variable: str
    default: str | None
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class EnvSource(_Model):
    """The secret is the value of an environment variable."""

    env: str


@dataclass(frozen=True, slots=True)
class FileSource(_Model):
    """The secret is the content of a file."""

    file: str


@dataclass(frozen=True, slots=True)
class TextPart(_Model):
    """Literal text."""

    text: str


@dataclass(frozen=True, slots=True)
class FieldPart(_Model):
    """The value of a run field."""

    field: str


@dataclass(frozen=True, slots=True)
class CredentialPart(_Model):
    """The secret that the row names as the agent's credential."""

    credential: Literal[True]


@dataclass(frozen=True, slots=True)
class SecretPart(_Model):
    """The value of a secret."""

    secret: str


@dataclass(frozen=True, slots=True)
class SettingPart(_Model):
    """The value of a setting."""

    setting: str


Part = TextPart | FieldPart | CredentialPart | SecretPart | SettingPart


@dataclass(frozen=True, slots=True)
class HeaderProgram(_Model):
    """How one header is built: the parts are joined in order.

    Attributes:
        encode: the encoding of its one part, a field; always there for a list.
        advisory: whether its author says that the server does not authorise by it; nothing at run time depends on it.
    """

    name: str
    parts: tuple[Part, ...]
    optional: bool
    encode: Encoding | None = None
    advisory: bool = False


Constant = str | int | tuple[str, ...] | tuple[int, ...] | None
"""What a question about a field compares with."""

Guard = bool | str
"""The same answer for every run, or the id of the branch that asks first."""


@dataclass(frozen=True, slots=True)
class Branch(_Model):
    """One question about a field of a run, and where each answer leads: to an answer, or to the id of another branch.

    Attributes:
        field: what it asks about.
        test: `has` (is it there), `true` (a bool), `eq`, `in` (one of the constants), `lt` and `le` on ints, `like`
            (the constant is the text between the wildcards), and on lists `contains`, `containsAll`, `containsAny`,
            `within` (each item is one of the constants) and `isEmpty`.
        value: the constant; `None` for `has`, `true` and `isEmpty`.
        then: where a yes leads.
        otherwise: where a no leads.
    """

    field: str
    test: Literal[
        "has", "true", "eq", "in", "lt", "le", "like", "contains", "containsAll", "containsAny", "within", "isEmpty"
    ]
    value: Constant
    then: Guard
    otherwise: Guard


@dataclass(frozen=True, slots=True)
class Step(_Model):
    """One header of a row.

    Attributes:
        program: the id of its program.
        send: false when a rule leaves this (optional) header out for this row; a guard when the run decides.
        requests: `session` when it goes on session requests and on calls, `calls` when on calls alone.
        by: the ids of the policies that decided, sorted.
    """

    program: str
    send: Guard
    requests: Literal["session", "calls"]
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Flow(_Model):
    """Whether a field may reach the server of a row at all, and the ids of the policies that decided."""

    permitted: Guard
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ServerSpec(_Model):
    """A server: its address in parts, and the key by which calls may share one session."""

    url: tuple[TextPart | SettingPart, ...]
    session: Literal["agent"]


@dataclass(frozen=True, slots=True)
class Row(_Model):
    """One (agent, server) pair of `uses`.

    Attributes:
        credential: the secret that `credential` stands for, if any header of the plan needs one.
        plan: the id of the list of steps.
        flows: the id of the decisions on all fields.
        by: the ids of the policies that let the agent connect.
    """

    agent: str
    server: str
    credential: str | None
    plan: str
    flows: str
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Origin(_Model):
    """Where a policy comes from: a source by its name in the project, line and column from 1."""

    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True)
class SourceDigest(_Model):
    """A file the table was made from, and `sha256:` of its bytes."""

    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class Body(_Model):
    """All that the runtime knows. Equal programs, guards, plans and flow decisions are stored once, by id."""

    format: Literal[1]
    compiler: str
    sources: tuple[SourceDigest, ...]
    fields: FrozenMap[str, FieldSpec]
    settings: FrozenMap[str, SettingSpec]
    secrets: FrozenMap[str, EnvSource | FileSource]
    servers: FrozenMap[str, ServerSpec]
    agents: FrozenMap[str, tuple[str, ...]]
    programs: FrozenMap[str, HeaderProgram]
    plans: FrozenMap[str, tuple[Step, ...]]
    flows: FrozenMap[str, FrozenMap[str, Flow]]
    guards: FrozenMap[str, Branch]
    policies: FrozenMap[str, Origin]
    rows: tuple[Row, ...]
