"""The questions that are put to Cedar: every flow that some pair of `uses` could make."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mcpx.compiler.cedar.entities import direct_secrets, reference, uid
from mcpx.compiler.credentials import credential_of, session_credential_of
from mcpx.compiler.model import SESSION, CredentialPart, Program
from mcpx.compiler.tokens import tokens_for


@dataclass(frozen=True, slots=True)
class Case:
    """One question. `field` goes with `send`, `credential` with `present`, `via` with all but `connect`."""

    action: str
    agent: str
    server: str
    field: str | None = None
    credential: str | None = None
    via: str | None = None

    def request(self, run: dict[str, Any]) -> dict[str, Any]:
        """The question in Cedar's JSON form, with any run that fits the schema."""
        context: dict[str, Any] = {"run": run}
        if self.field is not None:
            context["field"] = reference("Field", self.field)
        if self.credential is not None:
            context["credential"] = reference("Credential", self.credential)
        if self.via is not None:
            context["via"] = self.via
        return {
            "principal": uid("Agent", self.agent),
            "action": uid("Action", self.action),
            "resource": uid("Server", self.server),
            "context": context,
        }

    def __str__(self) -> str:
        """For messages: who does what, where."""
        what = {
            "connect": f"`{self.agent}` using `{self.server}`",
            "send": f"`{self.agent}` sending `run.{self.field}` to `{self.server}`",
            "present": f"`{self.agent}` presenting `{self.credential}` to `{self.server}`",
            "attach": f"`{self.agent}` sending a header to `{self.server}`",
        }
        return what[self.action]


@dataclass(frozen=True, slots=True)
class Row:
    """All questions about one pair of `uses`: every field by every way, and what the pair presents.

    Attributes:
        ways: each `via` of the server, once.
        presented: secrets, by which way, and the kinds of statement that permit it: `credential`, `direct`, `session`.
        session_token: whether a token is the server's session credential.
    """

    agent: str
    server: str
    ways: tuple[str, ...]
    fields: tuple[str, ...]
    presented: tuple[tuple[str, str, tuple[str, ...]], ...]
    session_token: bool

    def cases(self) -> Iterator[tuple[Case, tuple[str, ...]]]:
        """Each question with the kinds of statement of the file, beside its rules, that permit it."""
        yield Case("connect", self.agent, self.server), ("uses",)
        for via in self.ways:
            yield Case("attach", self.agent, self.server, via=via), ("uses",)
            for field in self.fields:
                yield Case("send", self.agent, self.server, field=field, via=via), ()
        for secret, via, kinds in self.presented:
            yield Case("present", self.agent, self.server, credential=secret, via=via), kinds
        if self.session_token:
            yield Case("attach", self.agent, self.server, via=SESSION), ("uses",)

    def places(self) -> dict[tuple[str, str | None, str | None], int]:
        """Where each question stands in `cases`: by action, item and via."""
        return {
            (case.action, case.field or case.credential, case.via): place
            for place, (case, _) in enumerate(self.cases())
        }


def rows_of(program: Program) -> Iterator[Row]:
    """One row for each pair of `uses`, in the order of the sources; no other pair exists."""
    fields = tuple(program.fields)
    ways = {
        server.name: tuple(
            dict.fromkeys(
                (*(way.via for way in server.ways), *(token.via for token in tokens_for(program, server.name)))
            )
        )
        for server in program.servers.values()
    }
    credentialed = {
        server.name: tuple(
            dict.fromkeys(way.via for way in server.ways if any(isinstance(part, CredentialPart) for part in way.parts))
        )
        for server in program.servers.values()
    }
    direct = {name: direct_secrets(program, name) for name in program.servers}
    for agent in program.agents.values():
        for server in agent.uses:
            own = session_credential_of(program, server)
            secrets = tuple(dict.fromkeys(line.secret for line in credential_of(program, agent.name, server)))
            session = ((own.secret, SESSION),) if own is not None and own.secret is not None else ()
            asked = dict.fromkeys(
                (
                    *((secret, via) for secret in secrets for via in credentialed[server]),
                    *direct[server],
                    *session,
                )
            )
            kinds = (("credential", secrets), ("direct", direct[server]), ("session", session))
            yield Row(
                agent=agent.name,
                server=server,
                ways=ways[server],
                fields=fields,
                presented=tuple(
                    (secret, via, tuple(kind for kind, of in kinds if secret in of or (secret, via) in of))
                    for secret, via in asked
                ),
                session_token=own is not None and own.secret is None,
            )
