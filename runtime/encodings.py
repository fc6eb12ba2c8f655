"""Encodings of header values: from a checked value to text that a header can carry, and never the same text for two.

Every encoding is injective: a receiver that knows it gets back exactly the value that was sent. What an encoding has
no form for is refused; nothing is stripped, replaced or cut. For the compiler and the runtime alike.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, get_args
from urllib.parse import quote

import http_sf

TextEncoding = Literal["sf-string", "sf-display", "pct", "mcp-base64"]
ListEncoding = Literal["sf-list", "space", "comma"]
Encoding = Literal[TextEncoding, ListEncoding]

SEPARATORS: Final[Mapping[str, str]] = {"space": " ", "comma": ","}
"""What the items of a list are joined with, where the encoding is no structured field."""

_VISIBLE: Final = re.compile(r"[\x20-\x7e]*")


ENCODINGS: Final = (*get_args(TextEncoding), *get_args(ListEncoding))
"""All that there are."""


def encodable(encoding: Encoding) -> frozenset[str]:
    """The types of fields that an encoding is for."""
    return frozenset(("list",) if encoding in get_args(ListEncoding) else ("string", "choice"))


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a value has no form, as a clause that does not show it."""

    clause: str


_NOT_ASCII: Final = Fault("has characters other than printable ASCII")
_ITEM_NOT_ASCII: Final = Fault("has an item with characters other than printable ASCII")


def encode(encoding: Encoding, value: str | tuple[str, ...]) -> str | Fault | None:
    """The text that carries a value.

    Args:
        encoding: one for text, or one for lists.
        value: Unicode text without surrogates; a tuple of such texts for an encoding of lists.

    Returns:
        The text; a fault where the encoding has no form for the value, or is not for its type; nothing for an empty
        list, which is not sent at all (RFC 9651 section 4.1).
    """
    if isinstance(value, str):
        encoder = _TEXT.get(encoding)
        return Fault("is no list") if encoder is None else encoder(value)
    if encoding in _TEXT:
        return Fault("is a list")
    if not value:
        return None
    return _sf_list(value) if encoding == "sf-list" else _joined(value, SEPARATORS[encoding])


def _sf_string(value: str) -> str | Fault:
    """A String (RFC 9651 section 4.1.6)."""
    return http_sf.ser(value) if _VISIBLE.fullmatch(value) else _NOT_ASCII


def _sf_display(value: str) -> str:
    """A Display String (RFC 9651 section 4.1.11)."""
    return http_sf.ser(http_sf.DisplayString(value))


def _pct(value: str) -> str:
    """UTF-8, with all but unreserved characters percent-encoded (RFC 3986 sections 2.1 and 2.3)."""
    return quote(value, safe="")


def _mcp_base64(value: str) -> str:
    """As it is, or in base64 between markers where it could not be or could be mistaken for that (MCP, transports)."""
    plain = _VISIBLE.fullmatch(value) and value == value.strip(" ")
    marked = value.startswith("=?base64?") and value.endswith("?=")
    if plain and not marked:
        return value
    return f"=?base64?{base64.b64encode(value.encode()).decode('ascii')}?="


_TEXT: Final[Mapping[str, Callable[[str], str | Fault]]] = {
    "sf-string": _sf_string,
    "sf-display": _sf_display,
    "pct": _pct,
    "mcp-base64": _mcp_base64,
}


def _sf_list(items: Iterable[str]) -> str | Fault:
    """A List of Strings (RFC 9651 section 4.1.1)."""
    items = tuple(items)
    members: http_sf.ListType = [*items]
    return http_sf.ser(members) if all(map(_VISIBLE.fullmatch, items)) else _ITEM_NOT_ASCII


def _joined(items: Iterable[str], separator: str) -> str | Fault:
    items = tuple(items)
    if not all(items):
        return Fault("has an empty item")
    if not all(map(_VISIBLE.fullmatch, items)):
        return _ITEM_NOT_ASCII
    if any(separator in item for item in items):
        return Fault("has an item that holds the separator")
    if any(item != item.strip(" ") for item in items):  # receivers trim what is between commas
        return Fault("has an item that begins or ends with a blank")
    return separator.join(items)
