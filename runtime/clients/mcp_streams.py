"""The transport of mcp 2.x with both ends watched: a message gets its identity in the task of whoever sends it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from contextvars import Context
from dataclasses import replace
from types import TracebackType
from typing import Any, Self
from weakref import WeakValueDictionary

from mcp.client import Transport
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCMessage, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse, RequestId

from mcpx.runtime.clients.core import Carried, Operation, SessionRoute, carried_here, carrying
from mcpx.runtime.clients.mcp_http import IdentityClient


def identified_transport(route: SessionRoute, http_client: IdentityClient, ended: Callable[[], None]) -> Transport:
    """A streamable HTTP transport whose messages carry what `route` says.

    Args:
        route: decides it.
        http_client: puts it on the requests.
        ended: called when the transport can no longer answer anybody.
    """
    return _transport(route, http_client, ended)


@asynccontextmanager
async def _transport(
    route: SessionRoute, http_client: IdentityClient, ended: Callable[[], None]
) -> AsyncIterator[tuple[_Inbound, _Outbound]]:
    # Events are bounded by the HTTP client.
    async with streamable_http_client(route.endpoint.url, http_client=http_client, max_sse_event_size=None) as (
        inbound,
        outbound,
    ):
        yield _Inbound(inbound, route, ended), _Outbound(outbound, route)


class _Outbound:
    """The write end. `send` runs in the caller's task, so that what it raises is the caller's alone."""

    def __init__(self, inner: Any, route: SessionRoute) -> None:
        self._inner = inner
        self._route = route
        self._in_flight: WeakValueDictionary[RequestId, Carried] = WeakValueDictionary()

    async def send(self, item: SessionMessage, /) -> None:
        carried = self._carried_by(item.message)
        if carried is not None:
            with carrying(carried):
                await self._inner.send(_with_params(item, carried))

    def _carried_by(self, message: JSONRPCMessage) -> Carried | None:
        """What a message carries; None when there is nothing left to cancel.

        An answer carries what the request that it answers came in on: the call's stream, or the session's own. A
        cancellation carries what the cancelled request did, whatever run is bound by now.
        """
        match message:
            case JSONRPCRequest(id=request_id, method=method, params=params):
                carried = self._route.carry(method, request_id, params)
                if method == "tools/list":
                    self._route.schemas.asked(request_id)
                self._in_flight[request_id] = carried
                return carried
            case JSONRPCNotification(method="notifications/cancelled", params=params):
                cancelled = self._in_flight.get((params or {}).get("requestId", ""))
                self._route.schemas.forget((params or {}).get("requestId"))
                if cancelled is None:
                    return None
                return replace(cancelled, request_id=None, operation=Operation(), params=None)
            case JSONRPCNotification(method=method, params=params):
                return self._route.carry(method, params=params)
            case _:
                asked = carried_here()
                if asked is None:
                    return Carried(Operation())
                return replace(asked, request_id=None, in_order=False, params=None)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _with_params(item: SessionMessage, carried: Carried) -> SessionMessage:
    """The message with the params that it is to carry; a cancellation and an answer keep their own."""
    match item.message:
        case JSONRPCRequest(params=params) | JSONRPCNotification(params=params) if carried.params is not None:
            if carried.params != params:
                return replace(item, message=item.message.model_copy(update={"params": dict(carried.params)}))
    return item


class _Inbound:
    """The read end, which knows when the transport is over, and reads along what tools there are."""

    def __init__(self, inner: Any, route: SessionRoute, ended: Callable[[], None]) -> None:
        self._inner = inner
        self._route = route
        self._ended = ended

    @property
    def last_context(self) -> Context | None:
        """The context in which the last message came in: the SDK runs what handles the message in it."""
        context: Context | None = self._inner.last_context
        return context

    async def receive(self) -> SessionMessage | Exception:
        return self._shown(await self._inner.receive())

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        return self._shown(await self._inner.__anext__())

    def _shown(self, item: SessionMessage | Exception) -> SessionMessage | Exception:
        match item:
            case SessionMessage(message=JSONRPCResponse(id=request_id, result=result) as message):
                shown = self._route.schemas.answered(request_id, result)
                if shown is not None:
                    return replace(item, message=message.model_copy(update={"result": shown}))
            case SessionMessage(message=JSONRPCError(id=request_id)):
                self._route.schemas.forget(request_id)
        return item

    async def aclose(self) -> None:
        self._ended()
        await self._inner.aclose()

    async def __aenter__(self) -> Self:
        await self._inner.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
