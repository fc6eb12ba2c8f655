"""What opens a session, once Cedar has decided: which headers go on its requests, and whether a credential is there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from mcpx.compiler import model
from mcpx.compiler.cedar.decision import Decision, Decisions
from mcpx.compiler.cedar.diagrams import fields_of
from mcpx.compiler.check.flows import references, way_decision
from mcpx.compiler.credentials import session_credential_of
from mcpx.compiler.model import SESSION
from mcpx.compiler.placement import requests_of
from mcpx.compiler.report import session_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic


class Placement:
    """On which requests headers go, once Cedar has decided."""

    def __init__(self, program: model.Program, decisions: Decisions) -> None:
        """Nothing is known yet of any header."""
        self._program = program
        self._decisions = decisions
        self._by_everybody: dict[tuple[str, str], bool] = {}

    def of(self, header: model.Header, agent: str, server: model.Server) -> Literal["session", "calls"]:
        """For one row; on the requests of a shared session only if each agent that uses the server may send it."""
        decided = way_decision(header, agent, server.name, self._program, self._decisions)
        where = requests_of(header, agent, server, self._program, fields_of(decided.guard))
        shared = where == "session" and server.session.kind == "shared"
        return "calls" if shared and not self._everybody(header, server) else where

    def _everybody(self, header: model.Header, server: model.Server) -> bool:
        key = (server.name, header.via)
        if key not in self._by_everybody:
            self._by_everybody[key] = all(
                way_decision(header, agent, server.name, self._program, self._decisions).always
                for agent in self._program.users[server.name]
            )
        return self._by_everybody[key]


def check_handshakes(program: model.Program, decisions: Decisions) -> Iterator[Diagnostic]:
    """The session of every server that some agent uses."""
    placement = Placement(program, decisions)
    for server in program.servers.values():
        users = program.users[server.name]
        if not users:
            continue
        line = session_credential_of(program, server.name)
        if line is not None:
            yield from _presented(line, server, users, decisions)
            drawing = (h for h in server.headers if any(isinstance(p, model.CredentialPart) for p in h.parts))
            if not any(placement.of(header, users[0], server) == "session" for header in drawing):
                yield say.unused_session_credential(line, server)
        yield from _bare(server, program, decisions, placement)


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
    server: model.Server, program: model.Program, decisions: Decisions, placement: Placement
) -> Iterator[Diagnostic]:
    """A session whose requests carry no credential for some agent, although the agent's calls do; told once."""
    carrying = [(header, part) for header in server.headers if (part := _proof(header)) is not None]
    for agent in program.users[server.name]:
        sent = [(header, part) for header, part in carrying if _sends(header, agent, server.name, program, decisions)]
        if sent and all(placement.of(header, agent, server) == "calls" for header, _ in sent):
            yield say.bare_handshake(server, sent[0][1])
            return


def _proof(header: model.Header) -> model.CredentialPart | model.SecretPart | model.TokenPart | None:
    proofs = (p for p in header.parts if isinstance(p, model.CredentialPart | model.SecretPart | model.TokenPart))
    return next(proofs, None)


def _sends(header: model.Header, agent: str, server: str, program: model.Program, decisions: Decisions) -> bool:
    return all(decision.permitted for _, decision in references(header, agent, server, program, decisions))
