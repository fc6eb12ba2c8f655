"""Sentences of the phase `resolve` about properties: their declarations, and the values that blocks give."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from mcpx.compiler import model, syntax
from mcpx.compiler.report.diagnostic import Diagnostic, Edit, Fix, Label, Stage, finding
from mcpx.compiler.report.suggest import nearest
from mcpx.compiler.source import Span

_error = partial(finding, Stage.RESOLVE)


def owner_unknown(owner: syntax.Name, known: Iterable[str]) -> Diagnostic:
    """A property of something that has none."""
    close = nearest(owner.text, known)
    hint = f"did you mean `{close[0]}`?" if close else "expected `server`, `agent` or `field`"
    return _error(
        "MX260",
        f"nothing called `{owner.text}` has properties",
        Label(owner.span, hint),
        fixes=tuple(Fix(f"replace by `{other}`", (Edit(owner.span, other),)) for other in close),
    )


def name_taken(owner: str, name: syntax.Name, why: str) -> Diagnostic:
    """A property called like something that is there already."""
    return _error(
        "MX261",
        f"a property of a {owner} cannot be called `{name.text}`",
        Label(name.span, why),
        helps=("choose another name",),
    )


def missing(owner: syntax.Name, declared: model.Property) -> Diagnostic:
    """A block that leaves a property out which everything of its kind has."""
    return _error(
        "MX262",
        f"the {declared.owner} `{owner.text}` does not set `{declared.name}`",
        Label(owner.span, "no value for this property"),
        Label(declared.span, f"every {declared.owner} has it"),
        helps=(f"set it in the block: {declared.name} = …", f"or declare it `{declared.owner}.{declared.name}?`"),
    )


def value_does_not_fit(name: syntax.Name, span: Span, why: str, declared: model.Property) -> Diagnostic:
    """A value outside the property's type."""
    return _error(
        "MX263",
        f"the value of `{name.text}` does not fit its type",
        Label(span, why),
        Label(declared.span, "declared here"),
    )
