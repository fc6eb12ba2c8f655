"""What the calls that may share one session have in common, and what is fixed for all of them."""

from __future__ import annotations

from mcpx.runtime.redacted import Facts, Redacted


class SessionKey(Redacted):
    """The key of a session: equal for calls that may share one, and without a text that shows a value.

    Attributes:
        server: the server's name.
        agent: whose session it is; nothing for a shared one.
        facts: the run fields that are the same for every call on the session.
    """

    __slots__ = ("_identity", "agent", "facts", "server")
    server: str
    agent: str | None
    facts: Facts
    _identity: tuple[object, ...]

    def __init__(self, server: str, agent: str | None, facts: Facts, run: object | None = None) -> None:
        """Make the key.

        Args:
            server: the server's name.
            agent: whose session it is; nothing for a shared one.
            facts: the run fields that all its calls have in common.
            run: the run itself, where nothing but that run may use the session.
        """
        # One run is told from another by what it is and not by its fields or id, which two runs may share.
        self._hold(server=server, agent=agent, facts=facts, _identity=(server, agent, run, facts.content()))

    def __repr__(self) -> str:
        return f"<SessionKey of server {self.server}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SessionKey) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)
