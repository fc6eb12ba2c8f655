"""From a decided program to a routing table. Equal programs, plans and flow decisions are stored once."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from importlib.metadata import version
from typing import Generic, TypeVar

from mcpx.compiler import model
from mcpx.compiler.cedar.decision import Decisions, every, some
from mcpx.compiler.check.flows import references
from mcpx.compiler.check.handshakes import placed
from mcpx.compiler.check.token_flows import claim_decision
from mcpx.compiler.credentials import credential_of
from mcpx.compiler.emit.calls import call_plan, checks_of, session_credential, session_of, source_of
from mcpx.compiler.emit.guards import GuardPool
from mcpx.compiler.emit.tokens import grant_spec, token_spec
from mcpx.compiler.encodings import encoding_of
from mcpx.compiler.source import Source
from mcpx.compiler.tokens import tokens_for
from mcpx.runtime import body

_T = TypeVar("_T", bound=Hashable)


class _Pool(Generic[_T]):
    """Values by id, each once; ids count from 0 in the order of first use, which is the order of the sources."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._ids: dict[_T, str] = {}

    def id_of(self, value: _T) -> str:
        return self._ids.setdefault(value, f"{self._prefix}{len(self._ids)}")

    def by_id(self) -> dict[str, _T]:
        return {name: value for value, name in self._ids.items()}


def lower(program: model.Program, decisions: Decisions, sources: Mapping[str, Source]) -> body.Body:
    """The table's body. Every plain header of it is permitted: `check_flows` found no error before."""
    programs: _Pool[body.HeaderProgram] = _Pool("h")
    plans: _Pool[tuple[body.Step, ...]] = _Pool("p")
    flows: _Pool[tuple[tuple[str, body.Flow], ...]] = _Pool("f")
    claims: _Pool[tuple[body.ClaimStep, ...]] = _Pool("c")
    calls: _Pool[body.CallPlan] = _Pool("m")
    guards = GuardPool()
    decided: dict[Hashable, str] = {}
    rows = []
    for agent in program.agents.values():
        for server in (program.servers[name] for name in agent.uses):
            plan = tuple(
                _step(header, agent.name, server.name, program, decisions, programs, guards)
                for header in server.headers
            )
            alike = decisions.alike(agent.name, server.name)
            if alike not in decided:
                decided[alike] = flows.id_of(tuple(_flows(program, decisions, agent.name, server, guards)))
            call = call_plan(agent.name, server, program, decisions, _part, guards)
            rows.append(
                body.Row(
                    call=None if call is None else calls.id_of(call),
                    agent=agent.name,
                    server=server.name,
                    credential=_credential(program, agent.name, server),
                    plan=plans.id_of(plan),
                    flows=decided[alike],
                    by=decisions.connect[agent.name, server.name].by,
                    tokens={
                        token.name: claims.id_of(
                            tuple(
                                _claim(claim, token, agent.name, server.name, decisions, guards)
                                for claim in token.claims
                            )
                        )
                        for token in tokens_for(program, server.name)
                    },
                )
            )
    return body.Body(
        format=body.FORMAT,
        compiler=version("mcpx-lang"),
        sources=tuple(body.SourceDigest(source.name, source.digest) for source in sources.values()),
        fields={name: _field(field) for name, field in program.fields.items()},
        settings={name: body.SettingSpec(s.variable, s.default, s.choices) for name, s in program.settings.items()},
        secrets={name: source_of(secret) for name, secret in program.secrets.items()},
        servers={name: _server(server, program, decisions) for name, server in program.servers.items()},
        agents={name: agent.groups for name, agent in program.agents.items()},
        programs=programs.by_id(),
        plans=plans.by_id(),
        flows={name: dict(flow) for name, flow in flows.by_id().items()},
        guards=guards.branches,
        tokens={name: token_spec(token) for name, token in program.tokens.items()},
        claims=claims.by_id(),
        calls=calls.by_id(),
        grants={name: grant_spec(grant) for name, grant in program.grants.items()},
        policies={
            name: _origin(policy.span.file, policy.span.start, sources) for name, policy in decisions.policies.items()
        },
        rows=tuple(sorted(rows, key=lambda row: (row.agent, row.server))),
    )


def _step(
    header: model.Header,
    agent: str,
    server: str,
    program: model.Program,
    decisions: Decisions,
    programs: _Pool[body.HeaderProgram],
    guards: GuardPool,
) -> body.Step:
    decided = every([decision for _, decision in references(header, agent, server, program, decisions)])
    return body.Step(
        program=programs.id_of(_program(header, program)),
        send=guards.id_of(decided.guard),
        requests=placed(header, agent, program.servers[server], program, decisions),
        by=decided.by,
    )


def _program(header: model.Header, program: model.Program) -> body.HeaderProgram:
    return body.HeaderProgram(
        name=header.name,
        parts=tuple(map(_part, header.parts)),
        optional=header.optional,
        encode=encoding_of(header, program),
        advisory=header.advisory,
    )


def _claim(
    claim: model.Claim, token: model.Token, agent: str, server: str, decisions: Decisions, guards: GuardPool
) -> body.ClaimStep:
    decision = claim_decision(claim, token, agent, server, decisions)
    return body.ClaimStep(guards.id_of(decision.guard), decision.by)


def _flows(
    program: model.Program, decisions: Decisions, agent: str, server: model.Server, guards: GuardPool
) -> Iterable[tuple[str, body.Flow]]:
    vias = (*(way.via for way in server.ways), *(token.via for token in tokens_for(program, server.name)))
    for field in program.fields:
        decided = some([decisions.send[agent, server.name, field, via] for via in vias])
        yield field, body.Flow(guards.id_of(decided.guard), decided.by)


def _credential(program: model.Program, agent: str, server: model.Server) -> str | None:
    if not any(isinstance(part, model.CredentialPart) for way in server.ways for part in way.parts):
        return None
    (line,) = credential_of(program, agent, server.name)
    return line.secret


def _field(field: model.Field) -> body.FieldSpec:
    kind = field.type
    return body.FieldSpec(
        verified=field.verified,
        optional=field.optional,
        kind=kind.kind,
        choices=kind.choices,
        max=kind.max,
        matches=kind.matches,
        items=kind.items,
        default=field.default,
    )


def _server(server: model.Server, program: model.Program, decisions: Decisions) -> body.ServerSpec:
    return body.ServerSpec(
        url=_url(server.url),
        session=session_of(server),
        discovery=server.discovery,
        session_credential=session_credential(server, program, decisions),
        checks=checks_of(server),
        tags=server.tags,
        properties=server.properties,
        audience=() if server.audience is None else _url(server.audience),
        authorization_servers=tuple(part.text for part in server.authorization_servers),
    )


def _url(url: model.Url) -> tuple[body.TextPart | body.SettingPart, ...]:
    return tuple(
        body.TextPart(part.text) if isinstance(part, model.TextPart) else body.SettingPart(part.setting)
        for part in url.parts
    )


def _part(part: model.Part) -> body.Part:
    match part:
        case model.TextPart(text=text):
            return body.TextPart(text)
        case model.FieldPart(field=field):
            return body.FieldPart(field)
        case model.SecretPart(secret=secret):
            return body.SecretPart(secret)
        case model.SettingPart(setting=setting):
            return body.SettingPart(setting)
        case model.CredentialPart():
            return body.CredentialPart(credential=True)
        case model.TokenPart(token=token):
            return body.TokenPart(token)


def _origin(file: str, offset: int, sources: Mapping[str, Source]) -> body.Origin:
    position = sources[file].position(offset)
    return body.Origin(file, position.line, position.column)
