"""For one field, values that stand for all values: every combination of answers that its tests can have.

A test is a question of a guard (`mcpx.runtime.body.Branch`). A run matters to a condition only through these answers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import product
from typing import NamedTuple

from mcpx.compiler.model import Field
from mcpx.runtime.body import Constant, Question
from mcpx.runtime.redacted import Value

BUDGET = 20_000
"""The most combinations of values that one policy is decided for."""
_SMALLEST, _LARGEST = -(2**63), 2**63 - 1


class TooManyError(Exception):
    """The tests tell more values apart than the budget allows."""


class Test(NamedTuple):
    """A question about one field; `op` and `value` are those of `Branch`."""

    field: str
    op: Question
    value: Constant


def witnesses(field: Field, tests: Iterable[Test]) -> tuple[Value | None, ...]:
    """At least one value for each feasible combination of answers; `None`, for absent, where the field is optional.

    Args:
        field: what the tests are about.
        tests: each asks about `field`.

    Raises:
        TooManyError: there are more than the budget allows.
    """
    asked = [test for test in tests if test.op not in ("has", "true")]
    values: Iterable[Value]
    match field.type.kind:
        case "bool":
            values = (True, False)
        case "choice":
            values = field.type.choices
        case "int":
            values = _numbers(asked)
        case "string":
            values = _strings(asked)
        case "list":
            values = _lists(asked)
    found: tuple[Value | None, ...] = (*values, *((None,) if field.optional else ()))
    if len(found) > BUDGET:
        raise TooManyError
    return found


def _constants(tests: Iterable[Test]) -> Iterator[str | int]:
    for test in tests:
        if isinstance(test.value, tuple):
            yield from test.value
        elif test.value is not None:
            yield test.value


def _numbers(tests: list[Test]) -> list[int]:
    constants = [int(constant) for constant in _constants(tests)] or [0]
    near = {constant + step for constant in constants for step in (-1, 0, 1)}
    return sorted(number for number in near if _SMALLEST <= number <= _LARGEST)


def _strings(tests: list[Test]) -> list[str]:
    patterns = [tuple(map(str, test.value)) for test in tests if test.op == "like" and isinstance(test.value, tuple)]
    constants = sorted({str(constant) for constant in _constants(test for test in tests if test.op != "like")})
    if patterns:
        return [*constants, *_by_patterns([*patterns, *((constant,) for constant in constants)])]
    return [*constants, _other(constants)]


def _other(constants: Iterable[str]) -> str:
    taken = set(constants)
    return next(word for word in map("~".__mul__, range(1, len(taken) + 2)) if word not in taken)


def _by_patterns(patterns: list[tuple[str, ...]]) -> list[str]:
    """A shortest string for every combination of patterns that some string matches: all states that can be reached.

    A state holds, for each pattern, the positions that the text read so far may have led to, as bits.
    """
    steps = [[None if sign is None else sign for sign in _signs(pieces)] for pieces in patterns]
    letters = sorted({sign for pattern in steps for sign in pattern if sign is not None})
    letters.append(next(chr(code) for code in range(0x21, 0x110000) if chr(code) not in letters))
    start = tuple(_closed(1, pattern) for pattern in steps)
    words = {start: ""}
    found: dict[tuple[bool, ...], str] = {}
    waiting = deque([start])
    while waiting:
        state = waiting.popleft()
        accepted = tuple(bool(bits >> len(pattern) & 1) for bits, pattern in zip(state, steps, strict=True))
        found.setdefault(accepted, words[state])
        for letter in letters:
            after = tuple(_after(bits, letter, pattern) for bits, pattern in zip(state, steps, strict=True))
            if after not in words:
                words[after] = words[state] + letter
                waiting.append(after)
        if len(words) > BUDGET:
            raise TooManyError
    return list(found.values())


def _signs(pieces: tuple[str, ...]) -> Iterator[str | None]:
    """The letters of a pattern, and `None` for each wildcard."""
    for number, piece in enumerate(pieces):
        if number:
            yield None
        yield from piece


def _closed(bits: int, pattern: list[str | None]) -> int:
    """With the positions behind wildcards that match no text."""
    for position, sign in enumerate(pattern):
        if sign is None and bits >> position & 1:
            bits |= 1 << position + 1
    return bits


def _after(bits: int, letter: str, pattern: list[str | None]) -> int:
    moved = 0
    for position, sign in enumerate(pattern):
        if bits >> position & 1:
            if sign is None:
                moved |= 1 << position
            elif sign == letter:
                moved |= 1 << position + 1
    return _closed(moved, pattern)


def _lists(tests: list[Test]) -> list[tuple[str, ...]]:
    """Sets of the constants with and without another item.

    Constants that every test treats alike are taken none, one or all: no test can tell more.
    """
    constants = sorted({str(constant) for constant in _constants(tests)})
    alike: dict[tuple[bool, ...], list[str]] = {}
    for constant in constants:
        alike.setdefault(tuple(_names(test, constant) for test in tests), []).append(constant)
    options: list[list[tuple[str, ...]]] = [
        [(), tuple(group), *([(group[0],)] if len(group) > 1 else [])] for group in alike.values()
    ]
    options.append([(), (_other(constants),)])
    if 2 ** len(options) > BUDGET:
        raise TooManyError
    return [tuple(item for part in parts for item in part) for parts in product(*options)]


def _names(test: Test, constant: str) -> bool:
    return constant in test.value if isinstance(test.value, tuple) else test.value == constant
