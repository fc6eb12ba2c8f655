"""An answer that is no MCP message fails its own call, and nothing of its text is in an exception or a log."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import traceback

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.calls import call_as, failure
from support.client_tables import KEY, SENTINEL, crm_router
from support.recording_server import RecordingServer

from mcpx.runtime.clients.mcp import connect
from mcpx.runtime.clients.mcp_answers import EventFilter, json_fault
from mcpx.runtime.errors import AnswerUnusable

ECHO = f"Bearer {KEY} {SENTINEL}"
JSON = "application/json"
SSE = "text/event-stream"
ANSWERS = {
    "json of no protocol": (JSON, json.dumps({"bad": ECHO}).encode()),
    "a result of no request": (JSON, json.dumps({"jsonrpc": "2.0", "id": "other", "result": {"a": ECHO}}).encode()),
    "a request": (JSON, json.dumps({"jsonrpc": "2.0", "id": 1, "method": ECHO}).encode()),
    "a batch": (JSON, json.dumps([{"jsonrpc": "2.0", "id": 1, "result": {}}, ECHO]).encode()),
    "no json": (JSON, b"\xff\x00" + ECHO.encode()),
    "nothing": (JSON, b""),
    "html": ("text/html", f"<pre>{ECHO}</pre>".encode()),
    "an event of no protocol": (SSE, f"data: {json.dumps({'bad': ECHO})}\n\n".encode()),
    "an event of no json": (SSE, f"event: message\r\ndata: {{{ECHO}\r\n\r\n".encode()),
}


@pytest.mark.parametrize("answer", ANSWERS)
def test_an_answer_that_is_none_fails_its_own_call_and_shows_nothing(
    answer: str, streaming: RecordingServer, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
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
    said = "".join(traceback.format_exception(failed)) + caplog.text
    assert KEY not in said
    assert SENTINEL not in said


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
    events_through = EventFilter()
    through = b"".join(events_through.feed(stream[at : at + size]) for at in range(0, len(stream), size))
    assert through == b"".join(event for kind, event in zip(kinds, events, strict=True) if kind != "other")


def test_an_error_of_the_server_is_an_answer_also_without_an_id() -> None:
    assert json_fault(b'{"jsonrpc":"2.0","id":3,"error":{"code":-1,"message":"m"}}', 3) is None
    assert json_fault(b'{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"m"}}', 3) is None
    assert json_fault(b'{"jsonrpc":"2.0","id":3,"result":{}}', 3) is None
    assert json_fault(b'{"jsonrpc":"2.0","id":"3","result":{}}', 3) is not None
