"""Reading small regular files, without waiting for anything that only looks like one."""

from __future__ import annotations

import os
import stat
from typing import Final

_NO_WAITING: Final = getattr(os, "O_NONBLOCK", 0)


class NotRegularError(Exception):
    """The path leads to a pipe, socket or device."""


def read_regular(path: str | os.PathLike[str], limit: int) -> tuple[bytes, os.stat_result]:
    """At most `limit` + 1 bytes of a regular file, or of the one that a link leads to, and what was true of it.

    Raises:
        NotRegularError: there is something else at that place.
        OSError: it cannot be opened or read.
    """
    with open(path, "rb", opener=_without_waiting) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise NotRegularError
        return file.read(limit + 1), status


def _without_waiting(path: str, flags: int) -> int:
    """Opening a pipe would wait for its writer."""
    return os.open(path, flags | _NO_WAITING)
