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
        drawn = _drawn(line, program)
        if drawn:
            yield say.draws_on_run(line, program.fields[drawn[0]])


def _drawn(line: model.SessionCredential, program: model.Program) -> tuple[str, ...]:
    """The run fields that what opens a session is made of; no run is there yet."""
    if line.secret is not None:
        return program.secrets[line.secret].per
    claims = () if line.token is None else program.tokens[line.token].claims
    return tuple(part.field for claim in claims for part in claim.parts if isinstance(part, model.FieldPart))
