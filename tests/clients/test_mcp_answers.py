"""An answer that is no MCP message fails its own call, and nothing of its text is in an exception or a log."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import traceback

import mcp_types as types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from support.calls import call_as, failure
from support.client_tables import KEY, SENTINEL, crm_router, run_of
from support.recording_server import RecordingServer

from mcpx.runtime.clients.mcp import connect
from mcpx.runtime.clients.mcp_answers import EventFilter, UnusableEventError, json_fault
from mcpx.runtime.errors import AnswerUnusable, CallFailed, ServerRefused

ECHO = f"Bearer {KEY} {SENTINEL}"
JSON = "application/json"
SSE = "text/event-stream"
FILLER = b"other: " + b"f" * 1_000_000 + b"\n\n"  # what comes before it is read before what comes behind it
ANSWERS = {
    "json of no protocol": (JSON, json.dumps({"bad": ECHO}).encode()),
    "a result of no request": (JSON, json.dumps({"jsonrpc": "2.0", "id": "other", "result": {"a": ECHO}}).encode()),
    "a request": (JSON, json.dumps({"jsonrpc": "2.0", "id": 1, "method": ECHO}).encode()),
    "a batch": (JSON, json.dumps([{"jsonrpc": "2.0", "id": 1, "result": {}}, ECHO]).encode()),
    "no json": (JSON, b"\xff\x00" + ECHO.encode()),
    "nothing": (JSON, b""),
    "html": ("text/html", f"<pre>{ECHO}</pre>".encode()),
    "an event of no protocol": (SSE, f"data: {json.dumps({'bad': ECHO})}\n\n".encode()),
    "an event of another request": (SSE, f'data: {{"jsonrpc":"2.0","id":"x","result":{{"a":"{ECHO}"}}}}\n\n'.encode()),
    "an event that could be resumed": (SSE, b"id: 1\ndata:\n\n" + FILLER + f"data: {ECHO}\n\n".encode()),
    "a message of no other end": (SSE, b"data: " + ECHO.encode() * 600_000),
    "a body without an end": (JSON, b'"' + ECHO.encode() * 600_000),
    "a media type that echoes": (f"text/{SENTINEL}; of={KEY}", b"{}"),
    "an event of no json": (SSE, f"event: message\r\ndata: {{{ECHO}\r\n\r\n".encode()),
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_that_is_none_fails_its_own_call_and_shows_nothing(
    answer: str, streaming: RecordingServer, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    kind, body = ANSWERS[answer]
    router = crm_router(streaming.url)
    streaming.fail_call_of(SENTINEL, status=200, headers={"content-type": kind}, body=body)

    async def main() -> tuple[list[str], BaseException, str]:
        async with connect(router, "crm", mode=mode) as client:
            await call_as(client, router, "opener")
            others = [asyncio.create_task(call_as(client, router, f"t{n}", "slow", seconds=0.3)) for n in range(5)]
            failed = await failure(call_as(client, router, SENTINEL))
            return await asyncio.gather(*others), failed, await call_as(client, router, "later", text="on")

    others, failed, later = asyncio.run(main())

    assert others == [f"t{n}" for n in range(5)]
    assert later == "later:on"
    assert type(failed) is AnswerUnusable
    assert "`crm`" in str(failed)
    assert_silent(failed, caplog)


def assert_silent(failed: BaseException, caplog: pytest.LogCaptureFixture) -> None:
    """Neither the secret nor the tenant is in an error, what it comes from, or a log record of the client."""
    said = [
        record.getMessage() + str(record.exc_info) for record in caplog.records if record.threadName == "MainThread"
    ]
    error: BaseException | None = failed
    while error is not None:
        said += [repr(error), *traceback.format_exception_only(error)]
        error = error.__context__
    assert not [line for line in said if KEY in line or SENTINEL in line]


def test_an_event_stream_is_utf_8_whatever_it_says(
    streaming: RecordingServer, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    router = crm_router(streaming.url)
    body = f"data: {ECHO}\n\n".encode("utf-16-le") + b"\n\n"
    streaming.fail_call_of(SENTINEL, status=200, headers={"content-type": f"{SSE}; charset=utf-16-le"}, body=body)

    async def main() -> BaseException:
        async with connect(router, "crm", mode=mode) as client:
            return await failure(call_as(client, router, SENTINEL))

    failed = asyncio.run(main())
    assert isinstance(failed, CallFailed)
    assert_silent(failed, caplog)


@pytest.mark.parametrize("status", [200, 204, 302, 400, 401, 404, 503])
def test_headers_that_echo_a_request_are_shown_nowhere(
    status: int, streaming: RecordingServer, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    router = crm_router(streaming.url)
    echoes = ("www-authenticate", "mcp-session-id", "location", "content-type", "x-any", "set-cookie")
    streaming.fail_call_of(SENTINEL, status=status, headers=dict.fromkeys(echoes, f"/{ECHO}"))

    async def main() -> tuple[BaseException, str]:
        async with connect(router, "crm", mode=mode) as client:
            await call_as(client, router, "opener")
            return await failure(call_as(client, router, SENTINEL)), await call_as(client, router, "later")

    failed, later = asyncio.run(main())
    assert isinstance(failed, CallFailed)
    assert later == "later:"
    assert_silent(failed, caplog)


def test_an_answer_to_the_handshake_that_is_none_is_shown_nowhere(
    streaming: RecordingServer, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    router = crm_router(streaming.url)
    streaming.fail(
        lambda request: request.verb == "POST", status=200, headers={"content-type": "a/b"}, body=ECHO.encode()
    )

    async def main() -> BaseException:
        async with connect(router, "crm", mode="auto" if mode != "legacy" else mode) as client:
            return await failure(call_as(client, router, SENTINEL))

    failed = asyncio.run(main())
    assert type(failed) is AnswerUnusable
    assert_silent(failed, caplog)


def test_what_comes_on_the_sessions_own_stream_and_is_no_message_is_shown_nowhere(
    streaming: RecordingServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    router = crm_router(streaming.url)
    body = f"data: {ECHO}\n\n".encode()
    streaming.fail(lambda request: request.verb == "GET", status=200, headers={"content-type": SSE}, body=body)

    async def main() -> str:
        async with connect(router, "crm", mode="legacy") as client:
            await call_as(client, router, "opener")
            await asyncio.sleep(0.1)
            return await call_as(client, router, "later")

    assert asyncio.run(main()) == "later:"
    assert "GET" in {request.verb for request in streaming.requests}
    assert_silent(Exception(), caplog)


def test_the_sessions_own_stream_carries_no_answers() -> None:
    with pytest.raises(UnusableEventError, match="nothing was asked"):
        EventFilter(None).feed(b'data: {"jsonrpc":"2.0","id":1,"result":{}}\n\n')
    ping = b'data: {"jsonrpc":"2.0","id":1,"method":"ping"}\n\n'
    assert EventFilter(None).feed(ping) == ping


def test_comments_may_go_on_for_ever_and_an_event_may_not() -> None:
    events = EventFilter(1)
    for _ in range(40):
        assert events.feed(b":" + b"c" * 1_000_000 + b"\n") == b""
    for _ in range(16):
        assert events.feed(b"id: " + b"c" * 1_000_000 + b"\n") == b""
    with pytest.raises(UnusableEventError, match="longer"):
        events.feed(b"c" * 1_000_000)


def test_an_error_status_with_a_content_coding_fails_its_own_call_alone(streaming: RecordingServer, mode: str) -> None:
    router = crm_router(streaming.url)
    headers = {"content-type": JSON, "content-encoding": "gzip"}
    streaming.fail_call_of("packed", status=400, headers=headers, body=gzip.compress(b"{}"))

    async def main() -> tuple[BaseException, str]:
        async with connect(router, "crm", mode=mode) as client:
            await call_as(client, router, "opener")
            return await failure(call_as(client, router, "packed")), await call_as(client, router, "later")

    failed, later = asyncio.run(main())
    assert type(failed) is ServerRefused
    assert later == "later:"


def test_a_result_of_another_form_is_shown_nowhere(
    streaming: RecordingServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    router = crm_router(streaming.url)
    called = types.Request[dict[str, str], str](method="tools/call", params={"name": "echo"})

    class Other(types.Result):
        missing: int

    async def main() -> BaseException:
        async with connect(router, "crm") as client, run_of(router, SENTINEL):
            return await failure(client.send_request(called, Other))

    failed = asyncio.run(main())
    assert type(failed) is AnswerUnusable
    assert_silent(failed, caplog)


def test_what_a_host_gets_wrong_itself_is_its_own_error(streaming: RecordingServer) -> None:
    router = crm_router(streaming.url)

    async def main() -> tuple[BaseException, BaseException]:
        async with connect(router, "crm", mode="2026-07-28") as client, run_of(router, "acme"):
            unsent = await failure(client.call_tool({"no": "name"}))  # type: ignore[arg-type]

            async def listening() -> None:
                async with client.listen(tools_list_changed=True):
                    raise RuntimeError("the host's own")

            return unsent, await failure(listening())

    unsent, own = asyncio.run(main())
    assert isinstance(unsent, ValidationError)
    assert str(own) == "the host's own"


def test_a_content_coding_that_was_not_asked_for_is_refused(streaming: RecordingServer) -> None:
    router = crm_router(streaming.url)
    headers = {"content-type": JSON, "content-encoding": "gzip"}
    streaming.fail_call_of("packed", status=200, headers=headers, body=gzip.compress(b"0" * 1_000_000))

    async def main() -> BaseException:
        async with connect(router, "crm") as client:
            return await failure(call_as(client, router, "packed"))

    assert type(asyncio.run(main())) is AnswerUnusable
    assert {request.value("accept-encoding") for request in streaming.requests} == {"identity"}


@given(
    st.lists(st.sampled_from(["m", "ping", "empty", "other", "comment"]), max_size=8),
    st.sampled_from([b"\n", b"\r\n"]),
    st.integers(1, 7),
)
def test_whole_messages_come_through_however_the_stream_is_cut(kinds: list[str], end: bytes, size: int) -> None:
    message = b'{"jsonrpc":"2.0","id":1,"result":{}}'
    spelled = {
        "m": [b"id: 7", b"data: " + message],
        "ping": [b"data:" + message[:17], b"data: " + message[17:]],
        "empty": [b"id: 8", b"data: "],
        "other": [b"event: secret", b"data: no json"],
        "comment": [b": hello", b"retry: 5", b"event: message", b"data: " + message],
    }
    events = [b"".join(line + end for line in spelled[kind]) + end for kind in kinds]
    stream = b"".join(events)
    events_through = EventFilter(1)
    through = b"".join(events_through.feed(stream[at : at + size]) for at in range(0, len(stream), size))
    whole = [event for kind, event in zip(kinds, events, strict=True) if kind != "other"]
    assert through == b"".join(whole).replace(b": hello" + end, b"")


def test_an_error_of_the_server_is_an_answer_also_without_an_id() -> None:
    assert json_fault(b'{"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"m"}}', 3) is None
    assert json_fault(b'{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"m"}}', 3) is None
    assert json_fault(b'{"jsonrpc":"2.0","id":3,"result":{}}', 3) is None
    assert json_fault(b'{"jsonrpc":"2.0","id":"3","result":{}}', 3) is not None
