"""What Cedar decided about claims: a plain claim is in every token, or the build fails."""

from __future__ import annotations

from collections.abc import Iterator

from mcpx.compiler import model
from mcpx.compiler.cedar.decision import Decision, Decisions, Policy
from mcpx.compiler.report import flow_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic


def claim_decision(claim: model.Claim, token: model.Token, agent: str, server: str, decisions: Decisions) -> Decision:
    """Whether a claim may be in the tokens of one row: a field is sent by way of the token, a literal attached."""
    if claim.parts:
        return decisions.send[agent, server, claim.parts[0].field, token.via]
    return decisions.attach[agent, server, token.via]


def check_claims(program: model.Program, decisions: Decisions) -> Iterator[Diagnostic]:
    """Every claim of every token, for every agent that uses one of its servers and may."""
    for token in program.tokens.values():
        for server in token.servers:
            agents = tuple(agent for agent in program.users[server] if decisions.connect[agent, server].permitted)
            for claim in token.claims:
                yield from _claim(claim, token, server, agents, decisions)


def vouched_tokens(server: model.Server, program: model.Program) -> tuple[model.Token, ...]:
    """The tokens that plain headers of a server are made of: every call carries them."""
    plain = (header for header in server.headers if not header.optional)
    parts = (part for header in plain for part in header.parts)
    return tuple(program.tokens[part.token] for part in parts if isinstance(part, model.TokenPart))


def _claim(
    claim: model.Claim, token: model.Token, server: str, agents: tuple[str, ...], decisions: Decisions
) -> Iterator[Diagnostic]:
    decided = {agent: claim_decision(claim, token, agent, server, decisions) for agent in agents}
    stopped: dict[tuple[str, ...], list[str]] = {}
    for agent, decision in decided.items():
        if not (decision.permitted if claim.optional else decision.always):
            stopped.setdefault(decision.by, []).append(agent)
    if claim.optional and sum(map(len, stopped.values())) < len(decided):
        return
    for by, lacking in stopped.items():
        policies: tuple[Policy, ...] = tuple(decisions.policies[name] for name in by)
        open_ones = [policy for policy in policies if policy.id in decisions.conditional]
        if not claim.optional and any(decided[agent].permitted for agent in lacking):
            yield say.claim_depends(claim, token, lacking, server, open_ones)
        elif not policies:
            yield say.claim_undeclared(claim, token, lacking, server)
        elif claim.optional:
            yield say.claim_never_sent(claim, token, server, policies)
        else:
            yield say.claim_denied(claim, token, lacking, server, policies)
