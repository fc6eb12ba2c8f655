"""What a table says of sessions, of the arguments that are checked, and of where secrets are."""

from __future__ import annotations

from mcpx.compiler import model
from mcpx.compiler.cedar.decision import Decisions, every
from mcpx.compiler.check.handshakes import session_decision
from mcpx.compiler.credentials import session_credential_of
from mcpx.runtime import body


def session_of(server: model.Server) -> body.SessionKind:
    """What the calls on one session of a server have in common."""
    kind = server.session.kind
    return server.session.fields if kind == "fields" else kind


def session_credential(
    server: model.Server, program: model.Program, decisions: Decisions
) -> body.SessionCredential | None:
    """What `credential` gives on the session requests of a shared session."""
    line = session_credential_of(program, server.name)
    if line is None:
        return None
    decided = [session_decision(line, agent, server.name, decisions) for agent in program.users[server.name]]
    return body.SessionCredential(line.secret, line.token, every(decided).by)


def checks_of(server: model.Server) -> tuple[body.ArgumentCheck, ...]:
    """The arguments that must equal a field."""
    return tuple(body.ArgumentCheck(a.name, a.field) for a in server.arguments if a.mode == "check")


def source_of(secret: model.Secret) -> body.SecretSource:
    """Where the runtime finds a secret."""
    match secret.source:
        case model.EnvSource(variable=variable):
            return body.EnvSource(variable)
        case model.FileSource(path=path):
            return body.FileSource(path)
        case model.CredentialSource(name=name):
            return body.CredentialSource(name)
        case model.ProviderSource(provider=provider, key=key):
            return body.ProviderSource(provider, key, secret.per)
