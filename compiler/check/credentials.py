"""Credentials: each pair that needs one has exactly one, and no secret goes to two servers unless that is said."""

from __future__ import annotations

from collections.abc import Iterator

from mcpx.compiler import model
from mcpx.compiler.credentials import credential_of
from mcpx.compiler.report import check_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.source import Span


def check_credentials(program: model.Program) -> Iterator[Diagnostic]:
    """Every pair of `uses`, every credential line, every secret."""
    used: set[model.CredentialLine] = set()
    for agent in program.agents.values():
        for server in (program.servers[name] for name in agent.uses):
            needs = _first_need(server)
            lines = credential_of(program, agent.name, server.name)
            if needs is None:
                continue
            used.update(lines)
            if not lines:
                yield say.no_credential(agent, server, needs)
            elif len(lines) > 1:
                yield say.two_credentials(agent, server, lines)
    yield from (say.credential_unused(line) for line in program.credentials if line not in used)
    yield from _one_server_each(program)


def _first_need(server: model.Server) -> model.CredentialPart | None:
    parts = (part for header in server.headers for part in header.parts)
    return next((part for part in parts if isinstance(part, model.CredentialPart)), None)


def _one_server_each(program: model.Program) -> Iterator[Diagnostic]:
    """A server that gets a secret could use it at every other that takes it. Two secrets of one source are one."""
    first: dict[model.SecretSource, tuple[str, str, Span]] = {}
    for secret, server, span in _destinations(program):
        declared = program.secrets[secret]
        name, known, place = first.setdefault(declared.source, (secret, server, span))
        if known != server and not (declared.shared and program.secrets[name].shared):
            yield say.one_secret_two_servers(span, place, (secret, name), (known, server))


def _destinations(program: model.Program) -> Iterator[tuple[str, str, Span]]:
    for line in program.credentials:
        for server in line.servers:
            yield line.secret, server, line.secret_span
    for target in program.servers.values():
        for header in target.headers:
            for part in header.parts:
                if isinstance(part, model.SecretPart):
                    yield part.secret, target.name, part.span
