"""The sentences of reading and parsing: facts in, a `Diagnostic` out. Codes MX101 to MX199."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lark import Token

from mcpx.compiler.report.diagnostic import Diagnostic, Edit, Fix, Label, Severity, Stage
from mcpx.compiler.report.suggest import nearest
from mcpx.compiler.source import Source, Span
from mcpx.grammar.words import keywords, phrases

NO_MORE = "the rest of the file was not read, since it holds too many mistakes"

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
_NUMBER_LIKE = re.compile(r"-?[0-9][A-Za-z0-9_.]*")
_QUOTES = "'`\u2018\u2019\u201c\u201d"
_BEFORE_VALUES = frozenset({"ASSIGN", "EQUAL", "NOT_EQUAL", "LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL"})
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


# --- Reading ----------------------------------------------------------------------------------------------------------


def bad_utf8(span: Span, byte: int) -> Diagnostic:
    """A byte that is no part of UTF-8 (RFC 3629)."""
    return Diagnostic(
        "MX101",
        Stage.READ,
        f"the byte 0x{byte:02X} is not part of UTF-8",
        (Label(span, "here"),),
        helps=("save the file as UTF-8",),
    )


def hidden_character(span: Span, character: str, why: str) -> Diagnostic:
    """A character that hides text or moves it."""
    return Diagnostic(
        "MX102",
        Stage.READ,
        f"U+{ord(character):04X} may not stand in a source: {why}",
        (Label(span, "here"),),
        helps=(f"remove it; in a string of an `.mcpx` file it can be written `\\u{{{ord(character):x}}}`",),
    )


# --- Edition ----------------------------------------------------------------------------------------------------------


def edition_missing(span: Span, start: Span, newest: int, line_end: str) -> Diagnostic:
    """The first statement is not `mcpx N`; `start` is the empty span at the start of the file."""
    line = f"mcpx {newest}"
    return Diagnostic(
        "MX110",
        Stage.PARSE,
        f"the file does not begin with its edition, `{line}`",
        (Label(span, "the first statement"),),
        helps=(f"write `{line}` on the first line",),
        fixes=(Fix(f"insert `{line}`", (Edit(start, line + line_end),), safe=True),),
    )


def edition_unknown(span: Span, number: str, newest: int) -> Diagnostic:
    """`mcpx N` with an edition that this compiler does not know."""
    shown = number if len(number) <= 12 else "this edition"
    return Diagnostic(
        "MX111",
        Stage.PARSE,
        f"edition {shown} is unknown; the newest edition this compiler knows is {newest}",
        (Label(span, "asked for here"),),
        helps=(f"use a newer compiler, or write the file for edition {newest}",),
    )


def edition_again(span: Span) -> Diagnostic:
    """`mcpx N` that is not the first statement."""
    return Diagnostic(
        "MX112",
        Stage.PARSE,
        "the edition is said once, in the first statement",
        (Label(span, "not the first statement"),),
        helps=("remove this line",),
    )


# --- Statements -------------------------------------------------------------------------------------------------------


def unexpected(place: Place) -> Diagnostic:
    """The token that cannot stand here, in the most telling words that fit."""
    if not place.found.type:
        return _unexpected_character(place)
    if place.found.type == "RAW":
        return _misplaced_raw(place.span)
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
        f"the statement is not complete after `{before}`, and `{word}` begins a new one"
        if _showable(before)
        else f"the statement is not complete, and `{word}` begins a new one",
        (
            Label(span, "a new statement"),
            Label(Span(span.file, before.start_pos or 0, before.end_pos or 0), "ends here"),
        ),
    )


def _expected(place: Place) -> Diagnostic:
    before = f" after `{place.before}`" if place.before is not None and _showable(place.before) else ""
    wanted = phrases(place.accepted)
    if place.before is not None and place.before.type in _BEFORE_VALUES:
        wanted = tuple("a reference" if phrase == "a name" else phrase for phrase in wanted)
    if len(wanted) > 1:
        text = f"expected {', '.join(wanted[:-1])} or {wanted[-1]}{before}, found {_shown(place.found)}"
    else:
        text = f"expected {wanted[0]}{before}, found {_shown(place.found)}"
    near = _near_words(place.found, place.accepted)
    helps = _did_you_mean(near)
    if place.before is not None and place.before.type == "_NL":
        helps = ("a line may break after an operator, a comma or an opening bracket, and before a closing one",)
    return Diagnostic(
        "MX120", Stage.PARSE, text, (Label(place.span, "not here"),), helps=helps, fixes=_replacements(place.span, near)
    )


def _unknown_statement(place: Place, word: Token, span: Span) -> Diagnostic:
    what = "a declaration" if place.block is None else f"a statement of a `{place.block}` block"
    near = _near_words(word, place.starts)
    known = sorted(keywords()[terminal] for terminal in place.starts if terminal in keywords())
    helps = _did_you_mean(near)
    if not near and known:
        helps = (f"{what} begins with {_choice(known)}",)
    return Diagnostic(
        "MX121",
        Stage.PARSE,
        f"{_shown(word)} does not begin {what}",
        (Label(span, "unknown here"),),
        helps=helps,
        fixes=_replacements(span, near),
    )


def _qualified(place: Place) -> Diagnostic:
    before = place.statement[-1]
    span = _span_of(place, before).to(place.span)
    return Diagnostic(
        "MX129",
        Stage.PARSE,
        f"a bare name stands here, without `{before}.`",
        (Label(span, "only one kind can stand here"),),
        fixes=(Fix(f"remove `{before}.`", (Edit(span, ""),), safe=True),),
    )


def comment_style(span: Span, mark: str) -> Diagnostic:
    """`//` or `/*` where `#` is meant."""
    fixes = (Fix("write `#`", (Edit(span, "#"),), safe=True),) if mark == "//" else ()
    return Diagnostic(
        "MX122",
        Stage.PARSE,
        f"`{mark}` does not begin a comment; `#` does",
        (Label(span, "read as a comment"),),
        helps=("write `#`",),
        fixes=fixes,
    )


def semicolon(span: Span, *, at_line_end: bool) -> Diagnostic:
    """`;`, which ends nothing here."""
    edit = "" if at_line_end else "\n"
    return Diagnostic(
        "MX123",
        Stage.PARSE,
        "`;` ends no statement; the end of the line does",
        (Label(span, "not needed" if at_line_end else "a new line belongs here"),),
        fixes=(Fix("remove `;`" if at_line_end else "break the line", (Edit(span, edit),), safe=True),),
    )


def wrong_operator(span: Span, written: str, meant: str) -> Diagnostic:
    """An operator in place of the one that is meant, a terminal of the grammar."""
    operator = phrases((meant,))[0]
    return Diagnostic(
        "MX124",
        Stage.PARSE,
        f"expected {operator}, found `{written}`",
        (Label(span, f"write {operator}"),),
        fixes=(Fix(f"write {operator}", (Edit(span, operator.strip("`")),), safe=True),),
    )


def unclosed_block(brace: Span, word: str, name: str | None, end: Span, *, at_end: bool) -> Diagnostic:
    """A `{` without its `}`; `end` is where something stands that cannot be inside."""
    block = f"`{word} {name}`" if name else f"`{word}`"
    return Diagnostic(
        "MX125",
        Stage.PARSE,
        f"the block of {block} is not closed",
        (Label(brace, "opened here"), Label(end, "the file ends here" if at_end else "a declaration begins here")),
        helps=("add `}`",),
    )


def unclosed_bracket(span: Span, bracket: str, end: Span) -> Diagnostic:
    """A `(` or `[` without its closing one."""
    return Diagnostic(
        "MX125",
        Stage.PARSE,
        f"`{bracket}` is not closed",
        (Label(span, "opened here"), Label(end, "not part of it")),
        helps=("add `)`" if bracket == "(" else "add `]`",),
    )


def brace_on_next_line(line_end: Span, brace: Span, *, with_comment: bool) -> Diagnostic:
    """A `{` on a line of its own."""
    fix = Fix("move `{` up", (Edit(Span(line_end.file, line_end.start, brace.start), " "),), safe=True)
    return Diagnostic(
        "MX137",
        Stage.PARSE,
        "`{` stands on the line of what it belongs to",
        (Label(brace, "belongs on the line above"),),
        fixes=() if with_comment else (fix,),
    )


def stray_brace(span: Span) -> Diagnostic:
    """A `}` that closes nothing."""
    return Diagnostic("MX126", Stage.PARSE, "`}` closes nothing", (Label(span, "no block is open here"),))


def too_deep(span: Span, deepest: int) -> Diagnostic:
    """Brackets or `!` nested deeper than allowed."""
    return Diagnostic(
        "MX127",
        Stage.PARSE,
        f"nested more than {deepest} deep",
        (Label(span, "one too many"),),
        notes=("the rest of the file was not read",),
    )


# --- Characters and strings -------------------------------------------------------------------------------------------


def _unexpected_character(place: Place) -> Diagnostic:
    text, start = place.source.text, place.span.start
    if text.startswith('"""', start):
        return _unclosed_raw(Span(place.span.file, start, start + 3))
    if text[start] == '"':
        return _unclosed_string(place.span)
    if number := _NUMBER_LIKE.match(text, start):
        span = Span(place.span.file, start, number.end())
        return Diagnostic(
            "MX140",
            Stage.PARSE,
            f"{_quoted(number[0])} is neither a number nor a duration",
            (Label(span, "not here"),),
            helps=("numbers are whole; durations are written `30s`, `5m` or `1h`",),
        )
    helps = ('strings stand between `"`',) if text[start] in _QUOTES else ()
    return Diagnostic(
        "MX128",
        Stage.PARSE,
        f"nothing begins with {_character(text[start])}",
        (Label(place.span, "not here"),),
        helps=helps,
    )


def _unclosed_string(quote: Span) -> Diagnostic:
    return Diagnostic(
        "MX130",
        Stage.PARSE,
        "the string is not closed on its line",
        (Label(quote, "opened here"),),
        helps=('add `"`; a quote inside a string is written `\\"`',),
    )


def _unclosed_raw(quotes: Span) -> Diagnostic:
    return Diagnostic(
        "MX131",
        Stage.PARSE,
        'the Cedar text is not closed by `"""`',
        (Label(quotes, "opened here"),),
        helps=('add `"""`',),
    )


def _misplaced_raw(span: Span) -> Diagnostic:
    return Diagnostic(
        "MX136",
        Stage.PARSE,
        'a text in `"""` is for `cedar` alone',
        (Label(Span(span.file, span.start, span.start + 3), "not here"),),
        helps=('write it between `"`, on one line',),
    )


def unknown_escape(span: Span, written: str) -> Diagnostic:
    r"""A backslash before something other than `"`, `\`, `$` or a character number."""
    return Diagnostic(
        "MX132",
        Stage.PARSE,
        f"{_quoted(written)} is not an escape",
        (Label(span, "not an escape"),),
        helps=('the escapes are `\\"`, `\\\\`, `\\$` and `\\u{…}` with the hexadecimal number of a character',),
    )


def unclosed_interpolation(span: Span) -> Diagnostic:
    """A `${` without its `}`."""
    return Diagnostic(
        "MX133",
        Stage.PARSE,
        "`${` is not closed in this string",
        (Label(span, "opened here"),),
        helps=("add `}`, or write `\\${` for the characters themselves",),
    )


def not_a_reference(span: Span, character: str) -> Diagnostic:
    """Something in `${…}` that is no part of a reference; `character` is the first such."""
    return Diagnostic(
        "MX134",
        Stage.PARSE,
        f"expected a reference alone in `${{…}}`, found {_character(character)}",
        (Label(span, "not part of a reference"),),
        helps=("a reference is a name such as `run.tenant`; nothing is computed in a string",),
    )


def not_interpolated(span: Span) -> Diagnostic:
    """A `${` in a string that takes no references."""
    return Diagnostic(
        "MX135",
        Stage.PARSE,
        "this string takes no references",
        (Label(span, "would be a reference"),),
        helps=("write `\\${` for the characters themselves",),
    )


# --- Values -----------------------------------------------------------------------------------------------------------


def number_range(span: Span) -> Diagnostic:
    """A whole number that does not fit 64 bits (the range of Cedar's `Long`)."""
    return Diagnostic("MX141", Stage.PARSE, "the number does not fit 64 bits", (Label(span, "too large"),))


def option_twice(span: Span, option: str, first: Span) -> Diagnostic:
    """`max`, `matches` or `items` twice behind one type."""
    return Diagnostic(
        "MX142",
        Stage.PARSE,
        f"`{option}` is said twice",
        (Label(span, "again here"), Label(first, "first here")),
        helps=("keep one of them",),
    )


def choice_not_text(span: Span) -> Diagnostic:
    """A number or boolean in `one of [...]`."""
    return Diagnostic(
        "MX145",
        Stage.PARSE,
        "`one of` lists strings alone",
        (Label(span, "not a string"),),
        helps=('write it between `"`, or use `int` or `bool`',),
    )


def annotation_unknown(span: Span, name: str) -> Diagnostic:
    """`@name("…")` with a name other than `deprecated`."""
    near = nearest(name, ("deprecated",))
    return Diagnostic(
        "MX143",
        Stage.PARSE,
        f"`@{name}` takes no text; only `@deprecated` does",
        (Label(span, "unknown annotation"),),
        helps=_did_you_mean(tuple(f"@{word}" for word in near)),
    )


def annotation_twice(span: Span, first: Span) -> Diagnostic:
    """A second `@deprecated("…")` on one declaration."""
    return Diagnostic(
        "MX143",
        Stage.PARSE,
        "`@deprecated` is said twice",
        (Label(span, "again here"), Label(first, "first here")),
        helps=("keep one of them",),
    )


def agent_tag(span: Span) -> Diagnostic:
    """A tag on an agent."""
    return Diagnostic(
        "MX144",
        Stage.PARSE,
        "an agent carries no tags",
        (Label(span, "a tag"),),
        helps=("put the agent in a group: `agent a in g uses s`",),
    )


def loose_doc(span: Span) -> Diagnostic:
    """A doc comment above nothing that could take it."""
    return Diagnostic(
        "MX150",
        Stage.PARSE,
        "the doc comment belongs to no declaration",
        (Label(span, "shown nowhere"),),
        helps=("put it on the lines directly above a declaration, or begin it with a single `#`",),
        severity=Severity.WARNING,
    )


# --- Words ------------------------------------------------------------------------------------------------------------


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


def _showable(token: Token) -> bool:
    """Strings are not shown, since one may hold a secret that was written in the wrong place; neither are line ends."""
    return token.type not in ("STRING", "RAW", "_NL") and len(token) <= 40


def _shown(token: Token) -> str:
    if token.type == "$END":
        return "the end of the file"
    if _showable(token):
        return f"`{token}`"
    return phrases((token.type,))[0]


def _quoted(text: str) -> str:
    shown = "".join(c if c.isprintable() else f"U+{ord(c):04X}" for c in text[:40])
    return f"`{shown}`"


def _character(character: str) -> str:
    if character.isascii() and character.isprintable() and character != " ":
        return f"`{character}`"
    return f"U+{ord(character):04X}" if not character.isprintable() else f"`{character}` (U+{ord(character):04X})"
