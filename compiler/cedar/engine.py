"""Cedar's answers: requests in batches, and anything but a clean answer kept apart."""

from __future__ import annotations

import json
from collections.abc import Sequence

import cedarpy

from mcpx.compiler.cedar.cases import Case
from mcpx.compiler.cedar.decision import Decision
from mcpx.compiler.cedar.entities import any_run, entities
from mcpx.compiler.model import Program


class Engine:
    """Cedar with the vocabulary and the entities of one program."""

    def __init__(self, program: Program, schema: cedarpy.Schema) -> None:
        """Build the entities with the schema: without it there would be no groups of actions.

        Raises:
            ValueError: the entities do not fit the schema.
        """
        self._schema = schema
        self._entities = cedarpy.Entities.from_json_str(json.dumps(entities(program)), schema)
        self._run = any_run(program)

    def ask(self, policies: cedarpy.PolicySet | str, cases: Sequence[Case]) -> dict[Case, Decision]:
        """The decision of each case for which no policy failed; a case that is missing in the answer has none."""
        results = self._results(policies, cases)
        return {
            case: Decision(result.allowed, _ids(result.diagnostics))
            for case, result in zip(cases, results, strict=True)
            if result.decision is not cedarpy.Decision.NoDecision and not result.diagnostics.errors
        }

    def failure(self, policy: str, case: Case) -> str | None:
        """What Cedar says when the evaluation of one policy fails for one case, else nothing."""
        (result,) = self._results(policy, [case])
        if result.diagnostics.errors:
            return min(result.diagnostics.errors)
        return "no decision" if result.decision is cedarpy.Decision.NoDecision else None

    def _results(self, policies: cedarpy.PolicySet | str, cases: Sequence[Case]) -> list[cedarpy.AuthzResult]:
        requests = [case.request(self._run) for case in cases]
        return cedarpy.is_authorized_batch(requests, policies, self._entities, self._schema)


def _ids(diagnostics: cedarpy.Diagnostics) -> tuple[str, ...]:
    names = diagnostics.id_annotations_by_reason
    return tuple(sorted(names[reason] for reason in diagnostics.reasons))
