"""Short ways to parse a text and to say where its findings are."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any

from mcpx.compiler import syntax
from mcpx.compiler.parse import parse
from mcpx.compiler.report.diagnostic import Diagnostic, Edit
from mcpx.compiler.source import Source, Span

BASE = """\
mcpx 1
run {
  verified tenant: string
}
secret crm_key = env("CRM_KEY")
server crm {
  url = "https://crm.example.com/mcp"
  header Authorization = "Bearer ${credential}"
  header X-Tenant-Id = run.tenant
}
agent analyst uses crm
credential for analyst to crm = secret.crm_key
require run.tenant -> crm
"""


def parsed(text: str) -> tuple[syntax.File, tuple[Diagnostic, ...]]:
    return parse(Source("app.mcpx", text, text.encode("utf-8", "surrogatepass")))


def well_formed(text: str) -> syntax.File:
    """The tree of a text without any finding; `mcpx 1` is put before it."""
    file, found = parsed("mcpx 1\n" + text)
    assert found == ()
    return file


def statement(text: str) -> Any:
    """The only statement of a text."""
    (only,) = well_formed(text).statements
    return only


def mistakes(text: str) -> list[tuple[str, int, str]]:
    """Code, line, and the text of the primary place of each finding, in the order of the file."""
    _, found = parsed(text)
    source = Source("app.mcpx", text, b"")
    spans = sorted((finding.primary, finding.code) for finding in found)
    return [(code, source.position(span.start).line, text[span.start : span.end]) for span, code in spans]


def only_finding(text: str) -> Diagnostic:
    _, (finding,) = parsed(text)
    return finding


def applied(text: str, edits: tuple[Edit, ...]) -> str:
    for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def nodes(value: object) -> Iterator[Any]:
    """Every dataclass inside a tree, spans left out."""
    if isinstance(value, tuple):
        for item in value:
            yield from nodes(item)
    elif dataclasses.is_dataclass(value) and not isinstance(value, Span):
        yield value
        for field in dataclasses.fields(value):
            yield from nodes(getattr(value, field.name))
