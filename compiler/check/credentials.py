"""Credentials: each pair that needs one has exactly one, and no secret goes to two servers unless that is said."""

from __future__ import annotations

from collections.abc import Iterator

from mcpx.compiler import model
from mcpx.compiler.credentials import credential_of
from mcpx.compiler.report import check_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.source import Span

_Destination = tuple[str, str, Span]
"""A secret, a server that it may go to, and the place that says so."""


def check_credentials(program: model.Program) -> Iterator[Diagnostic]:
    """Every pair of `uses`, every credential line, every secret."""
    spoken: dict[model.CredentialLine, set[tuple[str, str]]] = {line: set() for line in program.credentials}
    for server in program.servers.values():
        needs = _first_need(server)
        if needs is None:
            continue
        for agent in (program.agents[name] for name in program.users[server.name]):
            lines = credential_of(program, agent.name, server.name)
            for line in lines:
                spoken[line].update((holder, server.name) for holder in (agent.name, *agent.groups))
            if not lines:
                yield say.no_credential(agent, server, needs)
            elif len(lines) > 1:
                yield say.two_credentials(agent, server, lines)
    for line, pairs in spoken.items():
        yield from _idle(line, pairs)
    yield from _one_server_each(program)


def _first_need(server: model.Server) -> model.CredentialPart | None:
    parts = (part for way in server.ways for part in way.parts)
    return next((part for part in parts if isinstance(part, model.CredentialPart)), None)


def _idle(line: model.CredentialLine, pairs: set[tuple[str, str]]) -> Iterator[Diagnostic]:
    """What of a line nobody draws on: all of it, or some of its holders and servers."""
    holders = [name for name in line.holders if all((name, server) not in pairs for server in line.servers)]
    servers = [name for name in line.servers if all((holder, name) not in pairs for holder in line.holders)]
    if len(holders) == len(line.holders):
        yield say.credential_unused(line)
    elif holders or servers:
        yield say.credential_partly_unused(line, (*holders, *servers))


def _one_server_each(program: model.Program) -> Iterator[Diagnostic]:
    """A server that gets a secret could use it at every other that takes it. Two secrets of one source are one."""
    by_source: dict[model.SecretSource, list[_Destination]] = {}
    for destination in _destinations(program):
        by_source.setdefault(program.secrets[destination[0]].source, []).append(destination)
    for destinations in by_source.values():
        if all(program.secrets[secret].shared for secret, _, _ in destinations):
            continue
        secret, server, place = destinations[0]
        met = {server}
        for other, target, span in destinations[1:]:
            if target not in met:
                met.add(target)
                yield say.one_secret_two_servers(span, place, (other, secret), (server, target))


def _destinations(program: model.Program) -> Iterator[_Destination]:
    for line in program.credentials:
        for server in line.servers:
            yield line.secret, server, line.secret_span
    for own in program.session_credentials:
        if own.secret is not None:
            yield from ((own.secret, server, own.value_span) for server in own.servers)
    for target in program.servers.values():
        for way in target.ways:
            for part in way.parts:
                if isinstance(part, model.SecretPart):
                    yield part.secret, target.name, part.span
