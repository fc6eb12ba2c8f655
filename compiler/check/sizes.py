"""The size budget of each server, proved from the declared maxima: what common servers and proxies take."""

from __future__ import annotations

from collections.abc import Iterator

from mcpx.compiler import model
from mcpx.compiler.report import check_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic, Severity
from mcpx.runtime.names import MAX_FIELD

_FIELD = ((MAX_FIELD, Severity.ERROR), (4_000, Severity.WARNING))
_TOTAL = ((14_000, Severity.ERROR), (6_000, Severity.WARNING))
_COUNT = ((90, Severity.ERROR), (50, Severity.WARNING))
_LONGEST_INT = len(str(-(2**63)))


def check_sizes(program: model.Program) -> Iterator[Diagnostic]:
    """Each header, all headers, and their number. Secrets and settings are measured at load."""
    for server in program.servers.values():
        sizes = {header: _size(header, program) for header in server.headers}
        for header, size in sizes.items():
            if (over := _over(size, _FIELD)) is not None:
                yield say.header_size(header, size, *over)
        total = sum(sizes.values())
        # One long header is the cause where it alone makes them too many; a warning about it hides no error.
        worst = _over(max(sizes.values(), default=0), _FIELD)
        over = _over(total, _TOTAL)
        if over is not None and (worst is None or (worst[1] is Severity.WARNING and over[1] is Severity.ERROR)):
            yield say.headers_size(server, total, *over)
        if (over := _over(len(sizes), _COUNT)) is not None:
            yield say.headers_count(server, len(sizes), *over)


def _over(size: int, limits: tuple[tuple[int, Severity], ...]) -> tuple[int, Severity] | None:
    return next(((limit, severity) for limit, severity in limits if size > limit), None)


def _size(header: model.Header, program: model.Program) -> int:
    return len(f"{header.name}: ") + sum(_part_size(part, program) for part in header.parts)


def _part_size(part: model.Part, program: model.Program) -> int:
    match part:
        case model.TextPart(text=text):
            return len(text)
        case model.FieldPart(field=field):
            return _longest(program.fields[field].type)
        case _:
            return 0


def _longest(kind: model.FieldType) -> int:
    match kind.kind:
        case "int":
            return _LONGEST_INT
        case "bool":
            return len("false")
        case "choice":
            return max(map(len, kind.choices), default=0)
        case "string":
            return kind.max
        case "list":
            return kind.items * kind.max
