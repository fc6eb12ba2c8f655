"""The terminals of the grammar in words for people."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any

from lark.lexer import PatternStr

from mcpx.grammar.loader import load

_PHRASES = {
    "NAME": "a name",
    "TAG": "a tag",
    "INT": "a number",
    "DURATION": "a duration",
    "STRING": "a string",
    "RAW": 'Cedar text in `"""`',
    "_NL": "the end of the line",
    "$END": "the end of the line",
}

_GROUPS = (
    (frozenset({"STRING", "INT", "DURATION", "TRUE", "FALSE", "OPEN_BRACKET", "NAME", "PER"}), "a value"),
    (frozenset({"EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"}), "a comparison"),
    (frozenset({"STRING", "INT", "TRUE", "FALSE"}), "a literal"),
    (frozenset({"TRUE", "FALSE"}), "a boolean"),
)
"""Terminals that are better named together; the first that fits is taken."""


@cache
def keywords() -> dict[str, str]:
    """The words of the language by the name of their terminal, such as `SERVER: "server"`."""
    return {name: text for name, text in spellings().items() if text.isalpha()}


@cache
def spellings() -> dict[str, str]:
    """The text of each terminal that has only one, by its name: the words of the language and its operators."""
    return {t.name: t.pattern.value for t in load().terminals if isinstance(t.pattern, PatternStr)}


def declarations() -> tuple[str, ...]:
    """The words that begin a declaration, sorted."""
    start: Any = load().parse_interactive("")
    return tuple(sorted(keywords()[terminal] for terminal in start.accepts() if terminal in keywords()))


def phrases(terminals: Collection[str]) -> tuple[str, ...]:
    """What may stand at a place, sorted, punctuation last: `a name`, `the end of the line`, `` `uses` ``."""
    left = set(terminals)
    found = set()
    for group, phrase in _GROUPS:
        if group <= left:
            left -= group
            found.add(phrase)
    found |= {_PHRASES.get(terminal) or f"`{spellings()[terminal]}`" for terminal in left}
    return tuple(sorted(found, key=lambda phrase: (phrase.startswith("`") and not phrase[1].isalpha(), phrase)))
