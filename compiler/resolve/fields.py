"""The `run` block: what one run knows."""

from __future__ import annotations

from mcpx.compiler import model, syntax
from mcpx.compiler.report import name_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.resolve.properties import property_values
from mcpx.compiler.resolve.scope import Scope
from mcpx.compiler.resolve.types import field_type, literal_fault, scalar


def resolve_field(field: syntax.Field, scope: Scope, findings: list[Diagnostic]) -> model.Field:
    """One line of the `run` block."""
    kind = field_type(field.type, findings)
    tags = scope.tags.find_all((tag.name for tag in field.tags), findings)
    return model.Field(
        name=field.name.text,
        verified=field.trust == "verified",
        optional=field.optional,
        type=kind,
        default=_default(field, kind, findings),
        tags=tags,
        span=field.name.span,
        doc=field.doc,
        tag_spans={tag.name.text: tag.span for tag in field.tags},
        properties=property_values("field", field.name, field.properties, scope.properties, findings),
        deprecated=None if field.deprecated is None else field.deprecated.value,
    )


def _default(
    field: syntax.Field, kind: model.FieldType, findings: list[Diagnostic]
) -> model.Scalar | tuple[str, ...] | None:
    if field.default is None:
        return None
    if field.trust == "verified":
        findings.append(say.verified_default(field.name.text, field.default.span))
        return None
    if field.optional:
        findings.append(say.optional_default(field.name.text, field.default.span))
        return None
    if (why := literal_fault(field.default, kind)) is not None:
        findings.append(say.default_does_not_fit(field.name.text, field.default.span, why))
        return None
    return scalar(field.default)
