"""The list of tools that the SDK asks for after a call is asked for once, however many calls wait for it."""

from __future__ import annotations

import asyncio

import pytest
from mcp import MCPError
from support.calls import call_as, failure
from support.client_tables import KEY, crm_router
from support.recording_server import RecordingServer

from mcpx.runtime.clients.mcp import connect
from mcpx.runtime.errors import ServerRefused

CALLS = 100


def test_a_hundred_first_calls_ask_for_one_list_with_the_sessions_headers(server: RecordingServer, mode: str) -> None:
    router = crm_router(server.url)

    async def main() -> list[str]:
        async with connect(router, "crm", mode=mode) as client:
            return await asyncio.gather(*(call_as(client, router, f"t{number}") for number in range(CALLS)))

    assert asyncio.run(main()) == [f"t{number}:" for number in range(CALLS)]
    assert {request.tenant for request in server.of("tools/call")} == {f"t{number}" for number in range(CALLS)}
    assert len(server.of("tools/call")) == CALLS
    [listed] = server.of("tools/list")
    assert listed.tenant is None
    assert listed.value("authorization") == f"Bearer {KEY}"


def test_each_call_that_waits_for_the_list_hears_why_there_is_none(server: RecordingServer) -> None:
    router = crm_router(server.url)
    server.fail(lambda request: request.method == "tools/list", status=503)

    async def main() -> list[BaseException]:
        async with connect(router, "crm") as client:
            return await asyncio.gather(*(failure(call_as(client, router, f"t{number}")) for number in range(5)))

    failed = asyncio.run(main())
    assert [type(error) for error in failed] == [ServerRefused] * 5
    assert len({id(error) for error in failed}) == 5


def test_a_server_without_lists_says_so_to_the_caller_as_ever(server: RecordingServer) -> None:
    router = crm_router(server.url)
    body = b'{"jsonrpc":"2.0","id":null,"error":{"code":-32601,"message":"no lists"}}'
    headers = {"content-type": "application/json"}
    server.fail(lambda request: request.method == "tools/list", status=404, headers=headers, body=body)

    async def main() -> BaseException:
        async with connect(router, "crm", mode="2026-07-28") as client:
            return await failure(call_as(client, router, "acme"))

    failed = asyncio.run(main())
    assert isinstance(failed, MCPError)
    assert (failed.code, failed.message) == (-32601, "no lists")


def test_a_caller_that_gives_up_takes_the_list_from_nobody(server: RecordingServer) -> None:
    router = crm_router(server.url)
    server.fail(lambda request: request.method == "tools/list", silent=True, times=1)

    async def main() -> tuple[BaseException, str]:
        async with connect(router, "crm", read_timeout_seconds=1.0) as client:
            first = asyncio.create_task(call_as(client, router, "acme"))
            while not server.of("tools/list"):
                await asyncio.sleep(0.01)
            second = asyncio.create_task(call_as(client, router, "globex"))
            await asyncio.sleep(0.1)
            first.cancel()
            with pytest.raises(asyncio.CancelledError):
                await first
            assert not second.done()
            return await failure(second), await call_as(client, router, "later")

    failed, later = asyncio.run(main())
    assert "in time" in str(failed)
    assert later == "later:"
