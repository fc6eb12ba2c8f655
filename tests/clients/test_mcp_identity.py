"""Whose identity is on which request of one shared connection, seen by a real server (CLI-01, CLI-02, CLI-04)."""

from __future__ import annotations

import asyncio
import contextvars
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import mcp_types as types
import pytest
from support.calls import call_as, text
from support.client_tables import KEY, crm_router, run_of
from support.recording_server import RecordingServer

from mcpx.runtime.clients.mcp import connect
from mcpx.runtime.errors import CallRefused, NoRoute, RunRequired

RUN_HEADERS = ("x-tenant-id", "x-user", "x-plan")


def _nothing_of_a_run(server: RecordingServer, *verbs_and_methods: tuple[str, str | None]) -> None:
    found = [request for request in server.requests if (request.verb, request.method) in verbs_and_methods]
    assert {(request.verb, request.method) for request in found} == set(verbs_and_methods)
    for request in found:
        assert request.lines("authorization") == [f"Bearer {KEY}"]
        assert not [name for name, _ in request.headers if name in RUN_HEADERS]


def test_cli_01_each_of_200_runs_is_on_its_own_two_calls_and_the_opener_on_none(
    server: RecordingServer, mode: str
) -> None:
    router = crm_router(server.url)

    async def twice(client: Any, number: int) -> list[str]:
        async with run_of(router, f"t{number}", user=f"u{number}"):
            calls = [client.call_tool("echo", {"text": f"{number}"}) for _ in range(2)]
            return [text(result) for result in await asyncio.gather(*calls)]

    async def main() -> list[list[str]]:
        async with connect(router, "crm", mode=mode) as client:
            async with run_of(router, "opener", user="opener"):
                await client.list_tools()
            return await asyncio.gather(*(twice(client, number) for number in range(200)))

    assert asyncio.run(main()) == [[f"t{number}:{number}"] * 2 for number in range(200)]
    calls = server.of("tools/call")
    assert len(calls) == 400
    for call in calls:
        number = call.body["params"]["arguments"]["text"]
        assert call.lines("x-tenant-id") == [f"t{number}"]
        assert call.lines("x-user") == [f"u{number}"]
        assert call.lines("authorization") == [f"Bearer {KEY}"]
        assert call.lines("x-plan") == []
    assert len(server.of("initialize")) == (1 if mode == "legacy" else 0)
    assert not [request for request in server.requests if "opener" in dict(request.headers).values()]


def test_cli_04_handshake_lists_get_and_delete_carry_the_sessions_headers_alone(streaming: RecordingServer) -> None:
    router = crm_router(streaming.url)

    async def main() -> None:
        async with connect(router, "crm", mode="legacy") as client, run_of(router, "acme"):
            await client.list_tools()
            await client.list_resources()
            await client.list_resource_templates()
            await client.list_prompts()
            await client.call_tool("echo")
            await client.send_request(types.PingRequest(), types.EmptyResult)

    asyncio.run(main())
    _nothing_of_a_run(
        streaming,
        ("POST", "initialize"),
        ("POST", "notifications/initialized"),
        ("POST", "tools/list"),
        ("POST", "resources/list"),
        ("POST", "resources/templates/list"),
        ("POST", "prompts/list"),
        ("POST", "ping"),
        ("GET", None),
        ("DELETE", None),
    )
    assert [call.tenant for call in streaming.of("tools/call")] == ["acme"]


def test_every_other_request_is_a_call_and_carries_its_run(server: RecordingServer, mode: str) -> None:
    router = crm_router(server.url)

    class Odd(types.Request[types.RequestParams, str]):
        method: str = "vendor/odd"
        params: types.RequestParams | None = None

    async def main() -> None:
        async with connect(router, "crm", mode=mode) as client, run_of(router, "acme"):
            prompt = types.PromptReference(name="greet", type="ref/prompt")
            await client.read_resource("memo://x")
            await client.get_prompt("greet", {"name": "you"})
            await client.complete(prompt, {"name": "name", "value": "a"})
            with pytest.raises(Exception, match=r"(?i)not found"):
                await client.send_request(Odd(), types.EmptyResult)

    asyncio.run(main())
    for method in ("resources/read", "prompts/get", "completion/complete", "vendor/odd"):
        assert [request.tenant for request in server.of(method)] == ["acme"], method


def test_the_list_that_the_first_call_of_a_session_brings_along_is_the_sessions(
    server: RecordingServer, mode: str
) -> None:
    router = crm_router(server.url)

    async def main() -> None:
        async with connect(router, "crm", mode=mode) as client:
            await call_as(client, router, "acme")

    asyncio.run(main())
    _nothing_of_a_run(server, ("POST", "tools/list"))


def test_cli_02_a_call_outside_any_run_is_refused_and_nothing_is_sent(server: RecordingServer, mode: str) -> None:
    router = crm_router(server.url)

    async def main() -> None:
        async with connect(router, "crm", mode=mode) as client:
            with pytest.raises(RunRequired, match=r"tools/call.*crm"):
                await client.call_tool("echo")
            assert server.requests == []
            await call_as(client, router, "acme")
            sent = len(server.requests)
            with pytest.raises(RunRequired):
                await client.call_tool("echo")
            with pytest.raises(RunRequired):
                await client.read_resource("memo://x")
            assert len(server.requests) == sent
            assert await call_as(client, router, "globex", text="on") == "globex:on"

    asyncio.run(main())


def test_an_agent_without_a_row_is_refused_before_anything_is_sent(server: RecordingServer) -> None:
    router = crm_router(server.url, outsiders=("stranger",))

    async def main() -> None:
        async with connect(router, "crm") as client:
            for ask in (client.call_tool("echo"), client.list_tools()):
                with pytest.raises(NoRoute), run_of(router, "acme", agent="stranger"):
                    await ask

    asyncio.run(main())
    assert server.requests == []


def test_a_run_of_another_router_is_refused(server: RecordingServer) -> None:
    router = crm_router(server.url)
    other = crm_router(server.url)

    async def main() -> None:
        async with connect(router, "crm") as client:
            for ask in (client.call_tool("echo"), client.list_tools()):
                with pytest.raises(CallRefused, match="another router"), run_of(other, "acme"):
                    await ask

    asyncio.run(main())
    assert server.requests == []


def test_the_innermost_run_is_the_calls_and_leaving_it_gives_back_the_outer_one(
    server: RecordingServer, mode: str
) -> None:
    router = crm_router(server.url)

    async def main() -> list[str]:
        async with connect(router, "crm", mode=mode) as client, run_of(router, "outer"):
            first = text(await client.call_tool("echo"))
            async with run_of(router, "inner"):
                second = text(await client.call_tool("echo"))
            return [first, second, text(await client.call_tool("echo"))]

    assert asyncio.run(main()) == ["outer:", "inner:", "outer:"]


def test_a_task_keeps_the_run_in_which_it_was_made(server: RecordingServer) -> None:
    router = crm_router(server.url)

    async def main() -> list[str]:
        async with connect(router, "crm") as client:
            async with run_of(router, "acme"):
                first = asyncio.create_task(client.call_tool("slow", {"seconds": 0.1}))
            async with run_of(router, "globex"):
                second = asyncio.create_task(client.call_tool("slow", {"seconds": 0.05}))
            return [text(await first), text(await second)]

    assert asyncio.run(main()) == ["acme", "globex"]


def test_a_task_with_an_empty_context_has_no_run(server: RecordingServer) -> None:
    router = crm_router(server.url)

    async def main() -> None:
        async with connect(router, "crm") as client, run_of(router, "acme"):
            loose = asyncio.get_running_loop().create_task(client.call_tool("echo"), context=contextvars.Context())
            with pytest.raises(RunRequired):
                await loose

    asyncio.run(main())
    assert server.requests == []


def test_a_thread_calls_as_the_run_bound_to_its_function_and_without_one_not_at_all(server: RecordingServer) -> None:
    router = crm_router(server.url)

    async def main() -> None:
        loop = asyncio.get_running_loop()
        with ThreadPoolExecutor(1) as pool:
            async with connect(router, "crm") as client:

                def work() -> str:
                    return text(asyncio.run_coroutine_threadsafe(client.call_tool("echo"), loop).result(10))

                assert await loop.run_in_executor(pool, run_of(router, "acme").bind(work)) == "acme:"
                with pytest.raises(RunRequired):
                    await loop.run_in_executor(pool, work)

                def elsewhere() -> None:
                    asyncio.run(client.call_tool("echo"))

                with pytest.raises(CallRefused, match="another event loop"):
                    await loop.run_in_executor(pool, run_of(router, "acme").bind(elsewhere))

    asyncio.run(main())
    assert {request.tenant for request in server.of("tools/call")} == {"acme"}


def test_the_calls_of_two_agents_never_share_a_session(streaming: RecordingServer) -> None:
    router = crm_router(streaming.url, agents=("analyst", "billing"))

    async def main() -> None:
        async with connect(router, "crm", mode="legacy", agent="billing") as client:
            for number in range(3):
                for agent in ("analyst", "billing"):
                    async with run_of(router, f"{agent}{number}", agent=agent):
                        await client.call_tool("echo")
            await client.list_tools()

    asyncio.run(main())
    assert len(streaming.of("initialize")) == 2
    sessions: dict[str, set[str | None]] = {"analyst": set(), "billing": set()}
    for call in streaming.of("tools/call"):
        sessions[(call.tenant or "")[:-1]].add(call.value("mcp-session-id"))
    assert [len(found) for found in sessions.values()] == [1, 1]
    assert sessions["analyst"] != sessions["billing"]


def test_a_list_outside_any_run_needs_to_know_whose_session_answers(server: RecordingServer) -> None:
    router = crm_router(server.url, agents=("analyst", "billing"))

    async def main() -> int:
        async with connect(router, "crm") as client:
            with pytest.raises(RunRequired, match=r"agent=.*`analyst`, `billing`"):
                await client.list_tools()
            assert server.requests == []
        async with connect(router, "crm", agent="billing") as client:
            await client.list_tools()
        async with connect(crm_router(server.url), "crm") as client:
            return len((await client.list_tools()).tools)

    assert asyncio.run(main()) >= 4
    with pytest.raises(NoRoute):
        connect(router, "crm", agent="stranger")
