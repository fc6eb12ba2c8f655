"""`when`: each reference is looked up and each comparison gets the one type of its sides, exactly as Cedar has it.

What would fail in Cedar for some run is an error here: an optional field is read only behind `has` and `&&` (as in
"Validation" of the Cedar reference: capabilities come from the left of `&&` alone).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from mcpx.compiler import model, syntax
from mcpx.compiler.report import condition_errors as say
from mcpx.compiler.report import name_errors
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.resolve.scope import Scope
from mcpx.compiler.resolve.types import field_type, literal_fault, scalar

_Written = syntax.Ref | syntax.Scalar | syntax.ListLiteral
_ANY_STRING = model.FieldType("string", max=2**31)
_FAMILIES = {"choice": "string"}
"""Kinds that are one type in Cedar."""


def resolve_condition(
    written: syntax.Condition, effect: Literal["allow", "deny", "require"], scope: Scope, findings: list[Diagnostic]
) -> model.Condition | None:
    """The condition of a rule.

    Args:
        written: what stands behind `when`.
        effect: what the caller claims may make a `deny` hold, and never an `allow` or `require`.
        scope: what is declared.
        findings: gets whatever is wrong.

    Returns:
        The condition; `None` after an error.
    """
    return _Resolver(effect, scope, findings).condition(written, set())


class _Resolver:
    def __init__(self, effect: Literal["allow", "deny", "require"], scope: Scope, findings: list[Diagnostic]) -> None:
        self._effect = effect
        self._scope = scope
        self._findings = findings
        self._claimed: set[str] = set()

    def condition(self, written: syntax.Condition, present: set[str]) -> model.Condition | None:
        """One condition; `present` are the optional fields that are there, and gets those that are if it holds."""
        match written:
            case syntax.All(conditions=several):
                return _junction(written, [self.condition(one, present) for one in several], every=True)
            case syntax.Any(conditions=several):
                ways = [set(present) for _ in several]
                found = [self.condition(one, way) for one, way in zip(several, ways, strict=True)]
                present.update(set[str].intersection(*ways))
                return _junction(written, found, every=False)
            case syntax.Not(condition=inner):
                negated = self.condition(inner, set(present))
                return None if negated is None else model.Not(negated, written.span)
            case syntax.Has(ref=ref):
                return self._has(ref, written, present)
            case syntax.Truth(ref=ref):
                operand = self._operand(ref, present)
                if operand is None or isinstance(operand, model.Constant):
                    return None
                if self._kind(operand) != "bool":
                    self._refuse(say.not_a_condition(ref.span, ref.text, self._kind(operand)))
                    return None
                return model.IsTrue(operand, written.span)
            case syntax.Comparison():
                return self._comparison(written, present)
            case syntax.In(left=left, right=right):
                return self._member(left, right, written, present)
            case syntax.Contains(ref=ref, item=item):
                return self._member(item, ref, written, present)

    def _has(self, ref: syntax.Ref, written: syntax.Has, present: set[str]) -> model.Condition | None:
        operand = self._operand(ref, set(self._scope.fields.nodes))
        if operand is None:
            return None
        if not isinstance(operand, model.RunField):
            self._refuse(name_errors.wrong_reference(ref, "an optional field, as `has run.f`"))
            return None
        if not self._scope.fields.nodes[operand.field].optional:
            self._refuse(say.always_there(ref.span, operand.field))
            return None
        present.add(operand.field)
        return model.Present(operand.field, written.span)

    def _comparison(self, written: syntax.Comparison, present: set[str]) -> model.Condition | None:
        left, right = self._operand(written.left, present), self._operand(written.right, present)
        if left is None or right is None or not self._comparable(left, right, written):
            return None
        operator = written.operator
        if operator.text in ("<", "<=", ">", ">=") and self._kind(left) != "int":
            self._refuse(say.not_ordered(operator, self._kind(left)))
            return None
        match operator.text:
            case "==" | "!=" | "<" | "<=" | ">" | ">=" as text:
                return model.Compare(text, left, right, written.span)
        raise ValueError(operator.text)

    def _comparable(self, left: model.Operand, right: model.Operand, written: syntax.Comparison) -> bool:
        if _family(self._kind(left)) != _family(self._kind(right)):
            return self._refuse(say.types_differ(written.span, self._kind(left), self._kind(right)))
        return self._decidable(left, right, written) and all(
            self._possible(constant, other) for constant, other in ((left, right), (right, left))
        )

    def _member(
        self, item: _Written, of: _Written, written: syntax.In | syntax.Contains, present: set[str]
    ) -> model.Condition | None:
        element, group = self._operand(item, present), self._operand(of, present)
        if element is None or group is None:
            return None
        if self._kind(group) != "list":
            self._refuse(say.not_a_list(group.span, self._kind(group)))
            return None
        if _family(self._kind(element)) != "string":
            self._refuse(say.types_differ(written.span, self._kind(element), "string"))
            return None
        if not self._decidable(element, group, written):
            return None
        if isinstance(group, model.Constant) and isinstance(of, syntax.ListLiteral):
            constants = [model.Constant(one.value, one.span) for one in of.items]
            possible = [self._possible(constant, element) for constant in constants]
            if not all(possible):
                return None
        return model.Member(element, group, written.span)

    def _decidable(
        self, left: model.Operand, right: model.Operand, written: syntax.Comparison | syntax.In | syntax.Contains
    ) -> bool:
        if isinstance(left, model.RunField) and isinstance(right, model.RunField):
            return self._refuse(say.two_run_values(written.span))
        if isinstance(left, model.Constant) and isinstance(right, model.Constant):
            return self._refuse(say.nothing_varies(written.span))
        return True

    def _possible(self, constant: model.Operand, other: model.Operand) -> bool:
        """Whether the other side can have this value at all: `run.plan == "por"` is a slip."""
        if not isinstance(constant, model.Constant) or isinstance(other, model.Constant):
            return True
        kind = self._type(other)
        if kind.kind not in ("string", "choice"):
            return True
        why = literal_fault(syntax.StringLiteral(str(constant.value), constant.span), kind)
        if why is None:
            return True
        return self._refuse(say.no_such_value(constant, why, kind.choices))

    def _operand(self, written: _Written, present: set[str]) -> model.Operand | None:
        if not isinstance(written, syntax.Ref):
            return self._literal(written)
        match [part.text for part in written.parts]:
            case ["run", _]:
                return self._field(written, present)
            case [("server" | "agent") as owner, name]:
                declared = self._scope.properties.get((owner, name))
                if declared is None:
                    names = [known for of, known in self._scope.properties if of == owner]
                    self._findings.append(name_errors.unknown(f"property of {owner}s", written.parts[1], names))
                    return None
                if declared.optional:
                    self._findings.append(say.optional_property(written.span, owner, name))
                    return None
                return model.OwnProperty("server" if owner == "server" else "agent", name, written.span)
        self._findings.append(name_errors.wrong_reference(written, "`run.F`, `server.P`, `agent.P` or a literal"))
        return None

    def _field(self, written: syntax.Ref, present: set[str]) -> model.Operand | None:
        name = self._scope.fields.find(written.parts[1], self._findings)
        if name is None:
            return None
        declared = self._scope.fields.nodes[name]
        if declared.trust != "verified" and name not in self._claimed:
            self._claimed.add(name)
            self._findings.append((say.claim_narrows if self._effect == "deny" else say.claim_widens)(written, name))
        if declared.optional and name not in present:
            self._refuse(say.may_be_missing(written.span, name))
            return None
        return model.RunField(name, written.span)

    def _literal(self, written: syntax.Scalar | syntax.ListLiteral) -> model.Operand | None:
        items = written.items if isinstance(written, syntax.ListLiteral) else (written,)
        strings = all(isinstance(item, syntax.StringLiteral) for item in items)
        if isinstance(written, syntax.ListLiteral) and not (items and strings):
            self._refuse(say.list_of_strings(written.span))
            return None
        for one in items:
            why = literal_fault(one, _ANY_STRING) if isinstance(one, syntax.StringLiteral) else None
            if isinstance(one, syntax.StringLiteral) and why is not None:
                self._refuse(say.no_such_value(model.Constant(one.value, one.span), why, ()))
                return None
        return model.Constant(scalar(written), written.span)

    def _type(self, operand: model.Operand) -> model.FieldType:
        match operand:
            case model.RunField(field=name):
                return field_type(self._scope.fields.nodes[name].type, [])
            case model.OwnProperty(owner=owner, name=name):
                return self._scope.properties[owner, name].type
            case model.Constant(value=bool()):
                return model.FieldType("bool")
            case model.Constant(value=int()):
                return model.FieldType("int")
            case model.Constant(value=str()):
                return model.FieldType("string")
            case model.Constant():
                return model.FieldType("list")

    def _kind(self, operand: model.Operand) -> str:
        return self._type(operand).kind

    def _refuse(self, finding: Diagnostic) -> Literal[False]:
        self._findings.append(finding)
        return False


def _family(kind: str) -> str:
    return _FAMILIES.get(kind, kind)


def _junction(
    written: syntax.All | syntax.Any, found: Iterable[model.Condition | None], *, every: bool
) -> model.Condition | None:
    conditions = tuple(found)
    whole = tuple(one for one in conditions if one is not None)
    return model.Junction(every, whole, written.span) if len(whole) == len(conditions) else None
