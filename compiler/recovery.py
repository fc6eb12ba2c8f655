"""Parsing with recovery: one run reports every mistake of a file, each once.

Lark hands out tokens and tells at which one the grammar cannot go on. From there:

1. Did a new declaration begin, in the first column, inside a block or an unfinished statement? Then what is open was
   never closed: it is reported, closed, and parsing goes on at that declaration.
2. Is it a known slip (`:` for `=`)? Then the token that was meant is fed in its place.
3. Otherwise the parser goes back to the start of the statement, and the text is skipped to the end of it.

Each step moves forward in the text or closes a block.

Going back needs Lark's parser stacks (`parser_state.state_stack`, `value_stack`), which are reachable but not promised;
they are used here alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from lark import Token, Tree
from lark.exceptions import UnexpectedCharacters, UnexpectedToken

from mcpx.compiler.report import parse_errors
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.report.unexpected import Place, interrupted, unexpected
from mcpx.compiler.skipping import begins_declaration, brackets_end, declaration_after, next_line, statement_end
from mcpx.compiler.slips import slip_at
from mcpx.compiler.source import Source, Span
from mcpx.grammar.loader import CONTINUED, load

MOST_ERRORS = 20
DEEPEST = 64
"""The same bound as for Cedar text, far below what any recursive walk of the tree can stand."""

_RUNAWAY = re.compile(r"\n[ \t]*cedar[ \t]*\Z")


@dataclass(frozen=True, slots=True)
class Parsed:
    """What could be read.

    Attributes:
        tree: the statements that are well formed.
        found: the mistakes, in the order they were met.
        occupied: the ranges of the text that are no comments, blanks or line ends, in order.
    """

    tree: Tree[Token]
    found: tuple[Diagnostic, ...]
    occupied: tuple[tuple[int, int], ...]


def parse_with_recovery(source: Source) -> Parsed:
    """The tree of a file and its mistakes, at most `MOST_ERRORS`; never raises on any text."""
    return _Recovery(source).run()


@dataclass
class _Block:
    """An open `{`, or the file itself: the statement being read in it, and where the parser stood when that began."""

    brace: Token | None
    states: list[int]
    values: list[object]
    statement: list[Token] = field(default_factory=list)
    brackets: list[Token] = field(default_factory=list)


class _TooDeep(Exception):
    """Nothing more is read."""


class _Runaway(Exception):
    """Cedar text that went on to the opening quotes of the next."""


def _token(kind: str, text: str, start: int) -> Token:
    """A token that Lark did not make. Its lines and columns are never read."""
    return Token(kind, text, start, 1, 1, 1, 1, start + len(text))


class _Recovery:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.text = source.text
        self.parser: Any = load().parse_interactive(self.text)
        self.found: list[Diagnostic] = []
        self.occupied: list[tuple[int, int]] = []
        self.blocks = [_Block(None, *self._stacks())]

    def run(self) -> Parsed:
        while True:
            try:
                for token in self.parser.lexer_thread.lex(self.parser.parser_state):
                    self._feed(token)
                return self._parsed()
            except UnexpectedToken as error:
                at_end = error.token.type == "$END"
                self._recover(_token("$END", "", len(self.text)) if at_end else error.token)
            except (UnexpectedCharacters, _Runaway):
                self._recover(_token("", self.text[self.position], self.position))
            except _TooDeep:
                return self._given_up()
            if len(self.found) >= MOST_ERRORS:
                self.found[-1] = replace(self.found[-1], notes=(*self.found[-1].notes, parse_errors.NO_MORE))
                return self._given_up()

    def _parsed(self) -> Parsed:
        tree = self.parser.feed_eof(_token("_NL", "", len(self.text)))
        return Parsed(tree, tuple(self.found), tuple(sorted(self.occupied)))

    def _given_up(self) -> Parsed:
        del self.blocks[1:]
        self._back()
        return self._parsed()

    # --- Bookkeeping ---

    @property
    def block(self) -> _Block:
        return self.blocks[-1]

    @property
    def position(self) -> int:
        offset: int = self.parser.lexer_thread.state.line_ctr.char_pos
        return offset

    @position.setter
    def position(self, offset: int) -> None:
        self.parser.lexer_thread.state.line_ctr.char_pos = offset

    def _stacks(self) -> tuple[list[int], list[object]]:
        state = self.parser.parser_state
        return list(state.state_stack), list(state.value_stack)

    def _span(self, start: int, end: int) -> Span:
        return Span(self.source.name, start, end)

    def _token_span(self, token: Token) -> Span:
        return self._span(token.start_pos or 0, token.end_pos or 0)

    def _feed(self, token: Token) -> None:
        if token.type == "RAW" and _RUNAWAY.search(token, 0, len(token) - 3):
            self.position = token.start_pos or 0
            raise _Runaway
        self.parser.feed_token(token)
        block = self.block
        if token.type == "_NL":
            block.statement.append(token)
            if not block.brackets:
                self._begin_statement()
            return
        self.occupied.append((token.start_pos or 0, token.end_pos or 0))
        block.statement.append(token)
        if token.type == "OPEN_BRACE":
            self.blocks.append(_Block(token, *self._stacks()))
        elif token.type == "CLOSE_BRACE":
            self.blocks.pop()
            self.block.statement.append(token)
        self._track_nesting(token)

    def _begin_statement(self) -> None:
        self.blocks[-1] = _Block(self.block.brace, *self._stacks())

    def _track_nesting(self, token: Token) -> None:
        brackets = self.block.brackets
        if token.type in ("NOT", "OPEN_PAREN", "OPEN_BRACKET"):
            brackets.append(token)
            if len(brackets) > DEEPEST:
                self.found.append(parse_errors.too_deep(self._token_span(token), DEEPEST))
                raise _TooDeep
            return
        if token.type in ("CLOSE_PAREN", "CLOSE_BRACKET"):
            brackets.pop()
        while brackets and brackets[-1].type == "NOT":
            brackets.pop()

    # --- Recovery ---

    def _recover(self, token: Token) -> None:
        word = self._new_declaration(token)
        if word is not None:
            self._interrupt(word)
        elif token.type == "$END":
            self._end(token)
        elif not self._slip(token) and not self._unclosed_bracket(token):
            self._skip_statement(token)

    def _place(self, token: Token) -> Place:
        start = self.parser.copy(deepcopy_values=False)
        start.parser_state.state_stack[:] = self.block.states
        start.parser_state.value_stack[:] = self.block.values
        return Place(
            source=self.source,
            found=token,
            span=self._token_span(_token("_NL", "", token.start_pos or 0) if token.type == "_NL" else token),
            statement=tuple(self.block.statement),
            accepted=frozenset(self.parser.accepts()),
            starts=frozenset(start.accepts()),
            block=self._block_word(),
        )

    def _block_word(self) -> str | None:
        return None if len(self.blocks) == 1 else str(self.blocks[-2].statement[0])

    def _new_declaration(self, token: Token) -> Token | None:
        """The last word that begins a declaration in the first column, unless that is where one belongs."""
        for word in reversed([*self.block.statement, token]):
            start = word.start_pos or 0
            if begins_declaration(self.text, start):
                begins = word is (self.block.statement[0] if self.block.statement else token)
                return None if begins and len(self.blocks) == 1 else word
        return None

    def _interrupt(self, word: Token) -> None:
        statement = self.block.statement
        before = [t for t in statement if (t.start_pos or 0) < (word.start_pos or 0)]
        if before:
            self.found.append(interrupted(self._token_span(word), word, before[-1]))
        self._back()
        self._close_blocks(word)
        self.position = word.start_pos or 0

    def _end(self, token: Token) -> None:
        if len(self.blocks) == 1:
            self.found.append(unexpected(self._place(token)))
            self._back()
        else:
            self._back()
            self._close_blocks(token)
        self.position = len(self.text)

    def _close_blocks(self, at: Token) -> None:
        """Reports every open block and closes it, so that the statements in it stay in the tree."""
        place = at.start_pos or 0
        while (brace := self.block.brace) is not None:
            word = self._block_word() or ""
            name = next((str(t) for t in self.blocks[-2].statement if t.type == "NAME"), None)
            at_end = at.type == "$END"
            spans = self._token_span(brace), self._token_span(at)
            self.found.append(parse_errors.unclosed_block(spans[0], word, name, spans[1], at_end=at_end))
            self.parser.feed_token(_token("CLOSE_BRACE", "", place))
            self.blocks.pop()
        if self.parser.parser_state.value_stack and "_NL" in self.parser.choices():
            self.parser.feed_token(_token("_NL", "", place))
        self._begin_statement()

    def _slip(self, token: Token) -> bool:
        slip = slip_at(self._place(token))
        if slip is None:
            return False
        self.found.append(slip.diagnostic)
        start, end = token.start_pos or 0, slip.end
        self.occupied.append((start, end))
        self.position = end
        if slip.meant is not None:
            self._feed(_token(slip.meant, self.text[start:end], start))
        if not self.block.statement or self.block.statement[-1].type in CONTINUED:
            self.position = next_line(self.text, self.position)
        return True

    def _unclosed_bracket(self, token: Token) -> bool:
        """Whether the line ended in a bracket that is never closed: then `token` begins the next statement."""
        statement = self.block.statement
        opened = [bracket for bracket in self.block.brackets if bracket.type != "NOT"]
        start = token.start_pos or 0
        if not opened or statement[-1].type != "_NL" or brackets_end(self.text, start, len(opened)) > start:
            return False
        bracket = opened[-1]
        self.found.append(
            parse_errors.unclosed_bracket(self._token_span(bracket), str(bracket), self._token_span(token))
        )
        self._back()
        self.position = start
        return True

    def _skip_statement(self, token: Token) -> None:
        start = token.start_pos or 0
        self.found.append(unexpected(self._place(token)))
        open_brackets = sum(bracket.type != "NOT" for bracket in self.block.brackets)
        self._back()
        if not token.type and self.text.startswith('"""', start):
            stop = declaration_after(self.text, start)
        else:
            end = brackets_end(self.text, start, open_brackets)
            stop = statement_end(self.text, end, in_block=self.block.brace is not None)
        self.occupied.append((start, stop))
        self.position = next_line(self.text, stop)

    def _back(self) -> None:
        """Goes back to the start of the statement."""
        state = self.parser.parser_state
        state.state_stack[:] = self.block.states
        state.value_stack[:] = self.block.values
        self.block.statement.clear()
        self.block.brackets.clear()
