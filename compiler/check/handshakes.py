"""What opens a session, once Cedar has decided: which headers go on its requests, and whether a credential is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from mcpx.compiler import model
from mcpx.compiler.cedar.decision import Decision, Decisions, every
from mcpx.compiler.cedar.diagrams import fields_of
from mcpx.compiler.check.flows import references
from mcpx.compiler.credentials import session_credential_of
from mcpx.compiler.model import SESSION
from mcpx.compiler.placement import requests_of
from mcpx.compiler.report import session_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic


def placed(
    header: model.Header, agent: str, server: model.Server, program: model.Program, decisions: Decisions
) -> Literal["session", "calls"]:
    """On which requests a header of one row goes; on those of a shared session only if each of its agents may send it.

    Args:
        header: of the server.
        agent: of the row.
        server: of the row.
        program: the program.
        decisions: what Cedar decided.
    """
    decided = every([decision for _, decision in references(header, agent, server.name, program, decisions)])
    where = requests_of(header, agent, server, program, fields_of(decided.guard))
    if where == "session" and server.session.kind == "shared":
        everybody = (_decided(header, one, server.name, program, decisions) for one in _users(server, program))
        return "session" if all(decision.always for one in everybody for decision in one) else "calls"
    return where


def check_handshakes(program: model.Program, decisions: Decisions) -> Iterator[Diagnostic]:
    """The session of every server that some agent uses."""
    for server in program.servers.values():
        users = _users(server, program)
        if not users:
            continue
        line = session_credential_of(program, server.name)
        if line is not None:
            yield from _presented(line, server, users, decisions)
            drawing = (h for h in server.headers if any(isinstance(p, model.CredentialPart) for p in h.parts))
            if not any(placed(header, users[0], server, program, decisions) == "session" for header in drawing):
                yield say.unused_session_credential(line, server)
        yield from _bare(server, users, program, decisions)


def session_decision(line: model.SessionCredential, agent: str, server: str, decisions: Decisions) -> Decision:
    """Whether an agent may open a shared session with what the line gives it."""
    if line.secret is not None:
        return decisions.present[agent, server, line.secret, SESSION]
    return decisions.attach[agent, server, SESSION]


def _presented(
    line: model.SessionCredential, server: model.Server, users: tuple[str, ...], decisions: Decisions
) -> Iterator[Diagnostic]:
    stopped: dict[tuple[str, ...], list[str]] = {}
    for agent in users:
        decision = session_decision(line, agent, server.name, decisions)
        if decision.permitted and not decision.always:
            yield say.hangs_on_run(line, agent, server.name, [decisions.policies[name] for name in decision.by])
        elif not decision.permitted:
            stopped.setdefault(decision.by, []).append(agent)
    for by, agents in stopped.items():
        yield say.denied(line, agents, server.name, [decisions.policies[name] for name in by])


def _bare(
    server: model.Server, users: tuple[str, ...], program: model.Program, decisions: Decisions
) -> Iterator[Diagnostic]:
    """A session whose requests carry no credential for some agent, although the agent's calls do; told once."""
    for agent in users:
        carrying = [(header, part) for header in server.headers if (part := _proof(header)) is not None]
        sent = [(header, part) for header, part in carrying if _sends(header, agent, server.name, program, decisions)]
        if sent and all(placed(header, agent, server, program, decisions) == "calls" for header, _ in sent):
            yield say.bare_handshake(server, sent[0][1])
            return


def _proof(header: model.Header) -> model.CredentialPart | model.SecretPart | model.TokenPart | None:
    proofs = (p for p in header.parts if isinstance(p, model.CredentialPart | model.SecretPart | model.TokenPart))
    return next(proofs, None)


def _sends(header: model.Header, agent: str, server: str, program: model.Program, decisions: Decisions) -> bool:
    return all(decision.permitted for decision in _decided(header, agent, server, program, decisions))


def _decided(
    header: model.Header, agent: str, server: str, program: model.Program, decisions: Decisions
) -> tuple[Decision, ...]:
    return tuple(decision for _, decision in references(header, agent, server, program, decisions))


def _users(server: model.Server, program: model.Program) -> tuple[str, ...]:
    return tuple(agent.name for agent in program.agents.values() if server.name in agent.uses)
