"""The routing table in force on this machine: it starts runs and knows where their calls may go."""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Iterable, Mapping
from typing import Final

from mcpx.runtime import settings
from mcpx.runtime.body import Body, ProviderSource, ServerSpec, SettingPart
from mcpx.runtime.calls import ArgumentRule
from mcpx.runtime.endpoints import Endpoint, address
from mcpx.runtime.errors import ConfigurationError, HeaderRefused, RunRefused, RunRequired
from mcpx.runtime.fields import Schema
from mcpx.runtime.headers import NO_FACTS, Plan, render
from mcpx.runtime.names import value_fault
from mcpx.runtime.redacted import Headers, Redacted, Secret
from mcpx.runtime.routes import Routes, routes
from mcpx.runtime.run import Run
from mcpx.runtime.secrets import SecretStore
from mcpx.runtime.sessions import SessionKey
from mcpx.runtime.table import Table, load
from mcpx.runtime.wording import meant, quoted

_RUN_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,128}")


class Router(Redacted):
    """A verified table with the settings, addresses and secrets of this machine. Immutable and safe for any thread.

    Attributes:
        digest: of the table's body.
    """

    __slots__ = ("__weakref__", "_agents", "_endpoints", "_routes", "_schema", "_secrets", "_servers", "digest")
    digest: str
    _agents: frozenset[str]
    _schema: Schema
    _endpoints: Mapping[str, Endpoint]
    _routes: Routes
    _servers: Mapping[str, ServerSpec]
    _secrets: SecretStore

    def __init__(self, table: Table, environment: Mapping[str, str]) -> None:
        """Put a table into force; `load` is the usual way.

        Args:
            table: as `mcpx.runtime.table.read` gave it.
            environment: the variables that settings and secrets are read from, once.

        Raises:
            ConfigurationError: this machine lacks something that the table needs; all of it is named.
        """
        self._hold(digest=table.digest)
        body = table.body
        _require(_unsupported(body))
        values, faults = settings.resolve(body.settings, environment)
        secrets = SecretStore(body.secrets, environment)
        del environment  # a traceback may show the variables of this frame
        _require((*faults, *secrets.faults()))
        addresses = {name: address(server.url, values) for name, server in body.servers.items()}
        found = routes(body, values)
        _require((*_address_faults(addresses), *_setting_faults(body, values), *_place_faults(body, addresses)))
        _require(_fixed_faults(found, secrets))
        self._hold(
            _agents=frozenset(body.agents),
            _schema=Schema(body.fields),
            _endpoints={name: where for name, where in addresses.items() if isinstance(where, Endpoint)},
            _routes=found,
            _servers=body.servers,
            _secrets=secrets,
        )

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Router:
        """The router for the table in a file, with the settings and secrets of this process's environment.

        Raises:
            TableError: the file holds no table that can be trusted to be whole.
            ConfigurationError: a setting or secret has no usable value, or an address no usable form.
        """
        return cls(load(path), os.environ)

    def __repr__(self) -> str:
        return f"<Router {self.digest}>"

    def run(
        self,
        agent: str,
        *,
        verified: Mapping[str, object],
        claimed: Mapping[str, object] | None = None,
        run_id: str | None = None,
    ) -> Run:
        """Start a run: its fields are checked once, here, and copied.

        Args:
            agent: a name of the table.
            verified: the fields that the application vouches for. A field that may be missing is left out, not `None`.
            claimed: the fields that the caller sent.
            run_id: up to 128 letters, digits, `.`, `_` and `-`; random unless given. It is shown in messages.

        Raises:
            RunRefused: the agent or a field is not in the table, a field is missing, given with another trust, or has
                a value that its type does not allow; everything that is wrong is named, no value is.
        """
        outcome = self._schema.facts(verified, {} if claimed is None else claimed)
        own_id = _own_id(run_id)
        del verified, claimed, run_id  # a traceback may show the variables of this frame
        if type(agent) is not str or agent not in self._agents:
            raise RunRefused(f"there is no agent {quoted(agent)}{meant(agent, self._agents)}")
        if own_id is None:
            raise RunRefused("`run_id` must be up to 128 letters, digits, `.`, `_` and `-`")
        if isinstance(outcome, tuple):
            raise RunRefused(f"agent `{agent}`: {'; '.join(outcome)}")
        return Run(self, agent, outcome, own_id)

    def plan(self, agent: str, server: str) -> Plan:
        """The header lines of an agent's calls to a server; raises `NoRoute` where there is no such pair."""
        return self._routes.plan(agent, server)

    def secrets(self, plan: Plan) -> Mapping[str, Secret]:
        """The secrets that take part in a plan, as they are now; raises `SecretUnavailable`."""
        return {name: self._secrets.secret(name) for name in plan.secrets}

    def endpoint(self, server: str) -> Endpoint:
        """The address of a server, and the origin that every request to it is pinned to; raises `NoRoute`."""
        self._routes.require_server(server)
        return self._endpoints[server]

    def agents_of(self, server: str) -> tuple[str, ...]:
        """The agents that use a server, sorted; raises `NoRoute`."""
        self._routes.require_server(server)
        return self._routes.agents[server]

    def compiled_names(self, server: str) -> frozenset[str]:
        """Every header name that the table compiles for a server and any agent, in lower case; raises `NoRoute`.

        What a client library or caller set under one of these names is cleared from every request, also where the
        table leaves the header out.
        """
        self._routes.require_server(server)
        return self._routes.compiled[server]

    def compiled_keys(self, server: str) -> frozenset[str]:
        """Every key of `params._meta` that the table compiles for a server and any agent; raises `NoRoute`.

        What a client library or caller set under one of these keys is cleared from every message.
        """
        self._routes.require_server(server)
        return self._routes.keys[server]

    def checks(self, server: str) -> tuple[ArgumentRule, ...]:
        """The arguments of calls to a server that must equal a field of the run; raises `NoRoute`."""
        self._routes.require_server(server)
        return self._routes.checks[server]

    def reads_params(self, agent: str, server: str) -> bool:
        """Whether the table says anything about the params of an agent's calls to a server; raises `NoRoute`."""
        plan = self._routes.plan(agent, server)
        return bool(plan.arguments or self._routes.checks[server] or self._routes.keys[server])

    def set_arguments(self, server: str) -> frozenset[str]:
        """The names of the arguments that are set in calls to a server by any agent; raises `NoRoute`."""
        plans = (self._routes.plan(agent, server) for agent in self.agents_of(server))
        return frozenset(rule.argument for plan in plans for rule in plan.arguments)

    def discovers_per_run(self, server: str) -> bool:
        """Whether lists are asked for with a run's headers and belong to that run; raises `NoRoute`."""
        self._routes.require_server(server)
        return self._servers[server].discovery == "run"

    def is_per_run(self, server: str) -> bool:
        """Whether each run has a session of its own with a server; raises `NoRoute`."""
        self._routes.require_server(server)
        return self._servers[server].session == "run"

    def session_key(self, who: Run | str, server: str) -> SessionKey:
        """What the calls that may share one session have in common.

        Args:
            who: a run, or the name of an agent where no run is at hand.
            server: a name of the table.

        Raises:
            NoRoute: the agent does not use the server, or there is none of that name.
            RunRequired: only a run has a session with this server, and an agent was given.
        """
        run = who if isinstance(who, Run) else None
        agent = who.agent if isinstance(who, Run) else who
        self._routes.plan(agent, server)
        kind = self._servers[server].session
        if kind == "shared":
            return SessionKey(server, None, NO_FACTS)
        if kind == "agent":
            return SessionKey(server, agent, NO_FACTS)
        if run is None:
            raise RunRequired(f"a session with server `{server}` belongs to a run, and none is bound")
        if kind == "run":
            return SessionKey(server, agent, run.session_facts(None), run)
        return SessionKey(server, agent, run.session_facts(kind))

    def session_headers(self, who: SessionKey | Run | str, server: str) -> Headers:
        """The headers of session requests (handshake, lists, GET, DELETE): what the session key fixes and no more.

        Args:
            who: the key of the session, or whose it is, as for `session_key`.
            server: a name of the table.

        Raises:
            NoRoute: the agent does not use the server, or there is none of that name.
            RunRequired: as `session_key`.
            SecretUnavailable: a secret that takes part cannot be read now.
            HeaderRefused: a secret made a value too long.
        """
        key = who if isinstance(who, SessionKey) else self.session_key(who, server)
        # The agents of a shared session agree about its requests: a verified table says the same for each.
        agent = self.agents_of(server)[0] if key.agent is None else key.agent
        plan = self._routes.sessions[agent, server]
        outcome = render(plan.lines, key.facts, self.secrets(plan))
        if isinstance(outcome, str):
            whose = "shared session" if key.agent is None else f"session of agent `{agent}`"
            raise HeaderRefused(f"{whose} with server `{server}`: {outcome}")
        return outcome


def _own_id(given: object) -> str | None:
    """The id that was given or a random one; nothing when the given one is none."""
    if given is None:
        return uuid.uuid4().hex
    return given if type(given) is str and _RUN_ID.fullmatch(given) else None


def _require(faults: Iterable[str]) -> None:
    found = tuple(dict.fromkeys(faults))
    if found:
        raise ConfigurationError("; ".join(found))


def _unsupported(body: Body) -> Iterable[str]:
    """What the table needs and this runtime cannot do; nothing of a table is left out instead."""
    yield from (f"token `{name}`: this runtime does not make tokens" for name in body.tokens)
    yield from (f"grant `{name}`: this runtime does not take grants" for name in body.grants)
    yield from (
        f"secret `{name}`: this runtime asks no provider, and it comes from {quoted(source.provider)}"
        for name, source in body.secrets.items()
        if isinstance(source, ProviderSource)
    )


def _address_faults(addresses: Mapping[str, Endpoint | str]) -> Iterable[str]:
    return (f"server `{name}`: its URL {fault}" for name, fault in addresses.items() if isinstance(fault, str))


def _place_faults(body: Body, addresses: Mapping[str, Endpoint | str]) -> Iterable[str]:
    """Servers that settings put at one place, although guardrails tell them apart by their tags or properties."""
    first: dict[tuple[str, str, int], str] = {}
    for name, where in addresses.items():
        if not isinstance(where, Endpoint):
            continue
        known = first.setdefault(where.place, name)
        one, other = body.servers[known], body.servers[name]
        if set(one.tags) != set(other.tags) or dict(one.properties) != dict(other.properties):
            yield f"servers `{known}` and `{name}` are at one place, and their tags or properties differ"


def _setting_faults(body: Body, values: Mapping[str, str]) -> Iterable[str]:
    made = [program.parts for program in body.programs.values()]
    made += [meta.parts for call in body.calls.values() for meta in call.metas]
    parts = (part for one in made for part in one)
    used = dict.fromkeys(part.setting for part in parts if isinstance(part, SettingPart))
    faults = ((name, value_fault(values[name])) for name in used)
    return (f"setting `{name}`: its value {fault}, and a header draws on it" for name, fault in faults if fault)


def _fixed_faults(found: Routes, secrets: SecretStore) -> Iterable[str]:
    """Headers that no run could make valid, such as one that a secret makes too long: found before the first call."""
    for (agent, server), plan in found.plans.items():
        fixed = Plan(tuple(line for line in plan.lines if line.fixed))
        session = Plan(tuple(line for line in found.sessions[agent, server].lines if line.fixed))
        for which in (fixed, session):
            outcome = render(which.lines, NO_FACTS, {name: secrets.secret(name) for name in which.secrets})
            if isinstance(outcome, str):
                yield f"agent `{agent}` to server `{server}`: {outcome}"
