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


def cases_of(program: Program, agent: str) -> Iterator[Case]:
    """Every question about an agent: only pairs in `uses` exist, and for those every field by every way is asked."""
    for server in program.agents[agent].uses:
        all_ways = program.servers[server].ways
        vias = (*(way.via for way in all_ways), *(token.via for token in tokens_for(program, server)))
        ways = tuple(dict.fromkeys(vias))
        yield Case("connect", agent, server)
        for via in ways:
            yield Case("attach", agent, server, via=via)
            for field in program.fields:
                yield Case("send", agent, server, field=field, via=via)
        presented = dict.fromkeys(
            (
                *(
                    (line.secret, way.via)
                    for line in credential_of(program, agent, server)
                    for way in all_ways
                    if any(isinstance(part, CredentialPart) for part in way.parts)
                ),
                *direct_secrets(program, server),
            )
        )
        for secret, via in presented:
            yield Case("present", agent, server, credential=secret, via=via)
        own = session_credential_of(program, server)
        if own is not None and own.secret is not None:
            yield Case("present", agent, server, credential=own.secret, via=SESSION)
        elif own is not None:
            yield Case("attach", agent, server, via=SESSION)
