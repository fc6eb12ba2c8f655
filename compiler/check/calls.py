"""What is said of calls: keys of `params._meta` (MCP, "General fields: `_meta`"), and arguments."""

from __future__ import annotations

from collections.abc import Iterator

from mcpx.compiler import model
from mcpx.compiler.check.literals import looks_secret
from mcpx.compiler.patterns import can_hold
from mcpx.compiler.report import call_errors as say
from mcpx.compiler.report import check_errors as say_value
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.runtime import names
from mcpx.runtime.calls import key_fault


def check_calls(program: model.Program) -> Iterator[Diagnostic]:
    """Every `meta` and `argument` line of every server."""
    for server in program.servers.values():
        keys: dict[str, model.Meta] = {}
        for meta in server.metas:
            known = keys.setdefault(meta.key, meta)
            if known is not meta:
                yield say.same_key(meta, known)
            yield from _meta(meta, program)
        arguments: dict[str, model.Argument] = {}
        for argument in server.arguments:
            earlier = arguments.setdefault(argument.name, argument)
            if earlier is not argument:
                yield say.same_argument(argument, earlier)
            yield from _argument(argument, program.fields[argument.field])
        if not _proves(server):
            yield from (say.unproved_identity(meta, server) for meta in server.metas if _is_identity(meta))


def _argument(argument: model.Argument, field: model.Field) -> Iterator[Diagnostic]:
    if not field.verified:
        yield say.claimed_argument(argument, field)
    elif argument.mode == "set" and field.optional:
        yield say.missing_argument(argument, field)


def _meta(meta: model.Meta, program: model.Program) -> Iterator[Diagnostic]:
    if (why := key_fault(meta.key)) is not None:
        yield say.meta_key(meta, why)
    for text in (part for part in meta.parts if isinstance(part, model.TextPart)):
        if looks_secret(text.text) or (len(meta.parts) == 1 and names.secret_words(meta.key)):
            yield say_value.looks_secret(text.span)
    parts = [part for part in meta.parts if isinstance(part, model.FieldPart)]
    for part in parts:
        field = program.fields[part.field]
        if field.optional and not meta.optional:
            yield say.missing_field(meta, part, field)
        if not field.verified and names.identity_words(meta.key):
            yield say_value.claimed_identity(meta, part, field)
        if field.type.kind == "list" and len(meta.parts) > 1:
            yield say.list_in_text(meta, part)
    verified = next((part for part in parts if program.fields[part.field].verified), None)
    claimed = next((part for part in parts if not program.fields[part.field].verified), None)
    if verified is not None and claimed is not None:
        yield say_value.mixed_trust(meta, verified, claimed)
    elif len(parts) > 1:
        yield from _injective(meta, program)


def _injective(meta: model.Meta, program: model.Program) -> Iterator[Diagnostic]:
    last = max(index for index, part in enumerate(meta.parts) if isinstance(part, model.FieldPart))
    for part, following in zip(meta.parts[:last], meta.parts[1:], strict=False):
        if not isinstance(part, model.FieldPart):
            continue
        if not isinstance(following, model.TextPart) or can_hold(program.fields[part.field].type, following.text[0]):
            yield say.not_injective(meta, part, following.span)


def _is_identity(meta: model.Meta) -> bool:
    return bool(names.identity_words(meta.key)) and any(isinstance(part, model.FieldPart) for part in meta.parts)


def _proves(server: model.Server) -> bool:
    """Whether the server gets something with each call that only the host could send."""
    proofs = (model.CredentialPart, model.SecretPart, model.TokenPart)
    return any(not way.optional and any(isinstance(part, proofs) for part in way.parts) for way in server.ways)
