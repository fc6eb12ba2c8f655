"""Audiences: whom the tokens for a server are for (RFC 8707 section 2, MCP "Canonical Server URI")."""

from __future__ import annotations

from collections.abc import Iterator

from mcpx.compiler import model
from mcpx.compiler.report import token_errors
from mcpx.compiler.report.diagnostic import Diagnostic


def check_audiences(program: model.Program) -> Iterator[Diagnostic]:
    """No audience has a query, and no two servers that say theirs share it; the rest is checked with the addresses."""
    first: dict[str, model.Server] = {}
    for server in program.servers.values():
        if server.audience is not None and "?" in server.audience.text:
            yield token_errors.not_https("audience", server.audience.span, "has a query")
        known = first.setdefault(_audience(server), server)
        told = server.audience or known.audience
        # Two names for one address are one receiver, whatever it is called.
        if known is not server and told is not None:
            yield token_errors.one_audience(server, known, (server.audience or server.url).span)


def _audience(server: model.Server) -> str:
    return server.audience.text if server.audience is not None else server.url.text.partition("?")[0]
