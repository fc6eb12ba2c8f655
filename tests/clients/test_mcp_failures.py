"""What fails in one run stays in that run: the others get their answers, on the same session (CLI-03, CLI-12)."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from mcp import MCPError
from support.calls import call_as, failure
from support.client_tables import KEY, SENTINEL, crm_router, run_of
from support.recording_server import RecordingServer

from mcpx.runtime.clients.mcp import RoutedClient, connect
from mcpx.runtime.errors import (
    CallFailed,
    CallTimedOut,
    ConnectionFailed,
    HeaderRefused,
    NoRoute,
    RedirectRefused,
    RunRequired,
    ServerRefused,
)
from mcpx.runtime.router import Router

UNFIT = f"{SENTINEL}\r\nX-Injected: 1"


async def _refused_before_sending(client: RoutedClient, router: Router) -> list[BaseException]:
    """A call with a value that no header can hold, one without a route, one without a run."""

    async def of(agent: str, **fields: str) -> BaseException:
        with pytest.raises((HeaderRefused, NoRoute)) as caught:
            async with run_of(router, "denied", agent=agent, **fields):
                await client.call_tool("echo")
        return caught.value

    with pytest.raises(RunRequired) as nobody:
        await client.call_tool("echo")
    return [await of("analyst", user=UNFIT), await of("stranger"), nobody.value]


def test_cli_03_and_cli_12_twenty_calls_are_answered_while_one_of_each_kind_fails(
    server: RecordingServer, mode: str
) -> None:
    router = crm_router(server.url, outsiders=("stranger",))
    server.fail_call_of("unauthorized", status=401, headers={"www-authenticate": "Bearer"})
    server.fail_call_of("forbidden", status=403)
    server.fail_call_of("forbidden-json", status=403, headers={"content-type": "application/json"}, body=b"{}")
    server.fail_call_of("broken", status=500)
    server.fail_call_of("silent", silent=True)
    server.fail_call_of("moved", status=307, headers={"location": "http://127.0.0.1:9/mcp?state=hidden"})
    server.fail_call_of("dropped", drop="before")
    server.fail_call_of("cut", drop="within")
    tenants = ("unauthorized", "forbidden", "forbidden-json", "broken", "moved", "dropped", "cut")

    async def main() -> tuple[list[str], dict[str, BaseException], list[BaseException], str]:
        async with connect(router, "crm", mode=mode) as client:
            await call_as(client, router, "opener")
            others = [
                asyncio.create_task(call_as(client, router, f"t{number}", "slow", seconds=1.0)) for number in range(20)
            ]
            while len(server.of("tools/call")) < 21:
                await asyncio.sleep(0.01)
            refused = await _refused_before_sending(client, router)
            failing = {tenant: failure(call_as(client, router, tenant)) for tenant in tenants}
            failing["silent"] = failure(call_as(client, router, "silent", wait=0.2))
            failures = dict(zip(failing, await asyncio.gather(*failing.values()), strict=True))
            gone = asyncio.create_task(call_as(client, router, "gone", "slow", seconds=60))
            while "gone" not in {request.tenant for request in server.of("tools/call")}:
                await asyncio.sleep(0.01)
            gone.cancel()
            failures["gone"] = await failure(gone)
            assert not any(task.done() for task in others)
            return await asyncio.gather(*others), failures, refused, await call_as(client, router, "later", text="on")

    answers, failures, refused, later = asyncio.run(main())

    assert answers == [f"t{number}" for number in range(20)]
    assert later == "later:on"
    assert [type(error) for error in refused] == [HeaderRefused, NoRoute, RunRequired]
    assert {tenant: type(error) for tenant, error in failures.items()} == {
        "unauthorized": ServerRefused,
        "forbidden": ServerRefused,
        "forbidden-json": ServerRefused,
        "broken": ServerRefused,
        "moved": RedirectRefused,
        "dropped": ConnectionFailed,
        "cut": ConnectionFailed,
        "silent": CallTimedOut,
        "gone": asyncio.CancelledError,
    }
    statuses = {tenant: error.status for tenant, error in failures.items() if isinstance(error, ServerRefused)}
    assert statuses == {"unauthorized": 401, "forbidden": 403, "forbidden-json": 403, "broken": 500}
    for error in (*refused, *failures.values()):
        shown = f"{error!s} {error!r} {error.__cause__} {error.args}"
        assert not any(value in shown for value in (SENTINEL, KEY, "hidden")), shown
    assert "denied" not in {request.tenant for request in server.requests}
    assert len(server.of("initialize")) == (1 if mode == "legacy" else 0)


def test_what_is_refused_opens_no_session(server: RecordingServer) -> None:
    router = crm_router(server.url, outsiders=("stranger",))

    async def main() -> None:
        async with connect(router, "crm") as client:
            async with asyncio.timeout(0.5):
                await _refused_before_sending(client, router)

    asyncio.run(main())
    assert server.requests == []


def test_a_cancelled_call_is_cancelled_at_the_server_by_its_own_run(streaming: RecordingServer) -> None:
    router = crm_router(streaming.url)

    async def main() -> None:
        async with connect(router, "crm", mode="legacy") as client:
            call = asyncio.create_task(call_as(client, router, "acme", "slow", seconds=60))
            while not streaming.of("tools/call"):
                await asyncio.sleep(0.01)
            call.cancel()
            await asyncio.wait([call])
            while not streaming.of("notifications/cancelled"):
                await asyncio.sleep(0.01)

    asyncio.run(main())
    assert [request.tenant for request in streaming.of("notifications/cancelled")] == ["acme"]


def test_a_cancelled_list_is_cancelled_by_the_session(streaming: RecordingServer) -> None:
    router = crm_router(streaming.url)
    streaming.fail(lambda request: request.method == "tools/list", silent=True)

    async def main() -> None:
        async with connect(router, "crm", mode="legacy") as client:
            async with run_of(router, "acme"):
                listing = asyncio.create_task(client.list_tools())
            while not streaming.of("tools/list"):
                await asyncio.sleep(0.01)
            listing.cancel()
            await asyncio.wait([listing])
            while not streaming.of("notifications/cancelled"):
                await asyncio.sleep(0.01)

    asyncio.run(main())
    [cancelled] = streaming.of("notifications/cancelled")
    assert cancelled.tenant is None
    assert cancelled.value("authorization") == f"Bearer {KEY}"


def test_a_server_that_swallows_one_runs_notification_holds_up_nobody(streaming: RecordingServer) -> None:
    router = crm_router(streaming.url)
    streaming.fail(lambda request: request.method == "notifications/cancelled", silent=True)

    async def main() -> str:
        async with connect(router, "crm", mode="legacy") as client:
            assert isinstance(
                await failure(call_as(client, router, "acme", "slow", wait=0.1, seconds=60)), CallTimedOut
            )
            while not streaming.of("notifications/cancelled"):
                await asyncio.sleep(0.01)
            async with asyncio.timeout(5):
                return await call_as(client, router, "globex", text="on")

    assert asyncio.run(main()) == "globex:on"


def test_the_servers_own_json_rpc_error_reaches_the_caller_as_it_is(server: RecordingServer, mode: str) -> None:
    router = crm_router(server.url)

    async def main() -> BaseException:
        async with connect(router, "crm", mode=mode) as client, run_of(router, "acme"):
            return await failure(client.get_prompt("no such prompt"))

    error = asyncio.run(main())
    assert isinstance(error, MCPError)
    assert not isinstance(error, CallFailed)


@pytest.mark.parametrize("code", [-32001, -32000])
def test_a_servers_error_is_not_taken_for_a_timeout_or_a_lost_connection(server: RecordingServer, code: int) -> None:
    router = crm_router(server.url)

    async def main() -> BaseException:
        async with connect(router, "crm") as client, run_of(router, "acme"):
            await client.list_tools()
            server.fail(
                lambda request: request.method == "prompts/get",
                status=200,
                headers={"content-type": "application/json"},
                body=b'{"jsonrpc": "2.0", "id": 3, "error": {"code": %d, "message": "mine"}}' % code,
            )
            return await failure(client.get_prompt("greet", {"name": "you"}))

    error = asyncio.run(main())
    assert isinstance(error, MCPError)
    assert (error.code, error.message) == (code, "mine")


def test_refused_calls_leave_no_sockets_behind(server: RecordingServer) -> None:
    router = crm_router(server.url)
    server.fail_call_of("acme", status=403, body=b"no" * 100_000)

    async def main() -> list[int]:
        counts = []
        async with connect(router, "crm") as client:
            for _ in range(2):
                for _ in range(20):
                    assert isinstance(await failure(call_as(client, router, "acme")), ServerRefused)
                counts.append(len(list(Path("/proc/self/fd").iterdir())))
        return counts

    before, after = asyncio.run(main())
    assert after - before < 5


def test_a_tool_that_fails_is_a_result_and_not_an_exception(server: RecordingServer) -> None:
    router = crm_router(server.url)

    async def main() -> bool:
        async with connect(router, "crm") as client, run_of(router, "acme"):
            return bool((await client.call_tool("slow", {"seconds": "no number"})).is_error)

    assert asyncio.run(main())
