"""Slips of the pen that are told apart from other mistakes, and what was meant, so that parsing goes on behind them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mcpx.compiler.report import parse_errors
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.report.unexpected import Place
from mcpx.compiler.source import Span
from mcpx.grammar.words import spellings

_OPERATORS = (
    ("=>", "ARROW"),
    ("->", "ASSIGN"),
    (":=", "ASSIGN"),
    ("==", "ASSIGN"),
    (":", "ASSIGN"),
    ("=", "EQUAL"),
    ("=", "COLON"),
    ("&", "AND"),
    ("|", "OR"),
)
_NEXT = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*|->|[^\s]")
_WORDS = {"and": "AND", "or": "OR"}


@dataclass(frozen=True, slots=True)
class Slip:
    """A known slip.

    Attributes:
        diagnostic: what is said about it.
        meant: the terminal to go on with, `None` to go on as if nothing stood there.
        end: the offset behind the slip.
    """

    diagnostic: Diagnostic
    meant: str | None
    end: int


def slip_at(place: Place) -> Slip | None:
    """The slip at a place where the grammar cannot go on, if it is a known one."""
    text, start = place.source.text, place.span.start

    def span(length: int) -> Span:
        return Span(place.source.name, start, start + length)

    if text.startswith(("//", "/*"), start):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        return Slip(parse_errors.comment_style(span(2), text[start : start + 2]), None, end)
    if text.startswith(";", start):
        line_ends = text[start + 1 :].split("\n", 1)[0].split("#", 1)[0].strip() == ""
        meant = None if line_ends or "_NL" not in place.accepted else "_NL"
        return Slip(parse_errors.semicolon(span(1), at_line_end=line_ends), meant, start + 1)
    if place.found.type == "_NL":
        return _broken_line(place)
    if place.found.type == "CLOSE_BRACE" and place.block is None and not place.statement:
        return Slip(parse_errors.stray_brace(span(1)), None, start + 1)
    if place.found.type == "NAME" and place.found in _WORDS and _WORDS[place.found] in place.accepted:
        meant = _WORDS[place.found]
        return Slip(parse_errors.wrong_operator(place.span, place.found, meant), meant, place.span.end)
    for written, meant in _OPERATORS:
        if meant in place.accepted and text.startswith(written, start):
            return Slip(parse_errors.wrong_operator(span(len(written)), written, meant), meant, start + len(written))
    return None


def _broken_line(place: Place) -> Slip | None:
    """A line that ends in front of a word or mark that would have gone on with it."""
    end = place.found.end_pos or place.span.end
    following = _NEXT.match(place.source.text, end)
    known = spellings()
    if following is None or following[0] not in {known[name] for name in place.accepted if name in known}:
        return None
    span = Span(place.source.name, *following.span())
    diagnostic = parse_errors.broken_line(place.span, span, following[0], with_comment="#" in place.found)
    return Slip(diagnostic, None, end)
