"""What would make a guard undecidable for some run, found when a table is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from mcpx.runtime.body import Branch, FieldSpec
from mcpx.runtime.wording import quoted

_KINDS: Final[Mapping[str, frozenset[str]]] = {
    "has": frozenset({"string", "choice", "int", "bool", "list"}),
    "true": frozenset({"bool"}),
    "eq": frozenset({"string", "choice", "int", "list"}),
    "in": frozenset({"string", "choice", "int"}),
    "lt": frozenset({"int"}),
    "le": frozenset({"int"}),
    "like": frozenset({"string", "choice"}),
    **dict.fromkeys(("contains", "containsAll", "containsAny", "within", "isEmpty"), frozenset({"list"})),
}
"""The kinds of field that each question can be asked about."""


def guard_faults(guards: Mapping[str, Branch], roots: frozenset[str], fields: Mapping[str, FieldSpec]) -> Iterator[str]:
    """A clause for each guard that some run has no answer to; `roots` are the guards that the rest of the table names.

    Those are a branch or field that is not listed, a question or constant of the wrong type, branches in a circle, and
    an optional field that is asked about before it is known to be there.
    """
    found = [
        f"guard {quoted(name)} {fault}"
        for name, branch in guards.items()
        if (fault := _branch_fault(branch, guards, fields)) is not None
    ]
    yield from found
    if not found:
        yield from _flow_faults(guards, roots, fields)


def _branch_fault(branch: Branch, guards: Mapping[str, Branch], fields: Mapping[str, FieldSpec]) -> str | None:
    if any(isinstance(way, str) and way not in guards for way in (branch.then, branch.otherwise)):
        return "leads to a guard that is not listed"
    spec = fields.get(branch.field)
    if spec is None:
        return "asks about a field that is not listed"
    if spec.kind not in _KINDS[branch.test] or not _constant_fits(branch, spec.kind):
        return "asks what its field cannot be asked"
    return None


def _constant_fits(branch: Branch, kind: str) -> bool:
    value = branch.value
    item = int if kind == "int" else str
    if branch.test in ("has", "true", "isEmpty"):
        return value is None
    if branch.test in ("lt", "le", "contains") or (branch.test == "eq" and kind != "list"):
        return type(value) is item
    items = value if isinstance(value, tuple) else (None,)
    return all(type(one) is item for one in items) and (branch.test != "like" or bool(items))


def _flow_faults(guards: Mapping[str, Branch], roots: frozenset[str], fields: Mapping[str, FieldSpec]) -> Iterator[str]:
    """Circles, and optional fields asked about unguarded, bottom up: what a guard needs is what its ways need.

    Without recursion: a guard may be long.
    """
    needs: dict[str, frozenset[str]] = {}
    for start in guards:
        path, ways = {start}, [(start, _ways(guards[start]))]
        while ways:
            name, rest = ways[-1]
            way = next(rest, None)
            if way is None:
                needs[name] = _needs(guards[name], needs, fields)
                path.discard(name)
                ways.pop()
            elif way in path:
                yield f"guard {quoted(way)} leads back to itself"
                return
            elif way not in needs:
                path.add(way)
                ways.append((way, _ways(guards[way])))
    for name, missing in needs.items():
        if missing and name in roots:
            yield f"guard {quoted(name)} asks about `{min(missing)}`, which may be missing"


def _ways(branch: Branch) -> Iterator[str]:
    return (way for way in (branch.then, branch.otherwise) if isinstance(way, str))


def _needs(branch: Branch, needs: Mapping[str, frozenset[str]], fields: Mapping[str, FieldSpec]) -> frozenset[str]:
    then, otherwise = (
        needs[way] if isinstance(way, str) else frozenset[str]() for way in (branch.then, branch.otherwise)
    )
    if branch.test == "has":
        return (then - {branch.field}) | otherwise
    own = {branch.field} if fields[branch.field].optional else set[str]()
    return then | otherwise | own
