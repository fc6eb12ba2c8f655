"""Short words for what tests of the clients do all the time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any

import mcp_types as types
from support.client_tables import run_of

from mcpx.runtime.clients.mcp import RoutedClient
from mcpx.runtime.router import Router


def text(result: types.CallToolResult) -> str:
    """The one text that a tool answered."""
    assert not result.is_error, result.content
    [content] = result.content
    assert isinstance(content, types.TextContent)
    return content.text


async def call_as(
    client: RoutedClient,
    router: Router,
    tenant: str,
    tool: str = "echo",
    *,
    wait: float | None = None,
    **arguments: Any,
) -> str:
    """Call a tool in a run of a tenant."""
    async with run_of(router, tenant):
        return text(await client.call_tool(tool, arguments, wait))


async def failure(call: Awaitable[Any]) -> BaseException:
    """The exception that a call ends with."""
    [outcome] = await asyncio.gather(call, return_exceptions=True)
    assert isinstance(outcome, BaseException), outcome
    return outcome
