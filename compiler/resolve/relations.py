"""Sentences between things: agents and their servers, credentials, rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from mcpx.compiler import model, syntax
from mcpx.compiler.report import name_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic, Severity
from mcpx.compiler.resolve.conditions import resolve_condition
from mcpx.compiler.resolve.properties import property_values
from mcpx.compiler.resolve.scope import Scope
from mcpx.compiler.source import Source


def resolve_agent(agent: syntax.Agent, scope: Scope, findings: list[Diagnostic]) -> model.Agent:
    """`agent a in g uses s`."""
    groups = scope.groups.find_all(agent.groups, findings)
    used = scope.servers.find_all(agent.uses, findings)
    places = {name.text: name.span for name in reversed(agent.uses)}
    return model.Agent(
        name=agent.name.text,
        groups=groups,
        uses={server: places[server] for server in used},
        span=agent.name.span,
        doc=agent.doc,
        properties=property_values("agent", agent.name, agent.properties, scope.properties, findings),
        deprecated=None if agent.deprecated is None else agent.deprecated.value,
    )


def is_for_session(line: syntax.Credential) -> bool:
    """Whether a credential is the session's own."""
    return [holder.text for holder in line.holders] == ["session"]


def resolve_session_credential(
    line: syntax.Credential, scope: Scope, findings: list[Diagnostic]
) -> model.SessionCredential | None:
    """`credential for session to s = secret.k`."""
    servers = scope.servers.find_all(line.servers, findings)
    secret = token = None
    match [part.text for part in line.value.parts]:
        case ["secret", _]:
            secret = scope.secrets.find(line.value.parts[1], findings)
        case ["token", _]:
            token = scope.tokens.find(line.value.parts[1], findings)
        case _:
            findings.append(say.wrong_reference(line.value, "`secret.NAME` or `token.NAME`"))
            return None
    if (secret is None and token is None) or len(servers) < len(line.servers):
        return None
    return model.SessionCredential(servers, secret, token, line.span, line.value.span)


def resolve_credential(
    line: syntax.Credential, scope: Scope, findings: list[Diagnostic]
) -> model.CredentialLine | None:
    """`credential for a to s = secret.k`."""
    holders = scope.people.find_all(line.holders, findings)
    servers = scope.servers.find_all(line.servers, findings)
    match [part.text for part in line.value.parts]:
        case ["secret", _]:
            secret = scope.secrets.find(line.value.parts[1], findings)
        case _:
            findings.append(say.wrong_reference(line.value, "`secret.NAME`"))
            return None
    if secret is None or len(holders) < len(line.holders) or len(servers) < len(line.servers):
        return None
    return model.CredentialLine(holders, servers, secret, line.span, line.value.span)


def resolve_rule(
    rule: syntax.Rule, scope: Scope, sources: Mapping[str, Source], findings: list[Diagnostic]
) -> model.Rule | None:
    """`allow`, `deny` or `require`."""
    before = len(findings)
    if rule.effect == "never":
        findings.append(say.not_implemented("`never`", rule.span))
        return None
    fields = scope.fields.find_all(_fields(rule.items, findings), findings)
    field_tags = scope.tags.find_all((item.name for item in rule.items if isinstance(item, syntax.TagRef)), findings)
    servers = scope.servers.find_all((t for t in rule.targets if isinstance(t, syntax.Name)), findings)
    server_tags = scope.tags.find_all((t.name for t in rule.targets if isinstance(t, syntax.TagRef)), findings)
    people = scope.people.find_all(rule.agents, findings)
    condition = None
    if rule.condition is not None:
        condition = resolve_condition(rule.condition, rule.effect, scope, findings)
    if any(finding.severity is not Severity.WARNING for finding in findings[before:]):
        return None
    return model.Rule(
        effect=rule.effect,
        id=rule.name.text if rule.name is not None else place_id(rule.span.file, rule.span.start, sources),
        named=rule.name is not None,
        fields=fields,
        field_tags=field_tags,
        servers=servers,
        server_tags=server_tags,
        agents=tuple(name for name in people if name in scope.agents.nodes),
        groups=tuple(name for name in people if name in scope.groups.nodes),
        span=rule.span,
        doc=rule.doc,
        condition=condition,
    )


def check_names(rules: Iterable[syntax.Rule], findings: list[Diagnostic]) -> None:
    """No two rules have one name."""
    first: dict[str, syntax.Name] = {}
    findings.extend(
        say.rule_named_twice(rule.name, first[rule.name.text])
        for rule in rules
        if rule.name is not None and first.setdefault(rule.name.text, rule.name) is not rule.name
    )


def place_id(file: str, offset: int, sources: Mapping[str, Source]) -> str:
    """The id of what has no name: `file:line:column`. No `@id` may look like this, since names hold no colon."""
    position = sources[file].position(offset)
    return f"{file}:{position.line}:{position.column}"


def _fields(items: Iterable[syntax.Ref | syntax.TagRef], findings: list[Diagnostic]) -> Iterable[syntax.Name]:
    for item in items:
        if isinstance(item, syntax.TagRef):
            continue
        if item.parts[0].text == "run" and len(item.parts) == 2:
            yield item.parts[1]
        else:
            findings.append(say.wrong_reference(item, "`run.FIELD` or `@TAG`"))
