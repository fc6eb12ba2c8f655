"""What all adapters share, whatever their library: whose a message is, what its request carries, where a failure goes.

Three steps, each in its own place of a client library:

1. Where the caller still runs, `SessionRoute.carry` finds the run and its headers, or refuses.
2. What it answers travels in a private context variable, so that nothing below looks at the run again.
3. Where the HTTP request leaves, `SessionRoute.dress` puts on exactly those headers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

from mcpx.runtime.binding import current_run
from mcpx.runtime.calls import without_keys
from mcpx.runtime.clients.schemas import ToolSchemas
from mcpx.runtime.errors import CallFailed, CallRefused, ConnectionFailed, RunRequired, ServerRefused
from mcpx.runtime.router import Router
from mcpx.runtime.run import Run
from mcpx.runtime.sessions import SessionKey

_HANDSHAKE = frozenset({"initialize", "notifications/initialized", "server/discover"})


def is_session_request(method: str) -> bool:
    """Whether a JSON-RPC method belongs to the session and not to a run: the handshake, `ping`, every `*/list`."""
    return method in _HANDSHAKE or method == "ping" or method.endswith("/list")


def is_call(router: Router, server: str, method: str) -> bool:
    """Whether a message belongs to a run: it is no session request, or a list that each run asks for by itself."""
    own = method.endswith("/list") and router.discovers_per_run(server)
    return own or not is_session_request(method)


@dataclass(slots=True)
class Operation:
    """One thing that a caller waits for.

    Attributes:
        wait: the seconds that the caller waits for an answer; None for as long as it takes.
        asked: whether a request of it was let through.
        failure: what ended the operation's latest request, when that was not the server's own JSON-RPC answer.
    """

    wait: float | None = None
    asked: bool = False
    failure: CallFailed | CallRefused | None = None


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Carried:
    """What one message takes along from the caller's task to the HTTP request.

    Attributes:
        operation: who hears of a failure.
        headers: a run's headers; None for those of the session.
        request_id: the JSON-RPC id to answer; None for a notification or an answer.
        in_order: the messages behind this one wait until it was delivered.
        params: of the JSON-RPC message, as they are to be sent.
    """

    operation: Operation
    headers: Mapping[str, str] | None = field(default=None, repr=False)
    request_id: int | str | None = None
    in_order: bool = False
    params: Mapping[str, Any] | None = field(default=None, repr=False)


_carried: ContextVar[Carried] = ContextVar("mcpx_carried")
_operation: ContextVar[Operation] = ContextVar("mcpx_operation")


@contextmanager
def operation(wait: float | None) -> Iterator[Operation]:
    """Everything that is sent inside reports its failures to this operation."""
    current = Operation(wait)
    token = _operation.set(current)
    try:
        yield current
    finally:
        _operation.reset(token)


@contextmanager
def carrying(carried: Carried) -> Iterator[None]:
    """What is handed on inside takes `carried` along."""
    token = _carried.set(carried)
    try:
        yield
    finally:
        _carried.reset(token)


def in_operation() -> bool:
    """Whether the code that runs here works for a caller of a routed client, or for a session."""
    return _operation.get(None) is not None


def waits_here() -> float | None:
    """The seconds that the operation that runs here waits for an answer; None for as long as it takes."""
    return (_operation.get(None) or Operation()).wait


def has_asked() -> bool:
    """Whether the operation that runs here let a request through."""
    return (_operation.get(None) or Operation()).asked


def carried_here() -> Carried | None:
    """What the code that runs here was handed; None in the session's own task."""
    return _carried.get(None)


def admit(router: Router, server: str, method: str, agent: str | None) -> SessionKey:
    """The key of the session that a message goes through, decided before that session is looked for or opened.

    Args:
        router: the router of the pool.
        server: the server's name.
        method: the JSON-RPC method of the message.
        agent: who asks when a session request is made outside any run.

    Raises:
        RunRequired: a call outside any run, or a session request that several sessions could be meant for.
        NoRoute: the run's agent does not use the server.
        CallRefused: the run belongs to another router, or its headers are refused.
    """
    run = current_run()
    if run is not None:
        _own(router, run)
        if is_call(router, server, method):
            run.call_headers(server)
        return router.session_key(run, server)
    if is_call(router, server, method):
        raise RunRequired(f"`{method}` to server `{server}` was called outside any run")
    if agent is not None:
        return router.session_key(agent, server)
    agents = router.agents_of(server)
    keys = {router.session_key(name, server) for name in agents}
    if len(keys) != 1:
        users = ", ".join(f"`{name}`" for name in agents) or "no agent"
        raise RunRequired(f"`{method}` outside a run needs `agent=`: server `{server}` is used by {users}")
    return keys.pop()


def _own(router: Router, run: Run) -> None:
    if run.router is not router:
        raise CallRefused("the run was started by another router than the connection's")


class SessionRoute:
    """One session's way to its server, and the only place that decides what a message on it carries.

    Args:
        router: the router of the pool.
        key: what the calls on the session have in common.
    """

    def __init__(self, router: Router, key: SessionKey) -> None:
        self.server = key.server
        self.endpoint = router.endpoint(key.server)
        self._router = router
        self._key = key
        self._compiled = router.compiled_names(key.server)
        self.schemas = ToolSchemas(router.set_arguments(key.server))

    def carry(
        self, method: str, request_id: int | str | None = None, params: Mapping[str, Any] | None = None
    ) -> Carried:
        """What a message takes along. Called in the task of whoever sends it; the run is read here and nowhere else.

        Args:
            method: its JSON-RPC method.
            request_id: its JSON-RPC id; None for a notification.
            params: of the message; what goes on the wire is in the answer.

        Raises:
            RunRequired: a call outside any run.
            CallRefused: the run's headers or arguments are refused, or it belongs to another session or router.
            CallFailed: the handshake need not go on, because its last message found no server.
        """
        current = _operation.get(None) or Operation()
        if method in _HANDSHAKE and current.failure is not None and not isinstance(current.failure, ServerRefused):
            raise current.failure
        if request_id is not None:
            current.failure = None
            current.asked = True
        if not is_call(self._router, self.server, method):
            self.session_headers()
            kept = without_keys(params, self._router.compiled_keys(self.server))
            return Carried(current, request_id=request_id, in_order=method in _HANDSHAKE, params=kept)
        run = current_run()
        if run is None:
            raise RunRequired(f"`{method}` to server `{self.server}` was sent outside any run")
        _own(self._router, run)
        if self._router.session_key(run, self.server) != self._key:
            raise CallRefused(f"the session to server `{self.server}` does not belong to this run of `{run.agent}`")
        takes = self.schemas.takes((params or {}).get("name")) if method == "tools/call" else None
        call = run.call(self.server, method, params, takes=takes)
        return Carried(current, headers=call.headers, request_id=request_id, params=call.params)

    def session_headers(self) -> Mapping[str, str]:
        """The headers of session requests.

        Raises:
            CallRefused: one of them cannot be built now.
        """
        return self._router.session_headers(self._key, self.server)

    def dress(
        self, origin: tuple[str, str, int | None], headers: MutableMapping[str, str], carried: Carried | None
    ) -> None:
        """Give a request exactly the headers that are its own; what anybody else set under a compiled name is gone.

        Args:
            origin: scheme, host and port (None for the scheme's default) that the request goes to.
            headers: those of the request; deleting and assigning must cover all lines of a name.
            carried: what the message took along; None for requests of the session's own task.

        Raises:
            ConnectionFailed: the request would go to another origin than the server's.
            CallRefused: a header of the session cannot be built now.
        """
        if _with_default_port(origin) != (self.endpoint.scheme, self.endpoint.host, self.endpoint.port):
            raise ConnectionFailed(f"a request for server `{self.server}` would have gone to another origin")
        own = self.session_headers() if carried is None or carried.headers is None else carried.headers
        for name in self._compiled:
            headers.pop(name, None)
        for name, value in own.items():
            headers[name] = value


def _with_default_port(origin: tuple[str, str, int | None]) -> tuple[str, str, int | None]:
    scheme, host, port = origin
    return scheme, host, {"http": 80, "https": 443}.get(scheme) if port is None else port
