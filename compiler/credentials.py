"""Which credential lines speak for an agent at a server."""

from __future__ import annotations

from mcpx.compiler.model import CredentialLine, Program, SessionCredential


def credential_of(program: Program, agent: str, server: str) -> tuple[CredentialLine, ...]:
    """The narrowest `credential` lines for the pair: a line that names the agent beats the lines of its groups.

    Args:
        program: the resolved program.
        agent: the name of a declared agent.
        server: the name of a declared server.

    Returns:
        No line where the pair has no credential, one where it has exactly that one, several where equally narrow lines
        compete, which nothing may settle by choosing.
    """
    for_server = program.lines_to.get(server, ())
    own = tuple(line for line in for_server if agent in line.holders)
    groups = frozenset(program.agents[agent].groups)
    return own or tuple(line for line in for_server if groups.intersection(line.holders))


def session_credential_of(program: Program, server: str) -> SessionCredential | None:
    """What `credential` stands for on the session requests of a `shared` session.

    Args:
        program: the resolved program; no server of it has two such lines.
        server: the name of a declared server.
    """
    return program.sessions_to.get(server)
