"""The guards of a table against Cedar itself: random policies and random runs, and planted bugs that must be seen."""

from __future__ import annotations

import fnmatch
import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import cedarpy
import pytest
from support.cedar_projects import program_of
from support.random_policies import Policies, Runs, world

from mcpx.compiler.cedar import atoms, combine, diagrams, satisfaction, sight, witnesses
from mcpx.compiler.cedar.cases import rows_of
from mcpx.compiler.cedar.decide import decide
from mcpx.compiler.cedar.engine import Engine
from mcpx.compiler.emit.cedar import policies, schema
from mcpx.compiler.emit.guards import GuardPool
from mcpx.compiler.emit.table import _field as emitted_field
from mcpx.compiler.model import Program
from mcpx.runtime import guards
from mcpx.runtime.body import FieldSpec
from mcpx.runtime.errors import TableError
from mcpx.runtime.guard_faults import guard_faults
from mcpx.runtime.redacted import Facts

RUNS = 60
WORLD = world()


def compared(seed: int) -> Iterator[tuple[object, bool, bool]]:
    """What is asked, what the guard of a table says and what Cedar says, for one set of policies and many runs."""
    random = Random(seed)
    text = Policies(random).text()
    program, sources = program_of(WORLD, text)
    decisions, found = decide(program)
    assert decisions is not None, found
    engine = Engine(program, cedarpy.Schema.from_json_str(schema(program)))
    pool = GuardPool()
    cases = [case for row in rows_of(program) for case, _ in row.cases() if case.action == "send"]
    ids = {
        case: pool.id_of(decisions.send[case.agent, case.server, str(case.field), str(case.via)].guard)
        for case in cases
    }
    names = frozenset(name for name in ids.values() if isinstance(name, str))
    for fault in guard_faults(pool.branches, names, _specs(program)):
        raise TableError(fault)
    whole = policies(program, sources)
    source = Runs(random, text)
    runs = [source.one() for _ in range(RUNS)]
    picked = [(case, run) for run in runs for case in random.sample(cases, min(8, len(cases)))]
    results = engine.answers(whole, [case.request(run) for case, run in picked])
    for (case, run), result in zip(picked, results, strict=True):
        assert result.diagnostics.errors == []
        facts = Facts({name: tuple(value) if isinstance(value, list) else value for name, value in run.items()})
        yield (case, run), guards.holds(ids[case], pool.branches, facts), result.allowed


def _specs(program: Program) -> dict[str, FieldSpec]:
    return {name: emitted_field(field) for name, field in program.fields.items()}


def test_a_guard_says_what_cedar_says(guard_points: int) -> None:
    points = seed = open_guards = 0
    while points < guard_points:
        for asked, said, expected in compared(seed):
            assert said == expected, (seed, asked)
            points += 1
            open_guards += expected
        seed += 1
    # Neither all yes nor all no: the comparison means something.
    assert points / 10 < open_guards < points * 9 / 10


def _differs(seeds: range) -> bool:
    for seed in seeds:
        try:
            if any(said != expected for _, said, expected in compared(seed)):
                return True
        except (RuntimeError, KeyError, TableError):
            return True
    return False


_ANSWER = guards.answer


def _answer(change: Callable[[str, Any, Any], bool | None]) -> Callable[[str, Any, Any], bool]:
    def changed(test: str, constant: Any, value: Any) -> bool:
        wrong = change(test, constant, value)
        return _ANSWER(test, constant, value) if wrong is None else wrong

    return changed


def _when(test: str, wrong: Callable[[Any, Any], bool]) -> Callable[[str, Any, Any], bool]:
    return _answer(lambda asked, constant, value: wrong(constant, value) if asked == test else None)


def _shell_like(constant: Any, value: Any) -> bool:
    return fnmatch.fnmatchcase(value, "*".join(constant))


def _folded(value: Any) -> Any:
    if isinstance(value, tuple):
        return set(value)
    return value.casefold() if isinstance(value, str) else value


RUNTIME_BUGS = {
    "a missing field counts as there": _when("has", lambda _, value: True),
    "a false bool counts as missing": _when("has", lambda _, value: bool(value)),
    "less or equal is less": _when("le", lambda constant, value: value < constant),
    "less is less or equal": _when("lt", lambda constant, value: value <= constant),
    "numbers are compared as 32 bits": _when("le", lambda constant, value: value % 2**32 <= constant % 2**32),
    "like knows `?`": _when("like", _shell_like),
    "like is not anchored at its end": _when("like", lambda constant, value: value.startswith(constant[0])),
    "like is without its stars": _when("like", lambda constant, value: value == "*".join(constant)),
    "containsAll is containsAny": _when("containsAll", lambda constant, value: bool(set(constant) & set(value))),
    "containsAny is containsAll": _when("containsAny", lambda constant, value: set(constant) <= set(value)),
    "within is containsAll": _when("within", lambda constant, value: set(constant) <= set(value)),
    "sets are ordered": _when("eq", lambda constant, value: constant == value),
    "case does not matter": _when("eq", lambda constant, value: _folded(constant) == _folded(value)),
    "isEmpty is never true": _when("isEmpty", lambda _, value: False),
    "`in` is not reflexive": _when("in", lambda constant, value: value in constant[1:]),
}


@pytest.mark.parametrize("bug", RUNTIME_BUGS)
def test_a_wrong_answer_of_the_runtime_is_seen(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guards, "answer", RUNTIME_BUGS[bug])
    assert _differs(range(150))


COMPILER_BUGS: dict[str, tuple[Any, str, Any]] = {
    "numbers next to a constant are not tried": (
        witnesses,
        "_numbers",
        lambda tests: sorted({int(c) for c in witnesses._constants(tests)} or {0}),
    ),
    "no other string is tried": (witnesses, "_other", lambda constants: next(iter(sorted(constants)), "~")),
    "patterns are tried with their literal text alone": (
        witnesses,
        "_by_patterns",
        lambda patterns: ["".join(pieces) for pieces in patterns],
    ),
    "absence is not tried": (
        satisfaction,
        "witnesses",
        lambda field, tests: tuple(v for v in witnesses.witnesses(field, tests) if v is not None),
    ),
    "a forbid does not count": (diagrams.Diagrams, "negated", lambda self, node: diagrams.YES),
    "every permit is needed": (diagrams.Diagrams, "any_of", lambda self, nodes: self.all_of(nodes)),
    "attributes are not seen": (
        sight.Sight,
        "of",
        lambda self, entity: tuple(not entity.above.isdisjoint(uids) for uids in self.above),
    ),
    "ancestors are not seen": (
        sight.Sight,
        "of",
        lambda self, entity: tuple(repr(entity.attributes.get(name)) for name in self.attributes),
    ),
    "the way is not seen": (satisfaction, "sees_via", lambda parsed: False),
    "an operator with its sides exchanged stays as it is": (
        atoms,
        "_COMPARISONS",
        {word: (left, left) for word, (left, _) in atoms._COMPARISONS.items()},
    ),
}


@pytest.mark.parametrize("bug", COMPILER_BUGS)
def test_a_wrong_step_of_the_compiler_is_seen(bug: str, monkeypatch: pytest.MonkeyPatch) -> None:
    where, name, wrong = COMPILER_BUGS[bug]
    # Without Cedar's confirmation, which sees most of these by itself.
    monkeypatch.setattr("mcpx.compiler.cedar.decide.confirm", lambda *_: None)
    monkeypatch.setattr(where, name, wrong)
    assert _differs(range(150))


def test_cedars_confirmation_sees_a_wrong_combination(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(combine.Combination, "expected", lambda self, pattern, run, case: (True, frozenset()))
    with pytest.raises(RuntimeError, match="does not confirm"):
        next(compared(0))


def test_the_world_is_what_the_policies_are_about() -> None:
    program, _ = program_of(WORLD)
    assert json.loads(schema(program))["Mcpx"]["commonTypes"]["Run"]["attributes"].keys() == program.fields.keys()
