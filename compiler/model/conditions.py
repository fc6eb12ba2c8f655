"""What `when` means, with every name resolved and every type checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mcpx.compiler.model.facts import PropertyValue
from mcpx.compiler.source import Span


@dataclass(frozen=True, slots=True)
class RunField:
    """`run.f` in a condition."""

    field: str
    span: Span


@dataclass(frozen=True, slots=True)
class OwnProperty:
    """`server.p` or `agent.p` in a condition: of the server or agent that the rule is asked about."""

    owner: Literal["server", "agent"]
    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal in a condition; a list is a set of strings."""

    value: PropertyValue
    span: Span


Operand = RunField | OwnProperty | Constant


@dataclass(frozen=True, slots=True)
class Compare:
    """`==`, `!=`, `<`, `<=`, `>`, `>=` of operands of one type; the last four on ints."""

    operator: Literal["==", "!=", "<", "<=", ">", ">="]
    left: Operand
    right: Operand
    span: Span


@dataclass(frozen=True, slots=True)
class Member:
    """`item in [..]`, `item in server.p` and `run.list contains "x"`: `item` is an element of the set `of`."""

    item: Operand
    of: Operand
    span: Span


@dataclass(frozen=True, slots=True)
class Present:
    """`has run.f`."""

    field: str
    span: Span


@dataclass(frozen=True, slots=True)
class IsTrue:
    """A bool by itself."""

    operand: RunField | OwnProperty
    span: Span


@dataclass(frozen=True, slots=True)
class Not:
    """`!c`."""

    condition: Condition
    span: Span


@dataclass(frozen=True, slots=True)
class Junction:
    """`a && b && …` (`every`) or `a || b || …` (not `every`), from left to right, as Cedar evaluates them."""

    every: bool
    conditions: tuple[Condition, ...]
    span: Span


Condition = Compare | Member | Present | IsTrue | Not | Junction
