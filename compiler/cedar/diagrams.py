"""Decision diagrams over the fields of a run: ordered, reduced, and each kept once.

Source: R. E. Bryant, "Graph-Based Algorithms for Boolean Function Manipulation" (1986). Unlike there, tests about one
field depend on each other (`== "a"` and `== "b"`), so `normal` also removes the ways that no value can take.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce

from mcpx.compiler.cedar.witnesses import Test, TooManyError, witnesses
from mcpx.compiler.model import Field
from mcpx.runtime.guards import answer
from mcpx.runtime.redacted import Value

Node = int
NO: Node = 0
YES: Node = 1
MOST_TESTS = 400
"""Deeper diagrams than this are refused: no run should answer more questions about one value."""


@dataclass(frozen=True, slots=True)
class Diagram:
    """A guard that some runs meet and some do not. Equal guards over the same tests are equal objects."""

    node: Node
    home: Diagrams = field(compare=False, repr=False)

    @property
    def top(self) -> tuple[Test, Guard, Guard]:
        """The first test, and the guards that its answers lead to: yes, then no."""
        test, then, otherwise = self.home.branch(self.node)
        return test, self.home.guard(then), self.home.guard(otherwise)


Guard = bool | Diagram


def fields_of(guard: Guard) -> frozenset[str]:
    """The fields of a run that a guard reads."""
    return frozenset(test.field for test in guard.home.tests(guard.node)) if isinstance(guard, Diagram) else frozenset()


def implies(first: Guard, second: Guard) -> bool:
    """Whether every run that meets the first guard meets the second."""
    if first is False or second is True:
        return True
    home = _home((first, second))
    return home is not None and home.normal(home.both(home.node_of(first), home.negated(home.node_of(second)))) == NO


def all_of(guards: Iterable[Guard]) -> Guard:
    """Met by the runs that meet every one of the guards."""
    guards = tuple(guards)
    home = _home(guards)
    return all(guards) if home is None else home.guard(home.normal(home.all_of(map(home.node_of, guards))))


def any_of(guards: Iterable[Guard]) -> Guard:
    """Met by the runs that meet some of the guards."""
    guards = tuple(guards)
    home = _home(guards)
    return any(guards) if home is None else home.guard(home.normal(home.any_of(map(home.node_of, guards))))


def _home(guards: Iterable[Guard]) -> Diagrams | None:
    return next((guard.home for guard in guards if isinstance(guard, Diagram)), None)


class Diagrams:
    """The diagrams of one program."""

    def __init__(self, fields: Mapping[str, Field]) -> None:
        """Take the fields of the run; their order is the order of the tests."""
        self._fields = fields
        self._places = {name: place for place, name in enumerate(fields)}
        self._branches: list[tuple[Test, Node, Node]] = []
        self._known: dict[tuple[Test, Node, Node], Node] = {}
        self._keys: dict[Test, tuple[int, bool, str, str]] = {}
        self._joined: dict[tuple[bool, Node, Node], Node] = {}
        self._negated: dict[Node, Node] = {NO: YES, YES: NO}
        self._normal: dict[Node, Node] = {NO: NO, YES: YES}

    def guard(self, node: Node) -> Guard:
        """A node for others to read."""
        return node == YES if node in (NO, YES) else Diagram(node, self)

    def node_of(self, guard: Guard) -> Node:
        """The node of a guard of this program."""
        return guard.node if isinstance(guard, Diagram) else int(guard)

    def branch(self, node: Node) -> tuple[Test, Node, Node]:
        """Test, yes and no of a node that is no answer."""
        return self._branches[node - 2]

    def tests(self, node: Node) -> frozenset[Test]:
        """Every test below a node."""
        met: set[Node] = set()
        waiting = [node]
        while waiting:
            one = waiting.pop()
            if one not in met and one not in (NO, YES):
                met.add(one)
                waiting += self.branch(one)[1:]
        return frozenset(self.branch(one)[0] for one in met)

    def of_regions(self, tests: Iterable[Test], values: Mapping[str, Sequence[Value | None]], met: list[bool]) -> Node:
        """The diagram of a condition that was decided for every combination of values.

        Args:
            tests: all that can matter.
            values: for each field, in the order of the fields, its witnesses.
            met: the answers, in the order of the product of `values`.

        Raises:
            RuntimeError: the answers differ where no test does.
        """
        return self._of_regions(_by_field(tests), list(values.items()), met)

    def both(self, left: Node, right: Node) -> Node:
        """The runs that meet both."""
        return self._join(left, right, every=True)

    def either(self, left: Node, right: Node) -> Node:
        """The runs that meet one or both."""
        return self._join(left, right, every=False)

    def all_of(self, nodes: Iterable[Node]) -> Node:
        """The runs that meet every one."""
        return reduce(self.both, nodes, YES)

    def any_of(self, nodes: Iterable[Node]) -> Node:
        """The runs that meet some one."""
        return reduce(self.either, nodes, NO)

    def negated(self, node: Node) -> Node:
        """The runs that do not meet it."""
        if node not in self._negated:
            test, then, otherwise = self.branch(node)
            self._negated[node] = self._node(test, self.negated(then), self.negated(otherwise))
        return self._negated[node]

    def met(self, node: Node, values: Mapping[str, Value | None]) -> bool:
        """Whether a run with these values meets it; all fields that it tests are given, `None` for a missing one."""
        while node not in (NO, YES):
            node = self._followed(node, name := self.branch(node)[0].field, values[name])
        return node == YES

    def normal(self, node: Node) -> Node:
        """The same for every value, without ways that no value can take; `NO` and `YES` are always recognised.

        Raises:
            TooManyError: its tests tell too many values apart.
        """
        if node not in self._normal:
            tests = self.tests(node)
            if len(tests) > MOST_TESTS:
                raise TooManyError
            self._normal[node] = self._normalized(node, _by_field(tests), {NO: NO, YES: YES})
        return self._normal[node]

    def _normalized(self, node: Node, tests: Mapping[str, list[Test]], done: dict[Node, Node]) -> Node:
        if node not in done:
            name = self.branch(node)[0].field
            outcomes = [
                (value, self._normalized(self._followed(node, name, value), tests, done))
                for value in witnesses(self._fields[name], tests[name])
            ]
            done[node] = self._split(sorted(tests[name], key=self._key), outcomes)
        return done[node]

    def _followed(self, node: Node, name: str, value: Value | None) -> Node:
        """Where a value of one field leads, past all tests of that field."""
        while node not in (NO, YES):
            test, then, otherwise = self.branch(node)
            if test.field != name:
                break
            # A missing value meets no test but `has`; the other way is what a sound diagram never takes.
            met = value is not None and (test.op == "has" or answer(test.op, test.value, value))
            node = then if met else otherwise
        return node

    def _of_regions(
        self, tests: Mapping[str, list[Test]], values: list[tuple[str, Sequence[Value | None]]], met: list[bool]
    ) -> Node:
        if not values:
            return YES if met[0] else NO
        (name, own), *rest = values
        size = len(met) // len(own)
        outcomes = [
            (value, self._of_regions(tests, rest, met[number * size : (number + 1) * size]))
            for number, value in enumerate(own)
        ]
        return self._split(sorted(tests[name], key=self._key), outcomes)

    def _split(self, tests: Sequence[Test], outcomes: list[tuple[Value | None, Node]]) -> Node:
        first = outcomes[0][1]
        if all(node == first for _, node in outcomes):
            return first
        for number, test in enumerate(tests):
            yes: list[tuple[Value | None, Node]] = []
            no: list[tuple[Value | None, Node]] = []
            for value, node in outcomes:
                met = value is not None and (test.op == "has" or answer(test.op, test.value, value))
                (yes if met else no).append((value, node))
            if yes and no:
                rest = tests[number + 1 :]
                return self._node(test, self._split(rest, yes), self._split(rest, no))
        raise RuntimeError("Cedar tells values apart that no test of the policy does")

    def _node(self, test: Test, then: Node, otherwise: Node) -> Node:
        if then == otherwise:
            return then
        branch = (test, then, otherwise)
        node = self._known.get(branch)
        if node is None:
            self._branches.append(branch)
            node = self._known[branch] = len(self._branches) + 1
        return node

    def _join(self, left: Node, right: Node, *, every: bool) -> Node:
        absorbing, neutral = (NO, YES) if every else (YES, NO)
        if absorbing in (left, right):
            return absorbing
        if left in (neutral, right):
            return right
        if right == neutral:
            return left
        pair = (every, min(left, right), max(left, right))
        if pair not in self._joined:
            test = min(self.branch(left)[0], self.branch(right)[0], key=self._key)
            yes_left, no_left = self._ways(left, test)
            yes_right, no_right = self._ways(right, test)
            self._joined[pair] = self._node(
                test, self._join(yes_left, yes_right, every=every), self._join(no_left, no_right, every=every)
            )
        return self._joined[pair]

    def _ways(self, node: Node, test: Test) -> tuple[Node, Node]:
        if node in (NO, YES) or self.branch(node)[0] != test:
            return node, node
        return self.branch(node)[1:]

    def _key(self, test: Test) -> tuple[int, bool, str, str]:
        """Fields in their order; whether a field is there comes before what it is."""
        if test not in self._keys:
            self._keys[test] = (self._places[test.field], test.op != "has", test.op, json.dumps(test.value))
        return self._keys[test]


def _by_field(tests: Iterable[Test]) -> dict[str, list[Test]]:
    found: dict[str, list[Test]] = {}
    for test in tests:
        found.setdefault(test.field, []).append(test)
    return found
