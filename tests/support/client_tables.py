"""A router whose `crm` is at a given address: what the tests of the clients need of a table."""

from __future__ import annotations

import dataclasses

from support import tables

from mcpx.runtime.clients.core import SessionRoute
from mcpx.runtime.router import Router
from mcpx.runtime.run import Run
from mcpx.runtime.table import (
    CredentialPart,
    EnvSource,
    FieldPart,
    FileSource,
    HeaderProgram,
    Row,
    ServerSpec,
    TextPart,
)

KEY = tables.KEYS["CRM_KEY"]
SENTINEL = "value-that-no-message-shows"


def crm_router(
    url: str,
    *,
    agents: tuple[str, ...] = ("analyst",),
    outsiders: tuple[str, ...] = (),
    key_file: str | None = None,
    also: tuple[HeaderProgram, ...] = (),
) -> Router:
    """`crm` gets `Authorization` on every request; `X-Tenant-Id` and, where known, `X-User` on calls; never `X-Plan`.

    Args:
        url: where `crm` is.
        agents: those that use `crm`.
        outsiders: those that use nothing.
        key_file: where the key is, when it is not in the environment.
        also: further optional headers, which the table leaves out.
    """
    programs = {
        "key": tables.plain("Authorization", TextPart("Bearer "), CredentialPart(True)),
        "tenant": tables.plain("X-Tenant-Id", FieldPart("tenant")),
        "user": tables.optional("X-User", FieldPart("user")),
        "plan": tables.optional("X-Plan", FieldPart("plan")),
        **{f"also{number}": program for number, program in enumerate(also)},
    }
    made = dataclasses.replace(
        tables.body(),
        secrets={"crm_key": EnvSource("CRM_KEY") if key_file is None else FileSource(key_file)},
        servers={"crm": ServerSpec((TextPart(url),), "agent")},
        agents=dict.fromkeys((*agents, *outsiders), ()),
        programs=programs,
        plans={
            "crm": (
                tables.step("key", requests="session"),
                tables.step("tenant"),
                tables.step("user"),
                *(tables.step(name, send=False) for name in programs if name not in {"key", "tenant", "user"}),
            )
        },
        flows={"crm": tables.flows("tenant", "user")},
        rows=tuple(Row(agent, "crm", "crm_key", "crm", "crm", ("rule",)) for agent in agents),
    )
    return tables.router(made)


def run_of(router: Router, tenant: str, *, agent: str = "analyst", **more: str) -> Run:
    """A run of a tenant."""
    return router.run(agent, verified={"tenant": tenant, **more})


def route_of(router: Router, agent: str = "analyst") -> SessionRoute:
    """The way of an agent's session with `crm`."""
    return SessionRoute(router, router.session_key(agent, "crm"))
