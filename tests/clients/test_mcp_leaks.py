"""What could carry facts of a run past its headers: redirects, cookies, kept answers, defaults (CLI-06, 08, 09, 10)."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Iterator

import mcp_types as types
import pytest
from support.calls import call_as
from support.client_tables import KEY, SENTINEL, crm_router, run_of
from support.recording_server import RecordingServer
from support.tables import optional

from mcpx.runtime.clients.mcp import connect
from mcpx.runtime.errors import ConfigurationError, ConnectionFailed, RedirectRefused
from mcpx.runtime.table import TextPart


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[RecordingServer]:
    with RecordingServer(json_response=True) as server:
        yield server


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_cli_06_a_redirect_is_not_followed_and_its_target_is_named_by_origin(
    server: RecordingServer, elsewhere: RecordingServer, mode: str, status: int
) -> None:
    router = crm_router(server.url)
    elsewhere.clear()
    target = f"http://user:password@127.0.0.1:{elsewhere.port}/mcp?state={SENTINEL}"
    server.fail_call_of("acme", status=status, headers={"location": target})

    async def main() -> tuple[str, str]:
        async with connect(router, "crm", mode=mode) as client:
            await call_as(client, router, "opener")
            other = asyncio.create_task(call_as(client, router, "globex", "slow", seconds=0.1))
            with pytest.raises(RedirectRefused, match=f"{status}.*{elsewhere.origin};") as caught:
                await call_as(client, router, "acme")
            assert not any(hidden in str(caught.value) for hidden in (SENTINEL, "password", "user:", "/mcp"))
            return await other, await call_as(client, router, "later")

    assert asyncio.run(main()) == ("globex", "later:")
    assert elsewhere.requests == []


def test_cli_06_a_redirect_within_the_origin_is_not_followed_either(server: RecordingServer) -> None:
    router = crm_router(server.url)
    server.fail_call_of("acme", status=307, headers={"location": "/other"})

    async def main() -> None:
        async with connect(router, "crm") as client:
            with pytest.raises(RedirectRefused, match=server.origin):
                await call_as(client, router, "acme")

    asyncio.run(main())
    assert {request.path for request in server.requests} == {"/mcp"}


@pytest.mark.parametrize("verb", ["GET", "DELETE"])
def test_cli_06_neither_the_event_stream_nor_the_teardown_follows_a_redirect(
    streaming: RecordingServer, elsewhere: RecordingServer, verb: str
) -> None:
    router = crm_router(streaming.url)
    elsewhere.clear()
    streaming.fail(lambda request: request.verb == verb, status=307, headers={"location": elsewhere.url})

    async def main() -> str:
        async with connect(router, "crm", mode="legacy") as client:
            return await call_as(client, router, "acme")

    assert asyncio.run(main()) == "acme:"
    assert verb in {request.verb for request in streaming.requests}
    assert elsewhere.requests == []


def test_cli_06_a_handshake_that_is_redirected_opens_nothing(
    server: RecordingServer, elsewhere: RecordingServer
) -> None:
    router = crm_router(server.url)
    elsewhere.clear()
    server.fail(lambda _: True, status=308, headers={"location": elsewhere.url})

    async def main() -> None:
        async with connect(router, "crm") as client:
            with pytest.raises(RedirectRefused):
                await call_as(client, router, "acme")

    asyncio.run(main())
    assert elsewhere.requests == []
    assert len(server.requests) == 1


def test_cli_08_a_cookie_of_one_run_is_on_no_later_request(server: RecordingServer, mode: str) -> None:
    router = crm_router(server.url)
    cookies = {"set-cookie": "sess=acme; Path=/"}
    server.fail_call_of("acme", adorn=True, headers=cookies)

    async def main() -> None:
        async with connect(router, "crm", mode=mode) as client:
            await call_as(client, router, "acme")
            await call_as(client, router, "globex")
            await call_as(client, router, "acme")

    asyncio.run(main())
    assert len(server.of("tools/call")) == 3
    assert not [request for request in server.requests if request.lines("cookie")]


def test_cli_09_a_private_answer_is_never_handed_to_another_run(server: RecordingServer, mode: str) -> None:
    router = crm_router(server.url)

    async def main() -> list[str]:
        async with connect(router, "crm", mode=mode) as client:
            read = []
            for tenant in ("acme", "globex", "acme"):
                async with run_of(router, tenant):
                    [content] = (await client.read_resource("memo://private")).contents
                assert isinstance(content, types.TextResourceContents)
                read.append(content.text)
            return read

    assert asyncio.run(main()) == ["private of acme", "private of globex", "private of acme"]
    assert [request.tenant for request in server.of("resources/read")] == ["acme", "globex", "acme"]


@pytest.mark.parametrize("name", ["x-tenant-id", "X_Tenant_Id", "AUTHORIZATION", "X-Plan"])
def test_cli_10_a_default_header_that_the_table_sets_refuses_connecting_and_is_named(
    server: RecordingServer, name: str
) -> None:
    router = crm_router(server.url)
    with pytest.raises(ConfigurationError, match=f"`{name}` is set by the table") as caught:
        connect(router, "crm", headers={name: SENTINEL})
    assert SENTINEL not in str(caught.value)


@pytest.mark.parametrize("name", ["Mcp-Session-Id", "host", "Cookie", "content-length", "Bad Name", ""])
def test_cli_10_a_default_header_that_is_not_the_hosts_to_set_is_refused(server: RecordingServer, name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"`{name}`"):
        connect(crm_router(server.url), "crm", headers={name: "1"})


def test_cli_10_a_default_header_with_a_value_that_is_none_is_refused_without_showing_it(
    server: RecordingServer,
) -> None:
    with pytest.raises(ConfigurationError, match="X-Host") as caught:
        connect(crm_router(server.url), "crm", headers={"X-Host": f"{SENTINEL}\r\nX-Tenant-Id: other"})
    assert SENTINEL not in str(caught.value)


def test_cli_10_a_default_header_that_the_table_does_not_know_goes_along(server: RecordingServer, mode: str) -> None:
    router = crm_router(server.url)

    async def main() -> None:
        async with connect(router, "crm", mode=mode, headers={"X-Host-Version": "1"}) as client:
            await call_as(client, router, "acme")

    asyncio.run(main())
    assert {tuple(request.lines("x-host-version")) for request in server.requests} == {("1",)}


def test_a_name_of_the_table_is_cleared_from_what_the_library_sets(server: RecordingServer, mode: str) -> None:
    router = crm_router(server.url, also=(optional("User-Agent", TextPart("left out")),))

    async def main() -> None:
        async with connect(router, "crm", mode=mode) as client:
            await call_as(client, router, "acme")

    asyncio.run(main())
    assert server.of("tools/call")
    assert not [request for request in server.requests if request.lines("user-agent")]


def test_the_environment_sends_no_request_through_a_proxy(
    server: RecordingServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    router = crm_router(server.url)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)

    async def main() -> str:
        async with connect(router, "crm") as client:
            return await call_as(client, router, "acme")

    assert asyncio.run(main()) == "acme:"


def test_no_log_record_and_no_repr_shows_a_value(
    streaming: RecordingServer, mode: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    router = crm_router(streaming.url)
    streaming.fail_call_of(SENTINEL, drop="before", times=1)

    async def main() -> str:
        async with connect(router, "crm", mode=mode) as client:
            async with run_of(router, SENTINEL, user=SENTINEL):
                with pytest.raises(ConnectionFailed) as caught:
                    await client.call_tool("ask")
                await client.list_tools()
                shown = [repr(client), repr(caught.value), str(caught.value), repr(vars(client))]
            return " ".join(shown)

    shown = asyncio.run(main())
    gc.collect()
    # What the test's own server thread logs is the server's business.
    logged = [
        f"{record.getMessage()} {record.exc_text}" for record in caplog.records if record.threadName == "MainThread"
    ]
    assert logged
    assert not [line for line in (*logged, shown) if SENTINEL in line or KEY in line]
