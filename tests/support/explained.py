"""The wrong and the right example of an explain page, as files."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

EXPLAIN = files("mcpx.compiler.report").joinpath("explain")
_FENCE = re.compile(r"^```(mcpx|cedar)(?: (escaped))?(?: name=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def codes() -> list[str]:
    """Every code that has a page."""
    return sorted(page.name.removesuffix(".md") for page in EXPLAIN.iterdir() if page.name.endswith(".md"))


def write_example(code: str, part: str, folder: Path) -> Path:
    """Write the files of the section `Wrong` or `Right`; the first block is the root, `app.mcpx`."""
    text = EXPLAIN.joinpath(f"{code}.md").read_text(encoding="utf-8")
    section = text.split(f"\n## {part}\n", 1)[1].split("\n## ", 1)[0]
    for _, escaped, name, body in _FENCE.findall(section):
        path = folder / (name or "app.mcpx")
        path.parent.mkdir(parents=True, exist_ok=True)
        data = body.encode()
        if escaped:
            data = re.sub(rb"\\(x[0-9a-f]{2}|u[0-9a-f]{4}|n|r)", _unescape, data)
        path.write_bytes(data)
    return folder / "app.mcpx"


def _unescape(match: re.Match[bytes]) -> bytes:
    escape = match.group(1).decode()
    if escape[0] == "x":
        return bytes([int(escape[1:], 16)])
    if escape[0] == "u":
        return chr(int(escape[1:], 16)).encode()
    return {"n": b"\n", "r": b"\r"}[escape]
