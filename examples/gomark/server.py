"""A real MCP server with documents of two tenants. It trusts the credential and the tenant header, and no argument.

`mcpx demo` starts it on a free loopback port. `serve` can be used by hand as well.
"""

from __future__ import annotations

import hmac
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from mcp.server import MCPServer
from mcp.server.mcpserver import Context

DOCUMENTS = {
    "acme": ("acme: invoice 2041, 12 anvils", "acme: contract with Roadrunner Ltd"),
    "globex": ("globex: invoice 7, one weather machine", "globex: plans for the east coast"),
}

_Scope = MutableMapping[str, Any]
_App = Callable[[_Scope, Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Awaitable[None]]


@dataclass(frozen=True)
class Answer:
    """What `search` answers: the tenant that the server saw, and that tenant's documents."""

    tenant: str
    documents: list[str]


@dataclass
class Door:
    """In front of the server: answers 401 without the credential, and notes the headers of every request it lets in."""

    inner: _App
    credential: str
    seen: list[dict[str, str]] = field(default_factory=list)

    async def __call__(
        self, scope: _Scope, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
    ) -> None:
        """One ASGI event."""
        if scope["type"] == "http":
            headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
            presented = headers.get("authorization", "")
            if not hmac.compare_digest(presented.encode(), f"Bearer {self.credential}".encode()):
                await send(
                    {"type": "http.response.start", "status": 401, "headers": [(b"www-authenticate", b"Bearer")]}
                )
                await send({"type": "http.response.body", "body": b""})
                return
            self.seen.append(headers)
        await self.inner(scope, receive, send)


def knowledge_base() -> MCPServer:
    """The MCP server: one tool, scoped by the header `X-Tenant-Id` of the request that calls it."""
    server = MCPServer("gomark", log_level="WARNING")

    @server.tool()
    async def search(q: str, context: Context[Any, Any], tenant_id: str = "") -> Answer:
        """Find documents. `tenant_id` is what a model may make up: it is ignored."""
        tenant = (context.headers or {})["x-tenant-id"]
        return Answer(tenant, [text for text in DOCUMENTS[tenant] if q in text])

    return server


@contextmanager
def serve(credential: str) -> Iterator[tuple[str, Door]]:
    """Run the server on a free loopback port, in a thread.

    Yields:
        Its origin, such as `http://127.0.0.1:40123`, and the door, which knows the headers of every request.
    """
    door = Door(knowledge_base().streamable_http_app(), credential)
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(door, log_level="warning", lifespan="on")
    runner = uvicorn.Server(config)
    thread = threading.Thread(target=runner.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", door
    finally:
        runner.should_exit = True
        thread.join(timeout=10)
        listener.close()
