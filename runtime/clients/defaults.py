"""The headers that a host sets itself on every request of a connection: allowed as long as they are nobody else's."""

from __future__ import annotations

from collections.abc import Mapping

from mcpx.runtime import names
from mcpx.runtime.errors import ConfigurationError


def check_default_headers(headers: Mapping[str, str], compiled: frozenset[str], server: str) -> None:
    """Refuse what would be a second source for a header of the table, or belongs to the transport.

    Args:
        headers: name to value, as the host gave them.
        compiled: the lower-case names that the table has for the server.
        server: the server's name, for the message.

    Raises:
        ConfigurationError: it names every header that cannot be a default, and why; never a value.
    """
    taken = {names.fold(name) for name in compiled}
    faults = [f"`{name}` {fault}" for name, value in headers.items() if (fault := _fault(name, value, taken))]
    if faults:
        raise ConfigurationError(f"default headers for server `{server}` cannot be used: {'; '.join(faults)}")


def _fault(name: str, value: str, taken: set[str]) -> str | None:
    if not names.is_token(name):
        return "is no header name"
    if names.fold(name) in taken:
        return "is set by the table"
    if (owner := names.forbidden(name)) is not None:
        return f"belongs to {owner}"
    fault = names.value_fault(value)
    return None if fault is None else f"has a value that {fault}"
