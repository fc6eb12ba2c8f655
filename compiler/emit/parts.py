"""The parts of values, as the table has them."""

from __future__ import annotations

from mcpx.compiler import model
from mcpx.compiler.encodings import encoding_of
from mcpx.runtime import body


def header_program(header: model.Header, program: model.Program) -> body.HeaderProgram:
    """How a header is built."""
    return body.HeaderProgram(
        name=header.name,
        parts=tuple(map(part_of, header.parts)),
        optional=header.optional,
        encode=encoding_of(header, program),
        advisory=header.advisory,
    )


def part_of(part: model.Part) -> body.Part:
    """A part of a header or of a `meta` line."""
    match part:
        case model.TextPart(text=text):
            return body.TextPart(text)
        case model.FieldPart(field=field):
            return body.FieldPart(field)
        case model.SecretPart(secret=secret):
            return body.SecretPart(secret)
        case model.SettingPart(setting=setting):
            return body.SettingPart(setting)
        case model.CredentialPart():
            return body.CredentialPart(credential=True)
        case model.TokenPart(token=token):
            return body.TokenPart(token)
