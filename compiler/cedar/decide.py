"""From a program to decisions: the vocabulary, the gate, then every question, all answered by Cedar."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

import cedarpy

from mcpx.compiler.cedar import lowering, vocabulary
from mcpx.compiler.cedar.cases import Case, cases_of
from mcpx.compiler.cedar.decision import Decision, Decisions, Policy
from mcpx.compiler.cedar.engine import Engine
from mcpx.compiler.cedar.gate import Written, admit
from mcpx.compiler.cedar.lowering import Lowered
from mcpx.compiler.cedar.openness import undecided
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
        RuntimeError: policies of our own making do not fit our own vocabulary, which is a fault of the compiler.
    """
    schema = cedarpy.Schema.from_json_str(json.dumps(vocabulary.schema(program)))
    rules = lowering.rules(program)
    relations = {agent.name: lowering.relations(program, agent) for agent in program.agents.values()}
    ours = [*rules, *(one for agent in relations.values() for one in agent)]
    taken = {one.policy.id: one.policy.span for one in ours}
    written, found = admit(program.cedar, vocabulary.declared(program), schema, taken)
    if found:
        return None, found
    _vouch(ours, schema)
    engine = Engine(program, schema)
    shared = cedarpy.PolicySet.from_json_str(lowering.to_json(rules)).with_added_str(_text(written))
    cases = {agent: tuple(cases_of(program, agent)) for agent in program.agents}
    answers: dict[Case, Decision] = {}
    for agent, own in relations.items():
        # A permit that names another agent in its scope cannot matter here, and leaving it out keeps the sets small.
        answers.update(engine.ask(shared.with_added_str(lowering.to_text(own)), cases[agent]))
    every_case = [case for about_one in cases.values() for case in about_one]
    failures = [
        *undecided(program, engine, written, every_case),
        *_failures(engine, written, [case for case in every_case if case not in answers]),
    ]
    if failures:
        return None, tuple(failures)
    policies_by_id = {policy.id: policy for policy in (*(one.policy for one in ours), *(one.policy for one in written))}
    return _decisions(policies_by_id, answers), ()


def _text(written: Iterable[Written]) -> str:
    return "\n".join(one.statement.text for one in written)


def _vouch(ours: Sequence[Lowered], schema: cedarpy.Schema) -> None:
    result = cedarpy.validate_policies(lowering.to_text(ours), schema)
    if not result.validation_passed:
        raise RuntimeError(f"generated policies do not validate: {sorted(one.error for one in result.errors)}")


def _failures(engine: Engine, written: Sequence[Written], failed: Sequence[Case]) -> list[Diagnostic]:
    """For each policy the first of the cases that it fails for; Cedar's own message cannot be trusted to name it."""
    found: list[Diagnostic] = []
    for one in written:
        for case in failed:
            reason = engine.failure(one.statement.text, case)
            if reason is not None:
                found.append(errors.fails(one.statement.head, one.policy.id, str(case), reason))
                break
    if failed and not found:
        raise RuntimeError(f"Cedar could not decide about {failed[0]}")
    return found


def _decisions(policies: dict[str, Policy], answers: dict[Case, Decision]) -> Decisions:
    def about(action: str) -> Iterable[tuple[Case, Decision]]:
        return ((case, decision) for case, decision in answers.items() if case.action == action)

    return Decisions(
        policies=policies,
        connect={(case.agent, case.server): decision for case, decision in about("connect")},
        send={
            (case.agent, case.server, case.field, case.via): decision
            for case, decision in about("send")
            if case.field is not None and case.via is not None
        },
        present={
            (case.agent, case.server, case.credential, case.via): decision
            for case, decision in about("present")
            if case.credential is not None and case.via is not None
        },
        attach={
            (case.agent, case.server, case.via): decision for case, decision in about("attach") if case.via is not None
        },
    )
