"""What is said about a token or character that cannot stand where it does.

The sentence is made of what the grammar knows: the tokens before, those it would accept, and those that could begin
the statement. Only a few mistakes have sentences of their own. Words and numbers behind an `=` are not repeated:
somebody may have pasted a secret there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lark import Token

from mcpx.compiler.report import string_errors
from mcpx.compiler.report.diagnostic import Diagnostic, Edit, Fix, Label, Stage
from mcpx.compiler.report.parse_errors import BREAKS
from mcpx.compiler.report.string_errors import character_name, quoted
from mcpx.compiler.report.suggest import nearest
from mcpx.compiler.source import Source, Span
from mcpx.grammar.words import keywords, phrases

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
_NUMBER_LIKE = re.compile(r"-?[0-9][A-Za-z0-9_.]*")
_QUOTES = "'`\u2018\u2019\u201c\u201d"
_BEFORE_VALUES = frozenset({"ASSIGN", "EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"})
_CONTINUING = frozenset({"as", "encode", "for", "in", "one", "per", "to", "uses", "when", "with"})
_MEANT = {
    "ARROW": frozenset({"server"}),
    "FOR": frozenset({"agent", "group"}),
    "IN": frozenset({"group"}),
    "TO": frozenset({"server"}),
    "USES": frozenset({"server"}),
}
_KINDS = frozenset({"agent", "group", "run", "secret", "server", "setting", "tag", "token"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where the grammar could not go on.

    Attributes:
        source: the file.
        found: the token that cannot stand here; its type is empty for a character that begins no token.
        span: its place.
        statement: the tokens before it in the same statement.
        accepted: the terminals that could stand here.
        starts: the terminals that could begin the statement.
        block: the word of the innermost open block, `None` at the top level.
    """

    source: Source
    found: Token
    span: Span
    statement: tuple[Token, ...]
    accepted: frozenset[str]
    starts: frozenset[str]
    block: str | None

    @property
    def before(self) -> Token | None:
        """The token before, in the same statement."""
        return self.statement[-1] if self.statement else None

    @property
    def in_value(self) -> bool:
        """Whether an `=` stands before in the same statement."""
        return any(token.type == "ASSIGN" for token in self.statement)


def unexpected(place: Place) -> Diagnostic:
    """The token that cannot stand here, in the most telling words that fit."""
    if not place.found.type:
        return _unexpected_character(place)
    if place.found.type == "RAW":
        return string_errors.misplaced_raw(place.span)
    if place.found.type == "DOT" and place.before in _KINDS:
        return _qualified(place)
    if not place.statement:
        return _unknown_statement(place, place.found, place.span)
    first = place.statement[0]
    if len(place.statement) == 1 and first.type == "NAME" and _near_words(first, place.starts):
        return _unknown_statement(place, first, _span_of(place, first))
    return _expected(place)


def interrupted(span: Span, word: Token, before: Token) -> Diagnostic:
    """A statement that ends in the middle, since a declaration begins in the next line."""
    return Diagnostic(
        "MX120",
        Stage.PARSE,
        f"the statement before is not complete, and `{word}` begins a new one",
        (
            Label(span, "a new statement"),
            Label(Span(span.file, before.start_pos or 0, before.end_pos or 0), "the statement breaks off here"),
        ),
    )


def _expected(place: Place) -> Diagnostic:
    before = f" after {_shown(place, place.before)}" if place.before is not None and place.before.type != "_NL" else ""
    wanted = phrases(place.accepted)
    if place.before is not None and place.before.type in _BEFORE_VALUES:
        wanted = tuple("a reference" if phrase == "a name" else phrase for phrase in wanted)
    if len(wanted) > 1:
        text = f"expected {', '.join(wanted[:-1])} or {wanted[-1]}{before}, found {_shown(place, place.found)}"
    else:
        text = f"expected {wanted[0]}{before}, found {_shown(place, place.found)}"
    near = _near_words(place.found, place.accepted)
    helps = _did_you_mean(near)
    if place.before is not None and place.before.type == "_NL":
        helps = (BREAKS,)
    return Diagnostic(
        "MX120", Stage.PARSE, text, (Label(place.span, "not here"),), helps=helps, fixes=_replacements(place.span, near)
    )


def _unknown_statement(place: Place, word: Token, span: Span) -> Diagnostic:
    what = "a declaration" if place.block is None else f"a statement of a `{place.block}` block"
    near = _near_words(word, place.starts)
    known = sorted(keywords()[terminal] for terminal in place.starts if terminal in keywords())
    helps = _did_you_mean(near)
    if word in _CONTINUING:
        helps = (f"`{word}` goes on with a statement, on the same line", BREAKS)
    elif not near and known:
        helps = (f"{what} begins with {_choice(known)}",)
    return Diagnostic(
        "MX121",
        Stage.PARSE,
        f"{_shown(place, word)} does not begin {what}",
        (Label(span, "unknown here"),),
        helps=helps,
        fixes=_replacements(span, near),
    )


def _qualified(place: Place) -> Diagnostic:
    kind = place.statement[-1]
    span = _span_of(place, kind).to(place.span)
    if kind == "tag":
        fix = Fix("write `@`", (Edit(span, "@"),))
    else:
        meant = next((_MEANT[t.type] for t in reversed(place.statement) if t.type in _MEANT), frozenset())
        fix = Fix(f"remove `{kind}.`", (Edit(span, ""),), safe=kind in meant)
    return Diagnostic(
        "MX129",
        Stage.PARSE,
        f"a bare name stands here, without `{kind}.`",
        (Label(span, "only one kind can stand here"),),
        helps=("a tag is written `@name`",) if kind == "tag" else (),
        fixes=(fix,),
    )


def _unexpected_character(place: Place) -> Diagnostic:
    text, start = place.source.text, place.span.start
    if text.startswith('"""', start):
        return string_errors.unclosed_raw(Span(place.span.file, start, start + 3))
    if text[start] == '"':
        return string_errors.unclosed_string(place.span)
    if number := _NUMBER_LIKE.match(text, start):
        span = Span(place.span.file, start, number.end())
        return Diagnostic(
            "MX140",
            Stage.PARSE,
            f"{'this' if place.in_value else quoted(number[0])} is neither a number nor a duration",
            (Label(span, "not here"),),
            helps=("numbers are whole; durations are written `30s`, `5m` or `1h`",),
        )
    helps: tuple[str, ...] = ()
    if text[start] in _QUOTES:
        helps = ('strings stand between `"`',)
    elif text[start] == "-" and place.before is not None and place.before.end_pos == start:
        helps = ("a name does not end in `-`",)
    return Diagnostic(
        "MX128",
        Stage.PARSE,
        f"nothing begins with {character_name(text[start])}",
        (Label(place.span, "not here"),),
        helps=helps,
    )


def _span_of(place: Place, token: Token) -> Span:
    return Span(place.span.file, token.start_pos or 0, token.end_pos or 0)


def _near_words(word: Token, terminals: frozenset[str]) -> tuple[str, ...]:
    known = keywords()
    return nearest(word, (known[name] for name in terminals if name in known)) if _WORD.match(word) else ()


def _did_you_mean(near: Sequence[str]) -> tuple[str, ...]:
    return (f"did you mean {_choice(near)}?",) if near else ()


def _replacements(span: Span, near: Sequence[str]) -> tuple[Fix, ...]:
    return tuple(Fix(f"write `{word}`", (Edit(span, word),)) for word in near)


def _choice(words: Sequence[str]) -> str:
    quoted = [f"`{word}`" for word in words]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} or {quoted[-1]}"


def _shown(place: Place, token: Token) -> str:
    if token.type == "$END":
        return "the end of the file"
    hidden = ("STRING", "RAW", "_NL", *(("NAME", "INT", "DURATION") if place.in_value else ()))
    return phrases((token.type,))[0] if token.type in hidden or len(token) > 40 else f"`{token}`"
