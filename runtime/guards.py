"""Guards: what decides for each run whether a value may go, as a decision diagram in the table.

Each branch asks one question about one field of a checked run; Cedar decided at build time what every answer leads to.
The questions mean what Cedar's operators mean ("Operators and functions" in its reference).
"""

from __future__ import annotations

from collections.abc import Mapping

from mcpx.runtime.body import Branch, Constant, Guard
from mcpx.runtime.errors import TableError
from mcpx.runtime.redacted import Facts, Value


def holds(guard: Guard, branches: Mapping[str, Branch], facts: Facts) -> bool:
    """Whether a guard lets a value go for one run.

    Args:
        guard: of a verified table.
        branches: all of the table, by id.
        facts: the fields of the run.

    Raises:
        TableError: the guard asks what it cannot be asked; a verified table has no such guard.
    """
    while not isinstance(guard, bool):
        branch = branches[guard]
        guard = branch.then if answer(branch.test, branch.value, facts.value(branch.field)) else branch.otherwise
    return guard


def fields_read(guard: Guard, branches: Mapping[str, Branch]) -> frozenset[str]:
    """The fields that a guard of a verified table may ask about."""
    met: set[str] = set()
    waiting = [guard]
    while waiting:
        name = waiting.pop()
        if isinstance(name, str) and name not in met:
            met.add(name)
            waiting += (branches[name].then, branches[name].otherwise)
    return frozenset(branches[name].field for name in met)


def answer(test: str, constant: Constant, value: Value | None) -> bool:
    """The answer to one question.

    Args:
        test: as in `Branch`.
        constant: what it compares with.
        value: of the field; `None` where it is missing.

    Raises:
        TableError: there is no such question about such a value; nothing is taken for an answer.
    """
    # A bool is an int to Python and none to Cedar, so it is set apart before numbers are.
    match test, constant, value:
        case "has", None, _:
            return value is not None
        case "true", None, bool():
            return value
        case _, _, bool():
            pass
        case ("eq", str(), str()) | ("eq", int(), int()):
            return value == constant
        case "in", tuple(), str() | int():
            return value in constant
        case "lt", int(), int():
            return value < constant
        case "le", int(), int():
            return value <= constant
        case "like", tuple(), str():
            return _like([str(piece) for piece in constant], value)
        case "contains", str(), tuple():
            return constant in value
        case "isEmpty", None, tuple():
            return not value
        case "eq", tuple(), tuple():
            return set(value) == set(constant)
        case "containsAll", tuple(), tuple():
            return set(value).issuperset(constant)
        case "containsAny", tuple(), tuple():
            return not set(value).isdisjoint(constant)
        case "within", tuple(), tuple():
            return set(value).issubset(constant)
    raise TableError(f"a guard asks `{test}` of a field that has no answer to it")


def _like(pieces: list[str], value: str) -> bool:
    """Whether `value` is the pieces in order, with any text between two of them."""
    first, *between = pieces
    if not between:
        return value == first
    if not value.startswith(first):
        return False
    *middle, last = between
    position = len(first)
    for piece in middle:
        found = value.find(piece, position)
        if found < 0:
            return False
        position = found + len(piece)
    return value.endswith(last) and len(value) - len(last) >= position
