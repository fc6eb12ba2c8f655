"""Which releases of the client libraries an adapter may be used with, and why not with others."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from mcpx.runtime.errors import ConfigurationError

_MCP_2_OLDEST = (2, 2)


def require_mcp_2() -> None:
    """Refuse every release of `mcp` on which a call could carry another run's identity, or was never tried.

    Raises:
        ConfigurationError: the package is missing, or its release is not 2.2 or a later 2.x.
    """
    try:
        found = version("mcp")
    except PackageNotFoundError:
        raise ConfigurationError(
            "the package `mcp` is not installed; the extra `mcp` brings it: mcpx-lang[mcp]"
        ) from None
    release = _release(found)
    if release < (2,):
        reason = "in 1.x a request is sent in the context of whoever opened the session, not of its caller"
    elif release < _MCP_2_OLDEST:
        reason = "before 2.2 a redirect to another origin takes the headers along"
    elif release >= (3,):
        reason = "this adapter was written for 2.x and knows nothing about a later major version"
    else:
        return
    raise ConfigurationError(f"mcp {found} cannot be used, mcp>=2.2,<3 is needed: {reason}")


def _release(found: str) -> tuple[int, ...]:
    parts: list[int] = []
    for part in found.split("."):
        if not part.isdecimal():
            break
        parts.append(int(part))
    return tuple(parts)
