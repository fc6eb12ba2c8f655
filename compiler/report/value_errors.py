"""Sentences about what the value of a header is made of: encodings, lists, settings, and advisory headers."""

from __future__ import annotations

from collections.abc import Iterable

from mcpx.compiler import model, syntax
from mcpx.compiler.report.diagnostic import Diagnostic, Edit, Fix, Label, Severity, Stage
from mcpx.compiler.report.suggest import nearest
from mcpx.compiler.source import Span
from mcpx.runtime.encodings import ENCODINGS


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def encoding_unknown(name: syntax.Name) -> Diagnostic:
    """An encoding that does not exist."""
    close = nearest(name.text, ENCODINGS)
    return Diagnostic(
        "MX264",
        Stage.RESOLVE,
        f"no encoding is called `{name.text}`",
        (Label(name.span, f"did you mean {_listed(close)}?" if close else f"expected one of {_listed(ENCODINGS)}"),),
        fixes=tuple(Fix(f"replace by `{other}`", (Edit(name.span, other),)) for other in close),
    )


def encodes_no_field(header: model.Header, encode: Span) -> Diagnostic:
    """An encoding of text with references, or of what is no field."""
    return Diagnostic(
        "MX265",
        Stage.CHECK,
        f"the value of `{header.name}` cannot be encoded",
        (
            Label(encode, "an encoding is for a value that is exactly one field"),
            Label(header.value_span, "this is more, or something else"),
        ),
        notes=("a receiver decodes the whole value, so all of it has to be encoded",),
        helps=("send the field alone, without text around it: run.FIELD",),
    )


def encoding_does_not_suit(header: model.Header, encode: Span, field: model.Field, suited: Iterable[str]) -> Diagnostic:
    """An encoding for another type than the field's."""
    suited = tuple(suited)
    return Diagnostic(
        "MX266",
        Stage.CHECK,
        f"`{header.encode}` is no encoding for `run.{field.name}`",
        (Label(encode, "for another type of field"), Label(field.span, "declared here")),
        helps=(f"use one of {_listed(suited)}" if suited else "remove it: a value of this type can be sent as it is",),
    )


def separator_in_item(header: model.Header, encode: Span, field: model.Field, why: str) -> Diagnostic:
    """A list joined with a character that an item may hold, or with items of nothing."""
    return Diagnostic(
        "MX267",
        Stage.CHECK,
        f"two lists could send the same `{header.name}`",
        (Label(encode, why), Label(field.span, "nothing in its declaration rules that out")),
        helps=(
            "use `sf-list`, which quotes each item",
            'or give the items a pattern without it, such as matches "[a-z-]+"',
        ),
    )


def list_in_text(header: model.Header, part: model.FieldPart, field: model.Field) -> Diagnostic:
    """A list beside text or other references."""
    return Diagnostic(
        "MX268",
        Stage.CHECK,
        f"the list `run.{field.name}` cannot be a piece of `{header.name}`",
        (Label(part.span, "a list is the whole value of a header"), Label(field.span, "declared as a list here")),
        helps=(f"send it alone: header NAME = run.{field.name}",),
    )


def setting_choice(span: Span, why: str) -> Diagnostic:
    """A choice of a setting that it can never have, or a default that is none of them."""
    return Diagnostic("MX269", Stage.RESOLVE, "this setting can never have this value", (Label(span, why),))


def declared_secret(what: str, span: Span) -> Diagnostic:
    """A default, choice or property value that looks like a key."""
    return Diagnostic(
        "MX315",
        Stage.CHECK,
        f"a declared value of the {what} looks like a secret",
        (Label(span, "a value in the file is known to all who read the file"),),
        notes=("if it is one, treat it as leaked: replace it where it is accepted",),
        helps=('declare it: secret NAME = env("VARIABLE")',),
    )


def advisory_idle(header: model.Header, why: str) -> Diagnostic:
    """`advisory` where it lifts nothing."""
    return Diagnostic(
        "MX351",
        Stage.CHECK,
        f"`advisory` has no effect on `{header.name}`",
        (Label(header.span, why),),
        notes=("it is for an identity in a header at a server that gets neither a credential, a secret nor a token",),
        helps=("remove the word",),
        severity=Severity.WARNING,
    )


def setting_unsendable(header: model.Header, part: model.SettingPart, setting: model.Setting, why: str) -> Diagnostic:
    """A default or choice of a setting that the header cannot carry."""
    return Diagnostic(
        "MX352",
        Stage.CHECK,
        f"a declared value of `setting.{setting.name}` cannot be sent in `{header.name}`",
        (Label(part.span, f"one of them {why}"), Label(setting.span, "declared here")),
        notes=("the table would not load with this value",),
    )
