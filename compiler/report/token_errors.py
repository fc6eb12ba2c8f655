"""Sentences about tokens, grants and audiences: their blocks, their claims, and where they may go."""

from __future__ import annotations

from collections.abc import Iterable

from mcpx.compiler import model, syntax
from mcpx.compiler.report.diagnostic import Diagnostic, Label, Severity, Stage
from mcpx.compiler.source import Span


def _found(
    code: str,
    message: str,
    *labels: Label,
    notes: tuple[str, ...] = (),
    helps: tuple[str, ...] = (),
    stage: Stage = Stage.CHECK,
    severity: Severity = Severity.ERROR,
) -> Diagnostic:
    return Diagnostic(code, stage, message, labels, notes, helps, (), severity)


# --- The blocks (phase `resolve`) -------------------------------------------------------------------------------------


def line_missing(kind: str, name: syntax.Name, key: str, example: str) -> Diagnostic:
    """A `token` or `grant` block without a line that it needs."""
    return _found(
        "MX801",
        f"the {kind} `{name.text}` has no `{key}`",
        Label(name.span, "nothing is assumed in its place"),
        helps=(f"add: {key} = {example}",),
        stage=Stage.RESOLVE,
    )


def not_https(key: str, span: Span, why: str) -> Diagnostic:
    """An issuer, audience or place of keys that is no canonical https URL."""
    return _found(
        "MX802",
        f"this `{key}` is no https URL that can be compared",
        Label(span, f"it {why}"),
        notes=("receivers compare it character by character",),
        stage=Stage.RESOLVE,
    )


def lifetime(span: Span, longest: int) -> Diagnostic:
    """A `ttl` of nothing, or longer than the profile allows (Transaction Tokens section 6: short-lived)."""
    return _found(
        "MX803",
        f"a lifetime is from 1 to {longest} seconds",
        Label(span, "outside of that"),
        notes=("the runtime has a new one made in time, also in a long run",),
        stage=Stage.RESOLVE,
    )


def reserved_claim(claim: syntax.Claim, who: str) -> Diagnostic:
    """A claim that the runtime itself writes."""
    return _found(
        "MX804",
        f"the claim `{claim.name.text}` cannot be written",
        Label(claim.name.span, who),
        helps=("remove the line",),
        stage=Stage.RESOLVE,
    )


def key_of_partition(span: Span, secret: str) -> Diagnostic:
    """A signing key that has a value for each partition of runs."""
    return _found(
        "MX811",
        f"`secret.{secret}` cannot sign: it has one value for each `per` field",
        Label(span, "receivers know one key, whoever the run is for"),
        helps=("sign with `key = host`, or with a secret without `per`",),
        stage=Stage.RESOLVE,
    )


# --- Claims -----------------------------------------------------------------------------------------------------------


def claimed_field(claim: model.Claim, part: model.FieldPart, field: model.Field) -> Diagnostic:
    """A claimed field in a claim, which says that the application vouches for it."""
    return _found(
        "MX805",
        f"a token would vouch for `run.{field.name}`, which is only claimed",
        Label(part.span, f"the caller chooses what `{claim.name}` says"),
        Label(field.span, "declared `claimed` here"),
        helps=("a claim takes verified fields and literals",),
    )


def field_may_be_missing(claim: model.Claim, part: model.FieldPart, field: model.Field) -> Diagnostic:
    """A plain claim of a field that a run may lack."""
    return _found(
        "MX806",
        f"`{claim.name}` is always in the token, and `run.{field.name}` may be missing",
        Label(part.span, "some runs have no value here"),
        Label(field.span, "declared optional here"),
        helps=(f"leave the claim out for such runs: optional {claim.name} = run.{field.name}",),
    )


def claim_type(claim: model.Claim, span: Span) -> Diagnostic:
    """A claim whose registered meaning is text, given something else (RFC 7519 section 4.1.2)."""
    return _found(
        "MX812", f"the claim `{claim.name}` is text", Label(span, "a number, bool or list is none that receivers read")
    )


# --- Where tokens go --------------------------------------------------------------------------------------------------


def other_server(token: model.Token, part: model.TokenPart, server: model.Server) -> Diagnostic:
    """A token sent to a server that it is not for (RFC 8707 section 2, MCP authorization)."""
    return _found(
        "MX807",
        f"the token `{token.name}` is not for `{server.name}`",
        Label(part.span, f"`{server.name}` could use it at the servers that it is for"),
        Label(token.span, f"for {', '.join(f'`{name}`' for name in token.servers)}"),
        helps=(f"declare a token of its own: token NAME for {server.name} {{ … }}",),
    )


def wrong_place(token: model.Token, span: Span, helps: str) -> Diagnostic:
    """A token in a header, or a form, that is not its kind's."""
    return _found(
        "MX808",
        f"a token of kind `{token.kind}` is not sent like this",
        Label(span, f"`{token.name}` is of kind `{token.kind}`"),
        helps=(helps,),
    )


def foreign_issuer(token: model.Token, server: model.Server) -> Diagnostic:
    """An access token from an issuer that the server does not name (MCP authorization, token handling)."""
    servers = server.authorization_servers
    known = Label(servers[0].span, "it takes tokens of another") if servers else Label(server.span, "it names none")
    return _found(
        "MX809",
        f"the issuer of `{token.name}` is no authorization server of `{server.name}`",
        Label(token.issuer_span or token.span, "compared character by character"),
        known,
        helps=(f'say so where it is true, in `{server.name}`: authorization_server = "https://…"',),
    )


def signing_key_sent(secret: str, sent: Span, key: Span, signing: str) -> Diagnostic:
    """A signing key in a header: whoever gets it can be anybody."""
    same = "" if secret == signing else f"; `{signing}` is the same value"
    return _found(
        "MX810",
        f"`secret.{secret}` signs, and would be sent",
        Label(sent, f"who gets it can sign for every run{same}"),
        Label(key, "signs here"),
        helps=("use two secrets",),
    )


def passed_through(span: Span, why: str) -> Diagnostic:
    """A token that the run brought along, handed on (MCP security best practices, token passthrough)."""
    return _found(
        "MX813",
        "a token of the caller cannot be passed on",
        Label(span, why),
        notes=("a token is for one receiver: another that gets it can use it there",),
        helps=("declare a token for this server: `token NAME for SERVER { … }`",),
    )


def same_grants(grant: model.Grant, first: model.Grant) -> Diagnostic:
    """Two grants that nobody can tell apart."""
    return _found(
        "MX814",
        f"`{grant.name}` and `{first.name}` have the same issuer and audience",
        Label(grant.span, "what arrives could be either"),
        Label(first.span, "the other one"),
        helps=("remove one of them",),
    )


# --- Warnings ---------------------------------------------------------------------------------------------------------


def key_here(kind: str, name: str, span: Span) -> Diagnostic:
    """A signing key in the process that holds the runs."""
    return _found(
        "MX620",
        f"the key of the {kind} `{name}` lies in the process that holds the runs",
        Label(span, "whoever takes over this process can sign for every run"),
        helps=("let the application's minter sign: key = host",),
        severity=Severity.WARNING,
    )


def one_audience(server: model.Server, first: model.Server, span: Span) -> Diagnostic:
    """Two servers with one audience: a token for one is good at the other."""
    return _found(
        "MX621",
        f"`{server.name}` and `{first.name}` have one audience",
        Label(span, f"a token for `{server.name}` is good at `{first.name}`"),
        Label(first.audience.span if first.audience else first.url.span, f"the audience of `{first.name}`"),
        helps=("give each server an audience of its own",),
        severity=Severity.WARNING,
    )


def never_sent(token: model.Token, servers: Iterable[str]) -> Diagnostic:
    """A token that nothing sends, or nothing at some of its servers."""
    listed = ", ".join(f"`{name}`" for name in servers)
    return _found(
        "MX622",
        f"the token `{token.name}` is never sent to {listed}",
        Label(token.span, "no header there draws on it"),
        helps=(f"send it: header NAME = token.{token.name}",),
        severity=Severity.WARNING,
    )


def issuers_unused(server: model.Server) -> Diagnostic:
    """`authorization_server` at a server that gets no access token."""
    return _found(
        "MX623",
        f"the `authorization_server` of `{server.name}` is never used",
        Label(server.authorization_servers[0].span, "no token of kind `access` is for this server"),
        severity=Severity.WARNING,
    )
