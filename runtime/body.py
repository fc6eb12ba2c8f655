"""What a routing table says, as frozen records. `table` reads and writes them, `integrity` checks that they agree.

Equal programs, guards, plans and flow decisions are stored once, named by an id that means nothing outside its table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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
class CredentialSource(_Model):
    """The secret is a file of the service's credentials (systemd.exec, "Credentials")."""

    credential: str


@dataclass(frozen=True, slots=True)
class ProviderSource(_Model):
    """The secret is what a plug-in of the host answers: one value, or one for each combination of the fields `per`."""

    provider: str
    key: str
    per: tuple[str, ...]


SecretSource = EnvSource | FileSource | CredentialSource | ProviderSource


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


@dataclass(frozen=True, slots=True)
class TokenPart(_Model):
    """A token that is made for the run and the server."""

    token: str


Part = TextPart | FieldPart | CredentialPart | SecretPart | SettingPart | TokenPart


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

Question = Literal[
    "has", "true", "eq", "in", "lt", "le", "like", "contains", "containsAll", "containsAny", "within", "isEmpty"
]
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
    test: Question
    value: Constant
    then: Guard
    otherwise: Guard


Own = Literal["credential", "uses"]
"""A statement of the sources that decides about one row alone: the agent's `uses`, or the line of its credential."""


@dataclass(frozen=True, slots=True)
class Step(_Model):
    """One header of a row.

    Attributes:
        program: the id of its program.
        send: false when a rule leaves this (optional) header out for this row; a guard when the run decides.
        requests: `session` when it goes on session requests and on calls, `calls` when on calls alone.
        by: the ids of the policies that decided, sorted, but for the row's own statements.
        own: the statements of the row that decided as well, sorted; they never permit a field.
    """

    program: str
    send: Guard
    requests: Literal["session", "calls"]
    by: tuple[str, ...]
    own: tuple[Own, ...] = ()


@dataclass(frozen=True, slots=True)
class Flow(_Model):
    """Whether a field may reach the server of a row at all, and the ids of the policies that decided."""

    permitted: Guard
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClaimStep(_Model):
    """One claim of a token in one row.

    Attributes:
        send: false when a rule leaves this (optional) claim out for this row; a guard when the run decides.
        by: as in `Step`.
        own: as in `Step`.
    """

    send: Guard
    by: tuple[str, ...]
    own: tuple[Own, ...] = ()


@dataclass(frozen=True, slots=True)
class ClaimSpec(_Model):
    """A claim that a token holds beside those of the runtime.

    Attributes:
        field: the verified field that it takes its value and JSON type from; `None` for a literal.
        value: the literal; `None` for a field.
        optional: left out where the field is missing or a rule says so.
    """

    name: str
    field: str | None
    value: str | int | bool | None
    optional: bool


@dataclass(frozen=True, slots=True)
class TokenSpec(_Model):
    """A token that is made for a run and one of its servers, whose audience is its `aud`.

    Attributes:
        servers: those that it may be sent to.
        kind: `access` in `Authorization: Bearer`, `assertion` in a header of its own.
        ttl: seconds between `iat` and `exp`.
        key: the secret that signs; `None` for the host's minter.
        client_id: the claim of that name.
    """

    servers: tuple[str, ...]
    kind: Literal["assertion", "access"]
    issuer: str
    ttl: int
    key: str | None
    client_id: str
    claims: tuple[ClaimSpec, ...]


@dataclass(frozen=True, slots=True)
class GrantSpec(_Model):
    """A signed statement of the application from which a run begins.

    Attributes:
        audience: the `aud` that it has to have.
        ttl: the longest life that it may have, in seconds.
        keys: the issuer's public keys (RFC 7517): a file, or an https URL.
        key: the secret that this process issues with; read only where it is asked to issue.
    """

    issuer: str
    audience: str
    ttl: int
    keys: FileSource | str
    key: str | None


@dataclass(frozen=True, slots=True)
class MetaStep(_Model):
    """One key of `params._meta` in one row.

    Attributes:
        parts: a field alone keeps its JSON type; anything else is joined to a string.
        optional: left out where a field is missing or a rule says so.
        send: false when a rule leaves it out for this row; a guard when the run decides.
        by: as in `Step`.
        own: as in `Step`.
    """

    key: str
    parts: tuple[Part, ...]
    optional: bool
    send: Guard
    by: tuple[str, ...]
    own: tuple[Own, ...] = ()


@dataclass(frozen=True, slots=True)
class ArgumentStep(_Model):
    """An argument that is set from a field in one row, and the ids of the policies that permit it, sorted."""

    argument: str
    field: str
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CallPlan(_Model):
    """What the calls of a row carry in their params."""

    metas: tuple[MetaStep, ...]
    arguments: tuple[ArgumentStep, ...]


@dataclass(frozen=True, slots=True)
class ArgumentCheck(_Model):
    """An argument that must equal a field wherever a call has it."""

    argument: str
    field: str


@dataclass(frozen=True, slots=True)
class SessionCredential(_Model):
    """What `credential` gives on the requests of a shared session: a secret or a token; `by` permits it."""

    secret: str | None
    token: str | None
    by: tuple[str, ...]


SessionKind = Literal["shared", "agent", "run"] | tuple[str, ...]
"""What the calls on one session have in common: nothing, their agent, their run, or their agent and these fields."""


@dataclass(frozen=True, slots=True)
class ServerSpec(_Model):
    """A server: its address in parts, and the key by which calls may share one session.

    Attributes:
        audience: whom a token for this server is for; empty where that is the URL without its query.
        authorization_servers: the issuers whose access tokens it takes.
        discovery: with whose headers lists are asked for.
        session_credential: only for a shared session.
        checks: the arguments that must equal a field, for every agent.
        tags: those of the place that it is at, and so of every server there.
        properties: likewise.
    """

    url: tuple[TextPart | SettingPart, ...]
    session: SessionKind
    audience: tuple[TextPart | SettingPart, ...] = ()
    authorization_servers: tuple[str, ...] = ()
    discovery: Literal["session", "run"] = "session"
    session_credential: SessionCredential | None = None
    checks: tuple[ArgumentCheck, ...] = ()
    tags: tuple[str, ...] = ()
    properties: FrozenMap[str, str | int | bool | tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Row(_Model):
    """One (agent, server) pair of `uses`.

    Attributes:
        credential: the secret that `credential` stands for, if any header of the plan needs one.
        plan: the id of the list of steps.
        flows: the id of the decisions on all fields.
        tokens: for each token of the server, the id of the list of its claims.
        call: the id of what its calls carry in their params, where they carry anything.
        by: the ids of the policies that let the agent connect, sorted, but for its own `uses`.
        own: the ids of its own statements, so that what they decide alike for many rows is stored once.
    """

    agent: str
    server: str
    credential: str | None
    plan: str
    flows: str
    by: tuple[str, ...]
    tokens: FrozenMap[str, str] = field(default_factory=dict)
    call: str | None = None
    own: FrozenMap[Own, str] = field(default_factory=dict)


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
    secrets: FrozenMap[str, SecretSource]
    servers: FrozenMap[str, ServerSpec]
    agents: FrozenMap[str, tuple[str, ...]]
    programs: FrozenMap[str, HeaderProgram]
    plans: FrozenMap[str, tuple[Step, ...]]
    flows: FrozenMap[str, FrozenMap[str, Flow]]
    guards: FrozenMap[str, Branch]
    tokens: FrozenMap[str, TokenSpec]
    claims: FrozenMap[str, tuple[ClaimStep, ...]]
    grants: FrozenMap[str, GrantSpec]
    calls: FrozenMap[str, CallPlan]
    policies: FrozenMap[str, Origin]
    rows: tuple[Row, ...]
