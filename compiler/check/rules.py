"""What the rules of the file may ask for, before Cedar says what they achieve."""

from __future__ import annotations

from collections.abc import Iterator

from mcpx.compiler import model
from mcpx.compiler.report import check_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic


def check_rules(program: model.Program) -> Iterator[Diagnostic]:
    """`require` takes verified fields that every run has."""
    for rule in program.rules:
        if rule.effect != "require":
            continue
        for field in required_fields(rule, program):
            if not field.verified:
                yield say.required_not_verified(rule, field)
            elif field.optional:
                yield say.required_optional(rule, field)


def required_fields(rule: model.Rule, program: model.Program) -> tuple[model.Field, ...]:
    """The fields that a rule names, one by one or by a tag."""
    return tuple(
        field
        for field in program.fields.values()
        if field.name in rule.fields or not set(field.tags).isdisjoint(rule.field_tags)
    )
