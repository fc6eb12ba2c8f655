"""Which tokens are for a server."""

from __future__ import annotations

from mcpx.compiler.model import Program, Token


def tokens_for(program: Program, server: str) -> tuple[Token, ...]:
    """The tokens that are bound to a server, in the order of declaration.

    Args:
        program: the resolved program.
        server: the name of a declared server.
    """
    return tuple(token for token in program.tokens.values() if server in token.servers)
