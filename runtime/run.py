"""One run: an agent, what is known about it, and the headers that its calls carry."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar, cast

from mcpx.runtime import binding
from mcpx.runtime.calls import Call, with_arguments, with_meta, without_keys
from mcpx.runtime.errors import ArgumentRefused, CallRefused, HeaderRefused
from mcpx.runtime.headers import meta_values, render
from mcpx.runtime.redacted import Facts, Headers, Redacted, Secret

if TYPE_CHECKING:
    from mcpx.runtime.router import Router

P = ParamSpec("P")
T = TypeVar("T")


class Run(Redacted):
    """One run of an agent; `Router.run` makes it. Immutable, and safe to use from any thread and task.

    `with run:` and `async with run:` bind it to the code inside, tasks that are created there included. It may be
    entered many times, at once and nested.

    Attributes:
        router: what made it.
        agent: the name of its agent.
        id: its id; no fact of the run.
    """

    __slots__ = ("__weakref__", "_facts", "_headers", "agent", "id", "router")
    router: Router
    agent: str
    id: str
    _facts: Facts
    _headers: dict[str, tuple[Mapping[str, Secret], Headers]]

    def __init__(self, router: Router, agent: str, facts: Facts, run_id: str) -> None:
        self._hold(router=router, agent=agent, id=run_id, _facts=facts, _headers={})

    def __repr__(self) -> str:
        return f"<Run {self.id} of agent {self.agent}>"

    def headers(self, server: str) -> Headers:
        """The headers of this run's calls to `server`; never another run's, and no network is asked.

        Computed once per server, and again after a secret that takes part has changed.

        Args:
            server: a name of the table.

        Returns:
            Header names, as written in the sources, to values; it cannot be written to.

        Raises:
            NoRoute: the agent does not use the server, or there is none of that name.
            SecretUnavailable: a secret that takes part cannot be read now.
            HeaderRefused: a value is not printable ASCII, has a blank at an end, is empty or too long.
            CallRefused: the table says something of the params of calls to this server: see `call`.
        """
        if self.router.reads_params(self.agent, server):
            raise CallRefused(f"calls to server `{server}` are checked as a whole: ask for them with `run.call`")
        return self.call_headers(server)

    def call_headers(self, server: str) -> Headers:
        """The headers as in `headers`, for a client that asks for the params of each message too."""
        plan = self.router.plan(self.agent, server)
        secrets = self.router.secrets(plan)
        cached = self._headers.get(server)
        if cached is not None and cached[0] == secrets:
            return cached[1]
        outcome = render(plan.lines, self._facts, secrets)
        if isinstance(outcome, str):
            raise HeaderRefused(f"agent `{self.agent}` to server `{server}`: {outcome}")
        self._headers[server] = (secrets, outcome)
        return outcome

    def call(
        self,
        server: str,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        takes: Collection[str] | None = None,
    ) -> Call:
        """What one call of this run to `server` carries: its headers and its params, checked and completed.

        The params are copied as far as they change: keys of `_meta` that the table compiles are this run's or gone, an
        argument that must equal a field does, and one that the runtime sets is set.

        Args:
            server: a name of the table.
            method: the JSON-RPC method.
            params: the `params` of the message, a JSON object.
            takes: the names of the arguments that the called tool's schema has, as read on the connection; needed for
                `tools/call` where the table sets arguments.

        Raises:
            NoRoute: the agent does not use the server, or there is none of that name.
            SecretUnavailable: a secret that takes part cannot be read now.
            HeaderRefused: a header or a key of `_meta` has no value that can be sent.
            ArgumentRefused: an argument is not what this run may send.
        """
        headers = self.call_headers(server)
        plan = self.router.plan(self.agent, server)
        own = meta_values(plan.metas, self._facts, self.router.secrets(plan))
        cleared = without_keys(params, self.router.compiled_keys(server))
        rules = (self.router.checks(server), plan.arguments)
        outcome = with_arguments(method, cleared, rules, self._facts, takes)
        del params, cleared  # a traceback may show the variables of this frame
        if isinstance(own, str):
            raise HeaderRefused(f"agent `{self.agent}` to server `{server}`: {own}")
        if isinstance(outcome, str):
            del own
            raise ArgumentRefused(f"agent `{self.agent}` to server `{server}`: {outcome}")
        return Call(headers, with_meta(outcome, own))

    def session_facts(self, fields: Iterable[str] | None) -> Facts:
        """These fields of the run, or all of it, for the key of a session."""
        return self._facts if fields is None else self._facts.only(fields)

    def bind(self, function: Callable[P, T]) -> Callable[P, T]:
        """The function, inside this run wherever it is called: in an executor, a thread, a callback.

        Args:
            function: a function or coroutine function. A coroutine that a plain function returns runs inside as well.

        Raises:
            TypeError: a generator function, whose body would run where the generator is read.
        """
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError("a generator function cannot be bound: bind the code that reads it")

        async def awaited(coroutine: Any) -> Any:
            with self:
                return await coroutine

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def inside(*args: P.args, **kwargs: P.kwargs) -> Any:
                return await awaited(function(*args, **kwargs))

            return cast("Callable[P, T]", inside)

        @functools.wraps(function)
        def called(*args: P.args, **kwargs: P.kwargs) -> T:
            with self:
                result = function(*args, **kwargs)
            return cast("T", awaited(result)) if inspect.iscoroutine(result) else result

        return called

    def __enter__(self) -> Self:
        binding.enter(self)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        binding.leave(self)

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        binding.leave(self)


def run_as(run: Run) -> Run:
    """The run itself, which is a context manager: for hosts whose code reads better with a verb."""
    return run
