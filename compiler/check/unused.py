"""Declarations without any effect. Cedar texts count: a tag that only a guardrail names is used."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mcpx.compiler import model
from mcpx.compiler.cedar.tokens import tokenize, unescape
from mcpx.compiler.check.tokens import signing_keys
from mcpx.compiler.report import check_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic


def check_unused(program: model.Program) -> Iterator[Diagnostic]:
    """Tags, fields, secrets, settings, groups, servers and properties that nothing refers to."""
    parts = [part for server in program.servers.values() for way in server.ways for part in way.parts]
    audiences = [server.audience for server in program.servers.values() if server.audience is not None]
    changes = (change for overlay in program.overlays.values() for change in overlay.changes)
    moved = [change.value for change in changes if isinstance(change, model.ServerChange)]
    addresses = (*(server.url for server in program.servers.values()), *audiences, *moved)
    urls = [part for url in addresses for part in url.parts]
    rules = program.rules
    fields = {p.field for p in parts if isinstance(p, model.FieldPart)} | {f for r in rules for f in r.fields}
    settings = {p.setting for p in (*parts, *urls) if isinstance(p, model.SettingPart)}
    secrets = {p.secret for p in parts if isinstance(p, model.SecretPart)} | {c.secret for c in program.credentials}
    secrets |= {secret for secret, _, _, _ in signing_keys(program)}
    fields |= {p.field for token in program.tokens.values() for claim in token.claims for p in claim.parts}
    fields |= {name for server in program.servers.values() for name in server.session.fields}
    fields |= {argument.field for server in program.servers.values() for argument in server.arguments}
    fields |= {name for secret in program.secrets.values() for name in secret.per}
    secrets |= {line.secret for line in program.session_credentials if line.secret is not None}
    tags = {tag for rule in rules for tag in (*rule.field_tags, *rule.server_tags)}
    tags |= {tag for field in program.fields.values() for tag in field.tags}
    tags |= {tag for server in program.servers.values() for tag in server.tags}
    tags |= {tag for secret in program.secrets.values() for tag in secret.tags}
    groups = {group for rule in rules for group in rule.groups}
    groups |= {holder for line in program.credentials for holder in line.holders}
    used_servers = {server for agent in program.agents.values() for server in agent.uses}

    def silent(names: set[str], name: str, kind: str) -> bool:
        return name not in names and not _in_cedar(program, kind, name)

    for tag in program.tags.values():
        if silent(tags, tag.name, "Tag"):
            yield say.unused("MX601", "tag", tag.name, tag.span, "no field, server, secret or rule carries or names it")
    read = {name for rule in rules if rule.condition is not None for name in _reads(rule.condition)}
    words = _words(program)
    for field in program.fields.values():
        if field.name not in fields and ("run", field.name) not in read and field.name not in words:
            yield say.unused("MX602", "field", field.name, field.span, "no header draws on it and no rule names it")
    for secret in program.secrets.values():
        if secret.name not in secrets:
            yield say.unused("MX603", "secret", secret.name, secret.span, "no credential or header draws on it")
    for setting in program.settings.values():
        if setting.name not in settings:
            yield say.unused("MX604", "setting", setting.name, setting.span, "no address or header draws on it")
    for group in program.groups.values():
        if silent(groups, group.name, "Group"):
            yield say.unused("MX605", "group", group.name, group.span, "no rule or credential names it")
        elif not any(group.name in agent.groups for agent in program.agents.values()):
            yield say.unused("MX605", "group", group.name, group.span, "no agent is in it")
    for server in program.servers.values():
        if server.name not in used_servers:
            yield say.unused("MX606", "server", server.name, server.span, "no agent uses it")
    for (owner, name), declared in program.properties.items():
        if (owner, name) not in read and name not in words:
            yield say.unused(
                "MX609", "property", f"{owner}.{name}", declared.span, "no condition and no policy reads it"
            )


def _reads(condition: model.Condition) -> Iterator[tuple[str, str]]:
    """The fields and properties that a condition reads, as owner (`run` for a field) and name."""
    match condition:
        case model.Not(condition=inner):
            yield from _reads(inner)
        case model.Junction(conditions=several):
            for one in several:
                yield from _reads(one)
        case model.Compare(left=first, right=second) | model.Member(item=first, of=second):
            yield from (_owned(operand) for operand in (first, second) if not isinstance(operand, model.Constant))
        case model.IsTrue(operand=operand):
            yield _owned(operand)
        case model.Present(field=field):
            yield "run", field


def _owned(operand: model.RunField | model.OwnProperty) -> tuple[str, str]:
    return ("run", operand.field) if isinstance(operand, model.RunField) else (operand.owner, operand.name)


def _words(program: model.Program) -> frozenset[str]:
    """Every name and string of the Cedar texts: what a policy reads stands there, as `.p`, `["p"]` or `has p`."""
    tokens = (token for text in program.cedar for token in tokenize(text.text))
    return frozenset(unescape(t) if t.kind == "string" else t.text for t in tokens if t.kind in ("name", "string"))


def _in_cedar(program: model.Program, kind: str, name: str) -> bool:
    literal = re.compile(rf'\b{kind}\s*::\s*"{re.escape(name)}"')
    return any(literal.search(text.text) for text in program.cedar)
