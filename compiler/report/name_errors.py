"""Sentences of the phase `resolve`: names, types, values and imports."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from mcpx.compiler import syntax
from mcpx.compiler.report.diagnostic import Diagnostic, Edit, Fix, Label, Severity, Stage, finding, listed
from mcpx.compiler.report.suggest import nearest
from mcpx.compiler.source import Span

_error = partial(finding, Stage.RESOLVE)


def unknown(kind: str, name: syntax.Name, known: Iterable[str]) -> Diagnostic:
    """A name that no declaration of its kind has."""
    close = nearest(name.text, known)
    return _error(
        "MX201",
        f"no {kind} is called `{name.text}`",
        Label(name.span, f"not declared{', did you mean ' + listed(close) + '?' if close else ''}"),
        helps=() if close else (f"declare the {kind}, or use one that is declared",),
        fixes=tuple(Fix(f"replace by `{other}`", (Edit(name.span, other),)) for other in close),
    )


def deprecated(kind: str, name: syntax.Name, text: syntax.StringLiteral) -> Diagnostic:
    """A use of something that its declaration says is going away."""
    return Diagnostic(
        "MX610",
        Stage.RESOLVE,
        f"the {kind} `{name.text}` is deprecated",
        (Label(name.span, text.value or "used here"), Label(text.span, "its declaration says so")),
        severity=Severity.WARNING,
    )


def declared_twice(kind: str, name: syntax.Name, first: syntax.Name) -> Diagnostic:
    """The second declaration of a name in one namespace."""
    return _error(
        "MX202",
        f"the {kind} `{name.text}` is declared twice",
        Label(name.span, "declared again here"),
        Label(first.span, "first declared here"),
        helps=("give one of them another name, or remove it",),
    )


def second_run_block(extra: syntax.RunBlock, first: syntax.RunBlock) -> Diagnostic:
    """More than one `run` block in a project."""
    return _error(
        "MX203",
        "a second `run` block",
        Label(extra.head, "what a run knows is said in one place"),
        Label(first.head, "the first stands here"),
        helps=("move the fields into the first block",),
    )


def repeated(name: syntax.Name, first: syntax.Name) -> Diagnostic:
    """The same name twice in one list."""
    return _error(
        "MX204",
        f"`{name.text}` is named twice",
        Label(name.span, "named again here"),
        Label(first.span, "named here already"),
        helps=("remove one of them",),
    )


def reserved_session(name: syntax.Name) -> Diagnostic:
    """An agent or group called `session`."""
    return _error(
        "MX205",
        "no agent or group can be called `session`",
        Label(name.span, "this word stands for the session itself in `credential for session`"),
        helps=("choose another name",),
    )


def wrong_reference(ref: syntax.Ref, wanted: str) -> Diagnostic:
    """A reference of a kind that cannot stand at its place."""
    return _error(
        "MX206",
        f"`{ref.text}` cannot stand here",
        Label(ref.span, f"expected {wanted}"),
    )


def unknown_key(block: str, name: syntax.Name, known: Iterable[str]) -> Diagnostic:
    """An assignment in a block whose left side means nothing there."""
    close = nearest(name.text, known)
    return _error(
        "MX207",
        f"a {block} has no `{name.text}`",
        Label(name.span, f"did you mean {listed(close)}?" if close else "nothing reads this"),
        fixes=tuple(Fix(f"replace by `{other}`", (Edit(name.span, other),)) for other in close),
    )


def assigned_twice(name: syntax.Name, first: Span) -> Diagnostic:
    """The same key twice in one block."""
    return _error(
        "MX208",
        f"`{name.text}` is set twice in this block",
        Label(name.span, "set again here"),
        Label(first, "set here already"),
        helps=("remove one of them",),
    )


def missing_url(server: syntax.Name) -> Diagnostic:
    """A server without an address."""
    return _error(
        "MX209",
        f"the server `{server.text}` has no `url`",
        Label(server.span, "no address for this server"),
        helps=('add its address: url = "https://…/mcp"',),
    )


def wrong_form(name: str, span: Span, wanted: str) -> Diagnostic:
    """A value whose form does not suit what it is given to."""
    return _error("MX210", f"`{name}` takes {wanted}", Label(span, f"expected {wanted}"))


def verified_default(field: str, span: Span) -> Diagnostic:
    """A default for a verified field."""
    return _error(
        "MX211",
        f"the verified field `{field}` cannot have a default",
        Label(span, "a default here would invent an identity"),
        helps=(f"remove the default; if a run may lack it, declare `{field}?`",),
    )


def optional_default(field: str, span: Span) -> Diagnostic:
    """A default for a field that a run may lack, which then never lacks it."""
    return _error(
        "MX231",
        f"the field `{field}` has a `?` and a default",
        Label(span, "with a default the field is never missing"),
        helps=("remove the default, or the `?`",),
    )


def default_does_not_fit(field: str, span: Span, why: str) -> Diagnostic:
    """A default outside the field's type."""
    return _error("MX212", f"the default of `{field}` does not fit its type", Label(span, why))


def type_option(kind: str, option: str, span: Span) -> Diagnostic:
    """A bound on a type that has no use for it."""
    return _error("MX213", f"`{option}` does nothing on `{kind}`", Label(span, f"`{kind}` has no such bound"))


def bound_out_of_range(option: str, span: Span, low: int, high: int) -> Diagnostic:
    """A bound that is too small or too large to keep."""
    return _error("MX214", f"`{option}` must be from {low} to {high}", Label(span, "out of range"))


def pattern_refused(span: Span) -> Diagnostic:
    """A pattern outside the linear-time subset."""
    return _error(
        "MX215",
        "this pattern cannot be used",
        Label(span, "not a regular expression of the linear-time subset"),
        notes=("look-around and back-references are not in the subset, so that no value can make a check slow",),
        helps=("write the pattern without look-around and back-references; it always covers the whole value",),
    )


def choice_repeated(value_span: Span, first: Span) -> Diagnostic:
    """The same choice twice."""
    return _error(
        "MX216", "a choice stands twice in `one of`", Label(value_span, "again here"), Label(first, "first here")
    )


def choices_empty(span: Span) -> Diagnostic:
    """`one of []`."""
    return _error("MX217", "`one of` needs at least one choice", Label(span, "nothing to choose from"))


def secret_literal(name: str, span: Span) -> Diagnostic:
    """A secret whose value is written in the file."""
    return _error(
        "MX218",
        f"the secret `{name}` is written down here",
        Label(span, "a value in the file is known to all who read the file"),
        notes=("treat this value as leaked: replace it where it is accepted",),
        helps=('read it when the table is loaded: env("NAME") or file("/path")',),
    )


def unknown_source(function: syntax.Name, what: str, known: Iterable[str]) -> Diagnostic:
    """A function behind `=` of a setting or secret that does not exist there."""
    close = nearest(function.text, known)
    return _error(
        "MX219",
        f"a {what} cannot come from `{function.text}`",
        Label(function.span, f"did you mean {listed(close)}?" if close else f"expected one of {listed(known)}"),
    )


def source_arguments(call: syntax.Call, wanted: str) -> Diagnostic:
    """Too few, too many or odd arguments of `env`, `file`."""
    return _error("MX220", f"`{call.function.text}` takes {wanted}", Label(call.span, f"expected {wanted}"))


def setting_literal(name: str, span: Span) -> Diagnostic:
    """A setting that is given a literal."""
    return _error(
        "MX228",
        f"the setting `{name}` takes `env(…)`",
        Label(span, "a literal is no setting"),
        helps=('write the text where it is used, or name a variable: env("NAME", "default")',),
    )


def secret_and_setting(variable: str, secret: Span, setting: Span) -> Diagnostic:
    """One environment variable read both as a secret and as a setting."""
    return _error(
        "MX226",
        f"the variable `{variable}` is both a secret and a setting",
        Label(setting, "read as a setting here, which may be shown and logged"),
        Label(secret, "read as a secret here"),
        helps=("use two variables",),
    )


def secret_in_url(ref: syntax.Ref) -> Diagnostic:
    """A secret as a part of an address."""
    return _error(
        "MX227",
        "a secret cannot stand in an address",
        Label(ref.span, "addresses end up in logs, histories and referrers"),
        helps=('send it in a header: `header Authorization = "Bearer ${credential}"`',),
    )


def not_implemented(what: str, span: Span) -> Diagnostic:
    """A construct of the language that this compiler does not implement yet."""
    return _error(
        "MX290",
        f"{what} is not implemented yet",
        Label(span, "this compiler knows the construct but cannot act on it, and ignores nothing"),
        helps=("remove it for now",),
    )


def rule_named_twice(name: syntax.Name, first: syntax.Name) -> Diagnostic:
    """Two rules with one name, which is the id by which messages and records tell them apart."""
    return _error(
        "MX229",
        f"two rules are called `{name.text}`",
        Label(name.span, "named so again here"),
        Label(first.span, "named so here already"),
        helps=("give one of them another name, or none",),
    )


def not_normalized(what: str, span: Span) -> Diagnostic:
    """A choice or pattern that no value of a run can meet, since those are in normalization form C."""
    return _error(
        "MX230",
        f"this {what} is not in Unicode normalization form C",
        Label(span, "no value of a run can be equal to it" if what == "choice" else "no value of a run can match it"),
        helps=("write each letter with its accent as one character",),
    )


def import_not_found(path: syntax.StringLiteral) -> Diagnostic:
    """An import of a file that is not there or cannot be read."""
    return _error(
        "MX221", "the imported file cannot be read", Label(path.span, "no regular, readable file at this path")
    )


def import_leaves_project(path: syntax.StringLiteral) -> Diagnostic:
    """An import that ends outside the project's root."""
    return _error(
        "MX222",
        "this import leaves the project",
        Label(path.span, "ends outside the folder of the file that is compiled"),
        notes=("links are followed before this is decided",),
        helps=("move the file into the project",),
    )


def import_cycle(path: syntax.StringLiteral, chain: tuple[str, ...]) -> Diagnostic:
    """Files that import each other."""
    return _error(
        "MX223",
        "these files import each other",
        Label(path.span, "closes the circle"),
        notes=(" imports ".join(f"`{name}`" for name in chain),),
        helps=("move what both need into a third file",),
    )


def import_kind(path: syntax.StringLiteral) -> Diagnostic:
    """An import of something that is neither `.mcpx` nor `.cedar`."""
    return _error(
        "MX224",
        "only `.mcpx` and `.cedar` files can be imported",
        Label(path.span, "the name ends in neither"),
    )


def import_twice(path: syntax.StringLiteral, first: Span) -> Diagnostic:
    """The same file twice in one file."""
    return _error(
        "MX225",
        "this file is imported twice here",
        Label(path.span, "again here"),
        Label(first, "imported here already"),
        helps=("remove one of them",),
    )


def import_absolute(path: syntax.StringLiteral) -> Diagnostic:
    """An import by an absolute path."""
    return _error(
        "MX222",
        "an import is relative to the file it stands in",
        Label(path.span, "an absolute path names one machine"),
    )


def per_without_provider(secret: str, span: Span) -> Diagnostic:
    """A partition on a secret whose source knows one value."""
    return _error(
        "MX270",
        f"the secret `{secret}` has one value, and cannot be `per` a field",
        Label(span, "only a provider knows a value for each"),
        helps=('ask a provider: provider("NAME", "KEY") per run.FIELD',),
    )
