"""From a program to decisions: the vocabulary, the gate, then every question, all answered by Cedar.

Each policy is decided by itself, once for each class of cases that it can tell apart and for every run; the decisions
follow by Cedar's definition and are confirmed by Cedar with the whole set, once for each way in which one came about.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import cedarpy

from mcpx.compiler.cedar import lowering, vocabulary
from mcpx.compiler.cedar.answers import Answers
from mcpx.compiler.cedar.cases import Case, rows_of
from mcpx.compiler.cedar.combine import Combination, Pattern
from mcpx.compiler.cedar.confirm import confirm
from mcpx.compiler.cedar.decision import Decisions
from mcpx.compiler.cedar.diagrams import MOST_TESTS, Diagrams, Guard
from mcpx.compiler.cedar.engine import Engine
from mcpx.compiler.cedar.gate import Written, admit
from mcpx.compiler.cedar.lowering import Lowered
from mcpx.compiler.cedar.openness import undecided
from mcpx.compiler.cedar.parsed import parse
from mcpx.compiler.cedar.places import of_names
from mcpx.compiler.cedar.satisfaction import Satisfaction
from mcpx.compiler.cedar.witnesses import BUDGET
from mcpx.compiler.model import Program
from mcpx.compiler.report import cedar_errors as errors
from mcpx.compiler.report.diagnostic import Diagnostic


def decide(program: Program) -> tuple[Decisions | None, tuple[Diagnostic, ...]]:
    """Ask Cedar about every flow of a program.

    Args:
        program: resolved and checked; its names are unique in their kinds.

    Returns:
        The decisions, `None` when there was any error, and what was found.

    Raises:
        RuntimeError: policies of our own making do not fit our own vocabulary, or Cedar does not confirm what was made
            of its answers; both are faults of the compiler.
    """
    schema = cedarpy.Schema.from_json_str(json.dumps(vocabulary.schema(program)))
    generated = lowering.rules(program)
    pairs = ((agent, server) for agent in program.agents.values() for server in agent.uses)
    relations = (policy for agent, server in pairs for policy, _ in lowering.row_policies(program, agent, server))
    ours = [*(one.policy for one in generated), *relations]
    written, found = admit(
        program.cedar, vocabulary.declared(program), schema, {one.id: one.span for one in ours}, program.fields
    )
    if any(one.severity is not errors.WARNING for one in found):
        return None, found
    if too_deep := [one for one in generated if lowering.depth(one.form) > lowering.MOST_DEPTH]:
        return None, (*found, *(errors.rule_too_deep(one.policy.span, one.policy.id) for one in too_deep))
    first = next(iter(program.agents.values()), None)
    _vouch([*generated, *(() if first is None else lowering.relations(program, first))], schema)
    engine = Engine(program, schema)
    home = Diagrams(program.fields)
    ids = {rule.id for rule in program.rules}
    rules = [
        Satisfaction(one.policy, parse(text), text, program, engine, home)
        for one in generated
        if one.policy.id in ids
        for text in (lowering.to_text([one]),)
    ]
    policies = [Satisfaction(one.policy, one.parsed, one.statement.text, program, engine, home) for one in written]
    combination = Combination([*rules, *policies], home, engine)
    rows = tuple(rows_of(program))
    answers = Answers(rows, combination)
    faults = [*_faults(written, policies), *_of_rules(rules)]
    if not faults:
        faults += undecided(program, engine, tuple(zip(written, policies, strict=True)), rows)
    if faults:
        return None, (*found, *faults)
    if beyond := [pattern for pattern in combination.patterns if not combination.decidable(pattern)]:
        return None, (*found, *_together(beyond, [*rules, *policies]))
    confirm(program, engine, combination, (*generated,), [one.statement.text for one in written])
    every = [*rules, *policies]
    conditional = {rule.id for rule in program.rules if rule.condition is not None}
    by_id = {one.policy.id: one for one in rules}

    def satisfied(rule: str, agent: str, server: str, field: str) -> Guard:
        return home.guard(by_id[rule].guard(Case("send", agent, server, field=field, via="")))

    return (
        Decisions(
            policies={policy.id: policy for policy in (*ours, *(one.policy for one in written))},
            connect=answers.connect,
            send=answers.send,
            present=answers.present,
            attach=answers.attach,
            satisfied=satisfied,
            alike=answers.alike,
            idle=tuple(
                one.policy.id
                for number, one in enumerate(every)
                if rows
                and number not in combination.met
                and (one.policy.id in conditional if one in rules else _speaks(one))
            ),
            conditional=frozenset(every[number].policy.id for number in combination.conditional),
            shadowed={
                every[number].policy.id: tuple(sorted(every[forbid].policy.id for forbid in forbids))
                for number, forbids in combination.stopping.items()
                if number not in combination.effective
            },
            calls=engine.calls,
        ),
        found,
    )


def _together(patterns: Sequence[Pattern], policies: Sequence[Satisfaction]) -> Iterator[Diagnostic]:
    """Policies that are each small enough, and together are not."""
    for numbers in dict.fromkeys(tuple(number for number, _ in pattern.satisfied) for pattern in patterns):
        yield errors.too_many_regions_together([policies[number].policy for number in numbers], MOST_TESTS)


def _speaks(policy: Satisfaction) -> bool:
    """Whether it is odd that nothing satisfies a written policy: a guardrail without conditions on the run may wait."""
    return not policy.policy.forbids or bool(policy.parsed.run_fields())


def _vouch(ours: Sequence[Lowered], schema: cedarpy.Schema) -> None:
    """Rules as they are, and one of each kind of relation: the others differ in names alone."""
    result = cedarpy.validate_policies(lowering.to_text(ours), schema)
    if not result.validation_passed:
        raise RuntimeError(f"generated policies do not validate: {sorted(one.error for one in result.errors)}")


def _faults(written: Sequence[Written], policies: Sequence[Satisfaction]) -> list[Diagnostic]:
    found = []
    for one, policy in zip(written, policies, strict=True):
        fault = policy.fault
        if fault is None:
            continue
        head, name = one.statement.head, one.policy.id
        if fault.failure is not None:
            found.append(errors.fails(head, name, str(fault.case), fault.failure))
        elif fault.undecidable is not None:
            place = of_names(one.statement, f"`context.run.{fault.undecidable.field}`")
            found.append(errors.undecidable(place, name, fault.undecidable.why))
        else:
            found.append(errors.too_many_regions(head, name, BUDGET))
    return found


def _of_rules(rules: Sequence[Satisfaction]) -> list[Diagnostic]:
    found = []
    for fault in (rule.fault for rule in rules):
        if fault is None:
            continue
        if fault.failure is not None or fault.undecidable is not None:
            raise RuntimeError(f"the rule {fault.policy.id} cannot be decided about {fault.case}")
        found.append(errors.too_many_regions(fault.policy.span, fault.policy.id, BUDGET))
    return found
