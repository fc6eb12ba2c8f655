"""Values that declarations write down: none may be a secret, since everybody who reads the file knows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mcpx.compiler import model
from mcpx.compiler.check.literals import looks_secret
from mcpx.compiler.report import value_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.source import Span
from mcpx.runtime.names import only_typed, secret_words

_Declared = tuple[str, Span, Iterable[model.PropertyValue | None]]
"""What is declared, as words; its place; the values that are written down for it."""


def check_declared(program: model.Program) -> Iterator[Diagnostic]:
    """Every default, choice and property value."""
    called_secret = {f"setting `{name}`" for name in _settings_called_secret(program)}
    for what, span, values in _values(program):
        texts = [text for value in values for text in _texts(value)]
        if any(looks_secret(text) or (what in called_secret and not _is_place(text)) for text in texts):
            yield say.declared_secret(what, span)


def _settings_called_secret(program: model.Program) -> Iterator[str]:
    """The settings that are secrets by their own name or by that of a header that they feed."""
    yield from (name for name in program.settings if secret_words(name))
    for server in program.servers.values():
        for header in server.headers:
            if secret_words(header.name) or only_typed(header.name):
                yield from (part.setting for part in header.parts if isinstance(part, model.SettingPart))


def _is_place(text: str) -> bool:
    """Hosts, addresses and paths: `auth_host` names where a secret is asked for, and is none."""
    return "." in text or "/" in text


def _values(program: model.Program) -> Iterator[_Declared]:
    for setting in program.settings.values():
        yield f"setting `{setting.name}`", setting.span, (setting.default, *setting.choices)
    for field in program.fields.values():
        yield f"field `{field.name}`", field.span, (field.default, *field.type.choices, *field.properties.values())
    for server in program.servers.values():
        yield f"server `{server.name}`", server.span, server.properties.values()
    for agent in program.agents.values():
        yield f"agent `{agent.name}`", agent.span, agent.properties.values()


def _texts(value: model.PropertyValue | None) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return value if isinstance(value, tuple) else ()
