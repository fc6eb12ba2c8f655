"""Reading small regular files, without waiting for anything that only looks like one."""

from __future__ import annotations

import os
import stat
from typing import Final

_NO_WAITING: Final = getattr(os, "O_NONBLOCK", 0)  # opening a pipe would wait for its writer
_NO_TRANSLATION: Final = getattr(os, "O_BINARY", 0)  # Windows would change line ends


class NotRegularError(Exception):
    """The path leads to a directory, pipe, socket or device."""


def read_regular(path: str | os.PathLike[str], limit: int) -> tuple[bytes, os.stat_result]:
    """At most `limit` + 1 bytes of a regular file, or of the one that a link leads to, and what was true of it.

    Raises:
        NotRegularError: there is something else at that place.
        OSError: it cannot be opened or read.
    """
    descriptor = os.open(path, os.O_RDONLY | _NO_WAITING | _NO_TRANSLATION)
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise NotRegularError
        return file.read(limit + 1), status
