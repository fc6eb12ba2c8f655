"""Doc comments: which `##` lines belong to which declaration."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from mcpx.compiler.source import Source, Span

_COMMENT = re.compile(r"#[^\n]*")
_DOC = re.compile(r"##(?!#) ?(.*?)\s*\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class DocComment:
    """Adjacent `##` lines; `text` without the marks, one line each."""

    text: str
    span: Span


def doc_comments(
    source: Source, occupied: Iterable[tuple[int, int]]
) -> tuple[dict[int, DocComment], tuple[DocComment, ...]]:
    """Sorts the doc comments of a file into those directly above something, and those above nothing.

    A doc comment stands on lines of its own. Plain comments may stand between it and what it belongs to, an empty line
    may not: it would be unclear whether the comment is about the file or about the next thing. `###` begins no doc
    comment.

    Args:
        source: the file.
        occupied: the ranges of the text that are no comments, blanks or line ends, in order.

    Returns:
        The first by the offset of what they stand above; the others in order.
    """
    above: dict[int, DocComment] = {}
    loose: list[DocComment] = []
    at = 0
    for start, end in [*occupied, (len(source.text), len(source.text))]:
        _gap(source, at, start, above, loose)
        at = max(at, end)
    return above, tuple(loose)


def _gap(source: Source, start: int, end: int, above: dict[int, DocComment], loose: list[DocComment]) -> None:
    lines: list[re.Match[str]] = []
    last = start

    def flush(owner: int | None) -> None:
        if not lines:
            return
        text = "\n".join(line[1] for line in (_DOC.match(comment[0]) for comment in lines) if line)
        comment = DocComment(text, Span(source.name, lines[0].start(), lines[-1].start() + len(lines[-1][0].rstrip())))
        if owner is None:
            loose.append(comment)
        else:
            above[owner] = comment
        lines.clear()

    for comment in _COMMENT.finditer(source.text, start, end):
        breaks = source.text.count("\n", last, comment.start())
        own_line = breaks > 0 or start == 0
        if breaks > 1 or not own_line:
            flush(None)
        last = comment.end()
        if _DOC.match(comment[0]):
            lines.append(comment)
            if not own_line:
                flush(None)
    below = end < len(source.text) and source.text.count("\n", last, end) == 1
    flush(end if below else None)
