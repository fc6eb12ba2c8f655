"""Encodings and lists: each has a whole field of its type, and no two values read the same."""

from __future__ import annotations

from collections.abc import Iterator

from mcpx.compiler import model
from mcpx.compiler.patterns import can_hold
from mcpx.compiler.report import value_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.source import Span
from mcpx.runtime.encodings import ENCODINGS, SEPARATORS, Encoding, encodable
from mcpx.runtime.patterns import whole


def check_encodings(program: model.Program) -> Iterator[Diagnostic]:
    """Every header of every server."""
    for server in program.servers.values():
        for header in server.headers:
            if header.encode is not None and header.encode_span is not None:
                yield from _declared(header, header.encode, header.encode_span, program)
            if len(header.parts) > 1:
                for part in header.parts:
                    if isinstance(part, model.FieldPart) and program.fields[part.field].type.kind == "list":
                        yield say.list_in_text(header, part, program.fields[part.field])


def _declared(header: model.Header, encoding: Encoding, span: Span, program: model.Program) -> Iterator[Diagnostic]:
    match header.parts:
        case (model.FieldPart(field=name),):
            field = program.fields[name]
        case _:
            yield say.encodes_no_field(header, span)
            return
    if field.type.kind not in encodable(encoding):
        suited = (other for other in ENCODINGS if field.type.kind in encodable(other))
        yield say.encoding_does_not_suit(header, span, field, suited)
    elif (separator := SEPARATORS.get(encoding)) is not None:
        if can_hold(field.type, separator):
            yield say.separator_in_item(header, span, field, f"an item may contain the {encoding}")
        elif field.type.matches is not None and whole(field.type.matches)(""):
            yield say.separator_in_item(header, span, field, "an item may be empty")
