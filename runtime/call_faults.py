"""Whether what a table says of sessions and of the params of calls agrees with the rest of it."""

from __future__ import annotations

from collections.abc import Iterator

from mcpx.runtime.body import (
    Body,
    CallPlan,
    CredentialPart,
    FieldPart,
    Guard,
    MetaStep,
    Part,
    ProviderSource,
    Row,
    SecretPart,
    ServerSpec,
    SessionCredential,
    SettingPart,
    TextPart,
    TokenPart,
)
from mcpx.runtime.calls import key_fault
from mcpx.runtime.decision_faults import decided
from mcpx.runtime.guards import fields_read
from mcpx.runtime.wording import quoted


def session_faults(body: Body) -> Iterator[str]:
    """What is wrong with the sessions and argument checks of servers, and with the partitions of secrets."""
    for name, source in body.secrets.items():
        if isinstance(source, ProviderSource) and not _keys(body, source.per):
            yield f"secret `{name}` has a partition that no run has to have"
    for name, server in body.servers.items():
        if isinstance(server.session, tuple) and not (server.session and _keys(body, server.session)):
            yield f"server `{name}` has a session key that no run has to have"
        own = server.session_credential
        if own is not None and not (server.session == "shared" and _is_listed(body, own)):
            yield f"server `{name}` has a credential for its session that is not listed, or that nothing uses"
        checked = [check.argument for check in server.checks]
        if len(set(checked)) < len(checked) or not all(_is_verified(body, check.field) for check in server.checks):
            yield f"server `{name}` checks an argument twice, or against a field that is not verified"


def agreement_faults(body: Body) -> Iterator[str]:
    """Rows of a shared session that would open it differently; for a body whose names all lead somewhere."""
    first: dict[str, frozenset[tuple[str, Guard]]] = {}
    for row in body.rows:
        if body.servers[row.server].session == "shared":
            steps = body.plans[row.plan]
            sent = frozenset((step.program, step.send) for step in steps if step.requests == "session")
            if first.setdefault(row.server, sent) != sent:
                yield f"the agents of server `{row.server}` do not agree about what opens their shared session"


def row_session_faults(body: Body, row: Row) -> Iterator[str]:
    """What a row would send on session requests although the session's key does not fix it."""
    server = body.servers[row.server]
    for step in body.plans[row.plan]:
        if step.requests != "session" or step.send is False:
            continue
        program = body.programs[step.program]
        own = SessionCredential(row.credential, None, ())
        if server.session == "shared":
            own = server.session_credential or SessionCredential(None, None, ())
        needs = any(isinstance(part, CredentialPart) for part in program.parts)
        parts = program.parts if own.token is None or not needs else (*program.parts, TokenPart(own.token))
        if needs and own.secret is None and own.token is None:
            yield f"sends header `{program.name}` when a session is opened, which knows no credential"
        elif not _fixed(body, server, _drawn(body, parts, own.secret) | fields_read(step.send, body.guards)):
            yield f"sends header `{program.name}`, which draws on a run, on requests of no run"


def call_faults(body: Body) -> Iterator[str]:
    """What is wrong with what calls carry in their params."""
    for name, call in body.calls.items():
        keys = [meta.key for meta in call.metas]
        arguments = [step.argument for step in call.arguments]
        if len(set(keys)) < len(keys) or len(set(arguments)) < len(arguments):
            yield f"call plan {quoted(name)} sets one thing twice"
        elif not all(key_fault(key) is None for key in keys):
            yield f"call plan {quoted(name)} sets a key that belongs to MCP"
        else:
            yield from (f"call plan {quoted(name)} {fault}" for fault in _plan_faults(body, call))


def _plan_faults(body: Body, call: CallPlan) -> Iterator[str]:
    if not all(_is_decided(body, meta) for meta in call.metas) or not all(
        decided(body, step.by, permitted=True) for step in call.arguments
    ):
        yield "is not decided by policies that are listed"
    if not all(_is_verified(body, step.field) and not body.fields[step.field].optional for step in call.arguments):
        yield "sets an argument from a field that is not verified, or may be missing"
    for meta in call.metas:
        if not meta.parts or not all(_exists(body, part) for part in meta.parts):
            yield f"has key `{meta.key}`, made of nothing or of what is not listed"
            continue
        specs = [body.fields[part.field] for part in meta.parts if isinstance(part, FieldPart)]
        if len({spec.verified for spec in specs}) > 1:
            yield f"has key `{meta.key}`, which mixes verified and claimed fields"
        if len(meta.parts) > 1 and any(spec.kind == "list" for spec in specs):
            yield f"has key `{meta.key}`, with a list within text"
        if not meta.optional and (meta.send is not True or any(spec.optional for spec in specs)):
            yield f"has key `{meta.key}`, which is always sent, and may have no value"


def row_call_faults(body: Body, row: Row) -> Iterator[str]:
    """What is wrong with what the calls of one row carry in their params."""
    if row.call is None:
        return
    if row.call not in body.calls:
        yield "has a call plan that is not listed"
        return
    call, flows = body.calls[row.call], body.flows[row.flows]
    if row.credential is None and any(isinstance(part, CredentialPart) for meta in call.metas for part in meta.parts):
        yield "has no credential, and sends one"
    checked = {check.argument for check in body.servers[row.server].checks}
    if not checked.isdisjoint(step.argument for step in call.arguments):
        yield "sets an argument that is checked"
    sent = [(meta.send, field) for meta in call.metas for field in _drawn(body, meta.parts, row.credential)]
    sent += [(True, step.field) for step in call.arguments]
    for send, field in sent:
        permitted = flows[field].permitted
        if (permitted is False and send is not False) or (send is True and permitted is not True):
            yield "sends a field that may not reach the server"


def selecting(body: Body, parts: tuple[Part, ...], credential: str | None) -> frozenset[str]:
    """The fields that select the secrets in a value, which tell a server as much as the fields themselves."""
    secrets = [part.secret for part in parts if isinstance(part, SecretPart)]
    if credential is not None and any(isinstance(part, CredentialPart) for part in parts):
        secrets.append(credential)
    return frozenset(field for secret in secrets for field in _partition(body, secret))


def _drawn(body: Body, parts: tuple[Part, ...], credential: str | None) -> frozenset[str]:
    """The fields that a value is made of; a secret counts as drawing on those of its partition."""
    fields = set(selecting(body, parts, credential))
    for part in parts:
        match part:
            case FieldPart(field):
                fields.add(field)
            case TokenPart(token) if token in body.tokens:
                fields.update(claim.field for claim in body.tokens[token].claims if claim.field is not None)
            case _:
                pass
    return frozenset(fields)


def _partition(body: Body, secret: str) -> tuple[str, ...]:
    source = body.secrets.get(secret)
    return source.per if isinstance(source, ProviderSource) else ()


def _is_listed(body: Body, own: SessionCredential) -> bool:
    """One secret or one token, and policies that permit it."""
    names = (own.secret in body.secrets, own.token in body.tokens)
    one = (own.secret is None) is not (own.token is None)
    return one and any(names) and decided(body, own.by, permitted=False)


def _fixed(body: Body, server: ServerSpec, fields: frozenset[str]) -> bool:
    return server.session == "run" or fields <= frozenset(server.session if isinstance(server.session, tuple) else ())


def _exists(body: Body, part: Part) -> bool:
    match part:
        case FieldPart(field):
            return field in body.fields
        case SecretPart(secret):
            return secret in body.secrets
        case SettingPart(setting):
            return setting in body.settings
        case TokenPart(token):
            return token in body.tokens
        case CredentialPart() | TextPart():
            return True


def _keys(body: Body, fields: tuple[str, ...]) -> bool:
    return all(_is_verified(body, field) and not body.fields[field].optional for field in fields)


def _is_verified(body: Body, field: str) -> bool:
    return field in body.fields and body.fields[field].verified


def _is_decided(body: Body, meta: MetaStep) -> bool:
    drawing = any(isinstance(part, FieldPart) for part in meta.parts)
    return decided(body, meta.by, meta.own, permitted=meta.send is not False, drawing=drawing)
