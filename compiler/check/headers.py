"""Header lines: whose names they are, and what their values may be made of (RFC 9110 sections 5.1 and 5.5)."""

from __future__ import annotations

from collections.abc import Iterator

from mcpx.compiler import model
from mcpx.compiler.check.literals import looks_secret
from mcpx.compiler.encodings import encoding_of
from mcpx.compiler.patterns import can_hold
from mcpx.compiler.report import check_errors as say
from mcpx.compiler.report import value_errors as say_value
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.runtime import names
from mcpx.runtime.encodings import Encoding, Fault, encode

_PROOFS = (model.CredentialPart, model.SecretPart, model.TokenPart)
"""What only the host could send."""


def check_headers(program: model.Program) -> Iterator[Diagnostic]:
    """Every header of every server."""
    for server in program.servers.values():
        yield from _repeated_names(server)
        for header in server.headers:
            yield from _name(header)
            yield from _literals(header)
            yield from _fields(header, program)
            yield from _settings(header, program)
            if header.name.lower() == "authorization":
                yield from _authorization(header)
        yield from _identities(server)


def _repeated_names(server: model.Server) -> Iterator[Diagnostic]:
    first: dict[str, model.Header] = {}
    for header in server.headers:
        known = first.setdefault(names.fold(header.name), header)
        if known is not header:
            yield say.same_name(header, known)


def _name(header: model.Header) -> Iterator[Diagnostic]:
    if not names.is_token(header.name):
        yield say.not_a_token(header)
    elif (owner := names.forbidden(header.name)) is not None:
        yield say.name_taken(header, owner)
    elif names.only_typed(header.name) and header.name.lower() != "authorization":
        yield say.only_typed(header)
    elif names.traces(header.name) and any(isinstance(part, model.FieldPart) for part in header.parts):
        return  # `_fields` refuses it
    elif (why := names.warned(header.name)) is not None:
        yield say.name_is_lost(header, why)


def _literals(header: model.Header) -> Iterator[Diagnostic]:
    texts = [part for part in header.parts if isinstance(part, model.TextPart)]
    if len(texts) == len(header.parts) and not any(part.text for part in texts):
        yield say.literal_value(header.value_span, "a header cannot be empty")
    for part in texts:
        if any(not " " <= character <= "~" for character in part.text):
            yield say.literal_value(part.span, "only printable ASCII characters can be sent")
        elif looks_secret(part.text) or (len(texts) == len(header.parts) and names.secret_words(header.name)):
            yield say.looks_secret(part.span)
    first, last = header.parts[0], header.parts[-1]
    if isinstance(first, model.TextPart) and first.text.startswith(" "):
        yield say.literal_value(first.span, "a value does not begin with a blank")
    elif isinstance(last, model.TextPart) and last.text.endswith(" "):
        yield say.literal_value(last.span, "a value does not end with a blank")


def _fields(header: model.Header, program: model.Program) -> Iterator[Diagnostic]:
    parts = [part for part in header.parts if isinstance(part, model.FieldPart)]
    for part in parts:
        field = program.fields[part.field]
        if names.traces(header.name):
            yield say.in_trace_header(header, part)
        if (why := _unsendable(header, field, program)) is not None:
            yield say.declared_value(header, part, field, why)
        if field.optional and not header.optional:
            yield say.field_may_be_missing(header, part, field)
        if not field.verified and names.identity_words(header.name):
            yield say.claimed_identity(header, part, field)
    verified = next((part for part in parts if program.fields[part.field].verified), None)
    claimed = next((part for part in parts if not program.fields[part.field].verified), None)
    if verified is not None and claimed is not None:
        yield say.mixed_trust(header, verified, claimed)
    elif len(parts) > 1:
        yield from _injective(header, program)


def _unsendable(header: model.Header, field: model.Field, program: model.Program) -> str | None:
    """Why a default or choice makes no value of this header, as a clause."""
    declared = [*field.type.choices, *([field.default] if isinstance(field.default, str | tuple) else [])]
    encoding = encoding_of(header, program)
    if len(header.parts) == 1 and encoding is not None:
        faults = (_encoded_fault(encoding, value) for value in declared)
    else:
        faults = (names.value_fault(value) for value in declared if isinstance(value, str))
    return next((f"one of them {fault}" for fault in faults if fault is not None), None)


def _encoded_fault(encoding: Encoding, value: str | tuple[str, ...]) -> str | None:
    outcome = encode(encoding, value)
    if outcome is None:
        return "is an empty list"
    return outcome.clause if isinstance(outcome, Fault) else names.value_fault(outcome)


def _settings(header: model.Header, program: model.Program) -> Iterator[Diagnostic]:
    for part in header.parts:
        if isinstance(part, model.SettingPart):
            setting = program.settings[part.setting]
            declared = setting.choices or (() if setting.default is None else (setting.default,))
            fault = next((fault for value in declared if (fault := names.value_fault(value)) is not None), None)
            if fault is not None:
                yield say_value.setting_unsendable(header, part, setting, fault)


def _injective(header: model.Header, program: model.Program) -> Iterator[Diagnostic]:
    last = max(index for index, part in enumerate(header.parts) if isinstance(part, model.FieldPart))
    for part, following in zip(header.parts[:last], header.parts[1:], strict=False):
        if not isinstance(part, model.FieldPart):
            continue
        if not isinstance(following, model.TextPart) or can_hold(program.fields[part.field].type, following.text[0]):
            yield say.not_injective(header, part, following.span)


def _authorization(header: model.Header) -> Iterator[Diagnostic]:
    credentials = [part for part in header.parts if isinstance(part, _PROOFS)]
    wrong = [part for part in header.parts if isinstance(part, model.FieldPart | model.SettingPart)]
    yield from (say.authorization_part(part.span, "neither credential, secret nor token") for part in wrong)
    yield from (say.authorization_part(part.span, "one too many") for part in credentials[1:])
    if not credentials and not wrong:
        yield say.authorization_part(header.value_span, "no credential in it")


def _identities(server: model.Server) -> Iterator[Diagnostic]:
    """An identity in the plain, at a server that gets nothing which only the host could send.

    What is always sent to a server is sent by every row of it; an optional header proves nothing, since a rule or a
    missing field may leave it out.
    """
    proved = any(not way.optional and any(isinstance(p, _PROOFS) for p in way.parts) for way in server.ways)
    for header in server.headers:
        names_identity = bool(names.identity_words(header.name))
        draws = any(isinstance(part, model.FieldPart) for part in header.parts)
        if not header.advisory:
            if names_identity and draws and not proved:
                yield say.unproved_identity(header, server)
        elif not names_identity:
            yield say_value.advisory_idle(header, "its name is no identity's")
        elif not draws:
            yield say_value.advisory_idle(header, "it carries no field of a run")
        elif proved:
            yield say_value.advisory_idle(header, "the server can tell who sends it")
