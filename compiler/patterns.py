"""Which characters a value of a type, and a whole match of a pattern, can hold: a proof, or none.

Whatever matches consists of characters that single items of the pattern take: literals, classes, escapes. So a
character that no item takes is in no match, however the items are repeated, grouped and ordered. Read is the part of
the syntax of the Rust crate `regex` (section "Syntax") whose items are plain to see; a pattern with anything else
(flags, nested classes and their set operations, Unicode properties, code points by number) proves nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mcpx.compiler.model import FieldType

_ITEM: Final = re.compile(
    r"""
      (?P<structure>\((?:\?:|\?P?<[A-Za-z_][A-Za-z0-9_]*>)?(?!\?)|[)|^$?*+]|\{[0-9]+(?:,[0-9]*)?\}|\\[bBAz])
    | (?P<control>\\[aftnrv])
    | (?P<shorthand>\\[dDwWsS])
    | \\(?P<escaped>[!-/:-@\[-`{-~\x20])
    | (?P<any>\.)
    | \[(?P<class>\^?(?:[^\]\[\\]|\\.)+)\]
    | (?P<literal>[^\\\[{(])
    """,
    re.VERBOSE | re.DOTALL,
)
_MEMBER: Final = re.compile(
    r"""
      (?P<control>\\[aftnrv])(?!-)
    | (?P<shorthand>\\[dDwWsS])
    | (?P<low>\\[!-/:-@\[-`{-~\x20]|[^\\])-(?P<high>\\[!-/:-@\[-`{-~\x20]|[^\\])
    | (?P<single>\\[!-/:-@\[-`{-~\x20]|[^\\])
    """,
    re.VERBOSE | re.DOTALL,
)
_SET_OPERATION: Final = re.compile(r"&&|--|~~")
_SHORTHANDS: Final = {"d": re.compile("[0-9]"), "w": re.compile("[0-9A-Za-z_]"), "s": re.compile(" ")}
"""What the shorthands hold of the printable ASCII characters."""


def can_hold(kind: FieldType, character: str) -> bool:
    """Whether the text of a value of a type, or an item of a list, may hold `character`.

    Returns:
        False only where no value does.
    """
    match kind.kind:
        case "int":
            return character in "-0123456789"
        case "bool":
            return character in "truefalse"
        case "choice":
            return any(character in choice for choice in kind.choices)
        case "string" | "list":
            return kind.matches is None or may_hold(kind.matches, character)


def may_hold(pattern: str, character: str) -> bool:
    """Whether a text that `pattern` matches as a whole may hold `character`.

    Args:
        pattern: one that `mcpx.runtime.patterns.whole` accepts.
        character: one character; of those outside printable ASCII nothing is proved.

    Returns:
        False only where no match holds it.
    """
    if not " " <= character <= "~":
        return True
    position = 0
    while position < len(pattern):
        found = _ITEM.match(pattern, position)
        if found is None or _takes(found, character):
            return True
        position = found.end()
    return False


def _takes(item: re.Match[str], character: str) -> bool:
    match item.lastgroup:
        case "structure" | "control":
            return False
        case "shorthand":
            return _in_shorthand(item["shorthand"], character)
        case "class":
            return _in_class(item["class"], character)
        case "escaped" | "literal" as group:
            return item[group] == character
        case _:
            return True


def _in_shorthand(written: str, character: str) -> bool:
    inside = _SHORTHANDS[written[1].lower()].fullmatch(character) is not None
    return inside is not written[1].isupper()


def _in_class(body: str, character: str) -> bool:
    negated = body.startswith("^")
    members = tuple(_members(body.removeprefix("^"), character))
    if not members or None in members or _SET_OPERATION.search(body):
        return True
    return any(members) is not negated


def _members(body: str, character: str) -> Iterator[bool | None]:
    """For each member of a class whether it takes the character; `None` for one that is not plain to see."""
    position = 0
    while position < len(body):
        found = _MEMBER.match(body, position)
        if found is None:
            yield None
            return
        position = found.end()
        if found["shorthand"] is not None:
            yield _in_shorthand(found["shorthand"], character)
        elif found["low"] is not None:
            yield found["low"][-1] <= character <= found["high"][-1]
        else:
            yield found["single"] is not None and found["single"][-1] == character
