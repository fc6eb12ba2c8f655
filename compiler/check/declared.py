"""Values that declarations write down: none may be a secret, since everybody who reads the file knows it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mcpx.compiler import model
from mcpx.compiler.check.literals import looks_secret
from mcpx.compiler.report import value_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.source import Span

_Declared = tuple[str, Span, Iterable[model.PropertyValue | None]]
"""What is declared, as words; its place; the values that are written down for it."""


def check_declared(program: model.Program) -> Iterator[Diagnostic]:
    """Every default, choice and property value."""
    for what, span, values in _values(program):
        if any(looks_secret(text) for value in values for text in _texts(value)):
            yield say.declared_secret(what, span)


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
