"""The words of Cedar text, with their places, as Cedar's own lexer cuts them.

Source: the grammar in the Cedar reference (lexical rules IDENT, STR, INT, WHITESPACE, COMMENT).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["name", "slot", "number", "string", "symbol", "unknown"]

_LEXEME = re.compile(
    r"""
    (?P<blank>[ \t\r\n]+|//[^\r\n]*)
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<slot>\?[A-Za-z_][A-Za-z0-9_]*)
    |(?P<number>[0-9]+)
    |(?P<string>"(?:[^"\\]|\\[^\n])*")
    |(?P<symbol>::|==|!=|<=|>=|&&|\|\||[@()\[\]{},;:.!<>=+\-*/%])
    |(?P<unknown>"(?:[^"\\\n]|\\[^\n])*|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(?:u\{(?P<code>[0-9A-Fa-f]{1,6})\}|x(?P<byte>[0-7][0-9A-Fa-f])|(?P<plain>.))", re.DOTALL)
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "\\": "\\", '"': '"', "'": "'", "*": "*"}


@dataclass(frozen=True, slots=True)
class Token:
    """One word; `unknown` is what Cedar has no word for, an unclosed string included.

    Attributes:
        kind: what it is.
        text: as written.
        start: offset in the Cedar text.
        end: offset behind it.
    """

    kind: Kind
    text: str
    start: int
    end: int

    def is_symbol(self, *texts: str) -> bool:
        """Whether it is one of these symbols."""
        return self.kind == "symbol" and self.text in texts

    def is_name(self, *texts: str) -> bool:
        """Whether it is one of these identifiers or keywords."""
        return self.kind == "name" and self.text in texts


def tokenize(text: str) -> tuple[Token, ...]:
    """Every word of Cedar text in order, without blanks and comments; together they cover all the rest of the text."""
    return tuple(
        Token(match.lastgroup, match.group(), match.start(), match.end())  # type: ignore[arg-type]
        for match in _LEXEME.finditer(text)
        if match.lastgroup != "blank"
    )


def unescape(token: Token) -> str:
    r"""The value of a string token; an escape that Cedar does not know stays as it is written.

    Source: Cedar's string escapes (`\n \r \t \\ \0 \" \' \xHH \u{H…}`, and `\*` in patterns).
    """

    def value(match: re.Match[str]) -> str:
        code = match["code"] or match["byte"]
        if code is None:
            return _PLAIN.get(match["plain"], match.group())
        number = int(code, 16)
        return match.group() if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF else chr(number)

    return _ESCAPE.sub(value, token.text[1:-1])


@dataclass(frozen=True, slots=True)
class EntityLiteral:
    """An entity written out: `Mcpx::Agent::"analyst"`; `first` and `last` are its outermost tokens."""

    type: str
    id: str
    first: Token
    last: Token


def entity_literals(tokens: Sequence[Token]) -> Iterator[EntityLiteral]:
    """The entities that are written out in some tokens, in order, however blanks and escapes spell them."""
    for position, token in enumerate(tokens):
        if token.kind != "string" or position < 2 or not tokens[position - 1].is_symbol("::"):
            continue
        first = position - 2
        while first >= 2 and tokens[first - 1].is_symbol("::") and tokens[first - 2].kind == "name":
            first -= 2
        path = "".join(part.text for part in tokens[first : position - 1])
        yield EntityLiteral(path, unescape(token), tokens[first], token)
