"""Types and literals: what a field may hold."""

from __future__ import annotations

import unicodedata
from typing import Literal

from mcpx.compiler import model, syntax
from mcpx.compiler.report import name_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.runtime.patterns import whole

_KINDS: dict[str, Literal["string", "int", "bool", "choice", "list"]] = {
    "string": "string",
    "int": "int",
    "bool": "bool",
    "one of": "choice",
    "list of string": "list",
}
_OPTIONS = {"string": ("max", "matches"), "list of string": ("max", "matches", "items")}
MAX_CHARACTERS = 16_384
MAX_ITEMS = 256


def field_type(written: syntax.Type, findings: list[Diagnostic]) -> model.FieldType:
    """The type that was written; what does not fit it is reported and left out."""
    allowed = _OPTIONS.get(written.kind, ())
    for option in ("max", "matches", "items"):
        given = getattr(written, option)
        if given is not None and option not in allowed:
            findings.append(say.type_option(written.kind, option, given.span))
    return model.FieldType(
        kind=_KINDS[written.kind],
        choices=_choices(written, findings),
        max=_bound(written.max, "max", MAX_CHARACTERS, 256, findings),
        matches=_pattern(written.matches, findings),
        items=_bound(written.items, "items", MAX_ITEMS, 8, findings),
    )


def _choices(written: syntax.Type, findings: list[Diagnostic]) -> tuple[str, ...]:
    if written.kind == "one of" and not written.choices:
        findings.append(say.choices_empty(written.span))
    first: dict[str, syntax.StringLiteral] = {}
    for choice in written.choices:
        if not unicodedata.is_normalized("NFC", choice.value):
            findings.append(say.not_normalized("choice", choice.span))
        if choice.value in first:
            findings.append(say.choice_repeated(choice.span, first[choice.value].span))
        first.setdefault(choice.value, choice)
    return tuple(first)


def _bound(given: syntax.IntLiteral | None, option: str, high: int, default: int, findings: list[Diagnostic]) -> int:
    if given is None:
        return default
    if not 1 <= given.value <= high:
        findings.append(say.bound_out_of_range(option, given.span, 1, high))
        return default
    return given.value


def _pattern(given: syntax.StringLiteral | None, findings: list[Diagnostic]) -> str | None:
    if given is None:
        return None
    try:
        whole(given.value)
    except ValueError:
        findings.append(say.pattern_refused(given.span))
        return None
    if not unicodedata.is_normalized("NFC", given.value):
        findings.append(say.not_normalized("pattern", given.span))
    return given.value


def scalar(literal: syntax.Scalar | syntax.ListLiteral) -> model.PropertyValue:
    """The value of a literal that `literal_fault` finds nothing wrong with."""
    if isinstance(literal, syntax.ListLiteral):
        return tuple(str(item.value) for item in literal.items)
    return literal.value


def literal_fault(literal: syntax.Scalar | syntax.ListLiteral, kind: model.FieldType) -> str | None:
    """Why a literal is no value of type `kind`, as a clause; `None` if it is one."""
    items = literal.items if isinstance(literal, syntax.ListLiteral) else ()
    if kind.kind == "list" and not all(isinstance(item, syntax.StringLiteral) for item in items):
        return "expected a list of strings"
    return misfit(scalar(literal), kind)


def misfit(value: model.PropertyValue, kind: model.FieldType) -> str | None:
    """Why `value` is not of type `kind`, as a clause; `None` if it is."""
    match kind.kind:
        case "bool":
            return None if isinstance(value, bool) else "expected `true` or `false`"
        case "int":
            return None if isinstance(value, int) and not isinstance(value, bool) else "expected a whole number"
        case "choice":
            return None if value in kind.choices else "not one of the choices"
        case "string":
            return _string_misfit(value, kind) if isinstance(value, str) else "expected a string"
        case "list":
            if not isinstance(value, tuple):
                return "expected a list of strings"
            if len(value) > kind.items:
                return f"more than {kind.items} items"
            return next((why for item in value if (why := _string_misfit(item, kind))), None)


def _string_misfit(value: str, kind: model.FieldType) -> str | None:
    if len(value) > kind.max:
        return f"longer than {kind.max} characters"
    if not unicodedata.is_normalized("NFC", value):
        return "not in Unicode normalization form C"
    if kind.matches is not None and not whole(kind.matches)(value):
        return "does not match the pattern"
    return None
