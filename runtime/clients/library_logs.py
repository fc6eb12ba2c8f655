"""The client libraries' log records about routed requests, which are not written.

At some level they print whole messages, header lines, reason phrases, media types and session ids, so what a run sends
and what a server echoes. Everywhere else in the process these libraries log as ever.
"""

from __future__ import annotations

import logging
from typing import Final

from mcpx.runtime.clients.core import in_operation

_TALKATIVE: Final = (
    "client",  # what mcp.client.session calls its logger
    "mcp.client.client",
    "mcp.client.streamable_http",
    "mcp.shared.dispatcher",
    "mcp.shared.jsonrpc_dispatcher",
    "httpx2",
    "httpcore2.connection",
    "httpcore2.http11",
    "httpcore2.http2",
)


def silence() -> None:
    """Drop the libraries' records from now on where a routed request, or the session that it uses, is at work."""
    for name in _TALKATIVE:
        logging.getLogger(name).addFilter(_is_unrouted)


def _is_unrouted(_: logging.LogRecord) -> bool:
    return not in_operation()
