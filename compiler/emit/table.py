"""From a decided program to a routing table."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version

from mcpx.compiler import model
from mcpx.compiler.cedar.decision import Decisions
from mcpx.compiler.emit.calls import checks_of, session_credential, session_of, source_of
from mcpx.compiler.emit.rows import Rows
from mcpx.compiler.emit.tokens import grant_spec, token_spec
from mcpx.compiler.source import Source
from mcpx.runtime import body


def lower(program: model.Program, decisions: Decisions, sources: Mapping[str, Source]) -> body.Body:
    """The table's body. Every plain header of it is permitted: `check_flows` found no error before."""
    made = Rows(program, decisions)
    rows = [made.row(agent.name, program.servers[server]) for agent in program.agents.values() for server in agent.uses]
    return body.Body(
        format=body.FORMAT,
        compiler=version("mcpx-lang"),
        sources=tuple(body.SourceDigest(source.name, source.digest) for source in sources.values()),
        fields={name: _field(field) for name, field in program.fields.items()},
        settings={name: body.SettingSpec(s.variable, s.default, s.choices) for name, s in program.settings.items()},
        secrets={name: source_of(secret) for name, secret in program.secrets.items()},
        servers={name: _server(server, program, decisions) for name, server in program.servers.items()},
        agents={name: agent.groups for name, agent in program.agents.items()},
        programs=made.programs.by_id(),
        plans=made.plans.by_id(),
        flows={name: dict(flow) for name, flow in made.flows.by_id().items()},
        guards=made.guards.branches,
        tokens={name: token_spec(token) for name, token in program.tokens.items()},
        claims=made.claims.by_id(),
        calls=made.calls.by_id(),
        grants={name: grant_spec(grant) for name, grant in program.grants.items()},
        policies={
            name: _origin(policy.span.file, policy.span.start, sources) for name, policy in decisions.policies.items()
        },
        rows=tuple(sorted(rows, key=lambda row: (row.agent, row.server))),
    )


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


def _origin(file: str, offset: int, sources: Mapping[str, Source]) -> body.Origin:
    position = sources[file].position(offset)
    return body.Origin(file, position.line, position.column)
