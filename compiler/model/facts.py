"""What a run knows, and the vocabulary: types, fields, tags, properties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from mcpx.compiler.source import Span

Scalar = str | int | bool
PropertyValue = Scalar | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FieldType:
    """The type of a run field or property.

    Attributes:
        kind: `choice` is `one of`, `list` is `list of string`.
        choices: the values of a `choice`.
        max: most characters of a string, or of each item of a list; 256 unless declared.
        matches: a pattern for the whole string, or for each item.
        items: most items of a list; 8 unless declared.
    """

    kind: Literal["string", "int", "bool", "choice", "list"]
    choices: tuple[str, ...] = ()
    max: int = 256
    matches: str | None = None
    items: int = 8


@dataclass(frozen=True, slots=True)
class Field:
    """One fact of a run: `verified` by the application or `claimed` by the caller."""

    name: str
    verified: bool
    optional: bool
    type: FieldType
    default: Scalar | tuple[str, ...] | None
    tags: tuple[str, ...]
    span: Span
    doc: str | None = None
    tag_spans: Mapping[str, Span] | None = None
    properties: Mapping[str, PropertyValue] = field(default_factory=dict)
    deprecated: str | None = None


@dataclass(frozen=True, slots=True)
class Tag:
    """A word of the vocabulary for fields, servers and secrets."""

    name: str
    span: Span


@dataclass(frozen=True, slots=True)
class Property:
    """`property server.p: T`."""

    owner: Literal["server", "agent", "field"]
    name: str
    type: FieldType
    optional: bool
    span: Span
