"""A router whose servers are given as addresses: what the tests of the clients need, without a compiler."""

from __future__ import annotations

from mcpx.runtime.body import (
    Body,
    CredentialPart,
    EnvSource,
    FieldPart,
    FieldSpec,
    Flow,
    HeaderProgram,
    Origin,
    Row,
    ServerSpec,
    SourceDigest,
    Step,
    TextPart,
)
from mcpx.runtime.router import Router
from mcpx.runtime.run import Run
from mcpx.runtime.table import read, write

KEY = "key-of-crm"
SENTINEL = "value-that-no-message-shows"

_BY = ("rule",)
_TEXT = FieldSpec(
    verified=True, optional=False, kind="string", choices=(), max=256, matches=None, items=1, default=None
)  # fmt: skip


def crm_router(url: str, *, agents: tuple[str, ...] = ("analyst",), outsiders: tuple[str, ...] = ()) -> Router:
    """`crm` gets `Authorization` on every request, `X-Tenant-Id` and, if permitted, `X-User` on calls alone.

    Args:
        url: where `crm` is.
        agents: those that use `crm`.
        outsiders: those that use nothing.
    """
    steps = (
        Step(program="key", send=True, requests="session", by=_BY),
        Step(program="tenant", send=True, requests="calls", by=_BY),
        Step(program="user", send=True, requests="calls", by=_BY),
        Step(program="plan", send=False, requests="calls", by=()),
    )
    fields = dict.fromkeys(("tenant", "plan"), _TEXT)
    fields["user"] = FieldSpec(
        verified=True, optional=True, kind="string", choices=(), max=256, matches=None, items=1, default=None
    )  # fmt: skip
    body = Body(
        format=1,
        compiler="0",
        sources=(SourceDigest(name="app.mcpx", digest="sha256:" + "0" * 64),),
        fields=fields,
        settings={},
        secrets={"crm_key": EnvSource(env="CRM_KEY")},
        servers={"crm": ServerSpec(url=(TextPart(text=url),), session="agent")},
        agents=dict.fromkeys((*agents, *outsiders), ()),
        programs={
            "key": HeaderProgram(
                "Authorization", (TextPart(text="Bearer "), CredentialPart(credential=True)), optional=False
            ),
            "tenant": HeaderProgram("X-Tenant-Id", (FieldPart(field="tenant"),), optional=False),
            "user": HeaderProgram("X-User", (FieldPart(field="user"),), optional=True),
            "plan": HeaderProgram("X-Plan", (FieldPart(field="plan"),), optional=True),
        },
        plans={"crm": steps},
        flows={
            "crm": {
                "tenant": Flow(permitted=True, by=_BY),
                "user": Flow(permitted=True, by=_BY),
                "plan": Flow(permitted=False, by=()),
            }
        },
        policies={"rule": Origin(file="app.mcpx", line=1, column=1)},
        rows=tuple(
            Row(agent=name, server="crm", credential="crm_key", plan="crm", flows="crm", by=_BY) for name in agents
        ),
    )
    return Router(read(write(body)), {"CRM_KEY": KEY})


def run_of(router: Router, tenant: str, *, agent: str = "analyst", **more: str) -> Run:
    """A run of a tenant."""
    return router.run(agent, verified={"tenant": tenant, "plan": "free", **more})
