"""When sessions are opened, lost, replaced and closed, and that none of it mixes up runs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.calls import call_as
from support.client_tables import KEY, crm_router, run_of
from support.recording_server import RecordingServer

from mcpx.runtime.clients.mcp import connect
from mcpx.runtime.errors import (
    CallFailed,
    CallRefused,
    CallTimedOut,
    ConnectionFailed,
    SecretUnavailable,
    ServerRefused,
)


def test_connecting_opens_nothing(server: RecordingServer) -> None:
    async def main() -> None:
        async with connect(crm_router(server.url), "crm"):
            await asyncio.sleep(0.05)

    asyncio.run(main())
    assert server.requests == []


def test_200_first_callers_open_one_session(server: RecordingServer, mode: str) -> None:
    router = crm_router(server.url)

    async def main() -> list[str]:
        async with connect(router, "crm", mode=mode) as client:
            return await asyncio.gather(*(call_as(client, router, f"t{number}") for number in range(200)))

    assert asyncio.run(main()) == [f"t{number}:" for number in range(200)]
    assert len(server.of("initialize")) == (1 if mode == "legacy" else 0)


def test_a_first_caller_that_gives_up_takes_the_session_from_nobody(server: RecordingServer) -> None:
    router = crm_router(server.url)

    async def main() -> str:
        async with connect(router, "crm") as client:
            first = asyncio.create_task(call_as(client, router, "first"))
            await asyncio.sleep(0)
            second = asyncio.create_task(call_as(client, router, "second"))
            await asyncio.sleep(0)
            first.cancel()
            return await second

    assert asyncio.run(main()) == "second:"
    assert len(server.of("server/discover")) == 1


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        ({"status": 503}, ServerRefused),
        ({"status": 401}, ServerRefused),
        ({"drop": "before"}, ConnectionFailed),
        ({"silent": True}, CallTimedOut),
    ],
)
def test_a_session_that_cannot_be_opened_fails_all_that_wait_and_the_next_call_opens_another(
    server: RecordingServer, fault: dict[str, Any], kind: type[CallFailed]
) -> None:
    router = crm_router(server.url)
    server.fail(lambda _: True, **fault)

    async def main() -> str:
        async with connect(router, "crm", timeout=0.5) as client:
            waiting = (call_as(client, router, f"t{number}") for number in range(10))
            failures = await asyncio.gather(*waiting, return_exceptions=True)
            assert [type(failure) for failure in failures] == [kind] * 10
            assert len({id(failure) for failure in failures}) == 10
            server.clear()
            return await call_as(client, router, "later")

    assert asyncio.run(main()) == "later:"
    assert len(server.of("server/discover")) == 1


def test_a_server_that_is_not_there_is_a_failed_connection() -> None:
    server = RecordingServer()
    router = crm_router(server.url)

    async def main() -> str:
        async with connect(router, "crm") as client:
            with pytest.raises(ConnectionFailed, match="crm"):
                await call_as(client, router, "acme")
            with server:
                return await call_as(client, router, "acme")

    assert asyncio.run(main()) == "acme:"


@pytest.mark.parametrize("json_response", [True, False])
def test_after_a_restart_of_the_server_calls_go_on_with_their_own_identity(mode: str, json_response: bool) -> None:
    with RecordingServer(json_response=json_response) as server:
        router = crm_router(server.url)

        async def main() -> list[str]:
            async with connect(router, "crm", mode=mode) as client:
                await call_as(client, router, "before")
                server.restart()
                for _ in range(5):
                    try:
                        await call_as(client, router, "probe")
                    except CallFailed:
                        continue
                    break
                return await asyncio.gather(*(call_as(client, router, f"t{number}") for number in range(20)))

        assert asyncio.run(main()) == [f"t{number}:" for number in range(20)]
        sessions = {call.value("mcp-session-id") for call in server.of("tools/call") if call.tenant != "before"}
        assert len(sessions - {call.value("mcp-session-id") for call in server.of("tools/call")[:1]}) <= 1
        for request in server.of("initialize"):
            assert request.tenant is None
            assert request.value("authorization") == f"Bearer {KEY}"


def test_a_forgotten_session_fails_one_call_which_is_not_sent_again(streaming: RecordingServer) -> None:
    router = crm_router(streaming.url)
    streaming.fail_call_of("acme", status=404, times=1)

    async def main() -> tuple[str, str]:
        async with connect(router, "crm", mode="legacy") as client:
            await call_as(client, router, "opener")
            slow = asyncio.create_task(call_as(client, router, "slow", "slow", seconds=0.5))
            while not any(request.tenant == "slow" for request in streaming.requests):
                await asyncio.sleep(0.01)
            with pytest.raises(ServerRefused) as caught:
                await call_as(client, router, "acme")
            assert caught.value.status == 404
            return await call_as(client, router, "next"), await slow

    assert asyncio.run(main()) == ("next:", "slow")
    assert len(streaming.of("initialize")) == 2
    assert [request.tenant for request in streaming.of("tools/call")].count("acme") == 1
    by_tenant = {request.tenant: request.value("mcp-session-id") for request in streaming.of("tools/call")}
    assert by_tenant["next"] != by_tenant["opener"]
    assert len([request for request in streaming.requests if request.verb == "DELETE"]) == 2


def test_closing_ends_every_session_and_what_is_in_flight(streaming: RecordingServer) -> None:
    router = crm_router(streaming.url, agents=("analyst", "billing"))

    async def main() -> list[object]:
        async with connect(router, "crm", mode="legacy") as client:
            calls = []
            for agent in ("analyst", "billing"):
                async with run_of(router, agent, agent=agent):
                    calls.append(asyncio.create_task(client.call_tool("slow", {"seconds": 60})))
            while len(streaming.of("tools/call")) < 2:
                await asyncio.sleep(0.01)
        failures = await asyncio.gather(*calls, return_exceptions=True)
        assert len(asyncio.all_tasks()) == 1
        with pytest.raises(CallRefused, match="async with"):
            await call_as(client, router, "late")
        return [type(failure) for failure in failures]

    assert asyncio.run(main()) == [ConnectionFailed, ConnectionFailed]
    deleted = [request for request in streaming.requests if request.verb == "DELETE"]
    assert len({request.value("mcp-session-id") for request in deleted}) == 2
    assert {request.tenant for request in deleted} == {None}


def test_closing_does_not_wait_for_a_session_that_is_still_being_opened(server: RecordingServer) -> None:
    router = crm_router(server.url)
    server.fail(lambda _: True, silent=True)

    async def main() -> BaseException:
        async with asyncio.timeout(5):
            async with connect(router, "crm") as client:
                call = asyncio.create_task(call_as(client, router, "acme"))
                while not server.requests:
                    await asyncio.sleep(0.01)
            [failure] = await asyncio.gather(call, return_exceptions=True)
        assert isinstance(failure, BaseException)
        return failure

    assert isinstance(asyncio.run(main()), ConnectionFailed)


def test_a_teardown_that_the_server_never_answers_ends_all_the_same(streaming: RecordingServer) -> None:
    router = crm_router(streaming.url)
    streaming.fail(lambda request: request.verb == "DELETE", silent=True)

    async def main() -> None:
        async with asyncio.timeout(5):
            async with connect(router, "crm", mode="legacy", timeout=0.5) as client:
                await call_as(client, router, "acme")

    asyncio.run(main())


def test_a_connection_is_used_inside_async_with_and_entered_once(server: RecordingServer) -> None:
    router = crm_router(server.url)
    client = connect(router, "crm")

    async def main() -> None:
        with pytest.raises(CallRefused, match="async with"):
            await call_as(client, router, "early")
        async with client:
            with pytest.raises(CallRefused, match="open already"):
                async with client:
                    pass
            await call_as(client, router, "acme")
        async with client:
            await call_as(client, router, "again")

    asyncio.run(main())
    assert [request.tenant for request in server.of("tools/call")] == ["acme", "again"]


def test_a_failing_host_does_not_keep_its_connection_open(streaming: RecordingServer) -> None:
    router = crm_router(streaming.url)

    async def host() -> None:
        async with connect(router, "crm", mode="legacy") as client:
            await call_as(client, router, "acme")
            raise ZeroDivisionError

    async def main() -> None:
        with pytest.raises(ZeroDivisionError):
            await host()
        assert len(asyncio.all_tasks()) == 1

    asyncio.run(main())
    assert [request.verb for request in streaming.requests][-1] == "DELETE"


def test_cli_05_a_thousand_runs_after_each_other_leave_one_session_and_nothing_else(
    json_server: RecordingServer,
) -> None:
    json_server.clear()
    router = crm_router(json_server.url)

    async def main() -> tuple[int, int]:
        async with connect(router, "crm", mode="legacy") as client:

            async def call(number: int) -> None:
                async with run_of(router, "acme", user=f"u{number}"):
                    await client.call_tool("echo")

            for number in range(100):
                await call(number)
            before = len(asyncio.all_tasks())
            for number in range(100, 1000):
                await call(number)
            return before, len(asyncio.all_tasks())

    before, after = asyncio.run(main())
    assert after <= before
    assert [call.value("x-user") for call in json_server.of("tools/call")] == [f"u{number}" for number in range(1000)]
    assert len(json_server.of("initialize")) == 1
    assert len({call.value("mcp-session-id") for call in json_server.of("tools/call")}) == 1


def test_a_secret_that_is_gone_refuses_calls_and_sessions_until_it_is_back(
    server: RecordingServer, tmp_path: Path
) -> None:
    key = tmp_path / "key"
    key.touch(mode=0o600)
    key.write_text("first")
    router = crm_router(server.url, key_file=str(key))

    async def main() -> None:
        async with connect(router, "crm", mode="legacy") as client:
            await call_as(client, router, "acme")
            sent = len(server.requests)
            key.rename(tmp_path / "moved")
            for ask in (call_as(client, router, "acme"), client.list_tools()):
                with pytest.raises(SecretUnavailable, match="crm_key"):
                    await ask
            assert len(server.requests) == sent
            key.touch(mode=0o600)
            key.write_text("second")
            await call_as(client, router, "acme")
        key.unlink()
        async with connect(router, "crm", mode="legacy") as client:
            for ask in (call_as(client, router, "acme"), client.list_tools()):
                with pytest.raises(SecretUnavailable):
                    await ask

    asyncio.run(main())
    keys = [request.value("authorization") for request in server.requests if request.verb != "GET"]
    # The teardown carries what is the session's when it happens.
    assert (keys[0], keys[-1]) == ("Bearer first", "Bearer second")
    assert set(keys) == {"Bearer first", "Bearer second"}
