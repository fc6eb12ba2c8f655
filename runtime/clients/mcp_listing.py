"""One list of tools for all calls that wait for it.

After a call of a tool that it does not know yet, the SDK lists the tools to check the result; calls that end together
would each send a list of their own.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from contextlib import AbstractContextManager

import mcp_types as types
from mcp import MCPError
from mcp.client.session import ClientSession

from mcpx.runtime.clients.core import Operation, operation, waits_here
from mcpx.runtime.errors import McpxError


def share_listing(session: ClientSession, failures: Callable[[Operation], AbstractContextManager[None]]) -> None:
    """Let those who list the tools of a session without a word of their own share the list that is under way.

    Each of them gets what it would have got: the list, or the error that ended it. One that gives up takes nothing
    from the others. A list that somebody asks for with parameters is its own.

    Args:
        session: of the SDK.
        failures: names what really ended an operation.
    """
    ask = session.list_tools
    under_way: asyncio.Task[types.ListToolsResult] | None = None

    async def listed() -> types.ListToolsResult:
        with operation(waits_here()) as current, failures(current):
            return await ask()

    async def shared(*, params: types.PaginatedRequestParams | None = None) -> types.ListToolsResult:
        nonlocal under_way
        if params is not None:
            return await ask(params=params)
        if under_way is None or under_way.done():
            under_way = asyncio.get_running_loop().create_task(listed())
            under_way.add_done_callback(_seen)
        try:
            return await asyncio.shield(under_way)
        except (MCPError, McpxError) as error:
            failure = copy.copy(error)
        raise failure

    session.list_tools = shared  # type: ignore[method-assign]


def _seen(task: asyncio.Task[types.ListToolsResult]) -> None:
    """An error that nobody waits for any more is nobody's."""
    if not task.cancelled():
        task.exception()
