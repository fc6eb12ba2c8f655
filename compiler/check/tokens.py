"""Tokens and grants: what they may say, where they may be sent, and who may hold their keys.

Sources: MCP "Authorization" and "Security best practices"; RFC 6750 section 2.1, RFC 7519 section 4.1, RFC 8707
section 2.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mcpx.compiler import model
from mcpx.compiler.check.literals import looks_secret
from mcpx.compiler.report import check_errors, token_errors
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.source import Span
from mcpx.compiler.tokens import tokens_for
from mcpx.runtime import names

_TEXT_CLAIMS = frozenset(("sub", "scope"))
"""RFC 7519 section 4.1.2 and RFC 8693 section 4.2."""
_CARRIERS = frozenset(("token", "password", "credential", "apikey", "api-key", "secret"))
_FOREIGN = re.compile(r"(?:^|[^a-z])(?:jwt|bearer)(?:[^a-z]|$)")
_SCHEME = re.compile(r"(?:^|\s)(?:basic|bearer|digest|dpop|negotiate|token)\s+$", re.IGNORECASE)


def check_tokens(program: model.Program) -> Iterator[Diagnostic]:
    """Every token, every grant, and every value that could be a token of somebody else."""
    for token in program.tokens.values():
        yield from _claims(token, program)
        yield from _issuer(token, program)
        yield from _unsent(token, program)
    for server in program.servers.values():
        for way in server.ways:
            yield from _sent(way, server, program)
        yield from _passed_through(server)
        if server.authorization_servers and not any(
            token.kind == "access" for token in tokens_for(program, server.name)
        ):
            yield token_errors.issuers_unused(server)
    yield from _keys(program)
    yield from _same_grants(program)


def signing_keys(program: model.Program) -> Iterator[tuple[str, str, str, Span]]:
    """Each secret that signs: its name, the kind and name of what it signs, and the place that says so."""
    for token in program.tokens.values():
        if token.key is not None:
            yield token.key, "token", token.name, token.key_span or token.span
    for grant in program.grants.values():
        if grant.key is not None:
            yield grant.key, "grant", grant.name, grant.key_span or grant.span


def _claims(token: model.Token, program: model.Program) -> Iterator[Diagnostic]:
    for claim in token.claims:
        if isinstance(claim.value, str) and looks_secret(claim.value):
            yield check_errors.looks_secret(claim.value_span)
        if claim.name in _TEXT_CLAIMS and claim.value is not None and not isinstance(claim.value, str):
            yield token_errors.claim_type(claim, claim.value_span)
        for part in claim.parts:
            field = program.fields[part.field]
            if not field.verified:
                yield token_errors.claimed_field(claim, part, field)
            elif field.optional and not claim.optional:
                yield token_errors.field_may_be_missing(claim, part, field)
            if claim.name in _TEXT_CLAIMS and field.type.kind not in ("string", "choice"):
                yield token_errors.claim_type(claim, part.span)
            if _carries(part.field):
                yield token_errors.passed_through(part.span, f"`run.{part.field}` is named like one")


def _issuer(token: model.Token, program: model.Program) -> Iterator[Diagnostic]:
    if token.kind != "access":
        return
    for server in (program.servers[name] for name in token.servers):
        if token.issuer not in {part.text for part in server.authorization_servers}:
            yield token_errors.foreign_issuer(token, server)


def _unsent(token: model.Token, program: model.Program) -> Iterator[Diagnostic]:
    sessions = {name for line in program.session_credentials if line.token == token.name for name in line.servers}
    idle = [name for name in token.servers if name not in sessions and not _draws(program.servers[name], token)]
    if idle:
        yield token_errors.never_sent(token, idle)


def _draws(server: model.Server, token: model.Token) -> bool:
    parts = (part for way in server.ways for part in way.parts)
    return any(isinstance(part, model.TokenPart) and part.token == token.name for part in parts)


def _sent(way: model.Way, server: model.Server, program: model.Program) -> Iterator[Diagnostic]:
    in_authorization = isinstance(way, model.Header) and way.name.lower() == "authorization"
    for part in way.parts:
        if not isinstance(part, model.TokenPart):
            continue
        token = program.tokens[part.token]
        if server.name not in token.servers:
            yield token_errors.other_server(token, part, server)
        elif token.kind == "access" and not (in_authorization and _is_bearer(way)):
            yield token_errors.wrong_place(
                token, part.span, f'send it so: header Authorization = "Bearer ${{token.{token.name}}}"'
            )
        elif token.kind == "assertion" and in_authorization:
            yield token_errors.wrong_place(
                token, part.span, f"send it in a header of its own: header X-Run-Proof = token.{token.name}"
            )
        elif token.kind == "assertion" and len(way.parts) > 1:
            yield token_errors.wrong_place(token, part.span, f"send it alone: {way.name} = token.{token.name}")


def _is_bearer(way: model.Way) -> bool:
    scheme = way.parts[0]
    return len(way.parts) == 2 and isinstance(scheme, model.TextPart) and scheme.text == "Bearer "


def _passed_through(server: model.Server) -> Iterator[Diagnostic]:
    for way in server.ways:
        if isinstance(way, model.Header) and way.name.lower() == "authorization":
            continue  # takes no field at all
        for before, part in zip((None, *way.parts), way.parts, strict=False):
            if not isinstance(part, model.FieldPart):
                continue
            if isinstance(before, model.TextPart) and _SCHEME.search(before.text):
                yield token_errors.passed_through(part.span, "follows the name of an authentication scheme")
            elif _carries(part.field):
                yield token_errors.passed_through(part.span, f"`run.{part.field}` is named like one")
            elif _carries(way.name):
                yield token_errors.passed_through(part.span, f"`{way.name}` is named like one")


def _carries(name: str) -> bool:
    return not _CARRIERS.isdisjoint(names.secret_words(name)) or _FOREIGN.search(name.lower()) is not None


def _keys(program: model.Program) -> Iterator[Diagnostic]:
    sent: dict[model.SecretSource, tuple[str, Span]] = {}
    for secret, span in _sent_secrets(program):
        sent.setdefault(program.secrets[secret].source, (secret, span))
    for secret, kind, name, span in signing_keys(program):
        found = sent.get(program.secrets[secret].source)
        if found is not None:
            yield token_errors.signing_key_sent(found[0], found[1], span, secret)
        elif kind == "token":
            yield token_errors.key_here(kind, name, span)


def _sent_secrets(program: model.Program) -> Iterator[tuple[str, Span]]:
    for line in program.credentials:
        yield line.secret, line.secret_span
    for own in program.session_credentials:
        if own.secret is not None:
            yield own.secret, own.value_span
    for server in program.servers.values():
        for way in server.ways:
            yield from ((part.secret, part.span) for part in way.parts if isinstance(part, model.SecretPart))


def _same_grants(program: model.Program) -> Iterator[Diagnostic]:
    first: dict[tuple[str, str], model.Grant] = {}
    for grant in program.grants.values():
        known = first.setdefault((grant.issuer, grant.audience), grant)
        if known is not grant:
            yield token_errors.same_grants(grant, known)
