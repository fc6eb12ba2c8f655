"""Cedar's definition of a decision (some permit is satisfied and no forbid is), over whole classes of cases at once.

Questions are combined section by section (see `cases.Section`). Each policy says what it says about a section once for
all pairs that it cannot tell apart, and sections about which all policies say the same share their answers.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from mcpx.compiler.cedar.cases import Case, Row, Section
from mcpx.compiler.cedar.decision import Decision
from mcpx.compiler.cedar.diagrams import NO, YES, Diagrams, Node
from mcpx.compiler.cedar.engine import Engine
from mcpx.compiler.cedar.lowering import relation_id
from mcpx.compiler.cedar.parsed import Json
from mcpx.compiler.cedar.satisfaction import Satisfaction
from mcpx.compiler.cedar.sight import in_scope
from mcpx.compiler.cedar.vocabulary import ACTION_ITEMS
from mcpx.compiler.cedar.witnesses import TooManyError
from mcpx.runtime.redacted import Value


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """What a decision was made from: the policies that some run satisfies, and which relations permit as well."""

    satisfied: tuple[tuple[int, Node], ...]
    relations: tuple[str, ...]


Answered = Mapping[str | None, Pattern]
"""How each question of a section is decided, by its item."""


@dataclass(frozen=True, slots=True, eq=False)
class _Said:
    """What one policy says about a section: the place of each question that some run satisfies it for, and the runs."""

    places: tuple[tuple[int, Node], ...]


class Combination:
    """All decisions of a program.

    Attributes:
        patterns: each way in which a decision came about, with the first case of it.
        effective: the permits that open something for some run of some case.
        met: the policies that some run of some case satisfies.
        conditional: the policies that only some runs satisfy, in some case.
        stopping: for each permit that was met, the forbids that stood against it.
    """

    def __init__(self, policies: Sequence[Satisfaction], home: Diagrams, engine: Engine) -> None:
        self._policies = policies
        self.home = home
        self._engine = engine
        self._acting = {
            action: sum(1 << number for number, policy in enumerate(policies) if action in policy.actions)
            for action in ACTION_ITEMS
        }
        self._scopes = {subject: _by_scope(policies, place) for subject, place in (("principal", 0), ("resource", 2))}
        self._covering: dict[tuple[str, str], int] = {}
        self._seeing_via = sum(1 << number for number, policy in enumerate(policies) if policy.sees_via)
        self._said: dict[Hashable, _Said] = {}
        self._equal: dict[tuple[tuple[int, Node], ...], _Said] = {}
        self._answered: dict[Hashable, Answered] = {}
        self._interned: dict[tuple[tuple[tuple[int, Node], ...], tuple[str, ...]], Pattern] = {}
        self._decisions: dict[Pattern, tuple[tuple[str, ...], Decision]] = {}
        self.patterns: dict[Pattern, Case] = {}
        self.effective: set[int] = set()
        self.met: set[int] = set()
        self.conditional: set[int] = set()
        self.stopping: dict[int, set[int]] = {}

    def row(self, row: Row) -> dict[tuple[str, str | None], Answered]:
        """How each question of a row is decided, by action and way."""
        covering = self._covers("principal", row.agent) & self._covers("resource", row.server)
        # What no policy that may speak here tells apart by the way has the same answers by each.
        alike: dict[Hashable, Answered] = {}
        found: dict[tuple[str, str | None], Answered] = {}
        for section in row.sections:
            candidates = covering & self._acting[section.action]
            key = (section.action, section.items, section.relations, candidates & self._seeing_via and section.via)
            if key not in alike:
                alike[key] = self._section(section, row.agent, row.server, candidates)
            found[section.action, section.via] = alike[key]
        return found

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

    def met_by(self, pattern: Pattern, run: Mapping[str, Value | None]) -> tuple[int, ...]:
        """The policies that one run satisfies."""
        return tuple(number for number, node in pattern.satisfied if self.home.met(node, run))

    def expected(self, pattern: Pattern, run: Mapping[str, Value | None], case: Case) -> tuple[bool, frozenset[str]]:
        """What Cedar should say for one run, and by which policies."""
        met = self.met_by(pattern, run)
        forbids = frozenset(self._policies[number].policy.id for number in met if self._policies[number].policy.forbids)
        if forbids:
            return False, forbids
        own = (relation_id(kind, case.agent, case.server, case.credential, case.via) for kind in pattern.relations)
        permits = frozenset((*own, *(self._policies[number].policy.id for number in met)))
        return bool(permits), permits

    def _section(self, section: Section, agent: str, server: str, candidates: int) -> Answered:
        telling = []
        for number in _bits(candidates):
            said = self._about(number, section, agent, server)
            if said.places:
                telling.append((number, said))
        key = (section.action, section.items, section.relations, tuple(telling))
        if key not in self._answered:
            self._answered[key] = self._joined(section, agent, server, telling)
        return self._answered[key]

    def _joined(self, section: Section, agent: str, server: str, telling: Sequence[tuple[int, _Said]]) -> Answered:
        satisfied: list[list[tuple[int, Node]]] = [[] for _ in section.items]
        for number, said in telling:
            for place, node in said.places:
                satisfied[place].append((number, node))
        answered = {}
        for item, relations, own in zip(section.items, section.relations, satisfied, strict=True):
            key = (tuple(own), relations)
            pattern = self._interned.get(key)
            if pattern is None:
                pattern = self._interned[key] = Pattern(*key)
                self.patterns[pattern] = section.case(agent, server, item)
            answered[item] = pattern
        return answered

    def _about(self, number: int, section: Section, agent: str, server: str) -> _Said:
        policy = self._policies[number]
        key = (
            number,
            policy.classes["principal"][agent],
            policy.classes["resource"][server],
            section.action,
            section.items,
            section.via if policy.sees_via else None,
        )
        said = self._said.get(key)
        if said is None:
            nodes = (policy.guard(section.case(agent, server, item)) for item in section.items)
            places = tuple((place, node) for place, node in enumerate(nodes) if node != NO)
            said = self._said[key] = self._equal.setdefault(places, _Said(places))
        return said

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

    def _covers(self, subject: str, name: str) -> int:
        """A bit for each policy whose scope covers the agent or server."""
        key = (subject, name)
        if key not in self._covering:
            entity = self._engine.entity(subject, name)
            covering = (mask for constraint, mask in self._scopes[subject] if in_scope(constraint, entity))
            self._covering[key] = reduce(or_, covering, 0)
        return self._covering[key]


def _by_scope(policies: Sequence[Satisfaction], place: int) -> tuple[tuple[Json, int], ...]:
    """Each constraint on the principal or the resource, with a bit for each policy that has it."""
    found: dict[str, tuple[Json, int]] = {}
    for number, policy in enumerate(policies):
        constraint = policy.parsed.scope[place]
        key = json.dumps(constraint, sort_keys=True)
        found[key] = (constraint, found.get(key, (constraint, 0))[1] | 1 << number)
    return tuple(found.values())


def _bits(mask: int) -> Iterator[int]:
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest
