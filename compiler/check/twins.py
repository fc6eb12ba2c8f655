"""One thing under two names: what a guardrail says of one of them must hold for the other.

Places (servers of one origin) are held together in `urls`; here are secrets of one source and servers of one address.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from mcpx.compiler import model
from mcpx.compiler.report import session_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.source import Span

_T = TypeVar("_T", model.Secret, model.Server)


def check_twins(program: model.Program) -> Iterator[Diagnostic]:
    """Every two names of one secret, and every two names of one server."""
    for first, second in _pairs(program.secrets.values(), lambda secret: secret.source):
        if set(first.tags) != set(second.tags):
            yield say.one_source_two_tags(second, first)
        if set(first.per) != set(second.per):
            yield say.one_source_two_partitions(second, first)
        yield from _named_alone(program.cedar, "secret", "Credential", (first, second))
    for one, other in _pairs(program.servers.values(), lambda server: server.url.text):
        for named, twin in ((one, other), (other, one)):
            yield from (
                say.twin_not_denied(rule, named, twin)
                for rule in program.rules
                if rule.effect == "deny" and named.name in rule.servers and twin.name not in rule.servers
                if set(rule.server_tags).isdisjoint(twin.tags)
            )
        yield from _named_alone(program.cedar, "server", "Server", (one, other))


def _pairs(things: Iterable[_T], identity: Callable[[_T], Hashable]) -> Iterator[tuple[_T, _T]]:
    """The first of each kind with each later one of the same."""
    first: dict[Hashable, _T] = {}
    for thing in things:
        known = first.setdefault(identity(thing), thing)
        if known is not thing:
            yield known, thing


def _named_alone(
    texts: Iterable[model.CedarText], kind: str, entity: str, twins: tuple[_T, _T]
) -> Iterator[Diagnostic]:
    """Told for every policy text that names one and not the other, whatever its effect: it means the thing."""
    for text in texts:
        found = [re.search(rf'\b{entity}\s*::\s*"{re.escape(twin.name)}"', text.text) for twin in twins]
        for number, match in enumerate(found):
            if match is not None and found[1 - number] is None:
                start = text.span.start + match.start()
                place = Span(text.span.file, start, start + len(match[0]))
                named, twin = twins[number], twins[1 - number]
                yield say.twin_not_named(kind, named.name, twin.name, place, twin.span)
