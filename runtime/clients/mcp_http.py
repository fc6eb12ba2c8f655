"""The HTTP client below a session of mcp 2.x: puts on each request what its message carries, and contains failures.

An exception that reached the SDK's transport would end the session for everybody (seen in 2.3.0), so a failed request
is answered with a JSON-RPC error for its own id, and the failure itself goes to the caller's operation.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import ssl
from collections.abc import AsyncIterator, Callable, Mapping
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import anyio
import httpx2
from mcp_types import INTERNAL_ERROR, JSONRPCError
from pydantic import ValidationError

from mcpx.runtime.clients.core import Carried, Operation, SessionRoute, carried_here
from mcpx.runtime.clients.mcp_answers import MAX_MESSAGE_BYTES, EventFilter, UnusableEventError, json_fault
from mcpx.runtime.errors import (
    AnswerUnusable,
    CallFailed,
    CallRefused,
    CallTimedOut,
    ConnectionFailed,
    RedirectRefused,
    ServerRefused,
)

_EVENTS = "text/event-stream"
_SESSION_ID = "mcp-session-id"
_PROTOCOL_ANSWERS = frozenset({400, 404})


class IdentityClient(httpx2.AsyncClient):
    """An HTTP client for one session and one origin: no redirects, no cookies, no proxy of the environment.

    Overriding `send` is a public place, sees each request of the transport once, and is below everything that could
    still change headers. An event stream may be silent for as long as it likes: the SDK's own clock ends a request, and
    stops that clock while a person is asked.

    Args:
        route: decides what requests carry.
        timeout: seconds to connect, to write, and for an answer to begin that no caller waits for.
        headers: the host's own, on every request.
        ssl_context: None for the certificates that httpx2 trusts.
        session_lost: called when the server no longer knows the session.
    """

    def __init__(
        self,
        route: SessionRoute,
        *,
        timeout: float,
        headers: Mapping[str, str],
        ssl_context: ssl.SSLContext | None,
        session_lost: Callable[[], None],
    ) -> None:
        super().__init__(
            headers=dict(headers),
            timeout=httpx2.Timeout(timeout, read=None),
            verify=True if ssl_context is None else ssl_context,
            trust_env=False,
            follow_redirects=False,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            limits=httpx2.Limits(max_connections=None, max_keepalive_connections=100),
        )
        self._route = route
        self._patience = timeout
        self._session_lost = session_lost
        self._deliveries: set[asyncio.Task[None]] = set()

    async def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """Send a request of the transport with the headers that its message carries.

        Returns:
            The server's answer, its body unread where it is a stream; or one made here: a JSON-RPC error (HTTP status
            200) for a request that failed, 202 for a message that needs no answer.

        Raises:
            CallFailed: a GET or DELETE failed; the transport contains that itself.
            CallRefused: a header of the session cannot be built now, for a GET or DELETE.
        """
        carried = carried_here()
        if request.method != "POST":
            return await self._sent(request, carried)
        request_id = _request_id(request)
        # Checked and not trusted: an SDK that posted a message in another one's context would mix up runs.
        if carried is None or carried.request_id != request_id:
            return _failed(request, request_id, f"a request for server `{self._route.server}` lost track of its caller")
        if request_id is None:
            await self._deliver(request, carried)
            return httpx2.Response(202, request=request)
        try:
            return await self._sent(request, carried)
        except (CallFailed, CallRefused) as failure:
            return _failed(request, request_id, str(failure))

    async def aclose(self) -> None:
        """Close the sockets; what was still being delivered is given up."""
        for delivery in self._deliveries:
            delivery.cancel()
        await asyncio.gather(*self._deliveries, return_exceptions=True)
        await super().aclose()

    async def _deliver(self, request: httpx2.Request, carried: Carried) -> None:
        """Deliver a notification or an answer; the transport waits for it, and all callers for the transport."""
        delivery = asyncio.get_running_loop().create_task(self._delivered(request, carried))
        self._deliveries.add(delivery)
        delivery.add_done_callback(self._deliveries.discard)
        if carried.in_order:
            await delivery

    async def _delivered(self, request: httpx2.Request, carried: Carried) -> None:
        try:
            response = await self._sent(request, carried)
        except (CallFailed, CallRefused):
            return
        await response.aclose()

    async def _sent(self, request: httpx2.Request, carried: Carried | None) -> httpx2.Response:
        operation = Operation() if carried is None else carried.operation
        try:
            response = await self._exchanged(request, carried)
        except (CallFailed, CallRefused) as failure:
            operation.failure = failure
            raise
        if request.method == "GET":
            operation.failure = None  # the stream that had ended is resumed
        if _media_type(response) == _EVENTS:
            # An event stream is UTF-8 whatever its media type says (HTML standard, "Server-sent events").
            response.headers["content-type"] = _EVENTS
            request_id = None if carried is None else carried.request_id
            response.stream = _WatchedStream(response.stream, self._route.server, operation, EventFilter(request_id))
        return response

    async def _exchanged(self, request: httpx2.Request, carried: Carried | None) -> httpx2.Response:
        # Events are looked at as they come, and nothing may unfold to more than was sent (RFC 9110 section 12.5.3).
        request.headers["Accept-Encoding"] = "identity"
        self._route.dress((request.url.scheme, request.url.host, request.url.port), request.headers, carried)
        server = self._route.server
        try:
            with anyio.fail_after(self._limit(carried)):
                response = await super().send(request, stream=True, auth=None, follow_redirects=False)
                if _is_json(response):
                    response.stream = _BoundedStream(response.stream)
                    await response.aread()
        except (TimeoutError, httpx2.TimeoutException):
            raise CallTimedOut(f"server `{server}` did not answer in time") from None
        except _TooLongError:
            await response.aclose()
            raise AnswerUnusable(f"server `{server}` gave an answer longer than {MAX_MESSAGE_BYTES} bytes") from None
        # Whatever it is, it may neither end the session nor show its text, in which a library may quote a header.
        except Exception as error:  # noqa: BLE001
            raise ConnectionFailed(f"the connection to server `{server}` failed: {type(error).__name__}") from None
        if response.status_code < 300:
            await self._require_answer(response, carried)
            return response
        if response.status_code >= 400 and _is_protocol_answer(response, request):
            return response
        await response.aclose()
        if response.status_code >= 400 and request.method == "DELETE":
            return httpx2.Response(response.status_code, request=request)
        if response.status_code == 404 and _SESSION_ID in request.headers:
            self._session_lost()
        raise _refusal(server, response)

    async def _require_answer(self, response: httpx2.Response, carried: Carried | None) -> None:
        """Refuse what is no answer to a request; the events of a stream are looked at as they come."""
        kind = _media_type(response)
        fault: str | None = None
        if not _is_plain(response):
            fault = "has a content coding that was not asked for"
        elif response.request.method == "GET":
            fault = None if kind == _EVENTS else "is no event stream"
        elif response.request.method != "POST" or carried is None or carried.request_id is None:
            return
        elif kind == "application/json":
            fault = json_fault(response.content, carried.request_id)
        elif kind != _EVENTS:
            fault = "is neither JSON nor an event stream"
        if fault is None:
            return
        await response.aclose()
        raise AnswerUnusable(f"server `{self._route.server}` gave an answer that {fault}")

    def _limit(self, carried: Carried | None) -> float | None:
        """Seconds until an answer has begun: behind the SDK's own clock where a caller waits."""
        if carried is None or carried.request_id is None:
            return self._patience
        wait = carried.operation.wait
        return None if wait is None else wait + self._patience


class _WatchedStream(httpx2.AsyncByteStream):
    """An event stream that tells the operation when it ends before its caller has the answer."""

    def __init__(self, inner: Any, server: str, operation: Operation, events: EventFilter) -> None:
        self._inner = inner
        self._server = server
        self._operation = operation
        self._events = events

    async def __aiter__(self) -> AsyncIterator[bytes]:
        chunks = aiter(self._inner)
        while (chunk := await self._next(chunks)) is not None:
            yield self._passed(chunk)
        self._operation.failure = ConnectionFailed(f"server `{self._server}` ended the stream without an answer")

    @staticmethod
    async def _next(chunks: AsyncIterator[bytes]) -> bytes | None:
        with contextlib.suppress(httpx2.HTTPError):
            return await anext(chunks, None)
        return None

    def _passed(self, chunk: bytes) -> bytes:
        try:
            return self._events.feed(chunk)
        except UnusableEventError as fault:
            self._operation.failure = AnswerUnusable(f"server `{self._server}` sent an event that {fault}")
        # The SDK gives up on this error, and on any other would ask for the rest of the stream again.
        raise httpx2.SSEError("an event was refused")

    async def aclose(self) -> None:
        await self._inner.aclose()


class _TooLongError(Exception):
    """A body is longer than any message may be."""


class _BoundedStream(httpx2.AsyncByteStream):
    """A body that may be as long as a message."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def __aiter__(self) -> AsyncIterator[bytes]:
        read = 0
        async for chunk in self._inner:
            read += len(chunk)
            if read > MAX_MESSAGE_BYTES:
                raise _TooLongError
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


def _request_id(request: httpx2.Request) -> int | str | None:
    """The JSON-RPC id of the request in a POST; None for a notification or an answer."""
    message = json.loads(request.content)
    found: int | str | None = message.get("id") if "method" in message else None
    return found


def _failed(request: httpx2.Request, request_id: int | str | None, text: str) -> httpx2.Response:
    if request_id is None:
        return httpx2.Response(202, request=request)
    error = {"code": INTERNAL_ERROR, "message": text}
    return httpx2.Response(200, json={"jsonrpc": "2.0", "id": request_id, "error": error}, request=request)


def _is_plain(response: httpx2.Response) -> bool:
    return response.headers.get("content-encoding", "identity").strip().lower() == "identity"


def _is_json(response: httpx2.Response) -> bool:
    return _is_plain(response) and _media_type(response) == "application/json"


def _media_type(response: httpx2.Response) -> str:
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def _is_protocol_answer(response: httpx2.Response, request: httpx2.Request) -> bool:
    """Whether an HTTP error is MCP's own spelling of a JSON-RPC error (2026-07-28, streamable HTTP, error statuses)."""
    if response.status_code not in _PROTOCOL_ANSWERS or not _is_json(response):
        return False
    if response.status_code == 404 and _SESSION_ID in request.headers:
        return False
    try:
        JSONRPCError.model_validate_json(response.content)
    except ValidationError:
        return False
    return True


def _refusal(server: str, response: httpx2.Response) -> CallFailed:
    status = response.status_code
    if status >= 400:
        return ServerRefused(f"server `{server}` answered with HTTP status {status}", status)
    return RedirectRefused(
        f"server `{server}` answered with a redirect ({status}) to {_target(response)}; it was not followed"
    )


def _target(response: httpx2.Response) -> str:
    """The origin of the redirect's target; nothing else of it, since paths and queries can hold state."""
    try:
        url = response.request.url.join(response.headers["location"])
    except (KeyError, httpx2.InvalidURL):
        return "a place that it does not name"
    return f"{url.scheme}://{url.netloc.decode('ascii')}"
