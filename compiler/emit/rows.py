"""The rows of a table. What many rows have in common is stored once: programs, plans, flow decisions and the like."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from mcpx.compiler import model
from mcpx.compiler.cedar.decision import Decision, Decisions, some
from mcpx.compiler.cedar.lowering import relation_id
from mcpx.compiler.check.flows import way_decision
from mcpx.compiler.check.handshakes import Placement
from mcpx.compiler.check.token_flows import claim_decision
from mcpx.compiler.credentials import credential_of
from mcpx.compiler.emit.guards import GuardPool
from mcpx.compiler.emit.parts import header_program, part_of
from mcpx.compiler.tokens import tokens_for
from mcpx.runtime import body

_T = TypeVar("_T", bound=Hashable)


class Pool(Generic[_T]):
    """Values by id, each once; ids count from 0 in the order of first use, which is the order of the sources."""

    def __init__(self, prefix: str) -> None:
        """`prefix` is what every id begins with."""
        self._prefix = prefix
        self._ids: dict[_T, str] = {}

    def id_of(self, value: _T) -> str:
        """The id of a value, which is taken into the table."""
        return self._ids.setdefault(value, f"{self._prefix}{len(self._ids)}")

    def by_id(self) -> dict[str, _T]:
        """All that was taken."""
        return {name: value for value, name in self._ids.items()}


@dataclass(frozen=True, slots=True)
class _Pair:
    """An agent, a server that it uses, and the ids of the statements that are about them alone."""

    agent: str
    server: model.Server
    own: dict[body.Own, str]

    def others(self, decision: Decision) -> tuple[str, ...]:
        """The policies that decided, but for the own statements."""
        return tuple(name for name in decision.by if name not in self.own.values())

    def kinds(self, decision: Decision) -> tuple[body.Own, ...]:
        """The own statements that decided."""
        return tuple(kind for kind, name in self.own.items() if name in decision.by)


class Rows:
    """Makes rows, and keeps what they refer to."""

    def __init__(self, program: model.Program, decisions: Decisions) -> None:
        """Nothing is kept yet."""
        self._program = program
        self._decisions = decisions
        self._placement = Placement(program, decisions)
        self._alike: dict[Hashable, str] = {}
        self.guards = GuardPool()
        self.programs: Pool[body.HeaderProgram] = Pool("h")
        self.plans: Pool[tuple[body.Step, ...]] = Pool("p")
        self.flows: Pool[tuple[tuple[str, body.Flow], ...]] = Pool("f")
        self.claims: Pool[tuple[body.ClaimStep, ...]] = Pool("c")
        self.calls: Pool[body.CallPlan] = Pool("m")

    def row(self, agent: str, server: model.Server) -> body.Row:
        """The row of a pair of `uses`, every plain header of which is permitted."""
        pair = _Pair(agent, server, self._own(agent, server.name))
        plan = self.plans.id_of(tuple(self._step(header, pair) for header in server.headers))
        alike = self._decisions.alike(agent, server.name)
        if alike not in self._alike:
            self._alike[alike] = self.flows.id_of(tuple(self._flows(pair)))
        call = self._call(pair)
        return body.Row(
            agent=agent,
            server=server.name,
            credential=self._credential(agent, server),
            plan=plan,
            flows=self._alike[alike],
            by=pair.others(self._decisions.connect[agent, server.name]),
            tokens={
                token.name: self.claims.id_of(tuple(self._claim(claim, token, pair) for claim in token.claims))
                for token in tokens_for(self._program, server.name)
            },
            call=None if call is None else self.calls.id_of(call),
            own=pair.own,
        )

    def _own(self, agent: str, server: str) -> dict[body.Own, str]:
        lines = credential_of(self._program, agent, server)
        found: dict[body.Own, str] = {}
        if len(lines) == 1:
            found["credential"] = relation_id("credential", agent, server, lines[0].secret)
        found["uses"] = relation_id("uses", agent, server)
        return found

    def _step(self, header: model.Header, pair: _Pair) -> body.Step:
        decided = way_decision(header, pair.agent, pair.server.name, self._program, self._decisions)
        return body.Step(
            program=self.programs.id_of(header_program(header, self._program)),
            send=self.guards.id_of(decided.guard),
            requests=self._placement.of(header, pair.agent, pair.server),
            by=pair.others(decided),
            own=pair.kinds(decided),
        )

    def _claim(self, claim: model.Claim, token: model.Token, pair: _Pair) -> body.ClaimStep:
        decided = claim_decision(claim, token, pair.agent, pair.server.name, self._decisions)
        return body.ClaimStep(self.guards.id_of(decided.guard), pair.others(decided), pair.kinds(decided))

    def _flows(self, pair: _Pair) -> Iterable[tuple[str, body.Flow]]:
        name = pair.server.name
        vias = (*(way.via for way in pair.server.ways), *(token.via for token in tokens_for(self._program, name)))
        for field in self._program.fields:
            decided = some([self._decisions.send[pair.agent, name, field, via] for via in vias])
            yield field, body.Flow(self.guards.id_of(decided.guard), decided.by)

    def _call(self, pair: _Pair) -> body.CallPlan | None:
        """What the calls of a row carry in their params; nothing where they carry nothing."""
        arguments = tuple(
            body.ArgumentStep(
                one.name, one.field, self._decisions.send[pair.agent, pair.server.name, one.field, one.via].by
            )
            for one in pair.server.arguments
            if one.mode == "set"
        )
        metas = tuple(self._meta(meta, pair) for meta in pair.server.metas)
        return body.CallPlan(metas, arguments) if metas or arguments else None

    def _meta(self, meta: model.Meta, pair: _Pair) -> body.MetaStep:
        decided = way_decision(meta, pair.agent, pair.server.name, self._program, self._decisions)
        return body.MetaStep(
            key=meta.key,
            parts=tuple(map(part_of, meta.parts)),
            optional=meta.optional,
            send=self.guards.id_of(decided.guard),
            by=pair.others(decided),
            own=pair.kinds(decided),
        )

    def _credential(self, agent: str, server: model.Server) -> str | None:
        if not any(isinstance(part, model.CredentialPart) for way in server.ways for part in way.parts):
            return None
        (line,) = credential_of(self._program, agent, server.name)
        return line.secret
