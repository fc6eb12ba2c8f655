"""The sentences of reading: facts in, a `Diagnostic` out."""

from __future__ import annotations

from mcpx.compiler.report.diagnostic import Diagnostic, Label, Stage
from mcpx.compiler.source import Span


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
