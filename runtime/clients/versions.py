"""Which releases of the client libraries an adapter may be used with, and why not with others."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version

from mcpx.runtime.errors import ConfigurationError

_MAJOR_MINOR = re.compile(r"([0-9]+)\.([0-9]+)")
_OLDEST = (2, 2)


def require_mcp_2() -> None:
    """Refuse every release of `mcp` on which a call could carry another run's identity, or that was never tried.

    Raises:
        ConfigurationError: the package is missing, or its release is not 2.2 or a later 2.x.
    """
    try:
        found = version("mcp")
    except PackageNotFoundError:
        raise ConfigurationError("the package `mcp` is missing: install the extra `mcp` (mcpx-lang[mcp])") from None
    reason = _why_not(found)
    if reason is not None:
        raise ConfigurationError(f"mcp {found} cannot be used, mcp>=2.2,<3 is needed: {reason}")


def _why_not(found: str) -> str | None:
    numbers = _MAJOR_MINOR.match(found)
    release = (0, 0) if numbers is None else (int(numbers[1]), int(numbers[2]))
    if release[0] == 1:
        return "in 1.x a request is sent in the context of whoever opened the session, not of its caller"
    if release < _OLDEST:
        return "before 2.2 a redirect takes the headers along to another origin"
    if release[0] > _OLDEST[0]:
        return "no later major version was tried"
    return None
