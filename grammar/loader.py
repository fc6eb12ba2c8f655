"""Builds the parser for `.mcpx` files, once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from lark import Lark, Token
from lark.lark import PostLex

CONTINUED = frozenset(
    {
        "AND", "ARROW", "ASSIGN", "COLON", "COMMA", "EQUAL", "GREATER", "GREATER_EQUAL", "LESS", "LESS_EQUAL",
        "NOT", "NOT_EQUAL", "OPEN_BRACE", "OPEN_BRACKET", "OPEN_PAREN", "OR",
    }
)  # fmt: skip
"""Operators, the comma and the opening brackets: a line that ends with one of them goes on in the next."""


class LineBreaks(PostLex):
    """Drops a line end behind a token of `CONTINUED`.

    The decision needs only the token before: looking ahead for continuation lines costs quadratic time on comments.
    `NAME` is looked for everywhere, since otherwise `usesx` would be read as `uses x` where no name can stand.
    """

    always_accept = ("_NL", "NAME")

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """The tokens of `stream` without the line ends that end nothing."""
        before = ""
        for token in stream:
            if token.type == "_NL" and before in CONTINUED:
                continue
            before = token.type
            yield token


@cache
def load(*, strict: bool = False) -> Lark:
    """The parser. `strict` refuses conflicts and overlapping terminals; it is slow and needs `interegular`.

    Never built with `cache=True`, which unpickles a file of a predictable name from the temporary folder.
    """
    text = (Path(__file__).parent / "mcpx.lark").read_text(encoding="utf-8")
    return Lark(
        text,
        parser="lalr",
        lexer="contextual",
        postlex=LineBreaks(),
        propagate_positions=True,
        maybe_placeholders=True,
        strict=strict,
    )
