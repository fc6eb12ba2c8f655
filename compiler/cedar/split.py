"""Cedar text, cut into its policies: statement N is what Cedar calls `policyN`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from mcpx.compiler.cedar.tokens import Token, tokenize
from mcpx.compiler.model import CedarText
from mcpx.compiler.source import Span

_OPENING = ("(", "[", "{")
_CLOSING = (")", "]", "}")


@dataclass(frozen=True, slots=True)
class Statement:
    """One policy as somebody wrote it.

    Attributes:
        source: the Cedar text that holds it.
        tokens: its words, at least one; their offsets are those of `source.text`.
    """

    source: CedarText
    tokens: tuple[Token, ...]

    @property
    def text(self) -> str:
        """From its first word to its last."""
        return self.until(self.tokens[-1])

    @property
    def span(self) -> Span:
        """The whole statement."""
        return self.span_of(self.tokens[0], self.tokens[-1])

    @property
    def head(self) -> Span:
        """`forbid` or `permit`, or the first word where neither is there."""
        words = (token for token in self.tokens if token.is_name("permit", "forbid"))
        token = next(words, self.tokens[0])
        return self.span_of(token, token)

    def until(self, last: Token) -> str:
        """From its first word to `last`."""
        return self.source.text[self.tokens[0].start : last.end]

    def span_of(self, first: Token, last: Token) -> Span:
        """The place of some of its words in the file."""
        start = self.source.span.start
        return Span(self.source.span.file, start + first.start, start + last.end)

    def clauses(self) -> Iterator[tuple[Token, ...]]:
        """The `when {…}` and `unless {…}` of a policy that Cedar parses, in order."""
        depth = start = 0
        for position, token in enumerate(self.tokens):
            if depth == 0 and token.is_name("when", "unless"):
                start = position
            depth += token.is_symbol(*_OPENING) - token.is_symbol(*_CLOSING)
            if depth == 0 and token.is_symbol("}"):
                yield self.tokens[start : position + 1]


def split(source: CedarText) -> tuple[Statement, ...]:
    """The statements of a Cedar text; a `;` ends one wherever it stands, since no policy holds one inside."""
    statements: list[Statement] = []
    begun: list[Token] = []
    for token in tokenize(source.text):
        begun.append(token)
        if token.is_symbol(";"):
            statements.append(Statement(source, tuple(begun)))
            begun = []
    if begun:
        statements.append(Statement(source, tuple(begun)))
    return tuple(statements)
