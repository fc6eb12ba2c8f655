"""`overlay` blocks: what each line changes, looked up like everything else."""

from __future__ import annotations

from mcpx.compiler import model, syntax
from mcpx.compiler.report import name_errors, overlay_errors
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.resolve.scope import Scope
from mcpx.compiler.resolve.sources import resolve_secret, resolve_setting
from mcpx.compiler.resolve.tokens import authorization_servers, lifetime
from mcpx.compiler.resolve.urls import url


def resolve_overlay(overlay: syntax.Overlay, scope: Scope, findings: list[Diagnostic]) -> model.Overlay:
    """One `overlay` block. Lines that no overlay may have are kept apart, for `check` to report."""
    changes: list[model.Change] = []
    refused: list[model.Refused] = []
    first: dict[str, syntax.OverlayLine] = {}
    for line in overlay.lines:
        target = line.target.text
        if first.setdefault(target, line) is not line:
            findings.append(overlay_errors.set_twice(line, first[target]))
            continue
        match _change(line, scope, findings):
            case None:
                pass
            case model.Refused() as found:
                refused.append(found)
            case change:
                changes.append(change)
    return model.Overlay(overlay.name.text, tuple(changes), tuple(refused), overlay.name.span, overlay.doc)


def _change(line: syntax.OverlayLine, scope: Scope, findings: list[Diagnostic]) -> model.Change | model.Refused | None:
    parts = line.target.parts
    match [part.text for part in parts]:
        case ["server", _, ("url" | "audience") as key]:
            server = scope.servers.find(parts[1], findings)
            value = url(key, line.value, scope, findings)
            return None if server is None or value is None else model.ServerChange(server, key, value, line.span)
        case ["server", _, "authorization_server"]:
            server = scope.servers.find(parts[1], findings)
            issuers = authorization_servers(line.value, findings)
            return None if server is None or not issuers else model.IssuersChange(server, issuers, line.span)
        case [("token" | "grant") as kind, _, "ttl"]:
            name = (scope.tokens if kind == "token" else scope.grants).find(parts[1], findings)
            seconds = lifetime(line, findings)
            if name is None or seconds is None:
                return None
            return model.LifetimeChange(kind, name, seconds, line.value.span)
        case ["setting", _]:
            return _setting(line, scope, findings)
        case ["secret", _]:
            return _secret(line, scope, findings)
        case [("server" | "token" | "grant" | "setting" | "secret") as kind, _, *_]:
            # A misspelt name is the likelier mistake, and what it would have meant is not known.
            found = {
                "server": scope.servers.find,
                "token": scope.tokens.find,
                "grant": scope.grants.find,
                "setting": scope.settings.find,
                "secret": scope.secrets.find,
            }[kind](parts[1], findings)
            if found is None:
                return None
    return model.Refused(line.target.text, line.target.span)


def _setting(line: syntax.OverlayLine, scope: Scope, findings: list[Diagnostic]) -> model.SettingChange | None:
    name = line.target.parts[1]
    if scope.settings.find(name, findings) is None:
        return None
    if not isinstance(line.value, syntax.Call | syntax.StringLiteral):
        findings.append(name_errors.wrong_form(line.target.text, line.value.span, 'a source such as `env("X")`'))
        return None
    declared = scope.settings.nodes[name.text]
    setting = resolve_setting(syntax.SettingDecl(name, line.value, declared.choices, declared.doc, line.span), findings)
    return None if setting is None else model.SettingChange(setting, line.span)


def _secret(line: syntax.OverlayLine, scope: Scope, findings: list[Diagnostic]) -> model.SecretChange | None:
    name = line.target.parts[1]
    if scope.secrets.find(name, findings) is None:
        return None
    if not isinstance(line.value, syntax.Call | syntax.StringLiteral):
        findings.append(name_errors.wrong_form(line.target.text, line.value.span, 'a source such as `env("X")`'))
        return None
    declared = scope.secrets.nodes[name.text]
    secret = resolve_secret(
        syntax.SecretDecl(name, declared.shared, (), line.value, declared.per, declared.doc, line.span), scope, findings
    )
    return None if secret is None else model.SecretChange(name.text, secret.source, line.span)
