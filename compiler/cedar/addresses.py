"""The scheme and host of a server as far as the sources fix them."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit

from mcpx.compiler.model import SettingPart, TextPart, Url

_OPEN = "\ue000"
"""Stands for what a setting decides."""


@dataclass(frozen=True, slots=True)
class Address:
    """What is known of a server's address at build time.

    Attributes:
        scheme: in lower case; `None` where a setting has a part in it.
        host: in lower case, without port; `None` where a setting has a part in it.
    """

    scheme: str | None
    host: str | None

    @property
    def known(self) -> dict[str, str]:
        """The attributes that the sources fix."""
        attributes = {"scheme": self.scheme, "host": self.host}
        return {name: value for name, value in attributes.items() if value is not None}

    @property
    def open(self) -> frozenset[str]:
        """The attributes that a setting decides."""
        return frozenset({"scheme", "host"}.difference(self.known))


def address_of(url: Url) -> Address:
    """The scheme and host of a URL (RFC 3986 section 3); a setting at its beginning leaves both open."""
    if not url.parts or isinstance(url.parts[0], SettingPart):
        return Address(None, None)
    written = "".join(part.text if isinstance(part, TextPart) else _OPEN for part in url.parts)
    try:
        parts = urlsplit(written)
        scheme, host = parts.scheme, parts.hostname
    except ValueError:
        return Address(None, None)
    return Address(_fixed(scheme), _fixed(host))


def _fixed(text: str | None) -> str | None:
    return text if text and _OPEN not in text else None
