"""Which encoding a header's value has."""

from __future__ import annotations

from mcpx.compiler.model import FieldPart, Header, Program
from mcpx.runtime.encodings import Encoding


def encoding_of(header: Header, program: Program) -> Encoding | None:
    """The encoding that was declared; for a header that is one list and nothing else, `sf-list`."""
    match header.parts:
        case (FieldPart(field=field),) if header.encode is None and program.fields[field].type.kind == "list":
            return "sf-list"
        case _:
            return header.encode
