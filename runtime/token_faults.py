"""Whether the tokens and grants of a table agree with the rest of it; a part of `integrity`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from mcpx.runtime.body import (
    Body,
    ClaimStep,
    FileSource,
    Flow,
    HeaderProgram,
    Row,
    SettingPart,
    TextPart,
    TokenPart,
    TokenSpec,
)
from mcpx.runtime.decision_faults import decided
from mcpx.runtime.endpoints import Endpoint, endpoint
from mcpx.runtime.wording import NAME, quoted

MAX_LIFETIME: Final = 900
"""Seconds: the profile of minted tokens and grants allows no more."""
RUNTIME_CLAIMS: Final = frozenset(("iss", "aud", "exp", "iat", "nbf", "jti", "act", "txn", "client_id", "cnf", "mcpx"))
"""Claims that no table may set: RFC 7519 section 4.1, RFC 8693 section 4, RFC 8417 section 2.2, RFC 7800 section 3."""


def token_faults(body: Body) -> Iterator[str]:
    """What is wrong with tokens, grants and audiences, whoever uses them."""
    for name in (*body.tokens, *body.grants):
        if not NAME.fullmatch(name):
            yield "the name of a token or grant is none of the language"
    for name, token in body.tokens.items():
        yield from (f"token `{name}` {what}" for what in _token_faults(body, token))
    for name, grant in body.grants.items():
        if not _https(grant.issuer) or not _https(grant.audience):
            yield f"grant `{name}` has an issuer or audience that is no https URL"
        if not 1 <= grant.ttl <= MAX_LIFETIME:
            yield f"grant `{name}` has a lifetime beyond {MAX_LIFETIME} seconds"
        if grant.key is not None and grant.key not in body.secrets:
            yield f"grant `{name}` has a key that is not listed"
        if isinstance(grant.keys, FileSource):
            if not grant.keys.file.startswith("/"):
                yield f"grant `{name}` has no absolute path to its keys"
        elif not _https(grant.keys):
            yield f"grant `{name}` has keys at an address that is no https URL"
    for name, server in body.servers.items():
        if not body.settings.keys() >= {part.setting for part in server.audience if isinstance(part, SettingPart)}:
            yield f"server `{name}` has an audience of a setting that is not listed"
        if not all(map(_https, server.authorization_servers)):
            yield f"server `{name}` has an authorization server that is no https URL"
    for claims in body.claims.values():
        for claim in claims:
            if not decided(body, claim.by, claim.own, permitted=False):
                yield "a claim is not decided by policies that are listed"
            if claim.send is not False and not (claim.by or claim.own):
                yield "a claim is sent, and no policy lets it through"


def _token_faults(body: Body, token: TokenSpec) -> Iterator[str]:
    if not token.servers or not body.servers.keys() >= set(token.servers):
        yield "is for a server that is not listed, or for none"
    elif token.kind == "access" and not all(
        token.issuer in body.servers[server].authorization_servers for server in token.servers
    ):
        yield "is an access token of an issuer that its server does not take"
    if not _https(token.issuer):
        yield "has an issuer that is no https URL"
    if not 1 <= token.ttl <= MAX_LIFETIME:
        yield f"has a lifetime beyond {MAX_LIFETIME} seconds"
    if token.key is not None and token.key not in body.secrets:
        yield "has a key that is not listed"
    names = [claim.name for claim in token.claims]
    if len(set(names)) != len(names) or "" in names or not RUNTIME_CLAIMS.isdisjoint(names):
        yield "has a claim twice, or one that only the runtime writes"
    for claim in token.claims:
        spec = None if claim.field is None else body.fields.get(claim.field)
        if (claim.field is None) is (claim.value is None) or (claim.field is not None and spec is None):
            yield f"has a claim {quoted(claim.name)} of nothing, or of what is not listed"
        elif spec is not None and not spec.verified:
            yield f"would vouch for a claimed field in {quoted(claim.name)}"
        elif spec is not None and spec.optional and not claim.optional:
            yield f"always has {quoted(claim.name)}, and draws it from a field that may be missing"


def row_faults(body: Body, row: Row) -> Iterator[str]:
    """What is wrong with the tokens of one row, as clauses behind its name."""
    bound = {name for name, token in body.tokens.items() if row.server in token.servers}
    if row.tokens.keys() != bound:
        yield "does not have the tokens of its server"
        return
    yield from _sent_faults(body, row, bound)
    for name, plan in row.tokens.items():
        yield from _claim_faults(body, row, name, body.claims.get(plan))


def _sent_faults(body: Body, row: Row, bound: AbstractSet[str]) -> Iterator[str]:
    for program in (body.programs[step.program] for step in body.plans[row.plan]):
        for name in tokens_of(program):
            if name not in bound:
                yield f"sends the token `{name}`, which is for other servers"
            elif not fits(program, body.tokens[name].kind):
                yield f"sends the token `{name}` in a header that is not its kind's"
    call = None if row.call is None else body.calls.get(row.call)
    for meta in () if call is None else call.metas:
        for part in meta.parts:
            if isinstance(part, TokenPart) and (
                part.token not in bound or len(meta.parts) > 1 or body.tokens[part.token].kind == "access"
            ):
                yield f"sends the token `{part.token}` in {quoted(meta.key)}, where it cannot go"


def _claim_faults(body: Body, row: Row, name: str, steps: tuple[ClaimStep, ...] | None) -> Iterator[str]:
    token = body.tokens[name]
    if steps is None or len(steps) != len(token.claims):
        yield f"has claims for the token `{name}` that are not listed"
        return
    for claim, step in zip(token.claims, steps, strict=True):
        if step.send is not True and not claim.optional:
            yield f"leaves out {quoted(claim.name)}, which is always in the token `{name}`"
        if claim.field is not None and _stopped(step, body.flows[row.flows][claim.field]):
            yield f"has a field in the token `{name}` that may not reach the server"
        if claim.field is not None and step.send is not False and not step.by:
            yield f"has a field in the token `{name}` that no policy lets through"


def tokens_of(program: HeaderProgram) -> Iterable[str]:
    """The tokens that a header is made of."""
    return (part.token for part in program.parts if isinstance(part, TokenPart))


def fits(program: HeaderProgram, kind: str) -> bool:
    """Whether a header that holds a token has the form of its kind (RFC 6750 section 2.1 for `access`)."""
    if kind == "assertion":
        return len(program.parts) == 1 and program.name.lower() != "authorization"
    return (
        program.name.lower() == "authorization" and len(program.parts) == 2 and program.parts[0] == TextPart("Bearer ")
    )


def _stopped(step: ClaimStep, flow: Flow) -> bool:
    return flow.permitted is False if isinstance(step.send, str) else step.send and flow.permitted is not True


def _https(url: str) -> bool:
    found = endpoint(url)
    return isinstance(found, Endpoint) and found.scheme == "https" and "?" not in url
