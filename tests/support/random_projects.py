"""Small random projects, and an oracle that reads their denials without the compiler.

Every project has names, types and credentials that fit, and an `allow` for every header and claim, since one that
nothing lets through is an error. So only what a `deny` stops can be at fault: a plain header or claim. `whole=True`
leaves plain ones out, and then every project compiles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hypothesis import strategies as st

FIELD_TAGS = ("pii", "identity", "spare")
SERVER_TAGS = ("third_party", "internal", "spare")
PLANS = ("free", "pro", "team")


@dataclass(frozen=True)
class Field:
    name: str
    optional: bool
    tags: tuple[str, ...]


@dataclass(frozen=True)
class Header:
    field: str
    optional: bool


@dataclass(frozen=True)
class Server:
    name: str
    tags: tuple[str, ...]
    headers: tuple[Header, ...]
    claims: tuple[Header, ...]
    moved: bool


@dataclass(frozen=True)
class Agent:
    name: str
    groups: tuple[str, ...]
    uses: tuple[str, ...]


@dataclass(frozen=True)
class Rule:
    """`plans` are those for which a rule with `when` speaks; `None` without one. `cedar` spells it as a policy."""

    effect: str
    fields: tuple[str, ...]
    field_tags: tuple[str, ...]
    servers: tuple[str, ...]
    server_tags: tuple[str, ...]
    people: tuple[str, ...]
    plans: tuple[str, ...] | None
    cedar: bool

    def speaks_of(self, agent: Agent, server: Server, field: Field) -> bool:
        """Whether its scope covers a flow, whatever the run."""
        return (
            (field.name in self.fields or bool(set(field.tags) & set(self.field_tags)))
            and (server.name in self.servers or bool(set(server.tags) & set(self.server_tags)))
            and (not self.people or agent.name in self.people or bool(set(agent.groups) & set(self.people)))
        )


@dataclass(frozen=True)
class Project:
    fields: tuple[Field, ...]
    servers: tuple[Server, ...]
    agents: tuple[Agent, ...]
    rules: tuple[Rule, ...]

    def pairs(self) -> Iterator[tuple[Agent, Server]]:
        by_name = {server.name: server for server in self.servers}
        for agent in self.agents:
            for name in agent.uses:
                yield agent, by_name[name]

    def denied(self, agent: Agent, server: Server, field: Field, plan: str | None = None) -> bool:
        """Whether some `deny` covers the flow: of every run, or of one on this plan."""
        return any(
            rule.effect == "deny"
            and rule.speaks_of(agent, server, field)
            and (rule.plans is None or plan in rule.plans)
            for rule in self.rules
        )

    @property
    def text(self) -> str:
        return "\n".join([*self._facts(), *self._servers(), *self._agents(), *self._rules(), *self._overlays()]) + "\n"

    def _facts(self) -> Iterator[str]:
        yield "mcpx 1"
        yield f"tag {', '.join(dict.fromkeys((*FIELD_TAGS, *SERVER_TAGS)))}"
        yield "run {"
        for field in self.fields:
            yield f"  verified {field.name}{'?' * field.optional}: string{_tags(field.tags)}"
        yield _plan_line()
        yield "}"

    def _servers(self) -> Iterator[str]:
        for server in self.servers:
            yield f'secret {server.name}_key = env("{server.name.upper()}_KEY")'
            yield f"server {server.name}{_tags(server.tags)} {{"
            yield f'  url = "https://{server.name}.example.com/mcp"'
            yield '  header Authorization = "Bearer ${credential}"'
            for header in server.headers:
                yield f"  {'optional ' * header.optional}header X-{header.field.title()} = run.{header.field}"
            if server.claims:
                yield f"  header X-Proof = token.{server.name}_proof"
            yield "}"
            if server.claims:
                yield f"token {server.name}_proof for {server.name} {{"
                yield '  issuer = "https://app.example.com"'
                yield "  key = host"
                yield "  ttl = 5m"
                yield "  claims {"
                for claim in server.claims:
                    yield f"    {'optional ' * claim.optional}c_{claim.field} = run.{claim.field}"
                yield "  }"
                yield "}"

    def _agents(self) -> Iterator[str]:
        yield "group research, support"
        for agent in self.agents:
            groups = f" in {', '.join(agent.groups)}" if agent.groups else ""
            yield f"agent {agent.name}{groups} uses {', '.join(agent.uses)}"
        for server in self.servers:
            users = [agent.name for agent in self.agents if server.name in agent.uses]
            if users:
                yield f"credential for {', '.join(users)} to {server.name} = secret.{server.name}_key"

    def _rules(self) -> Iterator[str]:
        for number, rule in enumerate(self.rules):
            yield _policy(rule, number) if rule.cedar else _rule(rule, number)

    def _overlays(self) -> Iterator[str]:
        for server in self.servers:
            if server.moved:
                yield f"overlay {server.name}_staging {{"
                yield f'  server.{server.name}.url = "https://{server.name}.staging.example.com/mcp"'
                yield f'  secret.{server.name}_key = env("{server.name.upper()}_STAGING_KEY")'
                yield "}"


def projects(*, whole: bool = True, conditions: bool = True) -> st.SearchStrategy[Project]:
    """Random projects.

    Args:
        whole: only headers and claims that may be left out, so that no flow is an error.
        conditions: rules may have a `when`.
    """
    return st.builds(_project, st.data(), st.just(whole), st.just(conditions))


def _project(data: st.DataObject, whole: bool, conditions: bool) -> Project:
    draw = data.draw
    fields = tuple(Field(f"f{n}", draw(st.booleans()), draw(_some(FIELD_TAGS))) for n in range(draw(st.integers(1, 4))))
    servers = tuple(
        Server(
            f"s{n}",
            draw(_some(SERVER_TAGS)),
            draw(_carriers(fields, whole)),
            draw(_carriers(fields, whole)),
            draw(st.booleans()),
        )
        for n in range(draw(st.integers(1, 3)))
    )
    names = [server.name for server in servers]
    agents = tuple(
        Agent(f"a{n}", draw(_some(("research", "support"))), draw(_some(names, least=1)))
        for n in range(draw(st.integers(1, 3)))
    )
    people = [*(agent.name for agent in agents), "research", "support"]
    rules = tuple(
        draw(_rules([field.name for field in fields], names, people, conditions))
        for _ in range(draw(st.integers(1, 6)))
    )
    carried = {(server.name, way.field) for server in servers for way in (*server.headers, *server.claims)}
    allowed = (Rule("allow", (field,), (), (name,), (), (), None, cedar=False) for name, field in sorted(carried))
    return Project(fields, servers, agents, (*allowed, *rules))


def _some(names: Iterable[str], least: int = 0) -> st.SearchStrategy[tuple[str, ...]]:
    return st.lists(st.sampled_from(list(names)), min_size=least, max_size=3, unique=True).map(tuple)


def _carriers(fields: tuple[Field, ...], whole: bool) -> st.SearchStrategy[tuple[Header, ...]]:
    def carrier(field: Field) -> st.SearchStrategy[Header]:
        optional = st.just(True) if whole or field.optional else st.booleans()
        return st.builds(Header, st.just(field.name), optional)

    chosen = st.lists(st.sampled_from(fields), max_size=4, unique=True)
    return chosen.flatmap(lambda some: st.tuples(*(carrier(field) for field in some)))


@st.composite
def _rules(draw: st.DrawFn, fields: list[str], servers: list[str], people: list[str], conditions: bool) -> Rule:
    effect = draw(st.sampled_from(["allow", "deny"]))
    by_tag = draw(st.booleans())
    to_tag = draw(st.booleans())
    when = conditions and draw(st.booleans())
    return Rule(
        effect=effect,
        fields=() if by_tag else draw(_some(fields, least=1)),
        field_tags=draw(_some(FIELD_TAGS, least=1)) if by_tag else (),
        servers=() if to_tag else draw(_some(servers, least=1)),
        server_tags=draw(_some(SERVER_TAGS, least=1)) if to_tag else (),
        people=draw(_some(people)),
        plans=draw(_some(PLANS, least=1)) if when else None,
        cedar=draw(st.booleans()),
    )


def _plan_line() -> str:
    return f"  verified plan: one of [{', '.join(map(_quoted, PLANS))}]"


def _quoted(text: str) -> str:
    return f'"{text}"'


def _tags(tags: Iterable[str]) -> str:
    return "".join(f" @{tag}" for tag in tags)


def _rule(rule: Rule, number: int) -> str:
    items = (*(f"run.{name}" for name in rule.fields), *(f"@{tag}" for tag in rule.field_tags))
    targets = (*rule.servers, *(f"@{tag}" for tag in rule.server_tags))
    people = f" for {', '.join(rule.people)}" if rule.people else ""
    when = "" if rule.plans is None else f" when run.plan in [{', '.join(map(_quoted, rule.plans))}]"
    return f"{rule.effect} {', '.join(items)} -> {', '.join(targets)}{people}{when} as r{number}"


def _policy(rule: Rule, number: int) -> str:
    """The same rule as its author might have written it in Cedar."""
    effect = "forbid" if rule.effect == "deny" else "permit"
    items = _within("context.field", "Field", rule.fields) or _within("context.field", "Tag", rule.field_tags)
    targets = _within("resource", "Server", rule.servers) or _within("resource", "Tag", rule.server_tags)
    groups = [name for name in rule.people if name in ("research", "support")]
    agents = [name for name in rule.people if name not in groups]
    people = [
        clause for clause in (_within("principal", "Agent", agents), _within("principal", "Group", groups)) if clause
    ]
    clauses = [items, targets, *([f"({' || '.join(people)})"] if people else [])]
    if rule.plans is not None:
        clauses.append(f"[{', '.join(map(_quoted, rule.plans))}].contains(context.run.plan)")
    head = f'@id("r{number}") {effect} (principal, action == Mcpx::Action::"send", resource)'
    return f'cedar """{head} when {{ {" && ".join(clauses)} }};"""'


def _within(what: str, kind: str, names: Iterable[str]) -> str:
    listed = [f'Mcpx::{kind}::"{name}"' for name in names]
    return f"{what} in [{', '.join(listed)}]" if listed else ""
