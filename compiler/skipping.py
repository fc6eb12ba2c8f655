"""Where a statement that cannot be read ends: plain scanning of the text, without the grammar."""

from __future__ import annotations

import re

from mcpx.grammar.words import declarations

_LINE_END = re.compile(r"[ \t]*(?:#[^\n]*)?(?:\r?\n[ \t]*(?:#[^\n]*)?)*")
_PIECE = re.compile(r'"""[\s\S]*?"""|"(?:[^"\\\n]|\\[^\n])*"|#[^\n]*|\n|[^"#\n{}()\[\]=]+|[\s\S]')
_DECLARATION = re.compile(rf'(?:{"|".join(declarations())})(?:[ \t]+[A-Za-z_"@{{]|\{{|""")')
_CONTINUED_ENDS = "=,([{:<>&|!"


def begins_declaration(text: str, at: int) -> bool:
    """Whether a declaration seems to begin at `at`, which is the start of a line: its word, and what follows one."""
    return (at == 0 or text[at - 1] == "\n") and _DECLARATION.match(text, at) is not None


def next_line(text: str, at: int) -> int:
    """Behind the blanks, comments and line ends at `at`."""
    line_end = _LINE_END.match(text, at)
    return line_end.end() if line_end else at


def brackets_end(text: str, at: int, depth: int) -> int:
    """Behind the `depth` brackets open at `at`, if they close before anything that cannot stand in them; else `at`."""
    begin = at
    while depth and (piece := _PIECE.match(text, at)):
        if piece[0] in ("{", "}", "="):
            return begin
        depth += (piece[0] in ("(", "[")) - (piece[0] in (")", "]"))
        at = piece.end()
    return begin if depth else at


def statement_end(text: str, at: int, *, in_block: bool) -> int:
    """The line end behind the statement, or the `}` that closes the block it stands in."""
    depth = 0
    goes_on = False
    while piece := _PIECE.match(text, at):
        if piece[0] == "\n" and (not (depth or goes_on) or begins_declaration(text, piece.end())):
            return at
        if piece[0] == "}":
            if depth == 0 and in_block:
                return at
            depth = max(0, depth - 1)
        depth += piece[0] == "{"
        if piece[0].strip() and piece[0][0] != "#":
            goes_on = piece[0].rstrip()[-1] in _CONTINUED_ENDS
        at = piece.end()
    return at


def declaration_after(text: str, at: int) -> int:
    """The end of the line before the next declaration: what is left of Cedar text without an end."""
    while (at := text.find("\n", at)) >= 0:
        if begins_declaration(text, at + 1):
            return at
        at += 1
    return len(text)
