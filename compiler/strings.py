"""What stands between the quotes of a string: escapes, and references in `${…}`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from mcpx.compiler.report import string_errors
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.source import Span
from mcpx.compiler.syntax import Chunk, Name, Ref, StringLiteral, Text

_NAME = r"[A-Za-z_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?"
_REFERENCE = re.compile(rf"{_NAME}(?:\.{_NAME})*")
_PLAIN = re.compile(r"(?:[^\\$]|\$(?!\{))+")
_UNICODE = re.compile(r"\\u\{([0-9A-Fa-f]{1,6})\}")
_SIMPLE = {'\\"': '"', "\\\\": "\\", "\\$": "$"}


def read_literal(file: str, start: int, quoted: str) -> tuple[StringLiteral, tuple[Diagnostic, ...]]:
    """A string in a place where nothing is interpolated.

    Args:
        file: the name of the source.
        start: the offset of the opening quote.
        quoted: the string as written, quotes included, on one line.
    """
    scan = _Scan(file, start, quoted)
    value = "".join(part.text for part in scan.parts(interpolate=False) if isinstance(part, Chunk))
    return StringLiteral(value, Span(file, start, start + len(quoted))), tuple(scan.found)


def read_text(file: str, start: int, quoted: str) -> tuple[Text | StringLiteral, tuple[Diagnostic, ...]]:
    """A string in a place where `${ref}` is a reference; a `StringLiteral` when it holds none. See `read_literal`."""
    scan = _Scan(file, start, quoted)
    parts = tuple(scan.parts(interpolate=True))
    span = Span(file, start, start + len(quoted))
    if any(isinstance(part, Ref) for part in parts):
        return Text(parts, span), tuple(scan.found)
    return StringLiteral("".join(part.text for part in parts), span), tuple(scan.found)


@dataclass
class _Scan:
    """One pass over a string. Offsets inside it count from the opening quote."""

    file: str
    start: int
    quoted: str
    found: list[Diagnostic] = field(default_factory=list)

    def parts(self, *, interpolate: bool) -> Iterator[Chunk | Ref]:
        text: list[str] = []
        at = begin = 1
        end = len(self.quoted) - 1
        while at < end:
            if self.quoted.startswith("${", at):
                if text:
                    yield Chunk("".join(text), self._span(begin, at))
                    text = []
                reference, at = self._interpolation(at, end, allowed=interpolate)
                begin = at
                if reference:
                    yield reference
            else:
                piece, at = self._piece(at, end)
                text.append(piece)
        if text:
            yield Chunk("".join(text), self._span(begin, end))

    def _span(self, start: int, end: int) -> Span:
        return Span(self.file, self.start + start, self.start + end)

    def _piece(self, at: int, end: int) -> tuple[str, int]:
        if plain := _PLAIN.match(self.quoted, at, end):
            return plain[0], plain.end()
        if character := _SIMPLE.get(self.quoted[at : at + 2]):
            return character, at + 2
        unicode = _UNICODE.match(self.quoted, at, end)
        if unicode and (code := int(unicode[1], 16)) <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF:
            return chr(code), unicode.end()
        stop = unicode.end() if unicode else at + 2
        self.found.append(string_errors.unknown_escape(self._span(at, stop), self.quoted[at:stop]))
        return "", stop

    def _interpolation(self, at: int, end: int, *, allowed: bool) -> tuple[Ref | None, int]:
        close = self.quoted.find("}", at, end)
        if not allowed:
            self.found.append(string_errors.not_interpolated(self._span(at, at + 2)))
            return None, end if close < 0 else close + 1
        inside = self._blanks(at + 2, end)
        reference = _REFERENCE.match(self.quoted, inside, end)
        after = self._blanks(reference.end() if reference else inside, end)
        if reference and after == close:
            return self._reference(reference), close + 1
        if after == end:
            self.found.append(string_errors.unclosed_interpolation(self._span(at, at + 2)))
        else:
            self.found.append(string_errors.not_a_reference(self._span(after, after + 1), self.quoted[after]))
        return None, end if close < 0 else close + 1

    def _blanks(self, at: int, end: int) -> int:
        while at < end and self.quoted[at] in " \t":
            at += 1
        return at

    def _reference(self, match: re.Match[str]) -> Ref:
        names = []
        at = match.start()
        for part in match[0].split("."):
            names.append(Name(part, self._span(at, at + len(part))))
            at += len(part) + 1
        return Ref(tuple(names), self._span(*match.span()))
