"""The questions that are put to Cedar: every flow that some pair of `uses` could make."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mcpx.compiler.cedar.entities import direct_secrets, reference, uid
from mcpx.compiler.credentials import credential_of, session_credential_of
from mcpx.compiler.model import SESSION, CredentialPart, Program, Server
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
class Section:
    """Questions of one pair that differ only in what is sent or presented.

    Attributes:
        action: of all of them.
        via: of all of them; `None` for `connect`.
        items: the field or secret of each, or `None` alone where the action is about none.
        relations: for each, the kinds of statement of the file, beside its rules, that permit it.
    """

    action: str
    via: str | None
    items: tuple[str | None, ...]
    relations: tuple[tuple[str, ...], ...]

    def case(self, agent: str, server: str, item: str | None) -> Case:
        """One of the questions."""
        field, secret = (item, None) if self.action == "send" else (None, item)
        return Case(self.action, agent, server, field=field, credential=secret, via=self.via)


@dataclass(frozen=True, slots=True)
class Row:
    """All questions about one pair of `uses`: every field by every way, and what the pair presents."""

    agent: str
    server: str
    sections: tuple[Section, ...]

    def cases(self) -> Iterator[tuple[Case, tuple[str, ...]]]:
        """Each question with the kinds of statement of the file, beside its rules, that permit it."""
        for section in self.sections:
            for item, kinds in zip(section.items, section.relations, strict=True):
                yield section.case(self.agent, self.server, item), kinds


_USES = (("uses",),)


def rows_of(program: Program) -> Iterator[Row]:
    """One row for each pair of `uses`, in the order of the sources; no other pair exists."""
    common = {server.name: _common(server, program) for server in program.servers.values()}
    credentialed = {
        server.name: tuple(
            dict.fromkeys(way.via for way in server.ways if any(isinstance(part, CredentialPart) for part in way.parts))
        )
        for server in program.servers.values()
    }
    direct = {name: direct_secrets(program, name) for name in program.servers}
    for agent in program.agents.values():
        for server in agent.uses:
            secrets = dict.fromkeys(line.secret for line in credential_of(program, agent.name, server))
            own = session_credential_of(program, server)
            session = () if own is None or own.secret is None else ((own.secret, SESSION),)
            asked = (
                *((secret, via) for secret in secrets for via in credentialed[server]),
                *direct[server],
                *session,
            )
            sections: dict[str, dict[str | None, tuple[str, ...]]] = {}
            for secret, via in asked:
                # A credential line permits its secret by every way, also by one that names it.
                permits = {
                    "credential": secret in secrets,
                    "direct": (secret, via) in direct[server],
                    "session": (secret, via) in session,
                }
                sections.setdefault(via, {})[secret] = tuple(kind for kind, does in permits.items() if does)
            presented = (Section("present", via, tuple(one), tuple(one.values())) for via, one in sections.items())
            yield Row(agent.name, server, (*common[server], *presented))


def _common(server: Server, program: Program) -> tuple[Section, ...]:
    """What is asked for every agent that uses a server."""
    fields: tuple[str | None, ...] = tuple(program.fields)
    unpermitted: tuple[tuple[str, ...], ...] = ((),) * len(fields)
    vias = dict.fromkeys((*(way.via for way in server.ways), *(t.via for t in tokens_for(program, server.name))))
    own = session_credential_of(program, server.name)
    session = (SESSION,) if own is not None and own.secret is None else ()
    return (
        Section("connect", None, (None,), _USES),
        *(Section("attach", via, (None,), _USES) for via in (*vias, *session)),
        *(Section("send", via, fields, unpermitted) for via in vias),
    )
