"""Sessions: what may key one, what may open one, and what opens a shared one."""

from __future__ import annotations

from collections.abc import Iterator

from mcpx.compiler import model
from mcpx.compiler.report import session_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic


def check_sessions(program: model.Program) -> Iterator[Diagnostic]:
    """The key of every session, the partition of every secret, and every `credential for session`."""
    for server in program.servers.values():
        for field in (program.fields[name] for name in server.session.fields):
            if not field.verified or field.optional:
                yield say.key_field(field, server.session.span or server.span, server.name)
    for secret in program.secrets.values():
        for field in (program.fields[name] for name in secret.per):
            if not field.verified or field.optional:
                yield say.partition_field(field, secret)
    first: dict[str, model.SessionCredential] = {}
    for line in program.session_credentials:
        for server in (program.servers[name] for name in line.servers):
            known = first.setdefault(server.name, line)
            if known is not line:
                yield say.two_session_credentials(line, known, server.name)
            if server.session.kind != "shared":
                yield say.not_shared(line, server)
