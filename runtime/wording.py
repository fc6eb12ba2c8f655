"""Names in messages: quoted, never odd, with the near name that was perhaps meant."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

NAME: Final = re.compile(r"[A-Za-z_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?")
"""What a name of the language looks like; a text of another form was never a name and may be anything."""

_LONGEST_NEAR: Final = 128
_PRINTABLE: Final = re.compile(r"[\x21-\x5f\x61-\x7e](?:[\x20-\x5f\x61-\x7e]{0,126}[\x21-\x5f\x61-\x7e])?")


def quoted(name: object) -> str:
    """The name in back-quotes, or words in its place when it could not be one."""
    return f"`{name}`" if type(name) is str and _PRINTABLE.fullmatch(name) else "(a name of unusual form)"


def meant(name: object, known: Iterable[str]) -> str:
    """A clause with the nearest known name, to be put behind a name that is not known; empty when none is near."""
    if type(name) is not str or len(name) > _LONGEST_NEAR or not NAME.fullmatch(name):
        return ""
    near = get_close_matches(name, tuple(known), n=1)
    return f" (did you mean `{near[0]}`?)" if near else ""
