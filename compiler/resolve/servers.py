"""`server` blocks: the address, the headers, and what is said about calls."""

from __future__ import annotations

from typing import Literal

from mcpx.compiler import model, syntax
from mcpx.compiler.report import name_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.resolve.encodings import resolve_encoding
from mcpx.compiler.resolve.properties import SERVER_KEYS, property_values
from mcpx.compiler.resolve.scope import Scope
from mcpx.compiler.resolve.sessions import discovery, session_key
from mcpx.compiler.resolve.tokens import authorization_servers
from mcpx.compiler.resolve.urls import url as resolve_url


def resolve_server(server: syntax.Server, scope: Scope, findings: list[Diagnostic]) -> model.Server | None:
    """One `server` block; `None` when it has no address to speak of."""
    url: model.Url | None = None
    headers: list[model.Header] = []
    keys: dict[str, syntax.Name] = {}
    others: list[syntax.Assignment] = []
    metas: list[model.Meta] = []
    arguments: list[model.Argument] = []
    audience: model.Url | None = None
    issuers: tuple[model.TextPart, ...] = ()
    session = model.SessionKey()
    lists: Literal["session", "run"] = "session"
    for item in server.items:
        match item:
            case syntax.Header():
                header = _header(item, scope, findings)
                if header is not None:
                    headers.append(header)
            case syntax.Assignment(name=name) if name.text not in SERVER_KEYS:
                others.append(item)
            case syntax.Assignment(name=name) if name.text in keys:
                findings.append(say.assigned_twice(name, keys[name.text].span))
            case syntax.Assignment(name=name, value=value):
                keys[name.text] = name
                if name.text == "url":
                    url = resolve_url("url", value, scope, findings)
                elif name.text == "audience":
                    audience = resolve_url("audience", value, scope, findings)
                elif name.text == "authorization_server":
                    issuers = authorization_servers(value, findings)
                elif name.text == "session":
                    session = session_key(value, scope, findings)
                else:
                    lists = discovery(value, findings)
            case syntax.Meta():
                meta = _meta(item, scope, findings)
                if meta is not None:
                    metas.append(meta)
            case syntax.Argument():
                argument = _argument(item, scope, findings)
                if argument is not None:
                    arguments.append(argument)
    tags = scope.tags.find_all((tag.name for tag in server.tags), findings)
    if "url" not in keys:
        findings.append(say.missing_url(server.name))
    properties = property_values("server", server.name, others, scope.properties, findings)
    if url is None:
        return None
    return model.Server(
        name=server.name.text,
        tags=tags,
        url=url,
        headers=tuple(headers),
        span=server.name.span,
        doc=server.doc,
        audience=audience,
        authorization_servers=issuers,
        session=session,
        discovery=lists,
        metas=tuple(metas),
        arguments=tuple(arguments),
        properties=properties,
        deprecated=None if server.deprecated is None else server.deprecated.value,
    )


def _header(header: syntax.Header, scope: Scope, findings: list[Diagnostic]) -> model.Header | None:
    encode = resolve_encoding(header.encode, findings)
    parts = value_parts(header.value, scope, findings)
    if parts is None:
        return None
    return model.Header(
        name=header.name.text,
        parts=parts,
        optional=header.optional,
        span=header.span,
        name_span=header.name.span,
        value_span=header.value.span,
        doc=header.doc,
        advisory=header.advisory,
        encode=encode,
        encode_span=None if header.encode is None else header.encode.span,
    )


def _meta(meta: syntax.Meta, scope: Scope, findings: list[Diagnostic]) -> model.Meta | None:
    parts = value_parts(meta.value, scope, findings)
    if parts is None:
        return None
    return model.Meta(meta.key.value, parts, meta.optional, meta.span, meta.key.span, meta.value.span, meta.doc)


def _argument(argument: syntax.Argument, scope: Scope, findings: list[Diagnostic]) -> model.Argument | None:
    ref, name = argument.ref, argument.name
    if ref.parts[0].text != "run" or len(ref.parts) != 2:
        findings.append(say.wrong_reference(ref, "`run.FIELD`"))
        return None
    field = scope.fields.find(ref.parts[1], findings)
    if field is None:
        return None
    return model.Argument(name.text, argument.mode, field, argument.span, name.span, ref.span, argument.doc)


def value_parts(value: syntax.Value, scope: Scope, findings: list[Diagnostic]) -> tuple[model.Part, ...] | None:
    """The parts of a value; `None` when one of its references is to nothing, which has been reported."""
    match value:
        case syntax.StringLiteral():
            return (model.TextPart(value.value, value.span),)
        case syntax.Ref():
            part = _reference(value, scope, findings)
            return None if part is None else (part,)
    parts = [
        model.TextPart(part.text, part.span) if isinstance(part, syntax.Chunk) else _reference(part, scope, findings)
        for part in value.parts
    ]
    return None if None in parts else tuple(part for part in parts if part is not None)


def _reference(ref: syntax.Ref, scope: Scope, findings: list[Diagnostic]) -> model.Part | None:
    match [part.text for part in ref.parts]:
        case ["credential"]:
            return model.CredentialPart(ref.span)
        case ["run", _]:
            field = scope.fields.find(ref.parts[1], findings)
            return None if field is None else model.FieldPart(field, ref.span)
        case ["secret", _]:
            secret = scope.secrets.find(ref.parts[1], findings)
            return None if secret is None else model.SecretPart(secret, ref.span)
        case ["setting", _]:
            setting = scope.settings.find(ref.parts[1], findings)
            return None if setting is None else model.SettingPart(setting, ref.span)
        case ["token", _]:
            token = scope.tokens.find(ref.parts[1], findings)
            return None if token is None else model.TokenPart(token, ref.span)
        case _:
            findings.append(say.wrong_reference(ref, "`run.F`, `credential`, `secret.S`, `setting.S` or `token.T`"))
    return None
