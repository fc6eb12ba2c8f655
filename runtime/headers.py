"""Header programs: from the parts that the table lists to the value of each header."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from mcpx.runtime.body import (
    Body,
    Branch,
    CredentialPart,
    FieldPart,
    Guard,
    HeaderProgram,
    Row,
    SecretPart,
    SettingPart,
    TextPart,
)
from mcpx.runtime.encodings import Encoding, Fault, encode
from mcpx.runtime.guards import holds
from mcpx.runtime.names import MAX_FIELD, value_fault
from mcpx.runtime.redacted import Facts, Headers, Secret

NO_FACTS = Facts({})


@dataclass(frozen=True, slots=True)
class FieldRef:
    """A piece that is the value of a run field."""

    field: str


@dataclass(frozen=True, slots=True)
class SecretRef:
    """A piece that is the value of a secret."""

    secret: str


Piece = str | FieldRef | SecretRef


@dataclass(frozen=True, slots=True)
class Line:
    """One header of one agent at one server: settings and literals are text already, the credential is a secret.

    Attributes:
        name: as written in the sources.
        pieces: joined in order.
        optional: left out, instead of refused, where a field is missing.
        session: also sent on session requests.
        encode: the encoding of its one piece, a field.
        guard: whether a run lets it go; a header that is always sent has none.
        branches: of the table, for the guard.
    """

    name: str
    pieces: tuple[Piece, ...]
    optional: bool
    session: bool
    encode: Encoding | None = None
    guard: Guard = True
    branches: Mapping[str, Branch] = field(default_factory=dict)

    @property
    def fixed(self) -> bool:
        """Whether no field of a run takes part."""
        return isinstance(self.guard, bool) and not any(isinstance(piece, FieldRef) for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Plan:
    """The headers that one agent may send to one server; those that a rule leaves out are not among them.

    Attributes:
        lines: in the order of the sources.
        secrets: every secret that takes part, once.
    """

    lines: tuple[Line, ...]
    secrets: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        refs = (piece.secret for line in self.lines for piece in line.pieces if isinstance(piece, SecretRef))
        object.__setattr__(self, "secrets", tuple(dict.fromkeys(refs)))


def row_plan(body: Body, row: Row, settings: Mapping[str, str]) -> Plan:
    """The plan of a row of a verified table.

    Args:
        body: what the table says.
        row: one of its rows.
        settings: the values of all settings.
    """
    steps = ((body.programs[step.program], step) for step in body.plans[row.plan] if step.send is not False)
    lines = (
        Line(
            program.name,
            _pieces(program, row, settings),
            program.optional,
            step.requests == "session",
            program.encode,
            step.send,
            body.guards,
        )
        for program, step in steps
    )
    return Plan(tuple(lines))


def render(lines: Iterable[Line], facts: Facts, secrets: Mapping[str, Secret]) -> Headers | str:
    """The headers that a plan gives for one run.

    Args:
        lines: of a plan.
        facts: the fields of the run.
        secrets: the current values of the plan's secrets.

    Returns:
        The headers, or a clause that names the first one that cannot be built. Nothing is raised: a traceback through
        here could show values.
    """
    values: dict[str, str] = {}
    for line in lines:
        outcome = _value(line, facts, secrets)
        if isinstance(outcome, Fault):
            return f"header `{line.name}`: {outcome.clause}"
        if outcome is not None:
            values[line.name] = outcome
    return Headers(values)


def _value(line: Line, facts: Facts, secrets: Mapping[str, Secret]) -> str | Fault | None:
    if not holds(line.guard, line.branches, facts):
        return None
    value = _joined(line, facts, secrets) if line.encode is None else _encoded(line, line.encode, facts)
    if not isinstance(value, str):
        return value
    fault = value_fault(value) or _size_fault(line.name, value)
    return value if fault is None else Fault(f"its value {fault}")


def _encoded(line: Line, encoding: Encoding, facts: Facts) -> str | Fault | None:
    (piece,) = line.pieces
    value = facts.value(piece.field) if isinstance(piece, FieldRef) else None
    if value is None:
        return None if line.optional else Fault(f"{_source(piece)} has no value")
    outcome = encode(encoding, value) if isinstance(value, str | tuple) else Fault("has no encoding")
    if outcome is None:
        return None if line.optional else Fault(f"{_source(piece)} is an empty list, which no header carries")
    return Fault(f"{_source(piece)} {outcome.clause}") if isinstance(outcome, Fault) else outcome


def _joined(line: Line, facts: Facts, secrets: Mapping[str, Secret]) -> str | Fault | None:
    texts: list[str] = []
    for piece in line.pieces:
        text = _text(piece, facts, secrets)
        if text is None:
            return None if line.optional else Fault(f"{_source(piece)} has no value")
        texts.append(text)
    for piece, text in zip(line.pieces, texts, strict=True):
        fault = None if isinstance(piece, str) else value_fault(text)
        if fault is not None:
            return Fault(f"{_source(piece)} {fault}")
    return "".join(texts)


def _pieces(program: HeaderProgram, row: Row, settings: Mapping[str, str]) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    for part in program.parts:
        match part:
            case TextPart(text):
                pieces.append(text)
            case FieldPart(field):
                pieces.append(FieldRef(field))
            case SecretPart(secret):
                pieces.append(SecretRef(secret))
            case SettingPart(setting):
                pieces.append(settings[setting])
            case CredentialPart():
                pieces.append(SecretRef(_credential(row)))
    return tuple(pieces)


def _credential(row: Row) -> str:
    if row.credential is None:
        raise AssertionError("a verified table has a credential wherever a header that is sent needs one")
    return row.credential


def _text(piece: Piece, facts: Facts, secrets: Mapping[str, Secret]) -> str | None:
    match piece:
        case FieldRef(field):
            return facts.text(field)
        case SecretRef(secret):
            return secrets[secret].reveal()
        case _:
            return piece


def _source(piece: Piece) -> str:
    match piece:
        case FieldRef(field):
            return f"field `{field}`"
        case SecretRef(secret):
            return f"secret `{secret}`"
        case _:
            return "its text"


def _size_fault(name: str, value: str) -> str | None:
    size = len(name) + len(": ") + len(value)
    return f"makes a field of more than {MAX_FIELD} bytes" if size > MAX_FIELD else None
