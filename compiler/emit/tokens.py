"""Tokens and grants of a table, and what each row leaves out of its tokens."""

from __future__ import annotations

from mcpx.compiler import model
from mcpx.runtime import body


def token_spec(token: model.Token) -> body.TokenSpec:
    """A token; the decisions about its claims lie with the rows."""
    return body.TokenSpec(
        servers=token.servers,
        kind=token.kind,
        issuer=token.issuer,
        ttl=token.ttl,
        key=token.key,
        client_id=token.client_id or token.issuer,
        claims=tuple(
            body.ClaimSpec(claim.name, claim.parts[0].field if claim.parts else None, claim.value, claim.optional)
            for claim in token.claims
        ),
    )


def grant_spec(grant: model.Grant) -> body.GrantSpec:
    """A grant; `keys` is a file or an address."""
    keys = grant.keys if isinstance(grant.keys, str) else body.FileSource(grant.keys.path)
    return body.GrantSpec(grant.issuer, grant.audience, grant.ttl, keys, grant.key)
