"""`mcpx demo`: the example on the real thing: a server, one connection, two tenants, forged arguments."""

from __future__ import annotations

import asyncio
import os
import secrets
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

import click

from mcpx.compiler.cli.common import CannotRun, compiled, write_whole
from mcpx.runtime.router import Router
from mcpx.runtime.table import write

TENANTS = ("acme", "globex")
CALLS_EACH = 50
_SHOWN = 6
_HANDSHAKES = ("initialize", "server/discover")


@dataclass(frozen=True, slots=True)
class _Call:
    tenant: str
    forged: str
    carried: str
    documents: tuple[str, ...]

    @property
    def right(self) -> bool:
        return self.carried == self.tenant and all(text.startswith(f"{self.tenant}:") for text in self.documents)


@click.command()
def demo() -> int:
    """Run the example: a real MCP server on loopback, one connection, two tenants. Exits with 1 on any wrong call."""
    try:
        from mcpx.examples.gomark.server import serve
    except ImportError as error:
        raise CannotRun(f"the demo needs `{error.name}`: install `mcpx-lang[compiler,mcp]`") from None
    key = secrets.token_urlsafe(16)
    with (
        serve(key) as (origin, door),
        _environment({"GOMARK_ADDRESS": origin, "GOMARK_API_KEY": key, "WEBSEARCH_API_KEY": "unused-by-the-demo"}),
    ):
        router = _router()
        click.echo(f"server     {origin}/mcp, asks for a credential, answers for the tenant in X-Tenant-Id")
        click.echo(
            f"calls      {CALLS_EACH} for each of {len(TENANTS)} tenants at once, each with a forged tenant_id\n"
        )
        calls = asyncio.run(_calls(router))
    return _report(calls, door.seen)


def _router() -> Router:
    with as_file(files("mcpx.examples.gomark")) as folder, tempfile.TemporaryDirectory() as scratch:
        outcome = compiled(folder / "app.mcpx")
        if outcome.body is None:
            raise CannotRun("the example does not compile")
        table = Path(scratch) / "app.mcpxc"
        write_whole(table, write(outcome.body))
        router = Router.load(table)
    click.echo(f"compiled   examples/gomark/app.mcpx: {', '.join(outcome.sources)}; table {router.digest[:19]}…")
    return router


async def _calls(router: Router) -> list[_Call]:
    from mcpx.runtime.clients.mcp import connect

    async with connect(router, "gomark") as client:

        async def one(number: int) -> _Call:
            tenant = TENANTS[number % 2]
            forged = TENANTS[1 - number % 2]
            run = router.run("analyst", verified={"tenant": tenant, "user": f"u-{number}"})
            async with run:
                result = await client.call_tool("search", {"q": "", "tenant_id": forged})
            answer = result.structured_content or {}
            return _Call(tenant, forged, str(answer.get("tenant")), tuple(answer.get("documents", ())))

        return await asyncio.gather(*(one(number) for number in range(CALLS_EACH * len(TENANTS))))


def _report(calls: Sequence[_Call], seen: Sequence[Mapping[str, str]]) -> int:
    click.echo("run of   argument tenant_id   server saw X-Tenant-Id   server answered")
    for call in calls[:_SHOWN]:
        answer = call.documents[0] if call.documents else "nothing"
        click.echo(f"{call.tenant:<8} {call.forged:<20} {call.carried:<24} {answer}")
    click.echo(f"…        and {len(calls) - _SHOWN} more\n")
    right = sum(call.right for call in calls)
    carried = Counter(headers["x-tenant-id"] for headers in seen if "x-tenant-id" in headers)
    handshakes = sum(headers.get("mcp-method") in _HANDSHAKES for headers in seen)
    neutral = sum("x-tenant-id" not in headers for headers in seen)
    expected = dict.fromkeys(TENANTS, CALLS_EACH)
    per_tenant = ", ".join(f"{number} of {tenant}" for tenant, number in sorted(carried.items()))
    click.echo(f"{right} of {len(calls)} calls were answered for the tenant of their run, whatever the argument said")
    click.echo(
        f"{handshakes} connection; requests with a tenant: {per_tenant}; the connection's own, with none: {neutral}"
    )
    if right == len(calls) and carried == expected and handshakes == 1:
        click.secho("right", fg="green")
        return 0
    click.secho("WRONG: at least one call carried or got something of another tenant", fg="red")
    return 1


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
