"""The phase as a whole: declare everything, then turn each statement into what it means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mcpx.compiler import model, syntax
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.resolve.fields import resolve_field
from mcpx.compiler.resolve.overlays import resolve_overlay
from mcpx.compiler.resolve.relations import (
    check_names,
    is_for_session,
    resolve_agent,
    resolve_credential,
    resolve_rule,
    resolve_session_credential,
)
from mcpx.compiler.resolve.scope import declare
from mcpx.compiler.resolve.servers import resolve_server
from mcpx.compiler.resolve.sources import check_variables, resolve_secret, resolve_setting
from mcpx.compiler.resolve.tests import resolve_tests
from mcpx.compiler.resolve.tokens import resolve_grant, resolve_token
from mcpx.compiler.source import Source


def resolve(
    files: Sequence[syntax.File], cedar: Iterable[model.CedarText], sources: Mapping[str, Source]
) -> tuple[model.Program, tuple[Diagnostic, ...]]:
    """The program that the files of a project describe together, and everything wrong with its names and types.

    Args:
        files: the `.mcpx` files, the one given on the command line first.
        cedar: the imported `.cedar` files.
        sources: every file by name, for the places of rules that have no name.
    """
    findings: list[Diagnostic] = []
    statements = [statement for file in files for statement in file.statements]
    scope = declare(statements, findings)
    lines = [s for s in statements if isinstance(s, syntax.Credential)]
    credentials = [resolve_credential(s, scope, findings) for s in lines if not is_for_session(s)]
    of_sessions = [resolve_session_credential(s, scope, findings) for s in lines if is_for_session(s)]
    rules = [resolve_rule(s, scope, sources, findings) for s in statements if isinstance(s, syntax.Rule)]
    check_names((s for s in statements if isinstance(s, syntax.Rule)), findings)
    blocks = [model.CedarText(s.text, s.body) for s in statements if isinstance(s, syntax.CedarBlock)]
    settings = [resolve_setting(node, findings) for node in scope.settings.nodes.values()]
    secrets = [resolve_secret(node, scope, findings) for node in scope.secrets.nodes.values()]
    servers = [resolve_server(node, scope, findings) for node in scope.servers.nodes.values()]
    tokens = [resolve_token(node, scope, findings) for node in scope.tokens.nodes.values()]
    grants = [resolve_grant(node, scope, findings) for node in scope.grants.nodes.values()]
    overlays = [resolve_overlay(node, scope, findings) for node in scope.overlays.nodes.values()]
    servers_by_name = {server.name: server for server in servers if server is not None}
    tests = (s for s in statements if isinstance(s, syntax.Test))
    program = model.Program(
        tags={name: model.Tag(name, word.name.span) for name, word in scope.tags.nodes.items()},
        fields={name: resolve_field(node, scope, findings) for name, node in scope.fields.nodes.items()},
        settings={setting.name: setting for setting in settings if setting is not None},
        secrets={secret.name: secret for secret in secrets if secret is not None},
        servers=servers_by_name,
        groups={name: model.Group(name, word.name.span) for name, word in scope.groups.nodes.items()},
        agents={name: resolve_agent(node, scope, findings) for name, node in scope.agents.nodes.items()},
        credentials=tuple(line for line in credentials if line is not None),
        rules=tuple(rule for rule in rules if rule is not None),
        cedar=(*blocks, *cedar),
        session_credentials=tuple(line for line in of_sessions if line is not None),
        properties=scope.properties,
        tokens={token.name: token for token in tokens if token is not None},
        grants={grant.name: grant for grant in grants if grant is not None},
        overlays={overlay.name: overlay for overlay in overlays},
        tests=resolve_tests(tests, servers_by_name, scope, findings),
    )
    check_variables(program.secrets.values(), program.settings.values(), findings)
    named = (scope.fields, scope.servers, scope.agents, scope.people)
    findings.extend(warning for table in named for warning in table.warnings)
    return program, tuple(findings)
