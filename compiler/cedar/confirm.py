"""Cedar's own answer with all policies at once, for each set of satisfied policies that a decision was made from."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import islice, product
from math import prod

import cedarpy

from mcpx.compiler.cedar import lowering
from mcpx.compiler.cedar.cases import Case
from mcpx.compiler.cedar.combine import Combination, Pattern
from mcpx.compiler.cedar.diagrams import Diagrams
from mcpx.compiler.cedar.engine import Engine, failure
from mcpx.compiler.cedar.lowering import Lowered
from mcpx.compiler.cedar.witnesses import Test, witnesses
from mcpx.compiler.model import Program
from mcpx.runtime.redacted import Value

_RUNS = 12
"""The most runs that are looked at for one decision."""


def confirm(
    program: Program, engine: Engine, combination: Combination, generated: Sequence[Lowered], written: Sequence[str]
) -> None:
    """Ask about the first case and run in which each set of policies is satisfied.

    Args:
        program: what is decided about.
        engine: Cedar for it.
        combination: with every row combined.
        generated: what may concern any agent, made from rules and servers.
        written: the texts of the other policies.

    Raises:
        RuntimeError: Cedar says something else.
    """
    shared = cedarpy.PolicySet.from_json_str(lowering.to_json(generated)).with_added_str("\n".join(written))
    own: dict[tuple[str, str], cedarpy.PolicySet] = {}
    confirmed: set[Hashable] = set()
    for pattern, case in combination.patterns.items():
        variants = engine.variants(case.server)
        runs = []
        for run in _runs(program, combination.home, pattern):
            key = (case.action, len(variants) > 1, pattern.relations, combination.met_by(pattern, run))
            if key not in confirmed:
                confirmed.add(key)
                runs.append(run)
        if not runs:
            continue
        pair = (case.agent, case.server)
        if case.action != "send" and pair not in own:
            row = lowering.row_relations(program, program.agents[case.agent], case.server)
            own[pair] = shared.with_added_str(lowering.to_text(row))
        # What a pair of `uses` and its credentials permit is never to send a field.
        _confirm(engine, combination, pattern, case, runs, shared if case.action == "send" else own[pair])


def _confirm(
    engine: Engine,
    combination: Combination,
    pattern: Pattern,
    case: Case,
    runs: Sequence[Mapping[str, Value | None]],
    policies: cedarpy.PolicySet,
) -> None:
    requests = [case.request(engine.run(run.items())) for run in runs]
    variants = engine.variants(case.server)
    for variant in variants:
        results = engine.answers(policies, requests, variant)
        for run, result in zip(runs, results, strict=True):
            allowed, by = combination.expected(pattern, run, case)
            names = result.diagnostics.id_annotations_by_reason
            exact = result.allowed == allowed and {names[one] for one in result.diagnostics.reasons} == by
            # With several addresses a decision holds for all of them, and one of them alone may allow more.
            if failure(result) is not None or not (exact or (len(variants) > 1 and not allowed)):
                raise RuntimeError(f"Cedar does not confirm the decision about {case}")


def _runs(program: Program, home: Diagrams, pattern: Pattern) -> Iterator[Mapping[str, Value | None]]:
    tests: dict[str, list[Test]] = {}
    for test in sorted({test for _, node in pattern.satisfied for test in home.tests(node)}, key=repr):
        tests.setdefault(test.field, []).append(test)
    values = {name: witnesses(program.fields[name], own) for name, own in tests.items()}
    if prod(map(len, values.values())) <= _RUNS:
        combined: Iterator[tuple[Value | None, ...]] = product(*values.values())
    else:
        combined = islice(
            (
                tuple(own[(step * (place + 1)) % len(own)] for place, own in enumerate(values.values()))
                for step in range(_RUNS)
            ),
            _RUNS,
        )
    return (dict(zip(values, one, strict=True)) for one in combined)
