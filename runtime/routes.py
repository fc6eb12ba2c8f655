"""The rows of a table, ready to be looked up: what each agent sends to each server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcpx.runtime.body import Body
from mcpx.runtime.calls import ArgumentRule
from mcpx.runtime.errors import NoRoute
from mcpx.runtime.headers import Plan
from mcpx.runtime.plans import row_plan, session_plan
from mcpx.runtime.wording import meant, quoted


@dataclass(frozen=True, slots=True)
class Routes:
    """Everything about the pairs of agent and server.

    Attributes:
        plans: by agent and server; a pair that is not there does not exist.
        agents: by server, the agents that use it, sorted.
        compiled: by server, in lower case, the name of every header that the table compiles for it, for any agent.
        sessions: by agent and server, what session requests carry; equal for every agent of a shared session.
        keys: by server, every key of `_meta` that the table compiles for it, for any agent.
        checks: by server, the arguments that must equal a field.
    """

    plans: Mapping[tuple[str, str], Plan]
    agents: Mapping[str, tuple[str, ...]]
    compiled: Mapping[str, frozenset[str]]
    sessions: Mapping[tuple[str, str], Plan]
    keys: Mapping[str, frozenset[str]]
    checks: Mapping[str, tuple[ArgumentRule, ...]]

    def plan(self, agent: str, server: str) -> Plan:
        """What `agent` sends to `server`.

        Raises:
            NoRoute: the table has no such pair.
        """
        self.require_server(server)
        found = self.plans.get((agent, server)) if type(agent) is str else None
        if found is None:
            raise NoRoute(f"agent {quoted(agent)} does not use server `{server}`")
        return found

    def require_server(self, server: str) -> None:
        """Make sure that the table has this server.

        Raises:
            NoRoute: it has not.
        """
        if type(server) is not str or server not in self.agents:
            raise NoRoute(f"there is no server {quoted(server)}{meant(server, self.agents)}")


def routes(body: Body, settings: Mapping[str, str]) -> Routes:
    """The routes of a verified table.

    Args:
        body: what the table says.
        settings: the values of all settings.
    """
    shared: dict[tuple[str, str | None, str | None], Plan] = {}
    opened: dict[tuple[str, str | None, str], Plan] = {}
    sessions: dict[tuple[str, str], Plan] = {}
    keys: dict[str, set[str]] = {name: set() for name in body.servers}
    plans: dict[tuple[str, str], Plan] = {}
    agents: dict[str, list[str]] = {name: [] for name in body.servers}
    listed: dict[str, set[str]] = {name: set() for name in body.servers}
    for row in body.rows:
        key = (row.plan, row.credential, row.call)
        if key not in shared:
            shared[key] = row_plan(body, row, settings)
        plans[row.agent, row.server] = shared[key]
        session = (row.plan, row.credential, row.server)
        if session not in opened:
            opened[session] = session_plan(body, row, settings)
        sessions[row.agent, row.server] = opened[session]
        if row.call is not None:
            keys[row.server].update(meta.key for meta in body.calls[row.call].metas)
        agents[row.server].append(row.agent)
        listed[row.server].add(row.plan)
    names = {plan: {body.programs[step.program].name.lower() for step in steps} for plan, steps in body.plans.items()}
    return Routes(
        plans,
        {server: tuple(sorted(using)) for server, using in agents.items()},
        {server: frozenset().union(*(names[plan] for plan in ids)) for server, ids in listed.items()},
        sessions,
        {server: frozenset(own) for server, own in keys.items()},
        {
            name: tuple(ArgumentRule(check.argument, check.field) for check in server.checks)
            for name, server in body.servers.items()
        },
    )
