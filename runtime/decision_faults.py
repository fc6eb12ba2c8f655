"""Whether what a table says is decided by policies that it lists; a part of `integrity`."""

from __future__ import annotations

from collections.abc import Iterator

from mcpx.runtime.body import Body, Own, Row


def decided(
    body: Body, by: tuple[str, ...], own: tuple[Own, ...] = (), *, permitted: bool, drawing: bool = False
) -> bool:
    """Whether ids are listed, sorted and once, and there is one for what is permitted: nothing is so by itself.

    Args:
        body: the table.
        by: the ids.
        own: the statements of a row that decided as well.
        permitted: whether some run is permitted.
        drawing: whether the value draws on a field, which a row's own statements never permit.
    """
    return (
        list(by) == sorted(set(by))
        and list(own) == sorted(set(own))
        and body.policies.keys() >= set(by)
        and (bool(by) or (bool(own) and not drawing) or not permitted)
    )


def own_faults(body: Body, row: Row) -> Iterator[str]:
    """What is wrong with the own statements of a row, whose names all lead somewhere, as clauses behind its name."""
    call = None if row.call is None else body.calls.get(row.call)
    drawn = {
        *(kind for step in body.plans[row.plan] for kind in step.own),
        *(kind for meta in (() if call is None else call.metas) for kind in meta.own),
        *(kind for claims in row.tokens.values() for claim in body.claims.get(claims, ()) for kind in claim.own),
    }
    if not row.own.keys() >= drawn:
        yield "is decided by a statement of its own that it does not have"
    if not body.policies.keys() >= set(row.own.values()):
        yield "has a statement of its own that is not listed"
