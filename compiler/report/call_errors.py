"""Sentences about what is said of calls: `meta` and `argument` lines.

A rule that holds for headers too has the header's code; where the words differ, it has a sentence of its own here.
"""

from __future__ import annotations

from functools import partial

from mcpx.compiler import model
from mcpx.compiler.report.diagnostic import Diagnostic, Label, Stage, finding
from mcpx.compiler.source import Span

_found = partial(finding, Stage.CHECK)


def meta_key(meta: model.Meta, why: str) -> Diagnostic:
    """A key that is none, or that MCP keeps for itself (MCP, "General fields: `_meta`")."""
    return _found(
        "MX390",
        f"the key `{meta.key}` cannot be set" if meta.key.isprintable() and meta.key else "this is no key of `_meta`",
        Label(meta.key_span, why),
        helps=("choose a key under a domain of your own: `example.com/NAME`",),
    )


def same_key(meta: model.Meta, first: model.Meta) -> Diagnostic:
    """One key set twice."""
    return _found(
        "MX391",
        f"the key `{meta.key}` is set twice",
        Label(meta.key_span, "set again here"),
        Label(first.key_span, "set here already"),
        helps=("remove one of them",),
    )


def same_argument(argument: model.Argument, first: model.Argument) -> Diagnostic:
    """Two statements about one argument."""
    return _found(
        "MX392",
        f"two statements about the argument `{argument.name}`",
        Label(argument.name_span, "said again here"),
        Label(first.name_span, "said here already"),
        notes=("an argument is either checked or set",),
        helps=("remove one of them",),
    )


def claimed_argument(argument: model.Argument, field: model.Field) -> Diagnostic:
    """An argument that is held against, or filled from, what the caller said."""
    return _found(
        "MX393",
        f"`argument {argument.name}` takes a verified field, and `run.{field.name}` is only claimed",
        Label(argument.field_span, "the caller chooses this value"),
        Label(field.span, "declared `claimed` here"),
    )


def missing_argument(argument: model.Argument, field: model.Field) -> Diagnostic:
    """An argument that is always set, from a field that a run may lack."""
    return _found(
        "MX310",
        f"`run.{field.name}` may be missing, but `argument {argument.name}` is always set",
        Label(argument.field_span, f"a run may lack `{field.name}`"),
        Label(field.span, "declared optional here"),
        helps=(f"check it instead: `argument {argument.name} must equal run.{field.name}`",),
    )


def missing_field(meta: model.Meta, part: model.FieldPart, field: model.Field) -> Diagnostic:
    """An optional field in a plain `meta`."""
    return _found(
        "MX310",
        f'`run.{field.name}` may be missing, but `meta "{meta.key}"` is always sent',
        Label(part.span, f"a run may lack `{field.name}`"),
        Label(field.span, "declared optional here"),
        helps=(f'leave the key out for such runs: `optional meta "{meta.key}" = …`',),
    )


def not_injective(meta: model.Meta, field: model.FieldPart, following: Span) -> Diagnostic:
    """Text in which two different runs could read the same."""
    return _found(
        "MX309",
        f"two runs could send the same `{meta.key}`",
        Label(field.span, f"the end of `{field.field}` cannot be told from what comes next"),
        Label(following, "this could be a part of it"),
        helps=("send the fields under keys of their own",),
    )


def list_in_text(meta: model.Meta, part: model.FieldPart) -> Diagnostic:
    """A list within text, where it has no form."""
    return _found(
        "MX394",
        f"the list `run.{part.field}` has no form within text",
        Label(part.span, "a list is sent as a JSON array, alone"),
        helps=(f'send it alone: `meta "{meta.key}" = run.{part.field}`',),
    )


def unproved_identity(meta: model.Meta, server: model.Server) -> Diagnostic:
    """An identity at a server that gets nothing to check."""
    return _found(
        "MX314",
        f"`{server.name}` cannot tell who sends `{meta.key}`",
        Label(meta.key_span, "anybody who reaches the server could send this identity"),
        Label(server.span, "this server gets neither a credential nor a secret"),
        helps=('let the server check its caller: header Authorization = "Bearer ${credential}"',),
    )
