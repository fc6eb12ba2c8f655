"""`server` blocks: the address and the headers."""

from __future__ import annotations

from mcpx.compiler import model, syntax
from mcpx.compiler.report import name_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.resolve.encodings import resolve_encoding
from mcpx.compiler.resolve.properties import SERVER_KEYS, property_values
from mcpx.compiler.resolve.scope import Scope


def resolve_server(server: syntax.Server, scope: Scope, findings: list[Diagnostic]) -> model.Server | None:
    """One `server` block; `None` when it has no address to speak of."""
    url: model.Url | None = None
    headers: list[model.Header] = []
    keys: dict[str, syntax.Name] = {}
    others: list[syntax.Assignment] = []
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
                    url = _url(value, scope, findings)
                else:
                    findings.append(say.not_implemented(f"`{name.text}`", name.span))
            case syntax.Meta():
                findings.append(say.not_implemented("`meta`", item.span))
            case syntax.Argument():
                findings.append(say.not_implemented("`argument`", item.span))
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
        properties=properties,
        deprecated=None if server.deprecated is None else server.deprecated.value,
    )


def _url(value: syntax.Setting, scope: Scope, findings: list[Diagnostic]) -> model.Url | None:
    parts: list[model.UrlPart] = []
    match value:
        case syntax.StringLiteral():
            parts.append(model.TextPart(value.value, value.span))
        case syntax.Text():
            for part in value.parts:
                if isinstance(part, syntax.Chunk):
                    parts.append(model.TextPart(part.text, part.span))
                elif (setting := _url_reference(part, scope, findings)) is not None:
                    parts.append(setting)
        case syntax.Ref() if value.parts[0].text in ("setting", "secret"):
            if (setting := _url_reference(value, scope, findings)) is not None:
                parts.append(setting)
        case _:
            findings.append(say.wrong_form("url", value.span, "a string, perhaps with settings"))
    return model.Url(tuple(parts), value.span) if parts else None


def _url_reference(ref: syntax.Ref, scope: Scope, findings: list[Diagnostic]) -> model.SettingPart | None:
    if ref.parts[0].text == "secret":
        findings.append(say.secret_in_url(ref))
        return None
    if ref.parts[0].text != "setting" or len(ref.parts) != 2:
        findings.append(say.wrong_reference(ref, "`setting.NAME`: an address is the same for every run"))
        return None
    name = scope.settings.find(ref.parts[1], findings)
    return None if name is None else model.SettingPart(name, ref.span)


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
            findings.append(say.not_implemented("`token`", ref.span))
        case _:
            findings.append(say.wrong_reference(ref, "`run.F`, `credential`, `secret.S`, `setting.S` or `token.T`"))
    return None
