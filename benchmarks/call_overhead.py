"""What a routed call costs over a call of the bare SDK client, with JSON and with event streams.

    python benchmarks/call_overhead.py [calls]

Routed and bare calls take turns, on two open connections to one server in a process of its own; the bare client sends
the same headers, set once. One line for each form of answer: both medians in milliseconds, and their ratio.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
import uvicorn
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.mcpserver import MCPServer

from mcpx.compiler.pipeline import compile_project
from mcpx.runtime.clients.mcp import connect
from mcpx.runtime.router import Router
from mcpx.runtime.table import write

WARM_UP = 50
KEY = "a-key-of-usual-length-0123456789"
PROJECT = """mcpx 1
run {{ verified tenant: string }}
secret crm_key = env("CRM_KEY")
server crm {{
  url = "{url}"
  header Authorization = "Bearer ${{credential}}"
  header X-Tenant-Id = run.tenant
}}
agent analyst uses crm
credential for analyst to crm = secret.crm_key
require run.tenant -> crm
"""


def serve(port: int, *, json_response: bool) -> None:
    """A server with one tool that does nothing."""
    server: MCPServer[Any] = MCPServer("benchmark")

    @server.tool()
    async def echo(text: str) -> str:
        return text

    uvicorn.run(
        server.streamable_http_app(json_response=json_response), host="127.0.0.1", port=port, log_level="critical"
    )


def router_for(url: str) -> Router:
    """A router whose `crm` is at this address."""
    os.environ["CRM_KEY"] = KEY
    with tempfile.TemporaryDirectory() as folder:
        root, table = Path(folder) / "app.mcpx", Path(folder) / "app.mcpxc"
        root.write_text(PROJECT.format(url=url))
        outcome = compile_project(root)
        if outcome.body is None:
            raise SystemExit("\n".join(one.message for one in outcome.diagnostics))
        table.write_bytes(write(outcome.body))
        return Router.load(table)


async def medians(url: str, calls: int) -> tuple[float, float]:
    """The median seconds of a bare and of a routed call."""
    router = router_for(url)
    headers = {"Authorization": f"Bearer {KEY}", "X-Tenant-Id": "acme"}
    spent: dict[str, list[float]] = {"bare": [], "routed": []}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30.0) as http_client,
        Client(streamable_http_client(url, http_client=http_client), cache=None) as bare,
        connect(router, "crm") as routed,
        router.run("analyst", verified={"tenant": "acme"}),
    ):
        ways: dict[str, Callable[[str, dict[str, Any]], Awaitable[object]]] = {
            "bare": bare.call_tool,
            "routed": routed.call_tool,
        }
        for number in range(WARM_UP + calls):
            for way in sorted(ways, reverse=bool(number % 2)):
                started = time.perf_counter()
                await ways[way]("echo", {"text": "hello"})
                if number >= WARM_UP:
                    spent[way].append(time.perf_counter() - started)
    return statistics.median(spent["bare"]), statistics.median(spent["routed"])


def main(calls: int) -> None:
    """Measure both forms of answer and print them."""
    print(f"{'answers':<8} {'bare':>7} {'routed':>7} ratio")
    for name, json_response in (("JSON", True), ("SSE", False)):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port: int = free.getsockname()[1]
        process = multiprocessing.get_context("spawn").Process(
            target=serve, args=(port,), kwargs={"json_response": json_response}, daemon=True
        )
        process.start()
        while socket.socket().connect_ex(("127.0.0.1", port)):
            time.sleep(0.05)
        bare, routed = asyncio.run(medians(f"http://127.0.0.1:{port}/mcp", calls))
        process.terminate()
        process.join()
        print(f"{name:<8} {1000 * bare:>7.3f} {1000 * routed:>7.3f} {routed / bare:.3f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000)
