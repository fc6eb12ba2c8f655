"""The tree as written: what the grammar accepts, before any name is looked up.

Every node has the span of its text. Names that refer to something are kept as they were typed. The tree says nothing
about whether a thing exists, fits or is allowed: `resolve` turns it into the tree as meant (`model`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mcpx.compiler.source import Span


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier as typed (without the `@` of a tag, without the quotes of a quoted header name)."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class TagRef:
    """`@tag`; the span includes the `@`."""

    name: Name
    span: Span


@dataclass(frozen=True, slots=True)
class Ref:
    """A dotted reference: `run.tenant`, `secret.k`, `credential`, `server.gomark.url`, a bare word such as `shared`."""

    parts: tuple[Name, ...]
    span: Span

    @property
    def text(self) -> str:
        """As typed, for messages."""
        return ".".join(part.text for part in self.parts)


@dataclass(frozen=True, slots=True)
class StringLiteral:
    """A string without interpolation; `value` has its escapes resolved. The span includes the quotes."""

    value: str
    span: Span


@dataclass(frozen=True, slots=True)
class Chunk:
    """Literal text inside a `Text`, with its escapes resolved; the span is the piece between the quotes as written."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Text:
    """A string that holds at least one `${ref}`; the span includes the quotes, a part's only the reference or text."""

    parts: tuple[Chunk | Ref, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class IntLiteral:
    """A whole number; may be negative. Range is the resolver's business."""

    value: int
    span: Span


@dataclass(frozen=True, slots=True)
class BoolLiteral:
    """`true` or `false`."""

    value: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Duration:
    """`30s`, `5m`, `1h`: seconds."""

    seconds: int
    span: Span


@dataclass(frozen=True, slots=True)
class ListLiteral:
    """`[a, b]`."""

    items: tuple[StringLiteral | IntLiteral | BoolLiteral, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    """`env("X", "default")`, `file("/p")`, `provider("name", "key")`: the function's name and its string arguments."""

    function: Name
    arguments: tuple[StringLiteral, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Per:
    """`per agent`, `per run`, `per run.f, run.g`: the references behind `per`."""

    refs: tuple[Ref, ...]
    span: Span


Scalar = StringLiteral | IntLiteral | BoolLiteral
Value = Text | StringLiteral | Ref
"""What a header, claim or `meta` line may be given."""
Setting = Text | StringLiteral | IntLiteral | BoolLiteral | ListLiteral | Duration | Call | Per | Ref
"""What may stand behind `=` in a block; which of them fits is the resolver's business."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """`name = value` in a block: `url`, `audience`, `session`, `ttl`, a property."""

    name: Name
    value: Setting
    span: Span


# --- Top level --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Import:
    """`import "path"`."""

    path: StringLiteral
    span: Span


@dataclass(frozen=True, slots=True)
class Tags:
    """`tag a, b`."""

    names: tuple[Name, ...]
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Type:
    """A type as written. `choices` for `one of`, `max` / `matches` for strings and lists, `items` for lists."""

    kind: Literal["string", "int", "bool", "one of", "list of string"]
    choices: tuple[StringLiteral, ...]
    max: IntLiteral | None
    matches: StringLiteral | None
    items: IntLiteral | None
    span: Span


@dataclass(frozen=True, slots=True)
class Field:
    """`verified name?: type = default @tag { p = v }` in `run`."""

    trust: Literal["verified", "claimed"]
    name: Name
    optional: bool
    type: Type
    default: Scalar | ListLiteral | None
    tags: tuple[TagRef, ...]
    properties: tuple[Assignment, ...]
    doc: str | None
    deprecated: StringLiteral | None
    span: Span


@dataclass(frozen=True, slots=True)
class RunBlock:
    """`run { … }`; `head` is the word `run`."""

    fields: tuple[Field, ...]
    head: Span
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Property:
    """`property server.p: T`; `owner` is `server`, `agent` or `field` as typed."""

    owner: Name
    name: Name
    optional: bool
    type: Type
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class SettingDecl:
    """`setting n = env("X", "default") one of ["a", "b"]`."""

    name: Name
    source: Call | StringLiteral
    choices: ListLiteral | None
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class SecretDecl:
    """`shared secret n @tag = env("X") per run.f`. A literal source is accepted here and refused by the resolver."""

    name: Name
    shared: bool
    tags: tuple[TagRef, ...]
    source: Call | StringLiteral
    per: Per | None
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Header:
    """`optional advisory header N = v encode e`; `keyword` is the span of the words before the name."""

    name: Name
    value: Value
    optional: bool
    advisory: bool
    encode: Name | None
    keyword: Span
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Meta:
    """`optional meta "key" = v`."""

    key: StringLiteral
    value: Value
    optional: bool
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Argument:
    """`argument n must equal run.f` (`check`) or `argument n = run.f` (`set`)."""

    name: Name
    mode: Literal["check", "set"]
    ref: Ref
    doc: str | None
    span: Span


ServerItem = Assignment | Header | Meta | Argument


@dataclass(frozen=True, slots=True)
class Server:
    """`server n @tag { … }`."""

    name: Name
    tags: tuple[TagRef, ...]
    items: tuple[ServerItem, ...]
    doc: str | None
    deprecated: StringLiteral | None
    span: Span


@dataclass(frozen=True, slots=True)
class Groups:
    """`group a, b`."""

    names: tuple[Name, ...]
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Agent:
    """`agent a in g, h uses s, t { p = v }`."""

    name: Name
    groups: tuple[Name, ...]
    uses: tuple[Name, ...]
    properties: tuple[Assignment, ...]
    doc: str | None
    deprecated: StringLiteral | None
    span: Span


@dataclass(frozen=True, slots=True)
class Credential:
    """`credential for a, g to s, t = secret.k`; one holder called `session` is the session's own credential."""

    holders: tuple[Name, ...]
    servers: tuple[Name, ...]
    value: Ref
    doc: str | None
    span: Span


# --- Rules and conditions ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Comparison:
    """`a == b`, `!=`, `<`, `<=`, `>`, `>=`; `operator` with its place."""

    left: Ref | Scalar
    operator: Name
    right: Ref | Scalar
    span: Span


@dataclass(frozen=True, slots=True)
class In:
    """`run.f in ["a", "b"]` or `run.f in server.p`."""

    left: Ref | Scalar
    right: Ref | ListLiteral
    span: Span


@dataclass(frozen=True, slots=True)
class Has:
    """`has run.f`."""

    ref: Ref
    span: Span


@dataclass(frozen=True, slots=True)
class Contains:
    """`run.list contains "x"`."""

    ref: Ref
    item: Scalar | Ref
    span: Span


@dataclass(frozen=True, slots=True)
class Truth:
    """A bare bool: `run.beta`."""

    ref: Ref
    span: Span


@dataclass(frozen=True, slots=True)
class Not:
    """`!c`."""

    condition: Condition
    span: Span


@dataclass(frozen=True, slots=True)
class All:
    """`a && b && c`."""

    conditions: tuple[Condition, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Any:
    """`a || b || c`."""

    conditions: tuple[Condition, ...]
    span: Span


Condition = Comparison | In | Has | Contains | Truth | Not | All | Any


@dataclass(frozen=True, slots=True)
class Rule:
    """`allow F -> T for A when C as n`; `effect` may also be `never`."""

    effect: Literal["allow", "deny", "require", "never"]
    items: tuple[Ref | TagRef, ...]
    targets: tuple[Name | TagRef, ...]
    agents: tuple[Name, ...]
    condition: Condition | None
    name: Name | None
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class CedarBlock:
    '''`cedar """…"""`; `text` is the raw text between the quotes, `body` its span: offsets map one to one.'''

    text: str
    body: Span
    doc: str | None
    span: Span


# --- Tokens, grants, overlays, tests ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Claim:
    """`optional n = v` in `claims { … }`."""

    name: Name
    value: Value | IntLiteral | BoolLiteral
    optional: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Token:
    """`token t for s { … claims { … } }`."""

    name: Name
    servers: tuple[Name, ...]
    items: tuple[Assignment, ...]
    claims: tuple[Claim, ...]
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Grant:
    """`grant g { … }`."""

    name: Name
    items: tuple[Assignment, ...]
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class OverlayLine:
    """`server.gomark.url = "…"`."""

    target: Ref
    value: Setting
    span: Span


@dataclass(frozen=True, slots=True)
class Overlay:
    """`overlay o { … }`."""

    name: Name
    lines: tuple[OverlayLine, ...]
    doc: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Given:
    """`given tenant = "acme", seats = 3`."""

    values: tuple[tuple[Name, Scalar | ListLiteral], ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Send:
    """`send a -> s`, `send a -> s with argument n = v`, `send session a -> s`."""

    session: bool
    agent: Name
    server: Name
    argument: tuple[Name, Scalar | ListLiteral] | None
    span: Span


@dataclass(frozen=True, slots=True)
class ExpectHeader:
    """`expect header N`, `expect header N == v`, `expect no header N` (`absent`)."""

    header: Name
    value: Scalar | None
    absent: bool
    span: Span


@dataclass(frozen=True, slots=True)
class ExpectDenied:
    """`expect denied run.f, run.g`."""

    refs: tuple[Ref, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ExpectRefused:
    """`expect refused`."""

    span: Span


TestItem = Given | Send | ExpectHeader | ExpectDenied | ExpectRefused


@dataclass(frozen=True, slots=True)
class Test:
    """`test "…" { … }`."""

    title: StringLiteral
    items: tuple[TestItem, ...]
    doc: str | None
    span: Span


Statement = (
    Import
    | Tags
    | RunBlock
    | Property
    | SettingDecl
    | SecretDecl
    | Server
    | Groups
    | Agent
    | Credential
    | Rule
    | CedarBlock
    | Token
    | Grant
    | Overlay
    | Test
)


@dataclass(frozen=True, slots=True)
class File:
    """One `.mcpx` file: its name, its edition (`None` where the line is missing) and its statements in order."""

    name: str
    edition: IntLiteral | None
    statements: tuple[Statement, ...]
