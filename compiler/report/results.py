"""Results of `test` blocks, for people and for machines that read JUnit's XML.

ok    the tenant goes along
FAIL  wrong on purpose
      app.mcpx:24:3: expect header X-Tenant-Id == "globex"
          expected "globex"
          found    "acme"

1 passed, 1 failed
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from xml.etree import ElementTree as Xml

from mcpx.compiler.report.masking import masked, masked_text
from mcpx.compiler.report.text import escaped
from mcpx.compiler.source import Source, Span
from mcpx.compiler.testing import Failure, Result


def text(results: Sequence[Result], sources: Mapping[str, Source]) -> str:
    """One line for each test, what failed in it, and the counts."""
    lines = [line for result in results for line in _told(result, sources)]
    failed = sum(bool(result.failures) for result in results)
    passed = len(results) - failed
    return "\n".join([*lines, "", f"{passed} passed, {failed} failed", ""])


def junit(results: Sequence[Result], sources: Mapping[str, Source]) -> str:
    """The results as JUnit XML, one suite for each file, without times: the same results give the same text."""
    root = Xml.Element("testsuites", _counts(results))
    for file in sources:
        own = [result for result in results if result.test.span.file == file]
        if not own:
            continue
        suite = Xml.SubElement(root, "testsuite", {"name": escaped(file), **_counts(own)})
        for result in own:
            _case(suite, result, sources)
    Xml.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{Xml.tostring(root, encoding="unicode")}\n'


def _counts(results: Sequence[Result]) -> dict[str, str]:
    return {"tests": str(len(results)), "failures": str(sum(bool(result.failures) for result in results))}


def _case(suite: Xml.Element, result: Result, sources: Mapping[str, Source]) -> None:
    span = result.test.span
    case = Xml.SubElement(
        suite,
        "testcase",
        {
            "name": _said(result.test.title, sources),
            "classname": escaped(span.file),
            "file": escaped(span.file),
            "line": str(sources[span.file].position(span.start).line),
        },
    )
    if result.failures:
        first = result.failures[0]
        message = f"expected {first.expected}, found {first.found}"
        failure = Xml.SubElement(case, "failure", {"message": _said(message, sources)})
        failure.text = "\n".join(line for one in result.failures for line in _failure(one, sources))


def _told(result: Result, sources: Mapping[str, Source]) -> Iterator[str]:
    yield f"{'FAIL' if result.failures else 'ok  '}  {_said(result.test.title, sources)}"
    for failure in result.failures:
        yield from (f"      {line}" for line in _failure(failure, sources))


def _failure(failure: Failure, sources: Mapping[str, Source]) -> Iterator[str]:
    yield f"{_place(failure.span, sources)}: {_line(failure.span, sources)}"
    yield f"    expected {_said(failure.expected, sources)}"
    yield f"    found    {_said(failure.found, sources)}"


def _place(span: Span, sources: Mapping[str, Source]) -> str:
    position = sources[span.file].position(span.start)
    return f"{escaped(span.file)}:{position.line}:{position.column}"


def _line(span: Span, sources: Mapping[str, Source]) -> str:
    written = masked(sources[span.file]).text[span.start : span.end]
    return escaped(" ".join(written.split()))


def _said(words: str, sources: Mapping[str, Source]) -> str:
    return escaped(masked_text(words, sources))
