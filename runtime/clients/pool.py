"""The sessions of one connection: one for each session key, opened by the first request that needs it.

A session lives in a task of its own that starts with an empty context, so that it inherits no run from whoever
happened to open it. Callers only wait for it; one that gives up takes nothing away from the others.
"""

from __future__ import annotations

import asyncio
import copy
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import Context
from functools import partial
from typing import Generic, TypeVar

from mcpx.runtime.errors import CallRefused, ConnectionFailed, McpxError

C = TypeVar("C")


class PooledSession(Generic[C]):
    """A session and how it stands. Used through `SessionPool.session`.

    Args:
        opening: opens the library's session; what it raises must be a `McpxError`.
    """

    def __init__(self, opening: Callable[[PooledSession[C]], AbstractAsyncContextManager[C]]) -> None:
        self._opening = opening
        self._settled = asyncio.Event()
        self._ending = asyncio.Event()
        self._client: C | None = None
        self._failure: McpxError | None = None
        self._users = 0
        self._retired = False

    @property
    def retired(self) -> bool:
        """Whether new requests go to another session: this one failed to open, was lost, or is being closed."""
        return self._retired

    @property
    def ended(self) -> bool:
        """Whether the transport below is gone or about to go."""
        return self._ending.is_set()

    @property
    def settled(self) -> bool:
        """Whether it is known if the session could be opened."""
        return self._settled.is_set()

    def retire(self) -> None:
        """Take no new requests; those in flight may still be answered, then the session ends."""
        self._retired = True
        if self._users == 0:
            self._ending.set()

    def end(self) -> None:
        """End now, whatever is in flight."""
        self._retired = True
        self._ending.set()

    async def live(self) -> None:
        """Open, stay open until told to end, close. The whole life of the session, in one task."""
        try:
            async with self._opening(self) as client:
                self._client = client
                self._settled.set()
                await self._ending.wait()
        except McpxError as failure:
            self._failure = failure
        finally:
            self.end()
            self._settled.set()

    @asynccontextmanager
    async def used(self) -> AsyncIterator[C]:
        """The library's session, once it is open.

        Raises:
            McpxError: why it could not be opened, for each that waited.
            ConnectionFailed: it was closed meanwhile.
        """
        self._users += 1
        try:
            await self._settled.wait()
            if self._failure is not None:
                raise copy.copy(self._failure)
            if self._client is None or self.ended:
                raise ConnectionFailed("the connection was closed before the call was sent")
            yield self._client
        finally:
            self._users -= 1
            if self._retired:
                self.retire()


class SessionPool(Generic[C]):
    """All sessions of one connection. Belongs to the event loop in which it was opened.

    Args:
        name: the server's name, for messages.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._sessions: dict[Hashable, PooledSession[C]] = {}
        self._tasks: dict[asyncio.Task[None], PooledSession[C]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None

    def open(self) -> None:
        """Serve sessions from now on; opens none.

        Raises:
            CallRefused: it is open already.
        """
        if self._loop is not None:
            raise CallRefused(f"the connection to server `{self._name}` is open already")
        self._loop = asyncio.get_running_loop()

    async def close(self) -> None:
        """Serve no more, end every session, and wait until all are closed."""
        self._loop = None
        for task, session in self._tasks.items():
            session.end()
            if not session.settled:
                task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def session(
        self, key: Hashable, opening: Callable[[PooledSession[C]], AbstractAsyncContextManager[C]]
    ) -> PooledSession[C]:
        """The session of a key; when there is none, a task begins to open one.

        Args:
            key: requests of equal keys share a session.
            opening: opens the library's session; what it raises must be a `McpxError`.

        Raises:
            CallRefused: the pool is not open, or is open in another event loop.
        """
        if self._loop is None:
            raise CallRefused(f"the connection to server `{self._name}` is not open: use it inside `async with`")
        if self._loop is not asyncio.get_running_loop():
            raise CallRefused(f"the connection to server `{self._name}` belongs to another event loop")
        session = self._sessions.get(key)
        if session is None or session.retired:
            session = self._sessions[key] = PooledSession(opening)
            task = self._loop.create_task(session.live(), context=Context())
            self._tasks[task] = session
            task.add_done_callback(partial(self._forget, key))
        return session

    def _forget(self, key: Hashable, task: asyncio.Task[None]) -> None:
        session = self._tasks.pop(task)
        if self._sessions.get(key) is session:
            del self._sessions[key]
