"""Addresses as values: literal text and settings."""

from __future__ import annotations

from mcpx.compiler import model, syntax
from mcpx.compiler.report import name_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.resolve.scope import Scope


def url(key: str, value: syntax.Setting, scope: Scope, findings: list[Diagnostic]) -> model.Url | None:
    """What `url` or `audience` is given; `None` when nothing of it can stand there, which has been reported."""
    parts: list[model.UrlPart] = []
    match value:
        case syntax.StringLiteral():
            parts.append(model.TextPart(value.value, value.span))
        case syntax.Text():
            for part in value.parts:
                if isinstance(part, syntax.Chunk):
                    parts.append(model.TextPart(part.text, part.span))
                elif (setting := _reference(part, scope, findings)) is not None:
                    parts.append(setting)
        case syntax.Ref() if value.parts[0].text in ("setting", "secret"):
            if (setting := _reference(value, scope, findings)) is not None:
                parts.append(setting)
        case _:
            findings.append(say.wrong_form(key, value.span, "a string, perhaps with settings"))
    return model.Url(tuple(parts), value.span) if parts else None


def _reference(ref: syntax.Ref, scope: Scope, findings: list[Diagnostic]) -> model.SettingPart | None:
    if ref.parts[0].text == "secret":
        findings.append(say.secret_in_url(ref))
        return None
    if ref.parts[0].text != "setting" or len(ref.parts) != 2:
        findings.append(say.wrong_reference(ref, "`setting.NAME`: an address is the same for every run"))
        return None
    name = scope.settings.find(ref.parts[1], findings)
    return None if name is None else model.SettingPart(name, ref.span)
