"""Event streams of a call: what the server asks, reports and breaks off on them stays with the call's run."""

from __future__ import annotations

import asyncio
from typing import Any

import mcp_types as types
import pytest
from mcp import MCPError
from support.calls import call_as, failure, text
from support.client_tables import crm_router, run_of
from support.recording_server import RecordingServer

from mcpx.runtime.binding import current_run
from mcpx.runtime.clients.mcp import connect
from mcpx.runtime.errors import ConnectionFailed, RunRequired, ServerRefused


def test_a_subscription_belongs_to_the_run_that_opened_it(streaming: RecordingServer) -> None:
    router = crm_router(streaming.url)

    async def main() -> None:
        async with connect(router, "crm", mode="2026-07-28") as client:
            with pytest.raises(RunRequired):
                async with client.listen(tools_list_changed=True):
                    pass
            async with run_of(router, "acme"), client.listen(tools_list_changed=True) as events:
                assert events.honored.tools_list_changed

    asyncio.run(main())
    assert [request.tenant for request in streaming.of("subscriptions/listen")] == ["acme"]


@pytest.mark.parametrize("tool", ["ask", "ask_aside"])
def test_an_answer_to_the_server_carries_what_its_question_came_in_on(streaming: RecordingServer, tool: str) -> None:
    router = crm_router(streaming.url)
    bound: list[bool] = []

    async def agree(context: Any, params: Any) -> types.ElicitResult:
        bound.append(current_run() is not None)
        return types.ElicitResult(action="accept", content={"fine": True})

    async def main() -> list[str]:
        async with connect(router, "crm", mode="legacy", elicitation_callback=agree) as client:
            async with run_of(router, "opener"):
                await client.list_tools()
            while not any(request.verb == "GET" and request.status for request in streaming.requests):
                await asyncio.sleep(0.01)
            return await asyncio.gather(*(call_as(client, router, f"t{number}", tool) for number in range(5)))

    assert asyncio.run(main()) == [f"t{number}:accept" for number in range(5)]
    tenants = [request.tenant for request in streaming.requests if request.is_answer]
    if tool == "ask":
        assert sorted(filter(None, tenants)) == [f"t{number}" for number in range(5)]
        assert bound == [True] * 5
    else:
        assert tenants == [None] * 5
        assert bound == [False] * 5


def test_a_question_within_a_stateless_call_is_answered_by_the_same_run(streaming: RecordingServer) -> None:
    router = crm_router(streaming.url)

    async def agree(context: Any, params: Any) -> types.ElicitResult:
        return types.ElicitResult(action="accept", content={"fine": True})

    async def main() -> list[str]:
        async with connect(router, "crm", mode="2026-07-28", elicitation_callback=agree) as client:
            return await asyncio.gather(*(call_as(client, router, f"t{number}", "wonder") for number in range(5)))

    assert asyncio.run(main()) == [f"t{number}:accept" for number in range(5)]
    tenants = [request.tenant for request in streaming.of("tools/call")]
    assert sorted(filter(None, tenants)) == sorted([f"t{number}" for number in range(5)] * 2)


def test_an_event_stream_that_ends_without_an_answer_fails_its_call_alone(
    streaming: RecordingServer, mode: str
) -> None:
    router = crm_router(streaming.url)
    streaming.fail_call_of(
        "acme", status=200, headers={"content-type": "text/event-stream"}, body=b": nothing to say\n\n"
    )

    async def main() -> tuple[BaseException, str]:
        async with connect(router, "crm", mode=mode) as client:
            return await failure(call_as(client, router, "acme")), await call_as(client, router, "globex")

    error, other = asyncio.run(main())
    assert isinstance(error, ConnectionFailed)
    assert other == "globex:"


def test_a_resumed_event_stream_keeps_the_identity_of_its_call(streaming: RecordingServer) -> None:
    router = crm_router(streaming.url)
    content = b'"content": [{"type": "text", "text": "resumed"}], "structuredContent": {"result": "resumed"}'
    event = b'data: {"jsonrpc": "2.0", "id": 2, "result": {%s}}\n\n' % content
    cut = {"status": 200, "headers": {"content-type": "text/event-stream"}}
    streaming.fail_call_of("acme", **cut, body=b"id: 7\nretry: 10\ndata:\n\n")
    streaming.fail(lambda request: bool(request.lines("last-event-id")), **cut, body=event)

    async def main() -> str:
        async with connect(router, "crm", mode="legacy") as client:
            return await call_as(client, router, "acme")

    assert asyncio.run(main()) == "resumed"
    [resumption] = [request for request in streaming.requests if request.lines("last-event-id")]
    assert resumption.verb == "GET"
    assert resumption.tenant == "acme"


def test_an_error_on_a_resumed_event_stream_is_the_servers_own(streaming: RecordingServer) -> None:
    router = crm_router(streaming.url)
    cut = {"status": 200, "headers": {"content-type": "text/event-stream"}}
    event = b'data: {"jsonrpc": "2.0", "id": 2, "error": {"code": -32000, "message": "mine"}}\n\n'
    streaming.fail_call_of("acme", **cut, body=b"id: 7\nretry: 10\ndata:\n\n")
    streaming.fail(lambda request: bool(request.lines("last-event-id")), **cut, body=event)

    async def main() -> BaseException:
        async with connect(router, "crm", mode="legacy") as client:
            return await failure(call_as(client, router, "acme"))

    error = asyncio.run(main())
    assert isinstance(error, MCPError)
    assert error.message == "mine"


def test_a_refused_resumption_is_the_calls_failure(streaming: RecordingServer) -> None:
    router = crm_router(streaming.url)
    streaming.fail_call_of(
        "acme", status=200, headers={"content-type": "text/event-stream"}, body=b"id: 7\nretry: 10\ndata:\n\n"
    )
    streaming.fail(lambda request: bool(request.lines("last-event-id")), status=403)

    async def main() -> tuple[BaseException, str]:
        async with connect(router, "crm", mode="legacy") as client:
            return await failure(call_as(client, router, "acme")), await call_as(client, router, "globex")

    error, other = asyncio.run(main())
    assert isinstance(error, ServerRefused)
    assert error.status == 403
    assert other == "globex:"


def test_progress_reaches_the_call_that_it_belongs_to(streaming: RecordingServer, mode: str) -> None:
    router = crm_router(streaming.url)

    async def main() -> list[tuple[str, list[str | None]]]:
        async with connect(router, "crm", mode=mode) as client:

            async def call(number: int) -> tuple[str, list[str | None]]:
                heard: list[str | None] = []

                async def progress(done: float, total: float | None, message: str | None) -> None:
                    heard.append(message)

                async with run_of(router, f"t{number}"):
                    arguments = {"seconds": 0.2 - number / 100}
                    answer = text(await client.call_tool("slow", arguments, progress_callback=progress))
                return answer, heard

            return await asyncio.gather(*(call(number) for number in range(15)))

    assert asyncio.run(main()) == [(f"t{number}", [f"t{number}"]) for number in range(15)]
