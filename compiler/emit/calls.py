"""What a table says of sessions, of the params of calls, and of where secrets are."""

from __future__ import annotations

from collections.abc import Callable

from mcpx.compiler import model
from mcpx.compiler.cedar.decision import Decisions, every
from mcpx.compiler.check.flows import references
from mcpx.compiler.check.handshakes import session_decision
from mcpx.compiler.credentials import session_credential_of
from mcpx.compiler.emit.guards import GuardPool
from mcpx.runtime import body


def call_plan(
    agent: str,
    server: model.Server,
    program: model.Program,
    decisions: Decisions,
    part: Callable[[model.Part], body.Part],
    guards: GuardPool,
) -> body.CallPlan | None:
    """What the calls of one row carry in their params; nothing where they carry nothing.

    Args:
        agent: of the row.
        server: of the row.
        program: the program.
        decisions: what Cedar decided.
        part: a part of a value, as the table has it.
        guards: those of the table.
    """
    metas = []
    for meta in server.metas:
        decided = every([decision for _, decision in references(meta, agent, server.name, program, decisions)])
        parts = tuple(map(part, meta.parts))
        metas.append(body.MetaStep(meta.key, parts, meta.optional, guards.id_of(decided.guard), decided.by))
    arguments = [
        body.ArgumentStep(a.name, a.field, decisions.send[agent, server.name, a.field, a.via].by)
        for a in server.arguments
        if a.mode == "set"
    ]
    return body.CallPlan(tuple(metas), tuple(arguments)) if metas or arguments else None


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
    agents = [agent.name for agent in program.agents.values() if server.name in agent.uses]
    decided = [session_decision(line, agent, server.name, decisions) for agent in agents]
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
