"""Sentences about `when`: types, fields that may be missing, and what the caller claims."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mcpx.compiler import model, syntax
from mcpx.compiler.report.diagnostic import Diagnostic, Edit, Fix, Label, Severity, Stage, finding
from mcpx.compiler.report.suggest import nearest
from mcpx.compiler.source import Span

_KINDS = {
    "string": "a string",
    "choice": "a string",
    "int": "an int",
    "bool": "a bool",
    "list": "a list of strings",
}


_error = partial(finding, Stage.RESOLVE)


def types_differ(span: Span, left: str, right: str) -> Diagnostic:
    """Two sides that can never be equal, because they are of two types."""
    return _error("MX280", f"{_KINDS[left]} is compared with {_KINDS[right]}", Label(span, "sides of two types"))


def not_ordered(operator: syntax.Name, kind: str) -> Diagnostic:
    """`<` and its like on something else than ints."""
    return _error("MX280", f"`{operator.text}` compares ints, and this is {_KINDS[kind]}", Label(operator.span))


def not_a_list(span: Span, kind: str) -> Diagnostic:
    """`in` or `contains` on something else than a list."""
    return _error(
        "MX280",
        f"a list is needed here, and this is {_KINDS[kind]}",
        Label(span, "no list"),
        helps=('compare with `==`, or write the values as `["…", "…"]`',),
    )


def list_of_strings(span: Span) -> Diagnostic:
    """A list that holds nothing, or something else than strings."""
    return _error("MX280", "a list in a condition holds at least one string, and nothing else", Label(span))


def not_a_condition(span: Span, text: str, kind: str) -> Diagnostic:
    """A reference by itself that is no bool."""
    return _error(
        "MX280",
        f"`{text}` is {_KINDS[kind]} and no condition",
        Label(span, "only a bool can stand by itself"),
        helps=("compare it with a value",),
    )


def two_run_values(span: Span) -> Diagnostic:
    """Two fields of the run in one comparison."""
    return _error(
        "MX281",
        "two values of the run are compared with each other",
        Label(span, "cannot be decided before the run is known"),
        notes=("rules are decided when the project is built, for every run at once",),
        helps=("compare each with a constant, or let the application compare them and hand over the outcome",),
    )


def may_be_missing(span: Span, field: str) -> Diagnostic:
    """An optional field that is read before it is known to be there."""
    return _error(
        "MX282",
        f"`run.{field}` may be missing, and then this condition has no answer",
        Label(span, "read here"),
        helps=(f"ask first whether it is there: `has run.{field} && …`",),
    )


def optional_property(span: Span, owner: str, name: str) -> Diagnostic:
    """A property that not every server or agent has."""
    return _error(
        "MX282",
        f"`{owner}.{name}` is not set everywhere, and then this condition has no answer",
        Label(span, "read here"),
        helps=(f"declare it without `?`, or ask `has {name}` in a Cedar policy",),
    )


def always_there(span: Span, field: str) -> Diagnostic:
    """`has` of a field that every run has."""
    return _error(
        "MX287",
        f"every run has `run.{field}`",
        Label(span, "this is always true"),
        helps=(f"declare it as `{field}?:` if it may be missing",),
    )


def no_such_value(constant: model.Constant, why: str, choices: Sequence[str]) -> Diagnostic:
    """A literal that the other side can never be."""
    close = nearest(str(constant.value), choices)
    return _error(
        "MX283",
        f"no value here can be this: {why}",
        Label(constant.span, f"did you mean {' or '.join(f'`{one}`' for one in close)}?" if close else "never equal"),
        helps=() if close or not choices else (f"the choices are {', '.join(f'`{one}`' for one in choices)}",),
        fixes=tuple(Fix(f"replace by `{one}`", (Edit(constant.span, f'"{one}"'),)) for one in close),
    )


def claim_widens(ref: syntax.Ref, field: str) -> Diagnostic:
    """An `allow` or `require` that hangs on what the caller says."""
    return _error(
        "MX284",
        f"`run.{field}` is claimed by the caller, and what it says may not open a way",
        Label(ref.span, "nobody vouches for this value"),
        helps=("read a verified field, or turn the rule into a `deny`",),
    )


def claim_narrows(ref: syntax.Ref, field: str) -> Diagnostic:
    """A `deny` that hangs on what the caller says."""
    return Diagnostic(
        "MX285",
        Stage.RESOLVE,
        f"the caller can choose to escape this `deny`: it hangs on `run.{field}`, which the caller claims",
        (Label(ref.span, "nobody vouches for this value"),),
        helps=("read a verified field if this has to hold",),
        severity=Severity.WARNING,
    )


def nothing_varies(span: Span) -> Diagnostic:
    """Two literals that are compared with each other."""
    return _error("MX286", "two constants are compared with each other", Label(span, "always the same answer"))
