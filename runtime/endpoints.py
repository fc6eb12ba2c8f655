"""Where a server is: its URL in canonical form, and the origin that every request to it is pinned to."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from mcpx.runtime.body import SettingPart, TextPart
from mcpx.runtime.names import unreserved

_URL: Final = re.compile(
    r"(?P<scheme>https?)://"
    r"(?P<host>\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)"
    r"(?::(?P<port>[1-9][0-9]{0,4}))?"
    r"(?P<path>(?:/(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]|%[0-9A-F]{2})*)*)"
    r"(?:\?(?P<query>(?:[A-Za-z0-9\-._~!$&'()*+,;=:@/?]|%[0-9A-F]{2})*))?"
)
_ENCODED: Final = re.compile(r"%([0-9A-F]{2})")
_DEFAULT_PORTS: Final = {"https": 443, "http": 80}
_LONGEST: Final = 2_000


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A server's address.

    Attributes:
        url: the whole URL.
        scheme: `https`, or `http` for a loopback host.
        host: in lower case; an IPv6 address without its brackets.
        port: the port in the URL, else the scheme's.
    """

    url: str
    scheme: str
    host: str
    port: int

    @property
    def place(self) -> tuple[str, str, int]:
        """Scheme, host and port, with one name for every host that is this machine."""
        return self.scheme, "localhost" if _is_loopback(self.host) else self.host, self.port


def endpoint(url: str) -> Endpoint | str:
    """The address that a URL names, or a clause that says why it names none; nothing is repaired.

    Accepted is the canonical form of RFC 3986 section 6.2.2 alone: scheme and host in lower case, no default port, no
    dot segments, percent-encoding in upper case and only where needed; and no user information and no fragment. The
    scheme is https, or http where the host is a loopback address or `localhost` (RFC 6761 section 6.3).
    """
    if len(url) > _LONGEST:
        return f"is longer than {_LONGEST} characters"
    if "#" in url:
        return "has a fragment"
    if "@" in re.split("[/?#]", url.partition("://")[2], maxsplit=1)[0]:
        return "has user information"
    found = _URL.fullmatch(url)
    if found is None:
        return "is no canonical https URL (scheme and host in lower case, other characters percent-encoded)"
    scheme, host = found["scheme"], found["host"].strip("[]")
    port = _DEFAULT_PORTS[scheme] if found["port"] is None else int(found["port"])
    fault = _host_fault(host, literal=found["host"].startswith("[")) or _path_fault(found["path"])
    if fault is not None:
        return fault
    if found["port"] is not None and port == _DEFAULT_PORTS[scheme]:
        return "names the default port of its scheme"
    if port not in range(1, 2**16):
        return "has a port beyond 65535"
    if any(unreserved(chr(int(code, 16))) for code in _ENCODED.findall(url)):
        return "percent-encodes a character that needs none"
    if scheme == "http" and not _is_loopback(host):
        return "is http, and its host is not loopback"
    return Endpoint(url, scheme, host, port)


def address(parts: Iterable[TextPart | SettingPart], settings: Mapping[str, str]) -> Endpoint | str:
    """The address that the parts of a server's URL make together; a clause instead when they make none.

    Args:
        parts: literal text and settings, in order.
        settings: the values of all settings. One that is not at the beginning holds unreserved characters alone, so
            that it stays within the host, segment or value where the author put it.
    """
    text = ""
    for number, part in enumerate(parts):
        piece = part.text if isinstance(part, TextPart) else settings[part.setting]
        if number and isinstance(part, SettingPart) and not unreserved(piece):
            return f"setting `{part.setting}` may hold letters, digits, `-`, `.`, `_` and `~` there, and nothing else"
        text += piece
    return endpoint(text)


def _host_fault(host: str, *, literal: bool) -> str | None:
    if literal or re.fullmatch(r"[0-9.]+", host):
        try:
            canonical = str(ipaddress.ip_address(host))
        except ValueError:
            return "has a host that is no IP address"
        return None if canonical == host else "has an IP address that is not in canonical form"
    labels = host.split(".")
    if not all(label and label[0] != "-" and label[-1] != "-" for label in labels):
        return "has a host that is no domain name"
    # What a URL parser of a client could take for an IPv4 number (`0x7f.1`) names another host than it seems to.
    return "has a host that ends in a number" if re.fullmatch(r"[0-9]+|0x[0-9a-f]*", labels[-1]) else None


def _path_fault(path: str) -> str | None:
    return "has a `.` or `..` segment" if {".", ".."} & set(path.split("/")) else None


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.IPv4Address(host).is_loopback
    except ValueError:
        return host in ("localhost", "::1")
