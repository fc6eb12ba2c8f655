"""Cedar's definition of a decision (some permit is satisfied and no forbid is), over whole classes of cases at once.

Cases that no policy can tell apart share one `Block` of answers; a block is combined from what each policy says about
its questions, as bits: always satisfied, or satisfied by the runs of a diagram.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mcpx.compiler.cedar.cases import Case, Row
from mcpx.compiler.cedar.decision import Decision
from mcpx.compiler.cedar.diagrams import NO, YES, Diagrams, Node
from mcpx.compiler.cedar.lowering import relation_id
from mcpx.compiler.cedar.satisfaction import Satisfaction
from mcpx.compiler.cedar.witnesses import TooManyError
from mcpx.runtime.redacted import Value


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a decision was made from: the policies that some run satisfies, and which relations permit as well."""

    satisfied: tuple[tuple[int, Node], ...]
    relations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """What one policy says about the questions of a block: a bit for each that is always met, diagrams for others."""

    always: int
    some: tuple[tuple[int, Node], ...]


class Combination:
    """All decisions of a program.

    Attributes:
        patterns: each way in which a decision came about, with the first case of it.
        effective: the permits that open something for some run of some case.
        met: the policies that some run of some case satisfies.
        conditional: the policies that only some runs satisfy, in some case.
        stopping: for each permit that was met, the forbids that stood against it.
    """

    def __init__(self, policies: Sequence[Satisfaction], home: Diagrams) -> None:
        self._policies = policies
        self.home = home
        self._said: dict[Hashable, Said] = {}
        self._blocks: dict[Hashable, tuple[Pattern, ...]] = {}
        self._combined: dict[Hashable, tuple[Pattern, ...]] = {}
        self._scopes: dict[tuple[str, str], int] = {}
        self._classes: dict[tuple[str, str], tuple[Hashable, ...]] = {}
        self._interned: dict[Hashable, int] = {}
        self._decisions: dict[Pattern, tuple[tuple[str, ...], Decision]] = {}
        self.patterns: dict[Pattern, Case] = {}
        self.effective: set[int] = set()
        self.met: set[int] = set()
        self.conditional: set[int] = set()
        self.stopping: dict[int, set[int]] = {}

    def row(self, row: Row) -> tuple[Pattern, ...]:
        """How each question of a row is decided, in the order of its cases."""
        key = (
            self._class("principal", row.agent),
            self._class("resource", row.server),
            row.ways,
            tuple((self._class("credential", secret), via, kinds) for secret, via, kinds in row.presented),
            row.session_token,
        )
        if key not in self._blocks:
            self._blocks[key] = self._block(row, key)
        return self._blocks[key]

    def decision(self, pattern: Pattern) -> tuple[tuple[str, ...], Decision]:
        """The kinds of statement that take part beside the policies, and the decision."""
        if pattern not in self._decisions:
            self._decisions[pattern] = self._decided(pattern)
        return self._decisions[pattern]

    def decidable(self, pattern: Pattern) -> bool:
        """Whether the decision is small enough to be written down."""
        try:
            self.decision(pattern)
        except TooManyError:
            return False
        return True

    def expected(self, pattern: Pattern, run: Mapping[str, Value | None], case: Case) -> tuple[bool, frozenset[str]]:
        """What Cedar should say for one run, and by which policies."""
        met = [number for number, node in pattern.satisfied if self.home.met(node, run)]
        forbids = frozenset(self._policies[number].policy.id for number in met if self._policies[number].policy.forbids)
        if forbids:
            return False, forbids
        own = (relation_id(kind, case.agent, case.server, case.credential, case.via) for kind in pattern.relations)
        permits = frozenset((*own, *(self._policies[number].policy.id for number in met)))
        return bool(permits), permits

    def _block(self, row: Row, key: tuple[Hashable, ...]) -> tuple[Pattern, ...]:
        cases = tuple(row.cases())
        candidates = self._scope("principal", row.agent) & self._scope("resource", row.server)
        said = tuple((number, self._about(number, row, cases, key)) for number in _bits(candidates))
        telling = tuple((number, one) for number, one in said if one.always or one.some)
        relations = tuple(relation for _, relation in cases)
        combined = (telling, relations)
        if combined not in self._combined:
            self._combined[combined] = self._joined(telling, cases)
        return self._combined[combined]

    def _joined(
        self, telling: Sequence[tuple[int, Said]], cases: Sequence[tuple[Case, tuple[str, ...]]]
    ) -> tuple[Pattern, ...]:
        satisfied: list[list[tuple[int, Node]]] = [[] for _ in cases]
        for number, said in telling:
            for place in _bits(said.always):
                satisfied[place].append((number, YES))
            for place, node in said.some:
                satisfied[place].append((number, node))
        patterns = []
        for (case, relations), own in zip(cases, satisfied, strict=True):
            pattern = Pattern(tuple(own), relations)
            self.patterns.setdefault(pattern, case)
            patterns.append(pattern)
        return tuple(patterns)

    def _about(
        self, number: int, row: Row, cases: Sequence[tuple[Case, tuple[str, ...]]], block: tuple[Hashable, ...]
    ) -> Said:
        policy = self._policies[number]
        _, _, ways, presented, token = block
        key = (
            number,
            policy.class_of("principal", row.agent),
            policy.class_of("resource", row.server),
            ways,
            presented if "present" in policy.actions else len(row.presented),
            token,
        )
        if key not in self._said:
            always = 0
            some = []
            for place, node in policy.guards([case for case, _ in cases]):
                if node == YES:
                    always |= 1 << place
                else:
                    some.append((place, node))
            self._said[key] = Said(always, tuple(some))
        return self._said[key]

    def _decided(self, pattern: Pattern) -> tuple[tuple[str, ...], Decision]:
        permits = [(n, node) for n, node in pattern.satisfied if not self._policies[n].policy.forbids]
        forbids = [(n, node) for n, node in pattern.satisfied if self._policies[n].policy.forbids]
        opened = YES if pattern.relations else self.home.any_of(node for _, node in permits)
        stopped = self.home.any_of(node for _, node in forbids)
        guard = self.home.guard(self.home.normal(self.home.both(opened, self.home.negated(stopped))))
        self._note(permits, forbids, stopped)
        chosen, relations = [*permits, *forbids], pattern.relations
        if guard is True:
            chosen = [one for one in permits if one[1] == YES] or ([] if relations else permits)
        elif guard is False and any(node == YES for _, node in forbids):
            chosen, relations = [one for one in forbids if one[1] == YES], ()
        elif opened == NO:
            chosen = []
        ids = tuple(sorted(self._policies[number].policy.id for number, _ in chosen))
        return relations, Decision(guard, ids)

    def _note(self, permits: Sequence[tuple[int, Node]], forbids: Sequence[tuple[int, Node]], stopped: Node) -> None:
        self.met.update(number for number, _ in (*permits, *forbids))
        self.conditional.update(number for number, node in (*permits, *forbids) if node != YES)
        for number, node in permits:
            if self.home.normal(self.home.both(node, self.home.negated(stopped))) != NO:
                self.effective.add(number)
            self.stopping.setdefault(number, set()).update(forbid for forbid, _ in forbids)

    def _class(self, subject: str, name: str) -> Hashable:
        """What all policies together can tell apart."""
        key = (subject, name)
        if key not in self._classes:
            seen = tuple(policy.class_of(subject, name) for policy in self._policies)
            self._classes[key] = (self._interned.setdefault(seen, len(self._interned)),)
        return self._classes[key]

    def _scope(self, subject: str, name: str) -> int:
        """A bit for each policy whose scope covers the agent or server."""
        key = (subject, name)
        if key not in self._scopes:
            self._scopes[key] = sum(
                1 << number for number, policy in enumerate(self._policies) if policy.scope_of(subject, name)
            )
        return self._scopes[key]


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
