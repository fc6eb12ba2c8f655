"""One run: an agent, what is known about it, and the headers that its calls carry."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, ParamSpec, Self, TypeVar, cast

from mcpx.runtime import binding
from mcpx.runtime.errors import HeaderRefused
from mcpx.runtime.headers import render
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
        """
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
