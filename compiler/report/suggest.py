"""Did you mean …? The near names for one that is unknown."""

from __future__ import annotations

from collections.abc import Iterable

MOST = 3
"""A longer list helps nobody choose."""


def nearest(name: str, candidates: Iterable[str]) -> tuple[str, ...]:
    """The candidates that somebody may have meant by `name`, best first, at most `MOST`.

    A candidate is near when it differs by case alone, or by at most one edit for every three letters of `name`, and
    never more than three. An edit inserts, drops or replaces a letter, or swaps two neighbours (the "optimal string
    alignment" distance). Equal distances are ordered by name; `name` itself is never offered.

    Args:
        name: the name as typed.
        candidates: the names of the right kind that are in scope.
    """
    allowed = min(3, len(name) // 3)
    ranked = []
    for candidate in set(candidates) - {name}:
        if abs(len(candidate) - len(name)) > allowed:
            continue
        distance = _distance(name.casefold(), candidate.casefold())
        if distance <= allowed:
            ranked.append((distance, candidate))
    return tuple(candidate for _, candidate in sorted(ranked)[:MOST])


def _distance(a: str, b: str) -> int:
    before: list[int] = []
    row = list(range(len(b) + 1))
    for i, left in enumerate(a, 1):
        before, above, row = row, before, [i]
        for j, right in enumerate(b, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (left != right))
            if i > 1 and j > 1 and left == b[j - 2] and a[i - 2] == right:
                cost = min(cost, above[j - 2] + 1)
            row.append(cost)
    return row[-1]
