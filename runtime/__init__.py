"""The runtime of mcpx: loads a routing table and gives each call the headers of its own run.

    router = Router.load("app.mcpxc")
    run = router.run("analyst", verified={"tenant": "acme"})
    run.headers("crm")

Clients that put these headers on a connection live in `mcpx.runtime.clients`.
"""

from __future__ import annotations

from mcpx.runtime.binding import current_run, require_run
from mcpx.runtime.calls import Call
from mcpx.runtime.endpoints import Endpoint
from mcpx.runtime.errors import (
    AnswerUnusable,
    ArgumentRefused,
    CallFailed,
    CallRefused,
    CallTimedOut,
    ConfigurationError,
    ConnectionFailed,
    HeaderRefused,
    McpxError,
    NoRoute,
    RedirectRefused,
    RunRefused,
    RunRequired,
    SecretUnavailable,
    ServerRefused,
    TableError,
)
from mcpx.runtime.redacted import Headers, Secret
from mcpx.runtime.router import Router
from mcpx.runtime.run import Run, run_as

__all__ = [
    "AnswerUnusable",
    "ArgumentRefused",
    "Call",
    "CallFailed",
    "CallRefused",
    "CallTimedOut",
    "ConfigurationError",
    "ConnectionFailed",
    "Endpoint",
    "HeaderRefused",
    "Headers",
    "McpxError",
    "NoRoute",
    "RedirectRefused",
    "Router",
    "Run",
    "RunRefused",
    "RunRequired",
    "Secret",
    "SecretUnavailable",
    "ServerRefused",
    "TableError",
    "current_run",
    "require_run",
    "run_as",
]
