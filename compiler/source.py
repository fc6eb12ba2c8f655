"""Source text, and places in it. A span is a pair of offsets; lines and columns are worked out for those who read."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A piece of one source.

    Attributes:
        file: the source's name, relative to the project's root, with `/` between folders.
        start: offset of the first character, in code points.
        end: offset behind the last character, in code points; equal to `start` for a place between characters.
    """

    file: str
    start: int
    end: int

    def to(self, other: Span) -> Span:
        """The span from the start of this one to the end of `other`, which lies behind it in the same file."""
        return Span(self.file, self.start, other.end)


@dataclass(frozen=True, slots=True)
class Position:
    """A place as people count it: line and column start at 1; columns are code points."""

    line: int
    column: int


@dataclass(frozen=True)
class Source:
    """One file that was read: `.mcpx` or `.cedar`.

    Attributes:
        name: relative to the project's root, with `/` between folders; never an absolute path.
        text: the decoded text, line ends as in the file.
        data: the bytes of the file.
    """

    name: str
    text: str
    data: bytes = field(repr=False)

    @property
    def digest(self) -> str:
        """`sha256:` and the hexadecimal digest of the file's bytes."""
        return "sha256:" + hashlib.sha256(self.data).hexdigest()

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(offset + 1 for offset, character in enumerate(self.text) if character == "\n")]

    def position(self, offset: int) -> Position:
        """Line and column of an offset."""
        line = bisect_right(self._line_starts, offset)
        return Position(line, offset - self._line_starts[line - 1] + 1)

    def line(self, number: int) -> str:
        """The text of line `number` (from 1) without its line end."""
        start = self._line_starts[number - 1]
        end = self._line_starts[number] if number < len(self._line_starts) else len(self.text)
        return self.text[start:end].rstrip("\r\n")
