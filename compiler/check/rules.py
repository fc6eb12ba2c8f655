"""What the rules of the file may ask for, before Cedar says what they achieve."""

from __future__ import annotations

from collections.abc import Iterator

from mcpx.compiler import model
from mcpx.compiler.report import check_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic


def check_rules(program: model.Program) -> Iterator[Diagnostic]:
    """`require` takes verified fields that every run has, and every rule can meet something."""
    for rule in program.rules:
        if rule.effect == "require":
            yield from _required(rule, program)
        yield from _idle(rule, program)


def rule_fields(rule: model.Rule, program: model.Program) -> tuple[model.Field, ...]:
    """The fields that a rule names, one by one or by a tag."""
    return tuple(
        field
        for field in program.fields.values()
        if field.name in rule.fields or not set(field.tags).isdisjoint(rule.field_tags)
    )


def rule_servers(rule: model.Rule, program: model.Program) -> tuple[model.Server, ...]:
    """The servers that a rule names, one by one or by a tag."""
    return tuple(
        server
        for server in program.servers.values()
        if server.name in rule.servers or not set(server.tags).isdisjoint(rule.server_tags)
    )


def covers(rule: model.Rule, agent: model.Agent) -> bool:
    """Whether a rule speaks for an agent, by its name, by one of its groups, or for every agent."""
    everybody = not rule.agents and not rule.groups
    return everybody or agent.name in rule.agents or not set(agent.groups).isdisjoint(rule.groups)


def _required(rule: model.Rule, program: model.Program) -> Iterator[Diagnostic]:
    for field in rule_fields(rule, program):
        if not field.verified:
            yield say.required_not_verified(rule, field)
        elif field.optional:
            yield say.required_optional(rule, field)


def _idle(rule: model.Rule, program: model.Program) -> Iterator[Diagnostic]:
    """Each name of a rule that meets nothing; a server that no agent uses is reported for itself."""
    used = {server for agent in program.agents.values() for server in agent.uses}
    of_rule = {server for agent in program.agents.values() if covers(rule, agent) for server in agent.uses}
    for tag in rule.field_tags:
        if not _items(rule, tag, program):
            what = "field or secret" if rule.effect == "deny" else "field"
            yield say.rule_idle(rule, f"no {what} carries `@{tag}`")
    for tag in rule.server_tags:
        carriers = {server.name for server in program.servers.values() if tag in server.tags}
        if not carriers:
            yield say.rule_idle(rule, f"no server carries `@{tag}`")
        elif carriers & used and not carriers & of_rule:
            yield say.rule_idle(rule, f"no agent that it speaks for uses a server with `@{tag}`")
    for server in rule.servers:
        if server in used and server not in of_rule:
            yield say.rule_idle(rule, f"no agent that it speaks for uses `{server}`")
    targets = {server.name for server in rule_servers(rule, program)}
    if targets & of_rule:
        for agent in (program.agents[name] for name in rule.agents):
            if targets.isdisjoint(agent.uses):
                yield say.rule_idle(rule, f"`{agent.name}` uses none of these servers")
        for group in rule.groups:
            members = [agent for agent in program.agents.values() if group in agent.groups]
            if members and all(targets.isdisjoint(member.uses) for member in members):
                yield say.rule_idle(rule, f"no agent of `{group}` uses any of these servers")


def _items(rule: model.Rule, tag: str, program: model.Program) -> bool:
    fields = any(tag in field.tags for field in program.fields.values())
    return fields or (rule.effect == "deny" and any(tag in secret.tags for secret in program.secrets.values()))
