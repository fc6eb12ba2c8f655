"""Settings and secrets: where the values come from that a table only refers to."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable

from mcpx.compiler import model, syntax
from mcpx.compiler.report import name_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.resolve.scope import Scope
from mcpx.compiler.resolve.sessions import fields_of
from mcpx.compiler.resolve.settings import setting_choices
from mcpx.runtime.wording import NAME

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
"""POSIX.1-2017, Base Definitions 8.1, and lower case, which every system takes as well."""


_FILE = re.compile(r"/[^/\x00-\x1f\x7f][^\x00-\x1f\x7f]*")
"""An absolute path with one `/` at its head: in POSIX.1-2017, Base Definitions 4.13, two may mean another place."""


_CREDENTIAL = re.compile(r"(?!\.)[A-Za-z0-9_.-]{1,255}")
"""A file name without a path (systemd.exec, "Credentials")."""


def resolve_setting(setting: syntax.SettingDecl, findings: list[Diagnostic]) -> model.Setting | None:
    """`setting n = env("X", "default")`."""
    source = setting.source
    if isinstance(source, syntax.StringLiteral):
        findings.append(say.setting_literal(setting.name.text, source.span))
        return None
    if source.function.text != "env":
        findings.append(say.unknown_source(source.function, "setting", ("env",)))
        return None
    if not 1 <= len(source.arguments) <= 2 or not _VARIABLE.fullmatch(source.arguments[0].value):
        findings.append(say.source_arguments(source, "the name of a variable and perhaps a default"))
        return None
    default = source.arguments[1].value if len(source.arguments) == 2 else None
    if default == "":
        findings.append(say.source_arguments(source, "a default that is not empty"))
    choices = setting_choices(setting, findings)
    return model.Setting(setting.name.text, source.arguments[0].value, default, choices, setting.name.span)


def resolve_secret(secret: syntax.SecretDecl, scope: Scope, findings: list[Diagnostic]) -> model.Secret | None:
    """`secret n = env("X")`, `file("/p")`, `credential("n")`, or `provider("p", "key")` with or without `per run.f`."""
    per = () if secret.per is None else fields_of(secret.per, scope, findings)
    tags = scope.tags.find_all((tag.name for tag in secret.tags), findings)
    source = _secret_source(secret, findings)
    if source is None:
        return None
    if secret.per is not None and not isinstance(source, model.ProviderSource):
        findings.append(say.per_without_provider(secret.name.text, secret.per.span))
    return model.Secret(secret.name.text, source, secret.shared, tags, secret.name.span, per)


def _secret_source(secret: syntax.SecretDecl, findings: list[Diagnostic]) -> model.SecretSource | None:
    call = secret.source
    if isinstance(call, syntax.StringLiteral):
        findings.append(say.secret_literal(secret.name.text, call.span))
        return None
    arguments = [argument.value for argument in call.arguments]
    match call.function.text, arguments:
        case "env", [variable] if _VARIABLE.fullmatch(variable):
            return model.EnvSource(variable)
        case "env", _:
            findings.append(say.source_arguments(call, "the name of one variable"))
        case "file", [path] if absolute_path(path):
            return model.FileSource(path)
        case "file", _:
            findings.append(say.source_arguments(call, "one absolute path"))
        case "credential", [name] if _CREDENTIAL.fullmatch(name):
            return model.CredentialSource(name)
        case "credential", _:
            findings.append(say.source_arguments(call, "the name of one file of the service's credentials"))
        case "provider", [provider, key] if NAME.fullmatch(provider) and key and key.isprintable():
            return model.ProviderSource(provider, key)
        case "provider", _:
            findings.append(say.source_arguments(call, "the name of a provider, and a key that it knows"))
        case _:
            findings.append(say.unknown_source(call.function, "secret", ("env", "file", "credential", "provider")))
    return None


def absolute_path(text: str) -> bool:
    """Whether a text is a path that means one place on every system, and is written the shortest way."""
    return _FILE.fullmatch(text) is not None and posixpath.normpath(text) == text


def check_variables(
    secrets: Iterable[model.Secret], settings: Iterable[model.Setting], findings: list[Diagnostic]
) -> None:
    """No environment variable is both: a setting may be shown and logged."""
    secret_of = {s.source.variable: s for s in secrets if isinstance(s.source, model.EnvSource)}
    findings.extend(
        say.secret_and_setting(setting.variable, secret.span, setting.span)
        for setting in settings
        if (secret := secret_of.get(setting.variable)) is not None
    )
