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

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from mcpx.compiler.report.diagnostic import Diagnostic, Label, Severity
from mcpx.compiler.report.masking import masked
from mcpx.compiler.source import Source

_TAB = "    "


def render(diagnostics: Sequence[Diagnostic], sources: Mapping[str, Source]) -> str:
    """All diagnostics in the order given, and the line that counts them; empty when there are none."""
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
    by_file: dict[str, list[Label]] = {}
    for label in diagnostic.labels:
        by_file.setdefault(label.span.file, []).append(label)
    width = max(
        (len(str(sources[file].position(label.span.start).line)) for file in by_file for label in by_file[file]),
        default=1,
    )
    lines = [f"{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"]
    for number, (file, labels) in enumerate(by_file.items()):
        position = sources[file].position(labels[0].span.start)
        arrow = "-->" if number == 0 else ":::"
        lines.append(f"{' ' * width}{arrow} {file}:{position.line}:{position.column}")
        lines.append(f"{' ' * width} |")
        lines += _snippet(labels, diagnostic.labels[0], sources[file], width)
    remarks = [("note", note) for note in diagnostic.notes] + [("help", text) for text in diagnostic.helps]
    if remarks:
        lines.append(f"{' ' * width} |")
    for kind, text in remarks:
        first, *rest = text.split("\n")
        lines.append(f"{' ' * width} = {kind}: {first}")
        lines += [f"{' ' * (width + 5 + len(kind))}{line}" for line in rest]
    return "\n".join([*lines, ""])


def _snippet(labels: Sequence[Label], primary: Label, source: Source, width: int) -> Iterator[str]:
    text = masked(source)
    before: int | None = None
    for label in sorted(labels, key=lambda label: label.span):
        position = source.position(label.span.start)
        line = source.line(position.line)
        shown = text.line(position.line)
        if before is not None and position.line > before + 1:
            yield "..."
        if position.line != before:
            yield f"{position.line:>{width}} | {shown.replace(chr(9), _TAB)}".rstrip()
        before = position.line
        lead = line[: position.column - 1].replace("\t", _TAB)
        length = min(label.span.end - label.span.start, len(line) - position.column + 1)
        marker = ("^" if label is primary else "-") * max(1, length)
        yield f"{' ' * width} | {' ' * len(lead)}{marker} {label.text}".rstrip()
