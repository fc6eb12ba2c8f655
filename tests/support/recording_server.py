"""A real MCP server on a loopback port that records every HTTP request line by line, and can be told to misbehave."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Self

import uvicorn
from mcp.server.caching import CacheHint
from mcp.server.mcpserver import Context, Elicit, ElicitationResult, MCPServer, Resolve
from mcp_types import Completion, CompletionArgument, CompletionContext, PromptReference, ResourceTemplateReference
from pydantic import BaseModel

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

TENANT = "x-tenant-id"


@dataclass
class Recorded:
    """One HTTP request.

    Attributes:
        verb: the HTTP method.
        headers: lower-case names and values, line by line, in order.
        body: the JSON-RPC message, empty where there is none.
        status: the status of the answer; None until it has begun.
    """

    verb: str
    path: str
    headers: list[tuple[str, str]]
    body: dict[str, Any]
    status: int | None = None

    @property
    def method(self) -> str | None:
        """The JSON-RPC method."""
        return self.body.get("method")

    @property
    def is_answer(self) -> bool:
        """Whether it answers a request of the server."""
        return "result" in self.body or "error" in self.body

    @property
    def tenant(self) -> str | None:
        """The one tenant that it names."""
        return self.value(TENANT)

    def lines(self, name: str) -> list[str]:
        """Every line of a header."""
        return [value for found, value in self.headers if found == name.lower()]

    def value(self, name: str) -> str | None:
        """The value of a header that has at most one line."""
        lines = self.lines(name)
        assert len(lines) <= 1, f"{name} stands {len(lines)} times"
        return lines[0] if lines else None


@dataclass
class Fault:
    """What happens to requests that `matches` picks, instead of the server's answer.

    Attributes:
        status: answer with this status, `headers` and `body`.
        silent: never answer.
        drop: close the connection, before anything or in the middle of a JSON body.
        adorn: let the server answer, with these headers added.
        times: how often.
    """

    matches: Callable[[Recorded], bool]
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    silent: bool = False
    drop: str | None = None
    adorn: bool = False
    times: int = 1_000_000


class Opinion(BaseModel):
    """What the elicitation asks for."""

    fine: bool


async def _opinion() -> Elicit[Opinion]:
    return Elicit("fine?", Opinion)


def _tenant(context: Context[Any, Any]) -> str:
    return (context.headers or {}).get(TENANT, "")


def _tools() -> MCPServer:
    server: MCPServer = MCPServer(
        "recording", cache_hints={"resources/read": CacheHint(ttl_ms=60_000, scope="private")}
    )

    @server.tool()
    async def echo(context: Context[Any, Any], text: str = "") -> str:
        return f"{_tenant(context)}:{text}"

    @server.tool()
    async def slow(context: Context[Any, Any], seconds: float) -> str:
        await context.report_progress(0, 1, _tenant(context))
        await asyncio.sleep(seconds)
        return _tenant(context)

    @server.tool()
    async def ask(context: Context[Any, Any]) -> str:
        answer = await context.elicit("fine?", Opinion)
        return f"{_tenant(context)}:{answer.action}"

    @server.tool()
    async def ask_aside(context: Context[Any, Any]) -> str:
        """Asks on the session's own stream and not on the call's."""
        answer = await context.request_context.session.elicit_form("fine?", Opinion.model_json_schema())
        return f"{_tenant(context)}:{answer.action}"

    @server.tool()
    async def wonder(
        context: Context[Any, Any], answer: Annotated[ElicitationResult[Opinion], Resolve(_opinion)]
    ) -> str:
        """Asks as the stateless protocol does: the call is answered with the question and made again."""
        return f"{_tenant(context)}:{answer.action}"

    @server.resource("memo://{name}")
    def memo(name: str, context: Context[Any, Any]) -> str:
        return f"{name} of {_tenant(context)}"

    @server.prompt()
    def greet(name: str) -> str:
        return f"hello {name}"

    @server.completion()
    async def complete(
        ref: PromptReference | ResourceTemplateReference,
        argument: CompletionArgument,
        context: CompletionContext | None,
    ) -> Completion | None:
        return Completion(values=[f"{argument.value}!"])

    return server


class RecordingServer:
    """The server, in a thread of its own. Entering starts it, leaving stops it.

    Args:
        json_response: answer with JSON and not with an event stream.
    """

    def __init__(self, *, json_response: bool = False) -> None:
        self._json_response = json_response
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._socket.close()
        self.requests: list[Recorded] = []
        self.faults: list[Fault] = []

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/mcp"

    def of(self, method: str) -> list[Recorded]:
        """The requests with a JSON-RPC method."""
        return [request for request in self.requests if request.method == method]

    def clear(self) -> None:
        """Forget all requests and faults."""
        self.requests.clear()
        self.faults.clear()

    def fail(self, matches: Callable[[Recorded], bool], **what: Any) -> None:
        """Let the requests that `matches` picks fail; see `Fault`."""
        self.faults.append(Fault(matches, **what))

    def fail_call_of(self, tenant: str, **what: Any) -> None:
        """Let the tool calls of a tenant fail; see `Fault`."""
        self.fail(lambda request: request.method == "tools/call" and request.tenant == tenant, **what)

    def start(self) -> None:
        self._app = _tools().streamable_http_app(json_response=self._json_response)
        config = uvicorn.Config(
            self._handle,
            host="127.0.0.1",
            port=self.port,
            interface="asgi3",
            lifespan="on",
            ws="none",
            proxy_headers=False,
            log_level="critical",
            timeout_graceful_shutdown=0,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive()
            threading.Event().wait(0.005)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join(timeout=10)
        assert not self._thread.is_alive()

    def restart(self) -> None:
        """The same place, a server that knows no session of the old one."""
        self.stop()
        self.start()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    async def _handle(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        content = b""
        more = scope["method"] == "POST"
        while more:
            part = await receive()
            content += part.get("body", b"")
            more = part.get("more_body", False)
        headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        request = Recorded(scope["method"], scope["path"], headers, json.loads(content) if content else {})
        self.requests.append(request)
        fault = next((found for found in self.faults if found.times > 0 and found.matches(request)), None)
        if fault is not None:
            fault.times -= 1
            if not fault.adorn:
                await self._misbehave(fault, request, receive, send)
                return

        async def replay() -> Message:
            nonlocal content
            if content is not None:
                body, content = content, None  # type: ignore[assignment]
                return {"type": "http.request", "body": body, "more_body": False}
            return await receive()

        async def noted(message: Message) -> None:
            if message["type"] == "http.response.start":
                request.status = message["status"]
                if fault is not None:
                    message["headers"] = [*message["headers"], *_raw(fault.headers)]
            await send(message)

        await self._app(scope, replay, noted)

    async def _misbehave(self, fault: Fault, request: Recorded, receive: Receive, send: Send) -> None:
        if fault.silent:
            while (await receive())["type"] != "http.disconnect":
                pass
            return
        if fault.drop is not None:
            if fault.drop == "within":
                headers = {"content-type": "application/json", "content-length": "100"}
                await send({"type": "http.response.start", "status": 200, "headers": _raw(headers)})
                await send({"type": "http.response.body", "body": b'{"jsonrpc"', "more_body": True})
                await asyncio.sleep(0.05)
            receive.__self__.transport.abort()  # type: ignore[attr-defined]
            return
        request.status = fault.status
        headers = {"content-length": str(len(fault.body)), **fault.headers}
        await send({"type": "http.response.start", "status": fault.status, "headers": _raw(headers)})
        await send({"type": "http.response.body", "body": fault.body})


def _raw(headers: dict[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
