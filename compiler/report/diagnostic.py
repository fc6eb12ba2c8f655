"""The one record for everything that the compiler finds in somebody's files.

How a message is written: lower case, no full stop, names in back-quotes, the words of the file; one smallest primary
span, at most three labels, each a clause that makes sense alone. A note is a fact, a help is an action. A mistake is
reported once, at its cause. No message holds the value of a secret.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from mcpx.compiler.source import Source, Span


class Severity(StrEnum):
    """How bad a finding is: an `error` stops the build, a `warning` does not, `internal` is a fault of the compiler."""

    ERROR = "error"
    WARNING = "warning"
    INTERNAL = "internal"


class Stage(StrEnum):
    """The phase that found it; the order of the members is the order of the phases."""

    READ = "read"
    PARSE = "parse"
    RESOLVE = "resolve"
    CHECK = "check"
    DECIDE = "decide"
    EMIT = "emit"


@dataclass(frozen=True, slots=True)
class Label:
    """A span and a clause about it; the first label of a diagnostic is the primary one."""

    span: Span
    text: str = ""


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the text of `span` by `text`."""

    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A way out that a tool can apply; `safe` when it cannot change what the file means to its author."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    Attributes:
        code: `MX` and three digits; its page is `explain/<code>.md`.
        stage: the phase that found it.
        message: what is wrong, in one line.
        labels: at least one; the first is the primary place.
        notes: facts that explain it.
        helps: actions that end it; may have several lines.
        fixes: edits that end it.
        severity: error unless said otherwise.
    """

    code: str
    stage: Stage
    message: str
    labels: tuple[Label, ...]
    notes: tuple[str, ...] = ()
    helps: tuple[str, ...] = ()
    fixes: tuple[Fix, ...] = ()
    severity: Severity = Severity.ERROR

    @property
    def primary(self) -> Span:
        """The place where the reader should look first."""
        return self.labels[0].span


def finding(
    stage: Stage,
    code: str,
    message: str,
    *labels: Label,
    notes: tuple[str, ...] = (),
    helps: tuple[str, ...] = (),
    fixes: tuple[Fix, ...] = (),
    severity: Severity = Severity.ERROR,
) -> Diagnostic:
    """A diagnostic, written the way in which sentences are: the stage is the same for all of a module."""
    return Diagnostic(code, stage, message, labels, notes, helps, fixes, severity)


def listed(names: Iterable[str]) -> str:
    """Names in back-quotes, with commas between."""
    return ", ".join(f"`{name}`" for name in names)


def in_order(diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> tuple[Diagnostic, ...]:
    """Sorted by file (in the order they were read), stage, position and code; what would read the same is kept once."""
    files = {name: number for number, name in enumerate(sources)}
    stages = {stage: number for number, stage in enumerate(Stage)}

    def key(found: Diagnostic) -> tuple[int, int, int, int, str, str]:
        span = found.primary
        return (files.get(span.file, len(files)), stages[found.stage], span.start, span.end, found.code, found.message)

    unique: dict[tuple[str, Span, str], Diagnostic] = {}
    for found in sorted(diagnostics, key=key):
        unique.setdefault((found.code, found.primary, found.message), found)
    return tuple(unique.values())
