"""Diagnostics for people: the message, the source lines with their labels, notes and helps.

error[MX303]: no credential for agent `billing` at server `ledger`
  --> app.mcpx:44:36
   |
44 |   header Authorization = "Bearer ${credential}"
   |                                    ^^^^^^^^^^ this header needs one
...
51 | agent billing uses ledger
   |                    ------ asked for here
   |
   = help: add one for the pair:
           credential for billing to ledger = secret.NAME
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mcpx.compiler.report.diagnostic import Diagnostic, Label, Severity
from mcpx.compiler.report.masking import masked, masked_text
from mcpx.compiler.source import Source, Span

_TAB = "    "
_WIDEST = 240
_BEFORE = 80
"""Of a line longer than `_WIDEST` characters, a piece is shown that begins this much before the label."""


def render(diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source]) -> str:
    """All diagnostics in the order given, and the line that counts them; empty when there are none.

    Characters that a terminal would act on are shown by their code point in messages and as U+FFFD in source lines.
    """
    if not diagnostics:
        return ""
    blocks = [_one(diagnostic, sources) for diagnostic in diagnostics]
    return "\n".join([*blocks, summary(diagnostics, len(sources)), ""])


def summary(diagnostics: Iterable[Diagnostic], files: int) -> str:
    """`2 errors, 1 warning in 3 files`."""
    counts = Counter(diagnostic.severity for diagnostic in diagnostics)
    kinds = [_counted(counts[severity], severity.value) for severity in Severity if counts[severity]]
    return f"{', '.join(kinds)} in {_counted(files, 'file')}"


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _one(diagnostic: Diagnostic, sources: Mapping[str, Source]) -> str:
    def said(text: str) -> str:
        return escaped(masked_text(text, sources))

    by_file: dict[str, list[Label]] = {}
    for label in diagnostic.labels:
        by_file.setdefault(label.span.file, []).append(Label(label.span, said(label.text)))
    width = max(len(str(sources[label.span.file].position(label.span.start).line)) for label in diagnostic.labels)
    edge = " " * width
    lines = [f"{diagnostic.severity}[{diagnostic.code}]: {said(diagnostic.message)}"]
    for number, (file, labels) in enumerate(by_file.items()):
        position = sources[file].position(labels[0].span.start)
        lines.append(f"{edge}{':::' if number else '-->'} {escaped(file)}:{position.line}:{position.column}")
        lines.append(f"{edge} |")
        lines += _snippet(labels, diagnostic.primary if number == 0 else None, sources[file], width)
    remarks = [("note", note) for note in diagnostic.notes] + [("help", text) for text in diagnostic.helps]
    if remarks:
        lines.append(f"{edge} |")
    for kind, text in remarks:
        first, *rest = text.split("\n")
        lines.append(f"{edge} = {kind}: {said(first)}")
        lines += [f"{edge}{' ' * (len(kind) + 5)}{said(line)}" for line in rest]
    return "\n".join([*lines, ""])


def _snippet(labels: Sequence[Label], primary: Span | None, source: Source, width: int) -> Iterator[str]:
    text = masked(source)
    before: int | None = None
    for label in sorted(labels, key=lambda label: label.span):
        position = source.position(label.span.start)
        start = position.column - 1
        line = text.line(position.line)
        if before is not None and position.line > before + 1:
            yield "..."
        cut = max(0, start - _BEFORE) if len(line) > _WIDEST else 0
        if position.line != before or cut:
            yield f"{position.line:>{width}} | {_shown(line[cut : cut + _WIDEST])}".rstrip()
        before = position.line
        under = _shown(line[start : min(label.span.end - label.span.start + start, cut + _WIDEST)])
        marker = ("^" if label.span == primary else "-") * max(1, _columns(under))
        yield f"{' ' * width} | {' ' * _columns(_shown(line[cut:start]))}{marker} {label.text}".rstrip()


def _shown(text: str) -> str:
    return "".join(_TAB if c == "\t" else c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def escaped(text: str) -> str:
    """Characters that a terminal would act on, by their code point."""
    return "".join(c if c.isprintable() else f"\\u{{{ord(c):x}}}" for c in text)


def _columns(text: str) -> int:
    return sum(_cells(character) for character in text)


def _cells(character: str) -> int:
    """The columns that a terminal gives to a character (Unicode Standard Annex 11; combining marks get none)."""
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
