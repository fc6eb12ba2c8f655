"""For which runs one policy is satisfied: decided by Cedar, once for each class of cases that it can tell apart."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import cedarpy

from mcpx.compiler.cedar.atoms import UndecidableError, tests_of
from mcpx.compiler.cedar.cases import Case
from mcpx.compiler.cedar.decision import Policy
from mcpx.compiler.cedar.diagrams import NO, Diagrams, Node
from mcpx.compiler.cedar.engine import Engine, failure
from mcpx.compiler.cedar.parsed import Json, Parsed
from mcpx.compiler.cedar.sight import SUBJECTS, Entity, actions_in_scope, in_scope, sees_via, sights
from mcpx.compiler.cedar.vocabulary import ACTION_GROUP, ACTION_ITEMS
from mcpx.compiler.cedar.witnesses import BUDGET, Test, TooManyError, witnesses
from mcpx.compiler.model import Program
from mcpx.runtime.redacted import Value


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a policy cannot be decided for a case: its evaluation fails, or it asks too much of the run."""

    policy: Policy
    case: Case
    failure: str | None = None
    undecidable: UndecidableError | None = None


class Satisfaction:
    """One policy, alone.

    Attributes:
        policy: which.
        parsed: its form.
        actions: those that its scope covers.
        classes: for each subject, names to numbers: equal for names that it cannot tell apart.
        sees_via: whether it reads by which way a value goes.
        fault: the first case that it could not be decided for; what `guard` says then means nothing.
    """

    def __init__(self, policy: Policy, parsed: Parsed, text: str, program: Program, engine: Engine, home: Diagrams):
        self.policy = policy
        self.parsed = parsed
        self.fault: Fault | None = None
        self._set = cedarpy.PolicySet.from_str(text)
        self._program = program
        self._engine = engine
        self._home = home
        self.classes = {subject: engine.classes(subject, sight) for subject, sight in sights(parsed).items()}
        self.sees_via = sees_via(parsed)
        self.actions = actions_in_scope(parsed.scope[1], tuple(ACTION_ITEMS), ACTION_GROUP)
        self._known: dict[Hashable, Node] = {}

    def guard(self, case: Case) -> Node:
        """The runs that satisfy the policy in this case; for every value of a setting in the server's address."""
        if case.action not in self.actions:
            return NO
        key = self.class_of_case(case)
        node = self._known.get(key)
        if node is None:
            node = self._known[key] = self._decided(case)
        return node

    def class_of_case(self, case: Case) -> Hashable:
        """Equal for cases that the policy cannot tell apart."""
        return (
            case.action,
            self.classes["principal"][case.agent],
            self.classes["resource"][case.server],
            None if case.field is None else self.classes["field"][case.field],
            None if case.credential is None else self.classes["credential"][case.credential],
            case.via if self.sees_via else None,
        )

    def regions(self, case: Case, variant: Entity) -> tuple[frozenset[Test], dict[str, tuple[Value | None, ...]]]:
        """The tests of the run that this case leaves to the policy, and for each field values for all their answers.

        Raises:
            UndecidableError: it reads the run in a way that cannot be decided ahead.
            TooManyError: the combinations of the values are more than the budget allows.
        """
        tests = tests_of(
            self.parsed.clauses,
            self._program.fields,
            lambda subject, name: self._attribute(case, variant, subject, name),
        )
        values = {
            field.name: witnesses(field, own)
            for field in self._program.fields.values()
            if (own := [test for test in tests if test.field == field.name])
        }
        if prod(map(len, values.values())) > BUDGET:
            raise TooManyError
        return tests, values

    def _entity(self, subject: str, name: str) -> Entity:
        return self._engine.entity(subject, name)

    def _decided(self, case: Case) -> Node:
        principal, _, resource = self.parsed.scope
        if not (
            in_scope(principal, self._entity("principal", case.agent))
            and in_scope(resource, self._entity("resource", case.server))
        ):
            return NO
        try:
            nodes = [self._for_variant(case, variant) for variant in self._engine.variants(case.server)]
            # A permit has to hold whatever the setting is, and a forbid holds if some value of it lets it.
            node = self._home.any_of(nodes) if self.policy.forbids else self._home.all_of(nodes)
            return self._home.normal(node)
        except UndecidableError as error:
            return self._failed(Fault(self.policy, case, undecidable=error))
        except TooManyError:
            return self._failed(Fault(self.policy, case))

    def _for_variant(self, case: Case, variant: Entity) -> Node:
        tests, values = self.regions(case, variant)
        runs = (self._engine.run(zip(values, combined, strict=True)) for combined in product(*values.values()))
        results = self._engine.answers(self._set, [case.request(run) for run in runs], variant)
        for result in results:
            reason = failure(result)
            if reason is not None:
                return self._failed(Fault(self.policy, case, failure=reason))
        return self._home.of_regions(tests, values, [bool(result.diagnostics.reasons) for result in results])

    def _failed(self, fault: Fault) -> Node:
        self.fault = self.fault or fault
        return NO

    def _attribute(self, case: Case, variant: Entity, subject: Json, name: str) -> Any:
        """What a case knows of an expression that is not about the run."""
        entity: Entity | None = None
        match subject:
            case {"Var": "context"}:
                return case.via if name == "via" else None
            case {"Value": {"__entity": {"type": str(kind), "id": str(literal)}}}:
                entity = self._engine.entities.get((kind, literal))
            case _ if subject == SUBJECTS["principal"]:
                entity = self._entity("principal", case.agent)
            case _ if subject == SUBJECTS["resource"]:
                entity = variant
            case _ if subject == SUBJECTS["field"] and case.field is not None:
                entity = self._entity("field", case.field)
            case _ if subject == SUBJECTS["credential"] and case.credential is not None:
                entity = self._entity("credential", case.credential)
        return None if entity is None else entity.attributes.get(name)
