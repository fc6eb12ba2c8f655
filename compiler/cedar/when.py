"""The condition of a rule in Cedar's JSON form.

Source: "JSON policy format" in the Cedar reference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mcpx.compiler.cedar.parsed import RUN
from mcpx.compiler.model import (
    Compare,
    Condition,
    Constant,
    IsTrue,
    Junction,
    Member,
    Not,
    Operand,
    OwnProperty,
    Present,
    RunField,
)

Json = dict[str, Any]
_VARIABLES = {"server": "resource", "agent": "principal"}


def lowered_condition(condition: Condition) -> Json:
    """The expression that means the same."""
    match condition:
        case Junction(every=every, conditions=several):
            word = "&&" if every else "||"
            return _balanced(word, [lowered_condition(one) for one in several])
        case Not(condition=inner):
            return {"!": {"arg": lowered_condition(inner)}}
        case Present(field=field):
            return {"has": {"left": RUN, "attr": field}}
        case IsTrue(operand=operand):
            return _operand(operand)
        case Member(item=item, of=of):
            return _binary("contains", _operand(of), _operand(item))
        case Compare(operator=operator, left=left, right=right):
            return _binary(operator, _operand(left), _operand(right))


def _balanced(word: str, operands: Sequence[Json]) -> Json:
    """Evaluated in the same order as a chain, and not as deep: Cedar's readers of JSON end at some 120 levels."""
    if len(operands) == 1:
        return operands[0]
    middle = len(operands) // 2
    return _binary(word, _balanced(word, operands[:middle]), _balanced(word, operands[middle:]))


def _operand(operand: Operand) -> Json:
    match operand:
        case RunField(field=field):
            return {".": {"left": RUN, "attr": field}}
        case OwnProperty(owner=owner, name=name):
            return {".": {"left": {"Var": _VARIABLES[owner]}, "attr": name}}
        case Constant(value=tuple(items)):
            return {"Set": [{"Value": item} for item in items]}
        case Constant(value=value):
            return {"Value": value}


def _binary(word: str, left: Json, right: Json) -> Json:
    return {word: {"left": left, "right": right}}
