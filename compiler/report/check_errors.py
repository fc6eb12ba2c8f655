"""Sentences of the phase `check`: headers, credentials, addresses, and what is declared without effect."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mcpx.compiler import model
from mcpx.compiler.report.diagnostic import Diagnostic, Label, Severity, Stage, finding
from mcpx.compiler.source import Span

_found = partial(finding, Stage.CHECK)


# --- Header names -----------------------------------------------------------------------------------------------------


def not_a_token(header: model.Header) -> Diagnostic:
    """A name that is no field name (RFC 9110 section 5.1)."""
    return _found(
        "MX301",
        f"`{header.name}` is not a header name" if header.name else "a header needs a name",
        Label(header.name_span, "a name is made of letters, digits and !#$%&'*+-.^_`|~"),
    )


def name_taken(header: model.Header, owner: str) -> Diagnostic:
    """A name that the transport, the proxy chain or the browser owns."""
    return _found(
        "MX302",
        f"the header `{header.name}` cannot be set",
        Label(header.name_span, f"belongs to {owner}"),
        helps=("choose a name of the application's own",),
    )


def name_is_lost(header: model.Header, why: str) -> Diagnostic:
    """A name that arrives only by luck, or that belongs to somebody else by habit."""
    return _found(
        "MX312",
        f"the header `{header.name}` may not arrive as it was sent",
        Label(header.name_span, why),
        severity=Severity.WARNING,
    )


def same_name(header: model.Header, first: model.Header) -> Diagnostic:
    """Two names that proxies and servers take for one."""
    return _found(
        "MX305",
        f"`{header.name}` and `{first.name}` are one header to a server",
        Label(header.name_span, "set again here"),
        Label(first.name_span, "set here already"),
        notes=("names are compared without case, and with `-` and `_` as one",),
        helps=("remove one of them",),
    )


def only_typed(header: model.Header) -> Diagnostic:
    """A header that carries a token or signature, for which no construct exists yet."""
    return _found(
        "MX302",
        f"the header `{header.name}` cannot be set",
        Label(header.name_span, "carries a token or a signature, never text"),
        helps=("choose a name of the application's own",),
    )


# --- Header values ----------------------------------------------------------------------------------------------------


def authorization_part(span: Span, what: str) -> Diagnostic:
    """Something in `Authorization` besides its one credential."""
    return _found(
        "MX306",
        "`Authorization` carries exactly one credential",
        Label(span, what),
        helps=('write: header Authorization = "Bearer ${credential}"',),
    )


def literal_value(span: Span, why: str) -> Diagnostic:
    """Literal text that no header can hold (RFC 9110 section 5.5)."""
    return _found("MX307", "this text cannot be sent in a header", Label(span, why))


def mixed_trust(way: model.Header | model.Meta, verified: model.FieldPart, claimed: model.FieldPart) -> Diagnostic:
    """A verified and a claimed field in one value."""
    return _found(
        "MX308",
        f"`{way.name}` mixes verified and claimed fields",
        Label(claimed.span, "claimed by the caller"),
        Label(verified.span, "verified by the application"),
        helps=("send them apart",),
    )


def not_injective(header: model.Header, field: model.FieldPart, following: Span) -> Diagnostic:
    """Text in which two different runs could read the same."""
    return _found(
        "MX309",
        f"two runs could send the same `{header.name}`",
        Label(field.span, f"a value of `{field.field}` can hold the character that follows it"),
        Label(following, "so its end cannot be told from what comes next"),
        helps=("send the fields in headers of their own, or separate them by a character that the first cannot hold",),
    )


def field_may_be_missing(header: model.Header, part: model.FieldPart, field: model.Field) -> Diagnostic:
    """An optional field in a plain header."""
    return _found(
        "MX310",
        f"`run.{field.name}` may be missing, but `{header.name}` is always sent",
        Label(part.span, f"a run may lack `{field.name}`"),
        Label(field.span, "declared optional here"),
        helps=(f"leave the header out for such runs: `optional header {header.name} = …`",),
    )


def in_trace_header(header: model.Header, part: model.FieldPart) -> Diagnostic:
    """A field of the run in `baggage` or `tracestate`."""
    return _found(
        "MX311",
        f"`run.{part.field}` cannot go into `{header.name}`",
        Label(part.span, "trace headers are handed on to everybody behind the server"),
        helps=("send it in a header of its own",),
    )


def claimed_identity(way: model.Header | model.Meta, part: model.FieldPart, field: model.Field) -> Diagnostic:
    """A claimed field under a name that says identity."""
    return _found(
        "MX313",
        f"`{way.name}` names an identity, and `run.{field.name}` is only claimed",
        Label(part.span, "the caller chooses this value"),
        Label(field.span, "declared `claimed` here"),
        helps=("an identity takes verified fields only",),
    )


def unproved_identity(header: model.Header, server: model.Server) -> Diagnostic:
    """An identity in a plain header at a server that gets nothing to check."""
    return _found(
        "MX314",
        f"`{server.name}` cannot tell who sends `{header.name}`",
        Label(header.name_span, "anybody who reaches the server could send this identity"),
        Label(server.span, "it gets no credential, secret or token with every request"),
        helps=(
            'let the server check its caller: header Authorization = "Bearer ${credential}"',
            f"or, if it is not meant to authorise by it, say so: advisory header {header.name} = …",
        ),
    )


def looks_secret(span: Span) -> Diagnostic:
    """Literal text that looks like a key."""
    return _found(
        "MX315",
        "this text looks like a secret",
        Label(span, "a value in the file is known to all who read the file"),
        notes=("if it is one, treat it as leaked: replace it where it is accepted",),
        helps=('declare it: secret NAME = env("VARIABLE")',),
    )


def declared_value(header: model.Header, part: model.FieldPart, field: model.Field, why: str) -> Diagnostic:
    """A default or choice of a field that the header cannot carry."""
    return _found(
        "MX317",
        f"a declared value of `run.{field.name}` cannot be sent in `{header.name}`",
        Label(part.span, why),
        Label(field.span, "declared here"),
        notes=("every run with this value would be refused",),
    )


def header_size(header: model.Header, size: int, limit: int, severity: Severity) -> Diagnostic:
    """A header that may grow beyond what servers take."""
    return _found(
        "MX318" if severity is Severity.ERROR else "MX319",
        f"`{header.name}` may be {size} bytes long",
        Label(
            header.name_span,
            f"{'the most that can arrive is' if severity is Severity.ERROR else 'servers begin to refuse at'} {limit}",
        ),
        helps=("give the fields it draws on a smaller `max`",),
        severity=severity,
    )


def headers_size(server: model.Server, size: int, limit: int, severity: Severity) -> Diagnostic:
    """All headers of a server together."""
    return _found(
        "MX320" if severity is Severity.ERROR else "MX321",
        f"the headers of `{server.name}` may be {size} bytes long together",
        Label(
            server.span,
            f"{'the most that can arrive is' if severity is Severity.ERROR else 'servers begin to refuse at'} {limit}",
        ),
        helps=("send fewer headers, or give their fields a smaller `max`",),
        severity=severity,
    )


def headers_count(server: model.Server, count: int, limit: int, severity: Severity) -> Diagnostic:
    """Too many headers for one server."""
    return _found(
        "MX320" if severity is Severity.ERROR else "MX321",
        f"`{server.name}` has {count} headers",
        Label(server.span, f"{'no more than' if severity is Severity.ERROR else 'servers begin to refuse at'} {limit}"),
        severity=severity,
    )


# --- Credentials ------------------------------------------------------------------------------------------------------


def no_credential(agent: model.Agent, server: model.Server, part: model.CredentialPart) -> Diagnostic:
    """A header that needs a credential where the pair has none."""
    return _found(
        "MX303",
        f"no credential for agent `{agent.name}` at server `{server.name}`",
        Label(part.span, "this header needs one"),
        Label(agent.uses[server.name], "asked for here"),
        helps=(f"add one for the pair:\ncredential for {agent.name} to {server.name} = secret.NAME",),
    )


def two_credentials(agent: model.Agent, server: model.Server, lines: Sequence[model.CredentialLine]) -> Diagnostic:
    """Equally narrow credential lines for one pair."""
    return _found(
        "MX304",
        f"two credentials for agent `{agent.name}` at server `{server.name}`",
        Label(lines[1].span, "this one applies"),
        Label(lines[0].span, "this one too, and is as narrow"),
        notes=("a line for the agent itself beats one for a group",),
        helps=(f"say which:\ncredential for {agent.name} to {server.name} = secret.NAME",),
    )


def one_secret_two_servers(second: Span, first: Span, secrets: tuple[str, ...], servers: tuple[str, str]) -> Diagnostic:
    """One secret that two servers would get."""
    name = secrets[0]
    same = f"; `{secrets[1]}` is the same value" if len(set(secrets)) > 1 else ""
    return _found(
        "MX316",
        f"the secret `{name}` would go to `{servers[0]}` and to `{servers[1]}`",
        Label(second, f"sent to `{servers[1]}` here{same}"),
        Label(first, f"sent to `{servers[0]}` here"),
        notes=("a server that gets a secret can use it at every other server that takes it",),
        helps=(f"use two secrets, or say that it is meant: `shared secret {name} = …`",),
    )


def credential_unused(line: model.CredentialLine) -> Diagnostic:
    """A credential line that no agent draws on."""
    return _found(
        "MX607",
        "this credential is never used",
        Label(line.span, "no header of these servers draws on it for any of these agents"),
        severity=Severity.WARNING,
    )


def credential_partly_unused(line: model.CredentialLine, names: Sequence[str]) -> Diagnostic:
    """Holders or servers of a credential line for which it does nothing."""
    listed = ", ".join(f"`{name}`" for name in names)
    return _found(
        "MX607",
        f"this credential is never used for {listed}",
        Label(line.span, "no pair of these names draws on it"),
        helps=("remove these names from the line",),
        severity=Severity.WARNING,
    )


# --- Rules ------------------------------------------------------------------------------------------------------------


def required_not_verified(rule: model.Rule, field: model.Field) -> Diagnostic:
    """`require` of a claimed field."""
    return _found(
        "MX341",
        f"`run.{field.name}` cannot be required",
        Label(rule.span, "only a verified field can be required"),
        Label(field.span, "declared `claimed` here"),
    )


def required_optional(rule: model.Rule, field: model.Field) -> Diagnostic:
    """`require` of an optional field."""
    return _found(
        "MX342",
        f"the optional field `run.{field.name}` cannot be required",
        Label(rule.span, "required here"),
        Label(field.span, "a run may lack it"),
        helps=("declare the field without `?`, or use `allow`",),
    )


def rule_idle(rule: model.Rule, why: str) -> Diagnostic:
    """A rule, or one of its names, that can never match."""
    return _found(
        "MX608", f"this `{rule.effect}` never matches: {why}", Label(rule.span, why), severity=Severity.WARNING
    )


# --- Addresses --------------------------------------------------------------------------------------------------------


def url_scheme(span: Span) -> Diagnostic:
    """An address that is neither https nor http to a loopback host."""
    return _found(
        "MX331",
        "the address must be https",
        Label(span, "http is for loopback hosts alone"),
        helps=("use https",),
    )


def url_user_info(span: Span) -> Diagnostic:
    """User name or password in an address."""
    return _found(
        "MX332",
        "the address holds user information",
        Label(span, "everybody who sees the address sees this"),
        helps=("send a credential in a header",),
    )


def url_fragment(span: Span) -> Diagnostic:
    """A fragment in an address."""
    return _found("MX333", "the address has a fragment", Label(span, "a fragment is never sent to a server"))


def url_secret(span: Span) -> Diagnostic:
    """Something that looks like a secret in an address."""
    return _found(
        "MX334",
        "the address seems to hold a secret",
        Label(span, "addresses end up in logs, histories and referrers"),
        notes=("if it is one, treat it as leaked: replace it where it is accepted",),
        helps=("send it in a header",),
    )


def url_malformed(span: Span, why: str) -> Diagnostic:
    """Text that is no address."""
    return _found("MX335", "this is not the address of a server", Label(span, f"it {why}"))


def one_place_two_tags(server: model.Server, first: model.Server) -> Diagnostic:
    """Two servers of one origin, and rules that would tell them apart."""
    return _found(
        "MX336",
        f"`{server.name}` and `{first.name}` are one place and carry different tags",
        Label(server.span, _carried(server)),
        Label(first.span, _carried(first)),
        notes=("tags mean the place: scheme, host and port of these addresses are the same",),
        helps=("give both the same tags",),
    )


def one_place_two_properties(server: model.Server, first: model.Server) -> Diagnostic:
    """Two servers of one origin, and properties that would tell them apart."""
    names = [
        name
        for name in sorted({*server.properties, *first.properties})
        if server.properties.get(name) != first.properties.get(name)
    ]
    return _found(
        "MX336",
        f"`{server.name}` and `{first.name}` are one place and differ in {', '.join(f'`{name}`' for name in names)}",
        Label(server.span, "set otherwise here"),
        Label(first.span, "than here"),
        notes=("properties mean the place: scheme, host and port of these addresses are the same",),
        helps=("give both the same values",),
    )


def _carried(server: model.Server) -> str:
    return f"carries {', '.join(f'`@{tag}`' for tag in server.tags)}" if server.tags else "carries no tag"


# --- What has no effect -----------------------------------------------------------------------------------------------


def unused(code: str, kind: str, name: str, span: Span, why: str) -> Diagnostic:
    """A declaration without any effect."""
    return _found(code, f"the {kind} `{name}` is never used", Label(span, why), severity=Severity.WARNING)
