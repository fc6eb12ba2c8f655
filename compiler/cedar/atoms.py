"""What a condition asks of the run: its smallest parts that read one field each, as tests.

Everything else in a condition is the same for every run, so these tests tell all runs apart that the condition can.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from mcpx.compiler.cedar.parsed import RUN, Json, nodes, run_fields
from mcpx.compiler.cedar.witnesses import Test
from mcpx.compiler.model import Field
from mcpx.runtime.body import Question

_UNKNOWN = object()
"""An attribute that this server, agent or item does not have: Cedar says itself what comes of reading it."""

Attribute = Callable[[Json, str], Any]
"""The value of an attribute of what an expression stands for (`principal`, `context.field`, an entity literal);
`None` where it has none, or is none of these."""


class UndecidableError(Exception):
    """A condition that cannot be decided ahead: why, in words, and the field of the run that it is about."""

    def __init__(self, why: str, field: str) -> None:
        super().__init__(why, field)
        self.why = why
        self.field = field


def tests_of(clauses: Iterable[Json], fields: Mapping[str, Field], attribute: Attribute) -> frozenset[Test]:
    """The tests of a policy's conditions for one case.

    Args:
        clauses: the expressions of its `when` and `unless`.
        fields: those of the run.
        attribute: what the case knows.

    Raises:
        UndecidableError: a part reads the run in a way that cannot be decided ahead.
    """
    found: set[Test] = set()
    waiting = list(clauses)
    while waiting:
        match waiting.pop():
            case {"&&": {"left": left, "right": right}} | {"||": {"left": left, "right": right}}:
                waiting += (left, right)
            case {"!": {"arg": inner}}:
                waiting.append(inner)
            case {"if-then-else": {"if": condition, "then": then, "else": otherwise}}:
                waiting += (condition, then, otherwise)
            case atom:
                if any(True for _ in run_fields(atom)):
                    found.update(_tests(atom, fields, attribute))
    # A field that may be missing is asked for first, whether or not the policy needs to.
    return frozenset(found) | {Test(test.field, "has", None) for test in found if fields[test.field].optional}


def _tests(atom: Json, fields: Mapping[str, Field], attribute: Attribute) -> Iterator[Test]:
    match atom:
        case {"has": {"left": left, "attr": str(name)}} if left == RUN:
            yield Test(name, "has", None)
        case {".": {"left": left, "attr": str(name)}} if left == RUN:
            yield Test(name, "true", None)
        case {"isEmpty": {"arg": inner}} if (field := _field(inner)) is not None:
            yield Test(field, "isEmpty", None)
        case {"like": {"left": left, "pattern": list(pattern)}} if (field := _field(left)) is not None:
            yield Test(field, "like", _pieces(pattern))
        case dict() if len(atom) == 1 and (compared := _COMPARISONS.get(next(iter(atom)))) is not None:
            (sides,) = atom.values()
            left, right = _field(sides["left"]), _field(sides["right"])
            if (left is None) == (right is None):
                raise _refused(atom)
            field = left or right or ""
            constant = _constant(sides["right" if left is not None else "left"], atom, attribute)
            op = compared[0 if left is not None else 1]
            if constant is not _UNKNOWN:
                yield _test(op, constant, fields[field])
        case _:
            raise _refused(atom)


_COMPARISONS: Mapping[str, tuple[Question, Question]] = {
    "==": ("eq", "eq"),
    "!=": ("eq", "eq"),
    "<": ("lt", "le"),
    "<=": ("le", "lt"),
    ">": ("le", "lt"),
    ">=": ("lt", "le"),
    "contains": ("contains", "in"),
    "containsAll": ("containsAll", "within"),
    "containsAny": ("containsAny", "containsAny"),
}
"""The test that decides each operator, with the field on its left and on its right: `x > 5` is `not x <= 5`."""


def _test(op: Question, constant: Any, field: Field) -> Test:
    if field.type.kind == "bool":
        return Test(field.name, "true", None)
    if isinstance(constant, list):
        return Test(field.name, op, tuple(sorted(set(constant))))
    return Test(field.name, op, constant)


def _field(expression: Json) -> str | None:
    match expression:
        case {".": {"left": left, "attr": str(name)}} if left == RUN:
            return name
    return None


def _pieces(pattern: list[Json]) -> tuple[str, ...]:
    pieces = [""]
    for element in pattern:
        if element == "Wildcard":
            pieces.append("")
        else:
            pieces[-1] += element["Literal"]
    return tuple(pieces)


def _constant(expression: Json, atom: Json, attribute: Attribute) -> Any:
    """A literal, or an attribute of what the case knows; a list for a set."""
    match expression:
        case {"Value": (str() | int()) as value}:
            return value
        case {"Set": list(items)}:
            values = [_constant(item, atom, attribute) for item in items]
            return _UNKNOWN if _UNKNOWN in values else values
        case {".": {"left": subject, "attr": str(name)}} if not any(True for _ in run_fields(expression)):
            value = attribute(subject, name)
            return _UNKNOWN if value is None else value
    raise _refused(atom)


def _refused(atom: Json) -> UndecidableError:
    names = list(run_fields(atom))
    operations = {word for node in nodes(atom) for word in node}
    extension = any(isinstance(inner, list) for node in nodes(atom) for word, inner in node.items() if word != "Set")
    if extension and "like" not in operations:
        why = "a function of Cedar's extensions is applied to a value of the run"
    elif operations & {"+", "-", "*", "neg"}:
        why = "it calculates with a value of the run"
    elif len(names) > 1:
        why = "it compares two values of the run with each other"
    elif any("Set" in node or "Record" in node for node in nodes(atom) if any(True for _ in run_fields(node))):
        why = "a value of the run stands inside a set or record"
    else:
        why = "it does more with a value of the run than to compare it with a constant"
    return UndecidableError(why, names[-1])
