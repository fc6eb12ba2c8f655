"""The compiler on one screen: each phase is one line, and the next runs if none before it found an error.

What each overlay makes of the program goes through the same phases beside it: none of them is built unchecked.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from mcpx.compiler import project
from mcpx.compiler.cedar.decide import decide
from mcpx.compiler.cedar.decision import Decisions
from mcpx.compiler.check import check as check_program
from mcpx.compiler.check import check_flows, check_variant
from mcpx.compiler.check.effects import check_effects
from mcpx.compiler.emit.table import lower
from mcpx.compiler.model import Program
from mcpx.compiler.overlays import variants
from mcpx.compiler.report.diagnostic import Diagnostic, Severity, in_order
from mcpx.compiler.report.suggest import nearest
from mcpx.compiler.resolve import resolve
from mcpx.compiler.source import Source
from mcpx.runtime.body import Body


class UnknownOverlay(Exception):
    """No overlay of the project has the name that was asked for."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one project.

    Attributes:
        sources: every file that was read, by name, in the order of reading.
        diagnostics: all findings, in order.
        body: the table's body; `None` when there was an error.
        program: what the sources say, with the overlay that was asked for; `None` when there was an error.
    """

    sources: Mapping[str, Source]
    diagnostics: tuple[Diagnostic, ...]
    body: Body | None
    program: Program | None = None


def compile_project(path: Path, overlay: str | None = None) -> Outcome:
    """Everything from the file to the table's body.

    Args:
        path: the root of the project.
        overlay: the name of the overlay to build with; all of them are checked.

    Raises:
        project.Unreadable: `path` cannot be read.
        UnknownOverlay: there is no overlay of this name.
    """
    read = project.load(path)
    found = read.diagnostics

    def outcome(body: Body | None = None, program: Program | None = None) -> Outcome:
        return Outcome(read.sources, in_order(found, read.sources), body, program)

    if _at_fault(found):
        return outcome()
    program, findings = resolve(read.files, read.cedar, read.sources)
    found.extend(findings)
    if overlay is not None and overlay not in program.overlays:
        raise UnknownOverlay(_unknown(overlay, program.overlays))
    if _at_fault(found):
        return outcome()
    programs = variants(program)
    for name, variant in programs.items():
        _extend(found, check_program(variant) if name is None else check_variant(variant), name)
    if _at_fault(found):
        return outcome()
    decisions: dict[str | None, Decisions] = {}
    for name, variant in programs.items():
        decided, findings = decide(variant)
        _extend(found, findings, name)
        if decided is not None:
            decisions[name] = decided
    if len(decisions) < len(programs) or _at_fault(found):
        return outcome()
    for name, variant in programs.items():
        _extend(found, check_flows(variant, decisions[name]), name)
    if _at_fault(found):
        return outcome()
    found.extend(check_effects(decisions[None]))
    return outcome(lower(programs[overlay], decisions[overlay], read.sources), programs[overlay])


def _extend(found: list[Diagnostic], findings: Iterable[Diagnostic], overlay: str | None) -> None:
    """What an overlay does not change is found again with it, and reported once; the rest says whose it is."""
    known = {(one.code, one.primary, one.message) for one in found}
    notes = () if overlay is None else (f"found with the overlay `{overlay}`",)
    found.extend(
        replace(one, notes=(*one.notes, *notes))
        for one in findings
        if (one.code, one.primary, one.message) not in known
    )


def _unknown(overlay: str, known: Iterable[str]) -> str:
    close = nearest(overlay, known)
    meant = f"; did you mean {' or '.join(f'`{name}`' for name in close)}?" if close else ""
    return f"there is no overlay `{overlay}`{meant}"


def _at_fault(found: list[Diagnostic]) -> bool:
    return any(finding.severity is not Severity.WARNING for finding in found)
