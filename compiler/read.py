"""Bytes to a source: strict UTF-8 without characters that hide text or move it."""

from __future__ import annotations

import re

from mcpx.compiler.report import read_errors
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.source import Source, Span

MOST_FINDINGS = 20

_MARK = b"\xef\xbb\xbf"
_WHY = {
    "control": "it is a control character",
    "direction": "it changes the direction of text, so that the file does not say what it shows",
    "line": "some programs end a line there and others do not",
    "mark": "a byte-order mark is only accepted at the start of an `.mcpx` file",
    "invisible": "it cannot be seen",
}
_HIDDEN = re.compile(
    "(?P<line>\r(?!\n)|[\v\f\x85\u2028\u2029])"
    "|(?P<control>[\x00-\x08\x0e-\x1f\x7f-\x9f])"
    "|(?P<direction>[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069])"
    "|(?P<mark>\ufeff)"
    "|(?P<invisible>[\u00ad\u200b\u2060-\u2064\ufff9-\ufffb\U000e0000-\U000e007f])"
)


def read(name: str, data: bytes) -> tuple[Source, tuple[Diagnostic, ...]]:
    """Decodes one `.mcpx` or `.cedar` file.

    A byte-order mark at the start of an `.mcpx` file is dropped, since some editors write one unasked; Cedar's own
    parser refuses it, so a `.cedar` file may not have it. Anywhere else it is refused.

    Args:
        name: the name of the source; its ending decides about the byte-order mark.
        data: the bytes of the file.

    Returns:
        The source, and what is wrong with it (at most `MOST_FINDINGS`). With any finding the text is only good for
        showing the place: a byte that is not UTF-8 stands in it as U+FFFD.
    """
    marked = data.startswith(_MARK) and not name.endswith(".cedar")
    text, found = _decode(name, data[len(_MARK) :] if marked else data)
    for hidden in _HIDDEN.finditer(text):
        why = _WHY[hidden.lastgroup or ""]
        found.append(read_errors.hidden_character(Span(name, *hidden.span()), hidden[0], why))
        if len(found) >= MOST_FINDINGS:
            break
    return Source(name, text, data), tuple(found)


def _decode(name: str, data: bytes) -> tuple[str, list[Diagnostic]]:
    text = ""
    found: list[Diagnostic] = []
    while len(found) < MOST_FINDINGS:
        try:
            return text + data.decode(), found
        except UnicodeDecodeError as error:
            text += data[: error.start].decode() + "\ufffd"
            found.append(read_errors.bad_utf8(Span(name, len(text) - 1, len(text)), data[error.start]))
            data = data[error.end :]
    return text + data.decode(errors="replace"), found
