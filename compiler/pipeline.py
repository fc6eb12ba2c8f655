"""The compiler on one screen: each phase is one line, and the next runs if none before it found an error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from mcpx.compiler import project
from mcpx.compiler.cedar.decide import decide
from mcpx.compiler.check import check as check_program
from mcpx.compiler.check import check_flows
from mcpx.compiler.emit.table import lower
from mcpx.compiler.model import Program
from mcpx.compiler.report.diagnostic import Diagnostic, Severity, in_order
from mcpx.compiler.resolve import resolve
from mcpx.compiler.source import Source
from mcpx.runtime.body import Body


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one project.

    Attributes:
        sources: every file that was read, by name, in the order of reading.
        diagnostics: all findings, in order.
        body: the table's body; `None` when there was an error.
        program: what the sources say; `None` when there was an error.
    """

    sources: Mapping[str, Source]
    diagnostics: tuple[Diagnostic, ...]
    body: Body | None
    program: Program | None = None


def compile_project(path: Path) -> Outcome:
    """Everything from the file to the table's body.

    Raises:
        project.Unreadable: `path` cannot be read.
    """
    read = project.load(path)
    found = read.diagnostics

    def outcome(body: Body | None = None, program: Program | None = None) -> Outcome:
        return Outcome(read.sources, in_order(found, read.sources), body, program)

    if _at_fault(found):
        return outcome()
    program, findings = resolve(read.files, read.cedar, read.sources)
    found.extend(findings)
    if _at_fault(found):
        return outcome()
    found.extend(check_program(program))
    if _at_fault(found):
        return outcome()
    decisions, findings = decide(program)
    found.extend(findings)
    if decisions is None or _at_fault(found):
        return outcome()
    found.extend(check_flows(program, decisions))
    if _at_fault(found):
        return outcome()
    return outcome(lower(program, decisions, read.sources), program)


def _at_fault(found: list[Diagnostic]) -> bool:
    return any(finding.severity is not Severity.WARNING for finding in found)
