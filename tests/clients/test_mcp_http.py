"""The HTTP client below a session, asked directly: it sends what a message carries or nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import aclosing
from typing import Any

import httpx2
import pytest
from support.client_tables import crm_router, route_of
from support.recording_server import RecordingServer

from mcpx.runtime.clients.core import Carried, Operation, carrying
from mcpx.runtime.clients.mcp_http import IdentityClient
from mcpx.runtime.errors import ConnectionFailed

CALL = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {}}


def _posted(
    server: RecordingServer, url: str, body: Mapping[str, Any], carried: Carried | None, verb: str = "POST"
) -> httpx2.Response:
    server.clear()

    async def main() -> httpx2.Response:
        route = route_of(crm_router(server.url))
        client = IdentityClient(route, timeout=5, headers={}, ssl_context=None, session_lost=lambda: None)
        async with aclosing(client):
            request = client.build_request(verb, url, json=body)
            if carried is None:
                return await client.send(request)
            with carrying(carried):
                return await client.send(request)

    return asyncio.run(main())


@pytest.mark.parametrize("carried", [None, Carried(Operation(), {"X-Tenant-Id": "acme"}, request_id=6)])
def test_a_call_that_carries_nothing_or_what_is_anothers_is_not_sent(
    json_server: RecordingServer, carried: Carried | None
) -> None:
    response = _posted(json_server, json_server.url, CALL, carried)
    assert response.status_code == 200
    assert response.json()["id"] == 5
    assert "lost track" in response.json()["error"]["message"]
    assert json_server.requests == []


def test_a_notification_in_the_context_of_a_call_is_not_sent(json_server: RecordingServer) -> None:
    body = {"jsonrpc": "2.0", "method": "notifications/roots/list_changed"}
    carried = Carried(Operation(), {"X-Tenant-Id": "acme"}, request_id=6)
    assert _posted(json_server, json_server.url, body, carried).status_code == 202
    assert json_server.requests == []


@pytest.mark.parametrize("verb", ["POST", "GET", "DELETE"])
def test_another_origin_gets_nothing(json_server: RecordingServer, sse_server: RecordingServer, verb: str) -> None:
    sse_server.clear()
    current = Operation()
    carried = Carried(current, {"X-Tenant-Id": "acme"}, request_id=5)
    if verb == "POST":
        response = _posted(json_server, sse_server.url, CALL, carried)
        assert "another origin" in response.json()["error"]["message"]
    else:
        with pytest.raises(ConnectionFailed, match="another origin"):
            _posted(json_server, sse_server.url, {}, None, verb)
    assert isinstance(current.failure, ConnectionFailed) is (verb == "POST")
    assert json_server.requests == sse_server.requests == []
