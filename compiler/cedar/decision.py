"""What Cedar decided, for later phases to read. Nothing else in the compiler decides whether a value may flow."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mcpx.compiler.cedar.diagrams import Guard, all_of, any_of
from mcpx.compiler.source import Span


@dataclass(frozen=True, slots=True)
class Decision:
    """One answer of Cedar, for all runs at once.

    Attributes:
        guard: the runs for which some permit is satisfied and no forbid is.
        by: the ids of the policies that decided, sorted. Where the answer is the same for every run: the satisfied
            permits, or the satisfied forbids, or nothing when nothing permits. Else all that some run satisfies.
    """

    guard: Guard
    by: tuple[str, ...]

    @property
    def permitted(self) -> bool:
        """Whether some run is permitted."""
        return self.guard is not False

    @property
    def always(self) -> bool:
        """Whether every run is permitted."""
        return self.guard is True


def every(decisions: Sequence[Decision]) -> Decision:
    """For what goes only where each of several decisions lets it go."""
    if len(decisions) == 1:
        return decisions[0]
    guard = all_of(one.guard for one in decisions)
    stopping = [one for one in decisions if not one.permitted] or decisions
    return Decision(guard, _names(decisions if guard is not False else stopping))


def some(decisions: Sequence[Decision]) -> Decision:
    """For what can go where any of several decisions lets it go."""
    if decisions and all(one is decisions[0] for one in decisions):
        return decisions[0]
    guard = any_of(one.guard for one in decisions)
    opening = [one for one in decisions if one.always] or [one for one in decisions if one.permitted] or decisions
    return Decision(guard, _names(opening))


def _names(decisions: Iterable[Decision]) -> tuple[str, ...]:
    return tuple(sorted({name for one in decisions for name in one.by}))


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy of the set that Cedar saw.

    Attributes:
        id: unique in the project: the `@id` of written text, the name of a rule, else the place of its statement.
        forbids: its effect.
        span: the statement or rule it comes from.
    """

    id: str
    forbids: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Decisions:
    """Every decision about every pair of `uses`. `via` is as in `model.Header.via`.

    Attributes:
        policies: by id.
        connect: (agent, server).
        send: (agent, server, field, via), for every field of the run and every `via` that the server has.
        present: (agent, server, secret, via), for the credential lines and direct references of the server.
        attach: (agent, server, via), for every `via` that the server has.
        satisfied: the runs that satisfy a rule of the file, by its id, for (agent, server, field).
        alike: equal for pairs (agent, server) whose fields may reach the server alike, all ways together; the same may
            hold for pairs where it is not.
        idle: the ids of policies that no run of any case satisfies: rules with a condition, written permits, and
            written forbids that read the run.
        conditional: the ids of policies that only some runs satisfy, in some case.
        shadowed: the ids of permits that are satisfied and never open anything, with the forbids that stop them.
        calls: how many questions Cedar was asked.
    """

    policies: Mapping[str, Policy]
    connect: Mapping[tuple[str, str], Decision]
    send: Mapping[tuple[str, str, str, str], Decision]
    present: Mapping[tuple[str, str, str, str], Decision]
    attach: Mapping[tuple[str, str, str], Decision]
    satisfied: Callable[[str, str, str, str], Guard]
    alike: Callable[[str, str], Hashable]
    idle: tuple[str, ...] = ()
    conditional: frozenset[str] = frozenset()
    shadowed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    calls: int = 0
