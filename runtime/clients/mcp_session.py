"""One session of the SDK for the pool: how it is opened, and what really ended a request or the handshake."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import mcp_types as types
from mcp import Client, MCPError
from mcp.client.client import ConnectMode

from mcpx.runtime.clients.core import Operation, SessionRoute, operation
from mcpx.runtime.clients.mcp_http import IdentityClient
from mcpx.runtime.clients.mcp_listing import share_listing
from mcpx.runtime.clients.mcp_streams import identified_transport
from mcpx.runtime.clients.pool import PooledSession
from mcpx.runtime.errors import CallTimedOut, ConnectionFailed, McpxError
from mcpx.runtime.router import Router
from mcpx.runtime.sessions import SessionKey


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOptions:
    """What `connect` was told, whose docstring explains each; `client` goes to `mcp.Client` as it is."""

    mode: ConnectMode
    timeout: float
    read_timeout_seconds: float | None
    headers: Mapping[str, str] = field(repr=False)
    ssl_context: ssl.SSLContext | None
    client: Mapping[str, Any]


@asynccontextmanager
async def opened(
    router: Router, key: SessionKey, options: SessionOptions, pooled: PooledSession[Client]
) -> AsyncIterator[Client]:
    """The SDK's client for one session key, opened and closed in the task that this runs in.

    Args:
        router: where the session's headers come from.
        key: of the session.
        options: how to open it.
        pooled: hears when the session can serve no longer.

    Raises:
        McpxError: whatever ended the handshake or the session.
    """
    with operation(options.timeout) as current:
        try:
            route = SessionRoute(router, key)
            http_client = IdentityClient(
                route,
                timeout=options.timeout,
                headers=options.headers,
                ssl_context=options.ssl_context,
                session_lost=pooled.retire,
            )
            client = Client(
                identified_transport(route, http_client, pooled.end),
                mode=options.mode,
                read_timeout_seconds=options.read_timeout_seconds,
                cache=None,
                **options.client,
            )
            async with aclosing(http_client):
                # No scope of anyio: the client opens scopes of its own here that outlive this block.
                async with asyncio.timeout(options.timeout):
                    await client.__aenter__()
                share_listing(client.session, partial(failures_named, key.server, "tools/list", pooled=pooled))
                try:
                    yield client
                finally:
                    await client.__aexit__(None, None, None)
        # The handshake has no caller of its own: whatever ends it is told to all that wait for the session.
        except Exception as error:  # noqa: BLE001
            raise _why_not_open(key.server, error, current) from None


@contextmanager
def failures_named(server: str, method: str, current: Operation, pooled: PooledSession[Client]) -> Iterator[None]:
    """Raise what really ended a request in the place of the error that kept the SDK's session alive.

    Args:
        server: the server's name.
        method: the JSON-RPC method of the request.
        current: the operation that it belongs to.
        pooled: the session that it was sent on.

    Raises:
        CallFailed: instead of an `MCPError` that was not the server's own.
    """
    try:
        yield
    except MCPError as error:
        failure = current.failure
        if failure is None and _is_timeout(error):
            failure = CallTimedOut(f"server `{server}` did not answer `{method}` in time")
        if failure is None and pooled.ended and error.code == types.CONNECTION_CLOSED:
            failure = ConnectionFailed(f"the connection to server `{server}` was lost before `{method}` was answered")
        if failure is None:
            raise
        raise failure from None


def _is_timeout(error: MCPError) -> bool:
    """Whether the SDK's own clock ran out; a server may use the same code for something else."""
    return error.code == types.REQUEST_TIMEOUT and isinstance(error.__context__, TimeoutError)


def _why_not_open(server: str, error: Exception, current: Operation) -> McpxError:
    if current.failure is not None:
        return current.failure
    cause: BaseException = error
    while isinstance(cause, BaseExceptionGroup):
        cause = cause.exceptions[0]
    if isinstance(cause, McpxError):
        return cause
    if isinstance(cause, TimeoutError) or (isinstance(cause, MCPError) and _is_timeout(cause)):
        return CallTimedOut(f"server `{server}` did not finish the handshake in time")
    if isinstance(cause, MCPError):
        return ConnectionFailed(f"server `{server}` answered the handshake with JSON-RPC error {cause.code}")
    return ConnectionFailed(f"the session to server `{server}` could not be opened: {type(cause).__name__}")
