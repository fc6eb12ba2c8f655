"""The sentences about strings and what stands in them: facts in, a `Diagnostic` out."""

from __future__ import annotations

from mcpx.compiler.report.diagnostic import Diagnostic, Label, Stage
from mcpx.compiler.source import Span


def unclosed_string(quote: Span) -> Diagnostic:
    return Diagnostic(
        "MX130",
        Stage.PARSE,
        "the string is not closed on its line",
        (Label(quote, "opened here"),),
        helps=('add `"`; a quote inside a string is written `\\"`',),
    )


def unclosed_raw(quotes: Span) -> Diagnostic:
    return Diagnostic(
        "MX131",
        Stage.PARSE,
        'the Cedar text is not closed by `"""`',
        (Label(quotes, "opened here"),),
        helps=('add `"""`',),
    )


def misplaced_raw(span: Span) -> Diagnostic:
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
        f"{quoted(written)} is not an escape",
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
        f"expected a reference alone in `${{…}}`, found {character_name(character)}",
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


def quoted(text: str) -> str:
    """The text in back-quotes, at most 40 characters of it, unprintable ones by number."""
    shown = "".join(c if c.isprintable() else f"U+{ord(c):04X}" for c in text[:40])
    return f"`{shown}`"


def character_name(character: str) -> str:
    """The character in back-quotes where it shows, and its number where that helps."""
    if character.isascii() and character.isprintable() and character != " ":
        return f"`{character}`"
    return f"U+{ord(character):04X}" if not character.isprintable() else f"`{character}` (U+{ord(character):04X})"
