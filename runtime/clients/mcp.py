"""The adapter for the MCP Python SDK 2.x: one connection, shared by all runs, each call with its own run's headers.

    async with connect(router, "gomark") as client:
        async with run:
            await client.call_tool("search", {"q": "invoices"})

Everything of the SDK that it builds on is public. The SDK hands the sender's context to the task that posts a message
(since 2.0), and follows no redirect to another origin (since 2.2); older releases are refused when this is imported.
"""

from __future__ import annotations

import ssl
import traceback
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from types import TracebackType
from typing import Any, Self, TypeVar

from mcpx.runtime.clients.versions import require_mcp_2

require_mcp_2()

# ruff: noqa: E402
import mcp_types as types
from mcp import Client
from mcp.client.client import ConnectMode
from mcp.client.session import ElicitationFnT, ListRootsFnT, LoggingFnT, MessageHandlerFnT, SamplingFnT
from mcp.client.subscriptions import Subscription
from mcp.shared.dispatcher import ProgressFnT
from pydantic import BaseModel, ValidationError

from mcpx.runtime.clients import library_logs
from mcpx.runtime.clients.core import admit, has_asked, operation
from mcpx.runtime.clients.defaults import check_default_headers
from mcpx.runtime.clients.mcp_session import SessionOptions, failures_named, opened
from mcpx.runtime.clients.pool import SessionPool
from mcpx.runtime.errors import AnswerUnusable, ConfigurationError
from mcpx.runtime.router import Router

library_logs.silence()

T = TypeVar("T")
ResultT = TypeVar("ResultT", bound=BaseModel)


def connect(
    router: Router,
    server: str,
    *,
    agent: str | None = None,
    mode: ConnectMode = "auto",
    timeout: float = 30.0,
    read_timeout_seconds: float | None = 300.0,
    headers: Mapping[str, str] | None = None,
    ssl_context: ssl.SSLContext | None = None,
    elicitation_callback: ElicitationFnT | None = None,
    sampling_callback: SamplingFnT | None = None,
    sampling_capabilities: types.SamplingCapability | None = None,
    list_roots_callback: ListRootsFnT | None = None,
    logging_callback: LoggingFnT | None = None,
    log_level: types.LoggingLevel | None = None,
    message_handler: MessageHandlerFnT | None = None,
    client_info: types.Implementation | None = None,
) -> RoutedClient:
    """A connection to `server` for all runs of `router`. Opens nothing yet; enter it with `async with`.

    The first request of an agent opens that agent's session, with the session's own headers. Callbacks run in the
    context of the call that the server asks about, and in an empty one for what comes on the session's own stream.

    Args:
        router: where the runs come from.
        server: a server of the table.
        agent: whose session answers `list_tools` and its like outside any run; needed when several agents use the
            server.
        mode: which protocol era to speak, as `mcp.Client` has it.
        timeout: seconds to connect, to write, and for the whole handshake.
        read_timeout_seconds: seconds to wait for an answer where the call says nothing else; None for ever.
        headers: the host's own headers for every request.
        ssl_context: for https; None for the usual certificates.
        elicitation_callback: as `mcp.Client` has it, like all that follow.
        sampling_callback: see there.
        sampling_capabilities: see there.
        list_roots_callback: see there.
        logging_callback: see there.
        log_level: see there.
        message_handler: see there.
        client_info: see there.

    Raises:
        NoRoute: there is no such server, or `agent` does not use it.
        ConfigurationError: `headers` holds a name that the table sets or that belongs to the transport, or the table
            asks for what this adapter cannot do: lists per run on a session of several.
    """
    if agent is not None:
        router.plan(agent, server)
    _require_served(router, server)
    check_default_headers(headers or {}, router.compiled_names(server), server)
    options = SessionOptions(
        mode=mode,
        timeout=timeout,
        read_timeout_seconds=read_timeout_seconds,
        headers=dict(headers or {}),
        ssl_context=ssl_context,
        client={
            "elicitation_callback": elicitation_callback,
            "sampling_callback": sampling_callback,
            "sampling_capabilities": sampling_capabilities,
            "list_roots_callback": list_roots_callback,
            "logging_callback": logging_callback,
            "log_level": log_level,
            "message_handler": message_handler,
            "client_info": client_info,
        },
    )
    return RoutedClient(router, server, agent, options)


def _require_served(router: Router, server: str) -> None:
    if router.discovers_per_run(server) and not router.is_per_run(server):
        # The SDK keeps the tools that were listed last for all callers of a session.
        raise ConfigurationError(f"server `{server}` has `discovery = per run`: this adapter needs `session = per run`")


class RoutedClient:
    """What `connect` gives: the requests of `mcp.Client`, each sent as the run that is bound where it is called.

    Every method but the lists raises, besides what `mcp.Client` raises for the server's own JSON-RPC errors:
    `CallRefused` when nothing was sent (no run is bound, no route, a header refused), and `CallFailed` when there is no
    answer to use (an HTTP error, a redirect, no answer in time, a lost connection). Neither touches any other call.
    """

    def __init__(self, router: Router, server: str, agent: str | None, options: SessionOptions) -> None:
        self._router = router
        self._server = server
        self._agent = agent
        self._options = options
        self._pool: SessionPool[Client] = SessionPool(server)

    def __repr__(self) -> str:
        return f"<RoutedClient for server {self._server}>"

    async def __aenter__(self) -> Self:
        self._pool.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._pool.close()

    async def call_tool(
        self,
        name: str,
        arguments: dict[str, Any] | None = None,
        read_timeout_seconds: float | None = None,
        progress_callback: ProgressFnT | None = None,
        *,
        meta: types.RequestParamsMeta | None = None,
    ) -> types.CallToolResult:
        """Call a tool.

        Args:
            name: of the tool.
            arguments: of the tool.
            read_timeout_seconds: for this call; None for the connection's.
            progress_callback: hears of progress.
            meta: `params._meta` of the call.
        """
        return await self._asked(
            "tools/call",
            lambda client: client.call_tool(name, arguments, read_timeout_seconds, progress_callback, meta=meta),
            read_timeout_seconds,
        )

    async def read_resource(self, uri: str, *, meta: types.RequestParamsMeta | None = None) -> types.ReadResourceResult:
        """Read a resource. Nothing that another run read is ever handed out: each read is on the wire."""
        return await self._asked("resources/read", lambda client: client.read_resource(uri, meta=meta))

    async def get_prompt(
        self, name: str, arguments: dict[str, str] | None = None, *, meta: types.RequestParamsMeta | None = None
    ) -> types.GetPromptResult:
        """Get a prompt."""
        return await self._asked("prompts/get", lambda client: client.get_prompt(name, arguments, meta=meta))

    async def complete(
        self,
        ref: types.ResourceTemplateReference | types.PromptReference,
        argument: dict[str, str],
        context_arguments: dict[str, str] | None = None,
    ) -> types.CompleteResult:
        """Complete an argument of a prompt or resource template."""
        return await self._asked(
            "completion/complete", lambda client: client.complete(ref, argument, context_arguments)
        )

    async def list_tools(
        self, *, cursor: str | None = None, meta: types.RequestParamsMeta | None = None
    ) -> types.ListToolsResult:
        """List tools, with the session's headers; may be called outside any run, like all lists."""
        return await self._asked("tools/list", lambda client: client.list_tools(cursor=cursor, meta=meta))

    async def list_resources(
        self, *, cursor: str | None = None, meta: types.RequestParamsMeta | None = None
    ) -> types.ListResourcesResult:
        """List resources, with the session's headers."""
        return await self._asked("resources/list", lambda client: client.list_resources(cursor=cursor, meta=meta))

    async def list_resource_templates(
        self, *, cursor: str | None = None, meta: types.RequestParamsMeta | None = None
    ) -> types.ListResourceTemplatesResult:
        """List resource templates, with the session's headers."""
        return await self._asked(
            "resources/templates/list", lambda client: client.list_resource_templates(cursor=cursor, meta=meta)
        )

    async def list_prompts(
        self, *, cursor: str | None = None, meta: types.RequestParamsMeta | None = None
    ) -> types.ListPromptsResult:
        """List prompts, with the session's headers."""
        return await self._asked("prompts/list", lambda client: client.list_prompts(cursor=cursor, meta=meta))

    async def send_request(
        self,
        request: types.ClientRequest | types.Request[Any, Any],
        result_type: type[ResultT],
        read_timeout_seconds: float | None = None,
    ) -> ResultT:
        """Send any request, also one that MCP does not know; it is a call unless its method is the session's own.

        Args:
            request: the request, its method included.
            result_type: the model of its result.
            read_timeout_seconds: for this request; None for the connection's.
        """
        return await self._asked(
            request.method,
            lambda client: client.session.send_request(request, result_type, read_timeout_seconds),
            read_timeout_seconds,
        )

    @asynccontextmanager
    async def listen(
        self,
        *,
        tools_list_changed: bool = False,
        prompts_list_changed: bool = False,
        resources_list_changed: bool = False,
        resource_subscriptions: Sequence[str] = (),
    ) -> AsyncIterator[Subscription]:
        """A stream of change events (2026-07-28), which belongs to the run that is bound here."""
        async with (
            self._session("subscriptions/listen", self._options.read_timeout_seconds) as client,
            client.listen(
                tools_list_changed=tools_list_changed,
                prompts_list_changed=prompts_list_changed,
                resources_list_changed=resources_list_changed,
                resource_subscriptions=resource_subscriptions,
            ) as subscription,
        ):
            yield subscription

    async def _asked(
        self, method: str, ask: Callable[[Client], Awaitable[T]], read_timeout_seconds: float | None = None
    ) -> T:
        wait = self._options.read_timeout_seconds if read_timeout_seconds is None else read_timeout_seconds
        async with self._session(method, wait) as client:
            try:
                return await ask(client)
            except (ValidationError, RuntimeError) as error:
                fault = _result_fault(error)
                if fault is None:
                    raise
            # Here and not above, so that the error, which quotes what the server sent, is no context of this one.
            raise AnswerUnusable(f"server `{self._server}` answered `{method}` with a result that {fault}")

    @asynccontextmanager
    async def _session(self, method: str, wait: float | None) -> AsyncIterator[Client]:
        key = admit(self._router, self._server, method, self._agent)
        pooled = self._pool.session(key, partial(opened, self._router, key, self._options))
        async with pooled.used() as client:
            with operation(wait) as current, failures_named(self._server, method, current, pooled):
                yield client


def _result_fault(error: ValidationError | RuntimeError) -> str | None:
    """What is wrong with a result that the SDK refuses; nothing for an error that is the host's own."""
    if isinstance(error, ValidationError):
        return "has another form than MCP gives it" if has_asked() else None
    *_, last = traceback.walk_tb(error.__traceback__)
    raised_by = str(last[0].f_globals.get("__name__"))
    return "the tool's own schema forbids" if type(error) is RuntimeError and raised_by.startswith("mcp.") else None
