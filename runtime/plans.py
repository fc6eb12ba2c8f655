"""From the rows of a table to plans: every part of a value becomes text, a field to look up, or a secret to reveal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial

from mcpx.runtime.body import (
    Body,
    CredentialPart,
    FieldPart,
    Part,
    Row,
    SecretPart,
    SessionCredential,
    SettingPart,
    TextPart,
    TokenPart,
)
from mcpx.runtime.calls import ArgumentRule
from mcpx.runtime.headers import FieldRef, Line, Piece, Plan, SecretRef


def row_plan(body: Body, row: Row, settings: Mapping[str, str]) -> Plan:
    """The plan of a row of a verified table.

    Args:
        body: what the table says.
        row: one of its rows.
        settings: the values of all settings.
    """
    steps = ((body.programs[step.program], step) for step in body.plans[row.plan] if step.send is not False)
    lines = (
        Line(
            program.name,
            _pieces(program.parts, row.credential, settings),
            program.optional,
            step.requests == "session",
            program.encode,
            step.send,
            body.guards,
        )
        for program, step in steps
    )
    call = None if row.call is None else body.calls[row.call]
    if call is None:
        return Plan(tuple(lines))
    metas = (
        Line(
            meta.key,
            _pieces(meta.parts, row.credential, settings),
            meta.optional,
            session=False,
            guard=meta.send,
            branches=body.guards,
        )
        for meta in call.metas
        if meta.send is not False
    )
    return Plan(tuple(lines), tuple(metas), tuple(ArgumentRule(step.argument, step.field) for step in call.arguments))


def session_plan(body: Body, row: Row, settings: Mapping[str, str]) -> Plan:
    """What the session requests of a row carry: the headers whose values the session's key fixes.

    Args:
        body: what the table says.
        row: any row of the server, for a shared session: they agree about its headers.
        settings: the values of all settings.
    """
    server = body.servers[row.server]
    own = server.session_credential if server.session == "shared" else SessionCredential(row.credential, None, ())
    steps = ((body.programs[step.program], step) for step in body.plans[row.plan])
    return Plan(
        tuple(
            Line(
                program.name,
                _pieces(map(partial(_for_session, own), program.parts), None, settings),
                program.optional,
                session=True,
                encode=program.encode,
                guard=step.send,
                branches=body.guards,
            )
            for program, step in steps
            if step.send is not False and step.requests == "session"
        )
    )


def _for_session(own: SessionCredential | None, part: Part) -> Part:
    """A part of a value, with what the session presents in the place of `credential`."""
    if not isinstance(part, CredentialPart) or own is None:
        return part
    return SecretPart(own.secret) if own.secret is not None else part if own.token is None else TokenPart(own.token)


def _pieces(parts: Iterable[Part], credential: str | None, settings: Mapping[str, str]) -> tuple[Piece, ...]:
    pieces: list[Piece] = []
    for part in parts:
        match part:
            case TextPart(text):
                pieces.append(text)
            case FieldPart(field):
                pieces.append(FieldRef(field))
            case SecretPart(secret):
                pieces.append(SecretRef(secret))
            case SettingPart(setting):
                pieces.append(settings[setting])
            case CredentialPart():
                pieces.append(SecretRef(_present(credential)))
            case TokenPart(token):
                raise AssertionError(f"a table with the token `{token}` is refused before its headers are built")
    return tuple(pieces)


def _present(credential: str | None) -> str:
    if credential is None:
        raise AssertionError("a verified table has a credential wherever a header that is sent needs one")
    return credential
