"""What Cedar decided, held against what the headers need: a plain header is always sent, or the build fails."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcpx.compiler import model
from mcpx.compiler.cedar.decision import Decision, Decisions, Policy, every
from mcpx.compiler.cedar.diagrams import implies
from mcpx.compiler.check.rules import covers, rule_fields, rule_servers
from mcpx.compiler.check.token_flows import check_claims, claim_decision, vouched_tokens
from mcpx.compiler.credentials import credential_of
from mcpx.compiler.report import flow_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.source import Span


def check_ways(program: model.Program, decisions: Decisions) -> tuple[Diagnostic, ...]:
    """Every pair of `uses`, every header of its server, every `require`."""
    return (
        *_connections(program, decisions),
        *(
            f
            for server in program.servers.values()
            for way in server.ways
            for f in _header(way, server, program, decisions)
        ),
        *check_claims(program, decisions),
        *_required(program, decisions),
    )


def references(
    header: model.Way, agent: str, server: str, program: model.Program, decisions: Decisions
) -> tuple[tuple[model.Part, Decision], ...]:
    """Each reference of a header with Cedar's decision on it for one row; a header of literals has one, on itself."""
    found: list[tuple[model.Part, Decision]] = []

    def _selecting(
        part: model.Part, secret: str, agent: str, server: str, via: str
    ) -> Iterator[tuple[model.Part, Decision]]:
        # A secret per user tells the server who the user is, as plainly as the field itself would.
        for field in program.secrets[secret].per:
            yield model.FieldPart(field, part.span), decisions.send[agent, server, field, via]

    for part in header.parts:
        match part:
            case model.FieldPart(field=field):
                found.append((part, decisions.send[agent, server, field, header.via]))
            case model.SecretPart(secret=secret):
                found.append((part, decisions.present[agent, server, secret, header.via]))
                found.extend(_selecting(part, secret, agent, server, header.via))
            case model.CredentialPart():
                (line,) = credential_of(program, agent, server)
                found.append((part, decisions.present[agent, server, line.secret, header.via]))
                found.extend(_selecting(part, line.secret, agent, server, header.via))
            case model.SettingPart() | model.TextPart() | model.TokenPart():
                found.append((part, decisions.attach[agent, server, header.via]))
    return tuple(found)


def way_decision(way: model.Way, agent: str, server: str, program: model.Program, decisions: Decisions) -> Decision:
    """The decision on a header, or other way, as a whole: it goes only where each of its references may."""
    return every([decision for _, decision in references(way, agent, server, program, decisions)])


def _users(server: model.Server, program: model.Program, decisions: Decisions) -> tuple[str, ...]:
    """The agents that use a server and may: a pair that may not connect is reported once, at its `uses`."""
    return tuple(agent for agent in program.users[server.name] if decisions.connect[agent, server.name].permitted)


def _connections(program: model.Program, decisions: Decisions) -> Iterator[Diagnostic]:
    for agent in program.agents.values():
        for server, span in agent.uses.items():
            decision = decisions.connect[agent.name, server]
            policies = _policies(decision, decisions)
            if not decision.permitted:
                yield say.connect_denied(agent.name, server, span, policies)
            elif not decision.always:
                open_ones = [policy for policy in policies if policy.id in decisions.conditional]
                yield say.connect_depends(agent.name, server, span, open_ones)


def _header(
    header: model.Way, server: model.Server, program: model.Program, decisions: Decisions
) -> Iterator[Diagnostic]:
    denied = {
        agent: _lacking(references(header, agent, server.name, program, decisions), optional=header.optional)
        for agent in _users(server, program, decisions)
    }
    lacking = [agent for agent, stopped in denied.items() if stopped]
    if header.optional and (not lacking or len(lacking) < len(denied)):
        return
    silent: dict[tuple[str, Span], list[str]] = {}
    loud: dict[tuple[model.Part, str | None, tuple[str, ...]], list[str]] = {}
    for agent, stopped in denied.items():
        for part, decision in stopped:
            if isinstance(part, model.FieldPart) and not decision.by:
                silent.setdefault((part.field, part.span), []).append(agent)
            else:
                loud.setdefault((part, _secret(part, agent, server.name, program), decision.by), []).append(agent)
    if not header.optional:
        for (part, secret, by), agents in loud.items():
            policies = [decisions.policies[name] for name in by]
            open_ones = [policy for policy in policies if policy.id in decisions.conditional]
            if not any(d.permitted for agent in agents for p, d in denied[agent] if p == part):
                yield _stopped(header, part, secret, agents, server.name, policies)
            else:
                yield say.depends_on_the_run(header, part, agents, server.name, open_ones)
    for (field, span), agents in silent.items():
        yield say.field_undeclared(header, field, span, agents, server.name)
    if header.optional and not silent:
        forbids = {policy.id: policy for s in denied.values() for _, d in s for policy in _policies(d, decisions)}
        yield say.never_sent(header, server.name, tuple(forbids.values()))


def _lacking(decided: Sequence[tuple[model.Part, Decision]], *, optional: bool) -> list[tuple[model.Part, Decision]]:
    """What keeps a plain header from being sent by every run, or an optional one from being sent by any."""
    if not optional:
        return [(part, decision) for part, decision in decided if not decision.always]
    if every([decision for _, decision in decided]).permitted:
        return []
    return [(part, d) for part, d in decided if not d.permitted] or [(part, d) for part, d in decided if not d.always]


def _secret(part: model.Part, agent: str, server: str, program: model.Program) -> str | None:
    match part:
        case model.SecretPart(secret=secret):
            return secret
        case model.CredentialPart():
            (line,) = credential_of(program, agent, server)
            return line.secret
        case _:
            return None


def _stopped(
    header: model.Way,
    part: model.Part,
    secret: str | None,
    agents: Sequence[str],
    server: str,
    by: Sequence[Policy],
) -> Diagnostic:
    if isinstance(part, model.FieldPart):
        return say.field_denied(header, part.field, part.span, agents, server, by)
    if secret is not None:
        return say.present_denied(header, secret, part.span, agents, server, by)
    return say.attach_denied(header, agents, server, by)


def _required(program: model.Program, decisions: Decisions) -> Iterator[Diagnostic]:
    for rule in program.rules:
        if rule.effect != "require":
            continue
        for server in rule_servers(rule, program):
            carried = {
                part.field
                for header in server.headers
                if not header.optional
                for part in header.parts
                if isinstance(part, model.FieldPart)
            } | _vouched(server, program)
            agents = [name for name in _users(server, program, decisions) if covers(rule, program.agents[name])]
            for field in rule_fields(rule, program):
                lacking = [
                    agent
                    for agent in agents
                    if field.name not in carried
                    and not _carries_when(rule, field.name, agent, server, program, decisions)
                ]
                if lacking:
                    yield say.not_carried(rule, field.name, lacking, server)


def _carries_when(
    rule: model.Rule, field: str, agent: str, server: model.Server, program: model.Program, decisions: Decisions
) -> bool:
    """Whether a `require` with a condition is fulfilled by an optional header or claim that goes wherever it holds."""
    if rule.condition is None:
        return False
    wanted = decisions.satisfied(rule.id, agent, server.name, field)
    for header in server.headers:
        drawn = [part.field for part in header.parts if isinstance(part, model.FieldPart)]
        if (
            field in drawn
            and not any(program.fields[name].optional for name in drawn)
            and implies(wanted, way_decision(header, agent, server.name, program, decisions).guard)
        ):
            return True
    return any(
        implies(wanted, claim_decision(claim, token, agent, server.name, decisions).guard)
        for token in vouched_tokens(server, program)
        for claim in token.claims
        if field in {part.field for part in claim.parts} and not program.fields[field].optional
    )


def _vouched(server: model.Server, program: model.Program) -> set[str]:
    """The fields in plain claims of the tokens that plain headers of a server are made of."""
    claims = (claim for token in vouched_tokens(server, program) for claim in token.claims if not claim.optional)
    return {part.field for claim in claims for part in claim.parts}


def _policies(decision: Decision, decisions: Decisions) -> tuple[Policy, ...]:
    return tuple(decisions.policies[name] for name in decision.by)
