"""What a file says of sessions and of params, from the file to a real server (CLI-04, CLI-05, CLI-11, RUN-05)."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support.calls import text
from support.compiling import compiled
from support.recording_server import RecordingServer

from mcpx.runtime import ArgumentRefused, ConfigurationError, Router, RunRequired
from mcpx.runtime.clients.mcp import connect
from mcpx.runtime.table import read, write

FILE = """mcpx 1
run {{
  verified tenant: string
  verified user: string
}}
secret crm_key = env("CRM_KEY")
secret session_key = env("SESSION_KEY")
server crm {{
  url = "{url}"
{crm}
  header Authorization = "Bearer ${{credential}}"
  header X-Tenant-Id = run.tenant
  header X-User = run.user
}}
agent analyst uses crm
agent billing uses crm
credential for analyst, billing to crm = secret.crm_key
require run.tenant, run.user -> crm
{more}
"""
SHARED = "credential for session to crm = secret.session_key"
KEYS = {"CRM_KEY": "k-123", "SESSION_KEY": "k-session"}


def router_of(folder: Path, server: RecordingServer, crm: str, more: str = "") -> Router:
    result = compiled(folder, FILE.format(url=server.url, crm=crm, more=more))
    assert result.outcome.body is not None, result.text
    return Router(read(write(result.outcome.body)), KEYS)


def run_of(router: Router, tenant: str, user: str = "u-1", agent: str = "analyst") -> Any:
    return router.run(agent, verified={"tenant": tenant, "user": user})


def session_ids(server: RecordingServer, tenant: str) -> set[str]:
    """The session ids that were sent with calls of a tenant."""
    return {request.value("mcp-session-id") or "" for request in server.of("tools/call") if request.tenant == tenant}


def test_cli_05_runs_of_one_tenant_share_a_session_and_no_other_tenant_has_a_part_in_it(
    streaming: RecordingServer, tmp_path: Path
) -> None:
    router = router_of(tmp_path, streaming, "  session = per run.tenant")

    async def main() -> None:
        async with connect(router, "crm", mode="legacy") as client:

            async def call(tenant: str) -> str:
                async with run_of(router, tenant):
                    return text(await client.call_tool("echo", {"text": "x"}))

            await asyncio.gather(*(call("acme") for _ in range(10)), call("globex"))

    asyncio.run(main())
    assert len(streaming.of("initialize")) == 2
    acme, globex = session_ids(streaming, "acme"), session_ids(streaming, "globex")
    assert (len(acme), len(globex), acme & globex) == (1, 1, set())
    opened = {request.tenant for request in streaming.of("initialize")}
    assert opened == {"acme", "globex"}
    assert all(request.lines("x-user") == [] for request in streaming.of("initialize"))


def test_cli_05_and_cli_04_everybody_shares_a_session_that_its_own_credential_opens(
    streaming: RecordingServer, tmp_path: Path
) -> None:
    router = router_of(tmp_path, streaming, "  session = shared", SHARED)

    async def main() -> None:
        async with connect(router, "crm", mode="legacy") as client:
            await client.list_tools()
            for number in range(30):
                agent = ("analyst", "billing")[number % 2]
                async with run_of(router, f"t{number}", f"u{number}", agent):
                    assert text(await client.call_tool("echo", {"text": "x"})) == f"t{number}:x"

    asyncio.run(main())
    assert len(streaming.of("initialize")) == 1
    calls = streaming.of("tools/call")
    assert len(calls) == 30
    for request in streaming.requests:
        of_call = request.method == "tools/call"
        assert request.lines("authorization") == ["Bearer k-123" if of_call else "Bearer k-session"]
        assert bool(request.lines("x-tenant-id") or request.lines("x-user")) is of_call
    assert {request.verb for request in streaming.requests} >= {"POST", "GET", "DELETE"}


def test_a_session_of_a_run_is_opened_by_no_one_else(streaming: RecordingServer, tmp_path: Path) -> None:
    router = router_of(tmp_path, streaming, "  session = per run")

    async def main() -> None:
        async with connect(router, "crm", mode="legacy", agent="analyst") as client:
            with pytest.raises(RunRequired):
                await client.list_tools()
            for _ in range(2):
                async with run_of(router, "acme"):
                    await client.list_tools()

    asyncio.run(main())
    assert len(streaming.of("initialize")) == 2
    assert all(request.tenant == "acme" for request in streaming.requests)


def test_run_05_and_cli_11_no_body_and_no_header_names_another_tenant(
    server: RecordingServer, mode: str, tmp_path: Path
) -> None:
    router = router_of(tmp_path, server, "  argument text must equal run.tenant")

    async def main() -> None:
        async with connect(router, "crm", mode=mode, agent="analyst") as client:
            await client.list_tools()
            async with run_of(router, "acme"):
                with pytest.raises(ArgumentRefused, match="`text`"):
                    await client.call_tool("echo", {"text": "globex"})
                assert text(await client.call_tool("echo", {"text": "acme"})) == "acme:acme"

    asyncio.run(main())
    [call] = server.of("tools/call")
    assert call.body["params"]["arguments"] == {"text": "acme"}
    assert call.tenant == "acme"
    assert "globex" not in repr(server.requests)


def test_a_refused_argument_harms_no_other_call(server: RecordingServer, tmp_path: Path) -> None:
    router = router_of(tmp_path, server, "  argument text must equal run.tenant")

    async def main() -> list[object]:
        async with connect(router, "crm") as client:

            async def call(tenant: str, said: str) -> str:
                async with run_of(router, tenant):
                    return text(await client.call_tool("echo", {"text": said}))

            pairs = [(f"t{number}", f"t{number - number % 2}") for number in range(20)]
            return await asyncio.gather(*(call(*pair) for pair in pairs), return_exceptions=True)

    outcomes = asyncio.run(main())
    assert outcomes[::2] == [f"t{number}:t{number}" for number in range(0, 20, 2)]
    assert all(isinstance(outcome, ArgumentRefused) for outcome in outcomes[1::2])


def test_meta_is_each_calls_own_and_the_callers_copy_is_gone(
    server: RecordingServer, mode: str, tmp_path: Path
) -> None:
    router = router_of(tmp_path, server, '  meta "example.com/user" = run.user')

    async def main() -> None:
        async with connect(router, "crm", mode=mode, agent="analyst") as client:
            spoofed: Any = {"example.com/user": "someone-else", "note": "kept"}
            await client.list_tools(meta=spoofed)

            async def call(number: int) -> None:
                async with run_of(router, f"t{number}", f"u{number}"):
                    await client.call_tool("echo", {"text": f"{number}"}, meta=spoofed)

            await asyncio.gather(*(call(number) for number in range(20)))

    asyncio.run(main())
    calls = server.of("tools/call")
    assert len(calls) == 20
    for call in calls:
        params = call.body["params"]
        assert params["_meta"]["example.com/user"] == f"u{params['arguments']['text']}"
        assert params["_meta"]["note"] == "kept"
    assert "someone-else" not in repr(server.requests)


def test_an_argument_is_set_by_the_runtime_and_hidden_from_the_host(
    server: RecordingServer, mode: str, tmp_path: Path
) -> None:
    router = router_of(tmp_path, server, "  argument text = run.tenant")

    async def main() -> None:
        async with connect(router, "crm", mode=mode, agent="analyst") as client:
            async with run_of(router, "acme"):
                with pytest.raises(ArgumentRefused, match="schema"):
                    await client.call_tool("echo", {})
            listed = {tool.name: tool.input_schema for tool in (await client.list_tools()).tools}
            assert "text" not in listed["echo"]["properties"]
            assert listed["slow"]["required"] == ["seconds"]

            async def call(tenant: str) -> str:
                async with run_of(router, tenant):
                    return text(await client.call_tool("echo", {}))

            tenants = [f"t{number}" for number in range(10)]
            assert await asyncio.gather(*map(call, tenants)) == [f"{tenant}:{tenant}" for tenant in tenants]
            async with run_of(router, "acme"):
                for said in ("globex", "acme"):
                    with pytest.raises(ArgumentRefused, match="`text`"):
                        await client.call_tool("echo", {"text": said})
                await client.call_tool("slow", {"seconds": 0})

    asyncio.run(main())
    assert "globex" not in repr(server.requests)
    assert [call.body["params"]["arguments"] for call in server.of("tools/call")][-1] == {"seconds": 0}


def test_lists_per_run_on_a_session_of_several_are_refused_before_a_connection(
    json_server: RecordingServer, tmp_path: Path
) -> None:
    router = router_of(tmp_path, json_server, "  discovery = per run")
    with pytest.raises(ConfigurationError, match="`crm`"):
        connect(router, "crm")


def test_lists_of_a_run_carry_the_runs_headers(streaming: RecordingServer, tmp_path: Path) -> None:
    router = router_of(tmp_path, streaming, "  session = per run\n  discovery = per run")

    async def main() -> None:
        async with connect(router, "crm", mode="legacy") as client:
            with pytest.raises(RunRequired):
                await client.list_tools()
            async with run_of(router, "acme", "u-7"):
                await client.list_tools()

    asyncio.run(main())
    [listed] = streaming.of("tools/list")
    assert (listed.tenant, listed.lines("x-user")) == ("acme", ["u-7"])
