"""On which requests a header goes: on a session's only if all that its value hangs on is fixed by the session's key."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from mcpx.compiler import model
from mcpx.compiler.credentials import credential_of, session_credential_of


def drawn_fields(parts: Iterable[model.Part], agent: str, server: str, program: model.Program) -> frozenset[str]:
    """The run fields that a value is made of, for one agent; a secret counts as drawing on the fields of its partition.

    Args:
        parts: of a header, `meta` line or argument.
        agent: whose credential `credential` stands for.
        server: the server's name.
        program: the program.
    """
    fields: set[str] = set()
    for part in parts:
        match part:
            case model.FieldPart(field=field):
                fields.add(field)
            case model.SecretPart(secret=secret):
                fields.update(program.secrets[secret].per)
            case model.CredentialPart():
                for line in credential_of(program, agent, server):
                    fields.update(program.secrets[line.secret].per)
            case model.TokenPart(token=token):
                claims = program.tokens[token].claims
                fields.update(drawn_fields((p for claim in claims for p in claim.parts), agent, server, program))
    return frozenset(fields)


def requests_of(
    header: model.Header, agent: str, server: model.Server, program: model.Program, guard_fields: frozenset[str]
) -> Literal["session", "calls"]:
    """On which requests a header goes that may be sent: on session requests and calls, or on calls alone.

    Args:
        header: of the server.
        agent: who sends it.
        server: the server.
        program: the program.
        guard_fields: the run fields that decide whether it is sent.
    """
    parts = header.parts
    if server.session.kind == "shared" and any(isinstance(part, model.CredentialPart) for part in parts):
        line = session_credential_of(program, server.name)
        if line is None:
            return "calls"
        # A shared session knows no agent: `credential` is what the session itself was given, which draws on no run.
        parts = tuple(part for part in parts if not isinstance(part, model.CredentialPart))
    fixed = program.fields.keys() if server.session.kind == "run" else frozenset(server.session.fields)
    return "session" if drawn_fields(parts, agent, server.name, program) | guard_fields <= fixed else "calls"
