"""`token` and `grant` blocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from mcpx.compiler import model, syntax
from mcpx.compiler.report import name_errors, token_errors
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.resolve.scope import Scope
from mcpx.compiler.resolve.sources import absolute_path
from mcpx.compiler.source import Span
from mcpx.runtime.endpoints import Endpoint, endpoint

MAX_LIFETIME = 900
"""Seconds; the profile of minted tokens allows no more."""

_OF_THE_RUNTIME = dict.fromkeys(("iss", "aud", "exp", "iat", "nbf", "jti", "mcpx"), "the runtime writes it") | {
    "act": "the runtime writes the agent here",
    "txn": "the runtime writes the run's id here",
    "client_id": "a line of the token says it: client_id = …",
    "cnf": "the runtime would bind a key here",
}
_TOKEN = {"issuer": '"https://…"', "key": "host", "ttl": "5m"}
_TOKEN_KEYS = (*_TOKEN, "kind", "client_id")
_GRANT = {"issuer": '"https://…"', "audience": '"https://…"', "ttl": "10m", "keys": '"https://…/jwks.json"'}
_GRANT_KEYS = (*_GRANT, "key")
_KINDS: dict[str, Literal["assertion", "access"]] = {"assertion": "assertion", "access": "access"}


@dataclass(frozen=True, slots=True)
class _Key:
    secret: str | None
    span: Span


def resolve_token(token: syntax.Token, scope: Scope, findings: list[Diagnostic]) -> model.Token | None:
    """A `token` block; `None` when a line that it needs is missing or means nothing."""
    servers = scope.servers.find_all(token.servers, findings)
    lines = _lines("token", token.items, _TOKEN_KEYS, findings)
    _require("token", token.name, lines, _TOKEN, findings)
    kind = _kind(lines.get("kind"), findings)
    issuer = _https(lines.get("issuer"), findings)
    key = _key(lines.get("key"), scope, findings, host=True)
    ttl = lifetime(lines.get("ttl"), findings)
    client_id = _text(lines.get("client_id"), "a string that is not empty", findings)
    claims = _claims(token.claims, scope, findings)
    if not servers or issuer is None or key is None or ttl is None:
        return None
    return model.Token(
        name=token.name.text,
        servers=servers,
        kind=kind,
        issuer=issuer,
        ttl=ttl,
        key=key.secret,
        client_id=client_id,
        claims=claims,
        span=token.name.span,
        ttl_span=lines["ttl"].value.span,
        issuer_span=lines["issuer"].value.span,
        key_span=key.span,
        doc=token.doc,
    )


def resolve_grant(grant: syntax.Grant, scope: Scope, findings: list[Diagnostic]) -> model.Grant | None:
    """A `grant` block; `None` when a line that it needs is missing or means nothing."""
    lines = _lines("grant", grant.items, _GRANT_KEYS, findings)
    _require("grant", grant.name, lines, _GRANT, findings)
    issuer = _https(lines.get("issuer"), findings)
    audience = _https(lines.get("audience"), findings)
    ttl = lifetime(lines.get("ttl"), findings)
    keys = _keys(lines.get("keys"), findings)
    key = _key(lines.get("key"), scope, findings, host=False)
    if issuer is None or audience is None or ttl is None or keys is None:
        return None
    secret, span = (None, None) if key is None else (key.secret, key.span)
    return model.Grant(grant.name.text, issuer, audience, ttl, keys, secret, grant.name.span, span, grant.doc)


def lifetime(line: syntax.Assignment | syntax.OverlayLine | None, findings: list[Diagnostic]) -> int | None:
    """The seconds of a `ttl` line, at most `MAX_LIFETIME` (Transaction Tokens section 6)."""
    if line is None:
        return None
    if not isinstance(line.value, syntax.Duration):
        findings.append(name_errors.wrong_form("ttl", line.value.span, "a time such as `5m`"))
        return None
    if not 1 <= line.value.seconds <= MAX_LIFETIME:
        findings.append(token_errors.lifetime(line.value.span, MAX_LIFETIME))
        return None
    return line.value.seconds


def https_url(key: str, value: syntax.Setting, findings: list[Diagnostic]) -> str | None:
    """A literal https URL without query, canonical as receivers compare it (RFC 8414 section 2, RFC 8707 section 2)."""
    if not isinstance(value, syntax.StringLiteral):
        findings.append(name_errors.wrong_form(key, value.span, "an https URL that is written out"))
        return None
    found = endpoint(value.value)
    if not isinstance(found, Endpoint):
        fault = found
    elif found.scheme != "https":
        fault = "is not https"
    elif "?" in found.url:
        fault = "has a query"
    else:
        return value.value
    findings.append(token_errors.not_https(key, value.span, fault))
    return None


def authorization_servers(value: syntax.Setting, findings: list[Diagnostic]) -> tuple[model.TextPart, ...]:
    """The issuers of a server: one https URL, or a list of them."""
    items = value.items if isinstance(value, syntax.ListLiteral) else (value,)
    if not items:
        findings.append(name_errors.wrong_form("authorization_server", value.span, "at least one https URL"))
    urls = ((https_url("authorization_server", item, findings), item.span) for item in items)
    return tuple(model.TextPart(url, span) for url, span in urls if url is not None)


def _lines(
    block: str, items: Iterable[syntax.Assignment], known: Iterable[str], findings: list[Diagnostic]
) -> dict[str, syntax.Assignment]:
    lines: dict[str, syntax.Assignment] = {}
    for item in items:
        if item.name.text not in known:
            findings.append(name_errors.unknown_key(block, item.name, known))
        elif (first := lines.setdefault(item.name.text, item)) is not item:
            findings.append(name_errors.assigned_twice(item.name, first.name.span))
    return lines


def _require(
    kind: str,
    name: syntax.Name,
    lines: dict[str, syntax.Assignment],
    needed: dict[str, str],
    findings: list[Diagnostic],
) -> None:
    findings.extend(
        token_errors.line_missing(kind, name, key, example) for key, example in needed.items() if key not in lines
    )


def _kind(line: syntax.Assignment | None, findings: list[Diagnostic]) -> Literal["assertion", "access"]:
    if line is None:
        return "assertion"
    if not isinstance(line.value, syntax.Ref) or line.value.text not in _KINDS:
        findings.append(name_errors.wrong_form("kind", line.value.span, "`assertion` or `access`"))
        return "assertion"
    return _KINDS[line.value.text]


def _https(line: syntax.Assignment | None, findings: list[Diagnostic]) -> str | None:
    return None if line is None else https_url(line.name.text, line.value, findings)


def _text(line: syntax.Assignment | None, wanted: str, findings: list[Diagnostic]) -> str | None:
    if line is None:
        return None
    if isinstance(line.value, syntax.StringLiteral) and line.value.value:
        return line.value.value
    findings.append(name_errors.wrong_form(line.name.text, line.value.span, wanted))
    return None


def _key(line: syntax.Assignment | None, scope: Scope, findings: list[Diagnostic], *, host: bool) -> _Key | None:
    if line is None:
        return None
    value = line.value
    match [part.text for part in value.parts] if isinstance(value, syntax.Ref) else []:
        case ["host"] if host:
            return _Key(None, value.span)
        case ["secret", _] if isinstance(value, syntax.Ref):
            secret = scope.secrets.find(value.parts[1], findings)
            if secret is None:
                return None
            if scope.secrets.nodes[secret].per is not None:
                findings.append(token_errors.key_of_partition(value.span, secret))
                return None
            return _Key(secret, value.span)
    wanted = "`host` or `secret.NAME`" if host else "`secret.NAME`"
    findings.append(name_errors.wrong_form("key", value.span, wanted))
    return None


def _keys(line: syntax.Assignment | None, findings: list[Diagnostic]) -> model.FileSource | str | None:
    if line is None:
        return None
    if isinstance(line.value, syntax.StringLiteral):
        return https_url("keys", line.value, findings)
    if isinstance(line.value, syntax.Call) and line.value.function.text == "file":
        paths = [argument.value for argument in line.value.arguments]
        if len(paths) == 1 and absolute_path(paths[0]):
            return model.FileSource(paths[0])
        findings.append(name_errors.source_arguments(line.value, "one absolute path"))
        return None
    findings.append(name_errors.wrong_form("keys", line.value.span, '`file("/path")` or an https URL'))
    return None


def _claims(written: Iterable[syntax.Claim], scope: Scope, findings: list[Diagnostic]) -> tuple[model.Claim, ...]:
    claims: list[model.Claim] = []
    first: dict[str, syntax.Claim] = {}
    for claim in written:
        name = claim.name.text
        if name in _OF_THE_RUNTIME:
            findings.append(token_errors.reserved_claim(claim, _OF_THE_RUNTIME[name]))
        elif not name:
            findings.append(name_errors.wrong_form("claims", claim.name.span, "names that are not empty"))
        elif first.setdefault(name, claim) is not claim:
            findings.append(name_errors.assigned_twice(claim.name, first[name].name.span))
        elif (resolved := _claim(claim, scope, findings)) is not None:
            claims.append(resolved)
    return tuple(claims)


def _claim(claim: syntax.Claim, scope: Scope, findings: list[Diagnostic]) -> model.Claim | None:
    value = claim.value
    parts: tuple[model.FieldPart, ...] = ()
    literal: model.Scalar | None = None
    if isinstance(value, syntax.Text):
        findings.append(name_errors.wrong_form(claim.name.text, value.span, "a literal or one field: `run.NAME`"))
        return None
    if isinstance(value, syntax.Ref):
        if value.parts[0].text != "run" or len(value.parts) != 2:
            findings.append(name_errors.wrong_reference(value, "`run.FIELD` or a literal"))
            return None
        field = scope.fields.find(value.parts[1], findings)
        if field is None:
            return None
        parts = (model.FieldPart(field, value.span),)
    else:
        literal = value.value
    return model.Claim(claim.name.text, parts, literal, claim.optional, claim.span, claim.name.span, value.span)
