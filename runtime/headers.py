"""Plans of rows, and the values that they give for one run: headers, and keys of `params._meta`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from mcpx.runtime.body import Branch, Guard
from mcpx.runtime.calls import ArgumentRule
from mcpx.runtime.encodings import Encoding, Fault, encode
from mcpx.runtime.guards import holds
from mcpx.runtime.names import MAX_FIELD, MAX_FIELDS, value_fault
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
    """What one agent may send to one server; what a rule leaves out is not there.

    Attributes:
        lines: the headers, in the order of the sources.
        metas: the keys of `params._meta`, each as a line whose name is the key.
        arguments: the arguments that are set.
        secrets: every secret that takes part, once.
    """

    lines: tuple[Line, ...]
    metas: tuple[Line, ...] = ()
    arguments: tuple[ArgumentRule, ...] = ()
    secrets: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        lines = (*self.lines, *self.metas)
        refs = (piece.secret for line in lines for piece in line.pieces if isinstance(piece, SecretRef))
        object.__setattr__(self, "secrets", tuple(dict.fromkeys(refs)))


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
    if sum(len(name) + len(": ") + len(value) for name, value in values.items()) > MAX_FIELDS:
        return f"the headers together have more than {MAX_FIELDS} bytes"
    return Headers(values)


def meta_values(lines: Iterable[Line], facts: Facts, secrets: Mapping[str, Secret]) -> dict[str, Any] | str:
    """The keys of `params._meta` that a plan gives for one run, with JSON values: a field alone keeps its type.

    Args:
        lines: the `metas` of a plan.
        facts: the fields of the run.
        secrets: the current values of the plan's secrets.

    Returns:
        Keys to values, or a clause that names the first that cannot be built.
    """
    values: dict[str, Any] = {}
    for line in lines:
        if not holds(line.guard, line.branches, facts):
            continue
        value = _json_value(line, facts, secrets)
        if value is not None:
            values[line.name] = list(value) if isinstance(value, tuple) else value
        elif not line.optional:
            return f"`_meta` key `{line.name}`: a field that it draws on has no value"
    return values


def _json_value(line: Line, facts: Facts, secrets: Mapping[str, Secret]) -> str | int | bool | tuple[str, ...] | None:
    match line.pieces:
        case (FieldRef(name),):
            return facts.value(name)
    texts = [_text(piece, facts, secrets) for piece in line.pieces]
    return None if None in texts else "".join(text for text in texts if text is not None)


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
