"""The sentences of parsing: facts in, a `Diagnostic` out. What cannot stand at a place is worded in `unexpected`."""

from __future__ import annotations

from mcpx.compiler.report.diagnostic import Diagnostic, Edit, Fix, Label, Severity, Stage
from mcpx.compiler.report.suggest import nearest
from mcpx.compiler.source import Span
from mcpx.grammar.words import phrases

BREAKS = "a line may break after an operator, a comma or an opening bracket, and before a closing one"
NO_MORE = "the rest of the file was not read, since it holds too many mistakes"


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


def broken_line(line_end: Span, span: Span, written: str, *, with_comment: bool) -> Diagnostic:
    """A line that was broken in front of `written`, where it may not break; a comment stands between or not."""
    fix = Fix("join the lines", (Edit(Span(line_end.file, line_end.start, span.start), " "),), safe=True)
    return Diagnostic(
        "MX137",
        Stage.PARSE,
        f"`{written}` stands on the line of what it belongs to",
        (Label(span, "belongs on the line above"),),
        helps=(BREAKS,),
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
        helps=tuple(f"did you mean `@{word}`?" for word in near),
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
