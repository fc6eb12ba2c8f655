"""Base with a `test` block, and what comes of it."""

from __future__ import annotations

from pathlib import Path

from support.compiling import Compiled, compiled, with_lines

from mcpx.compiler.testing import Failure, run_tests

GIVEN = '  given tenant = "acme"\n'
CRM = "  send analyst -> crm\n"


def block(items: str, title: str = "t") -> str:
    return f'test "{title}" {{\n{items}}}\n'


def project(folder: Path, tests: str, *, run: str = "", crm: str = "", more: str = "") -> Compiled:
    return compiled(folder, with_lines(run=run, crm=crm, more=f"{more}\n{tests}"))


def failures(found: Compiled) -> list[Failure]:
    program, body = found.outcome.program, found.outcome.body
    assert program is not None, found.text
    assert body is not None
    return [failure for result in run_tests(body, program.tests) for failure in result.failures]


def outcome(folder: Path, expect: str, **parts: str) -> list[tuple[str, str]]:
    """The `expect` lines that failed, as written, and what came instead."""
    lines = parts.pop("given", GIVEN)
    send = parts.pop("send", CRM)
    found = project(folder, block(f"{lines}{send}{expect}"), **parts)
    return [(found.shown(failure.span), failure.found) for failure in failures(found)]
