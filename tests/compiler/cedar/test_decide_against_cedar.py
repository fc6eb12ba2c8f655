"""Decisions against an oracle: the meaning of each statement spelt out policy by policy, and Cedar asked one by one."""

from __future__ import annotations

import json
from collections.abc import Iterable
from itertools import product

import cedarpy
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mcpx.compiler.cedar.decide import decide
from mcpx.compiler.model import (
    Agent,
    CedarText,
    CredentialLine,
    CredentialPart,
    EnvSource,
    Field,
    FieldPart,
    FieldType,
    Group,
    Header,
    Part,
    Program,
    Rule,
    Secret,
    SecretPart,
    Server,
    Tag,
    TextPart,
    Url,
)
from mcpx.compiler.source import Span

HERE = Span("app.mcpx", 0, 0)
TAGS = ("red", "blue")
GROUPS = ("staff", "guests")
AGENTS = ("ann", "bob")
SERVERS = ("crm", "search", "ledger")
FIELDS = ("tenant", "user", "locale")
SECRETS = ("k1", "k2")
WRITTEN = (
    """forbid (principal in Mcpx::Group::"staff", action in Mcpx::Action::"egress", resource in Mcpx::Tag::"red")""",
    """forbid (principal, action == Mcpx::Action::"present", resource)
    when { context.credential in Mcpx::Tag::"blue" }""",
    """permit (principal, action in [Mcpx::Action::"send", Mcpx::Action::"attach"], resource == Mcpx::Server::"crm")""",
    """permit (principal is Mcpx::Agent in Mcpx::Group::"guests", action == Mcpx::Action::"send", resource)
    when { context.field.verified } unless { context.field in [Mcpx::Tag::"red", Mcpx::Tag::"blue"] }""",
    """forbid (principal, action, resource) when { context has via && context.via like "*x-b" }""",
    """forbid (principal, action, resource) unless { resource has host && resource.host == "crm.example.com" }""",
    """forbid (principal, action == Mcpx::Action::"present", resource)
    when { context.credential.holders.containsAll([Mcpx::Agent::"ann", Mcpx::Agent::"bob"]) }""",
    """permit (principal, action == Mcpx::Action::"present", resource) when { context.credential.per.isEmpty() }""",
)


def _some(values: Iterable[str], least: int = 0) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(tuple(values)), unique=True, min_size=least, max_size=2).map(tuple)


_PARTS: st.SearchStrategy[Part] = st.sampled_from(
    [
        FieldPart("tenant", HERE),
        CredentialPart(HERE),
        SecretPart("k1", HERE),
        SecretPart("k2", HERE),
        TextPart("a", HERE),
    ]
)


def _headers() -> st.SearchStrategy[tuple[Header, ...]]:
    names = st.lists(st.sampled_from(["X-A", "X-B"]), unique=True)
    one = st.lists(_PARTS, min_size=1, max_size=2).map(tuple)
    return names.flatmap(
        lambda chosen: st.tuples(*(one for _ in chosen)).map(
            lambda parts: tuple(
                Header(name, given, False, HERE, HERE, HERE) for name, given in zip(chosen, parts, strict=True)
            )
        )
    )


@st.composite
def _rules(draw: st.DrawFn) -> tuple[Rule, ...]:
    rules = []
    for number in range(draw(st.integers(0, 4))):
        fields, field_tags = draw(_some(FIELDS)), draw(_some(TAGS))
        servers, server_tags = draw(_some(SERVERS)), draw(_some(TAGS))
        rules.append(
            Rule(
                effect=draw(st.sampled_from(["allow", "deny", "require"])),
                id=f"rule{number}",
                named=True,
                fields=fields if fields or field_tags else ("tenant",),
                field_tags=field_tags,
                servers=servers if servers or server_tags else ("crm",),
                server_tags=server_tags,
                agents=draw(_some(AGENTS)),
                groups=draw(_some(GROUPS)),
                span=HERE,
            )
        )
    return tuple(rules)


@st.composite
def _programs(draw: st.DrawFn) -> Program:
    chosen = draw(st.lists(st.sampled_from(range(len(WRITTEN))), unique=True, max_size=3))
    texts = [f'@id("written{number}")\n{WRITTEN[number]};' for number in chosen]
    return Program(
        tags={name: Tag(name, HERE) for name in TAGS},
        fields={
            name: Field(
                name, draw(st.booleans()), draw(st.booleans()), FieldType("string"), None, draw(_some(TAGS)), HERE
            )
            for name in FIELDS
        },
        settings={},
        secrets={name: Secret(name, EnvSource(name), True, draw(_some(TAGS)), HERE) for name in SECRETS},
        servers={
            name: Server(
                name,
                draw(_some(TAGS)),
                Url((TextPart(f"https://{name}.example.com/mcp", HERE),), HERE),
                draw(_headers()),
                HERE,
            )
            for name in SERVERS
        },
        groups={name: Group(name, HERE) for name in GROUPS},
        agents={
            name: Agent(name, draw(_some(GROUPS)), dict.fromkeys(draw(_some(SERVERS)), HERE), HERE) for name in AGENTS
        },
        credentials=tuple(
            CredentialLine(
                draw(_some(AGENTS + GROUPS, 1)), draw(_some(SERVERS, 1)), draw(st.sampled_from(SECRETS)), HERE, HERE
            )
            for _ in range(draw(st.integers(0, 4)))
        ),
        rules=draw(_rules()),
        cedar=tuple(CedarText(text, Span("org.cedar", 0, len(text))) for text in texts),
    )


def _lines_for(program: Program, agent: str, server: str) -> list[CredentialLine]:
    direct = [line for line in program.credentials if server in line.servers and agent in line.holders]
    if direct:
        return direct
    return [
        line
        for line in program.credentials
        if server in line.servers and any(group in line.holders for group in program.agents[agent].groups)
    ]


def _presented(program: Program, agent: str, server: str) -> set[tuple[str, str]]:
    found = set()
    for header in program.servers[server].headers:
        for part in header.parts:
            if isinstance(part, SecretPart):
                found.add((part.secret, "header:" + header.name.lower()))
            if isinstance(part, CredentialPart):
                found |= {(line.secret, "header:" + header.name.lower()) for line in _lines_for(program, agent, server)}
    return found


def _spelt_out(program: Program) -> str:
    """One policy for each single flow that a statement permits or forbids, under the id of that statement."""
    policies = []

    def add(effect: str, name: str, agent: str, action: str, server: str, condition: str = "true") -> None:
        policies.append(
            f'@id("{name}") {effect}(principal == Mcpx::Agent::"{agent}", action == Mcpx::Action::"{action}",'
            f' resource == Mcpx::Server::"{server}") when {{ {condition} }};'
        )

    for agent in program.agents.values():
        for server in agent.uses:
            add("permit", f"agent {agent.name} uses {server}", agent.name, "connect", server)
            add("permit", f"agent {agent.name} uses {server}", agent.name, "attach", server)
            for line in _lines_for(program, agent.name, server):
                name = f"credential for {agent.name} to {server} = secret.{line.secret}"
                credential = f'context.credential == Mcpx::Credential::"{line.secret}"'
                add("permit", name, agent.name, "present", server, credential)
            for header in program.servers[server].headers:
                for part in header.parts:
                    if isinstance(part, SecretPart):
                        name = f"server {server} header:{header.name.lower()} = secret.{part.secret}"
                        item = f'context.credential == Mcpx::Credential::"{part.secret}"'
                        way = f'context.via == "header:{header.name.lower()}"'
                        add("permit", name, agent.name, "present", server, f"{item} && {way}")
    for rule in program.rules:
        effect = "forbid" if rule.effect == "deny" else "permit"
        for agent, server in product(program.agents.values(), program.servers.values()):
            everyone = not rule.agents and not rule.groups
            if not (everyone or agent.name in rule.agents or set(agent.groups) & set(rule.groups)):
                continue
            if not (server.name in rule.servers or set(server.tags) & set(rule.server_tags)):
                continue
            for field in program.fields.values():
                if field.name in rule.fields or set(field.tags) & set(rule.field_tags):
                    item = f'context.field == Mcpx::Field::"{field.name}"'
                    add(effect, rule.id, agent.name, "send", server.name, item)
            for secret in program.secrets.values():
                if rule.effect == "deny" and set(secret.tags) & set(rule.field_tags):
                    item = f'context.credential == Mcpx::Credential::"{secret.name}"'
                    add(effect, rule.id, agent.name, "present", server.name, item)
    return "\n".join([*policies, *(text.text for text in program.cedar)])


def _world(program: Program) -> list[dict[str, object]]:
    def entity(
        kind: str, name: str, parents: Iterable[tuple[str, str]] = (), **attributes: object
    ) -> dict[str, object]:
        return {
            "uid": {"type": f"Mcpx::{kind}", "id": name},
            "attrs": attributes,
            "parents": [{"type": f"Mcpx::{parent}", "id": of} for parent, of in parents],
        }

    def tagged(tags: Iterable[str]) -> list[tuple[str, str]]:
        return [("Tag", tag) for tag in tags]

    holders: dict[str, list[object]] = {
        secret: [
            {"__entity": {"type": "Mcpx::Agent", "id": agent.name}}
            for agent in program.agents.values()
            if any(
                secret in {line.secret for line in _lines_for(program, agent.name, server)}
                or secret in {s for s, _ in _presented(program, agent.name, server)}
                for server in agent.uses
            )
        ]
        for secret in SECRETS
    }
    return [
        *(entity("Tag", name) for name in TAGS),
        *(entity("Group", name) for name in GROUPS),
        *(entity("Action", name, [("Action", "egress")]) for name in ("connect", "send", "present", "attach")),
        *(entity("Agent", a.name, [("Group", group) for group in a.groups]) for a in program.agents.values()),
        *(
            entity("Server", s.name, tagged(s.tags), scheme="https", host=f"{s.name}.example.com")
            for s in program.servers.values()
        ),
        *(entity("Field", f.name, tagged(f.tags), verified=f.verified) for f in program.fields.values()),
        *(
            entity("Credential", s.name, tagged(s.tags), holders=holders[s.name], per=[])
            for s in program.secrets.values()
        ),
    ]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_programs())
def test_every_decision_is_what_cedar_says_about_the_statements_spelt_out(program: Program) -> None:
    decisions, found = decide(program)
    assert found == ()
    assert decisions is not None
    policies, world = _spelt_out(program), json.dumps(_world(program))

    def answer(agent: str, action: str, server: str, **context: object) -> tuple[bool, set[str]]:
        result = cedarpy.is_authorized(
            {
                "principal": {"type": "Mcpx::Agent", "id": agent},
                "action": {"type": "Mcpx::Action", "id": action},
                "resource": {"type": "Mcpx::Server", "id": server},
                "context": context,
            },
            policies,
            world,
        )
        assert result.diagnostics.errors == []
        return result.allowed, set(result.diagnostics.id_annotations_by_reason.values())

    expected = {}
    actual = {}
    for agent in program.agents.values():
        for server in agent.uses:
            ways = {"header:" + header.name.lower() for header in program.servers[server].headers}
            expected["connect", agent.name, server] = answer(agent.name, "connect", server)
            for via in ways:
                expected["attach", agent.name, server, via] = answer(agent.name, "attach", server, via=via)
                for field in FIELDS:
                    item = {"__entity": {"type": "Mcpx::Field", "id": field}}
                    key = ("send", agent.name, server, field, via)
                    expected[key] = answer(agent.name, "send", server, via=via, field=item)
            for secret, via in _presented(program, agent.name, server):
                item = {"__entity": {"type": "Mcpx::Credential", "id": secret}}
                key = ("present", agent.name, server, secret, via)
                expected[key] = answer(agent.name, "present", server, via=via, credential=item)
    for action in ("connect", "attach", "send", "present"):
        for names, decision in getattr(decisions, action).items():
            assert decision.by == tuple(sorted(set(decision.by)))
            assert set(decision.by) <= decisions.policies.keys()
            actual[(action, *names)] = (decision.permitted, set(decision.by))
    assert actual == expected
