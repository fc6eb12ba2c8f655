"""Policies that read a server's address where a setting decides it: only the host that loads the table will know."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import product

from mcpx.compiler.cedar.addresses import address_of
from mcpx.compiler.cedar.cases import Case, Row
from mcpx.compiler.cedar.engine import Engine, failure
from mcpx.compiler.cedar.gate import Written
from mcpx.compiler.cedar.satisfaction import Satisfaction
from mcpx.compiler.cedar.vocabulary import qualified
from mcpx.compiler.model import Program
from mcpx.compiler.report import cedar_errors as errors
from mcpx.compiler.report.diagnostic import Diagnostic

_ATTRIBUTES = frozenset({"scheme", "host"})


def undecided(
    program: Program, engine: Engine, written: Sequence[tuple[Written, Satisfaction]], rows: Iterable[Row]
) -> Iterator[Diagnostic]:
    """The policies whose answer hangs on an address that is open, unless not knowing it leads to `forbid`.

    A policy hangs on it where, for some run, the clauses that do not read it leave the policy standing, and the whole,
    with the attribute absent, is not a `forbid` that holds.
    """
    for one, satisfaction in written:
        reading = [one.parsed.reads(number, _ATTRIBUTES) for number in range(len(one.parsed.clauses))]
        read = frozenset[str]().union(*reading)
        if not read:
            continue
        named = {name for kind, name in one.parsed.entities() if kind == qualified("Server")}
        # Another server's address is open in every way that a setting decides, whatever values are declared.
        elsewhere = sorted(name for name in named if address_of(program.servers[name].url).open & read)
        rest = _without(one, reading)
        met: set[Hashable] = set()
        for case, concerned in _concerned(rows, engine, read, elsewhere):
            key = (satisfaction.class_of_case(case), tuple(concerned[:1]))
            if key in met:
                continue
            met.add(key)
            if _hangs(one, rest, satisfaction, engine, case):
                server = program.servers[concerned[0]]
                attributes = read & address_of(server.url).open
                yield errors.address_is_open(
                    one.statement.head, one.policy.id, server.name, server.url.span, attributes, str(case)
                )
                break


def _concerned(
    rows: Iterable[Row], engine: Engine, read: frozenset[str], elsewhere: list[str]
) -> Iterator[tuple[Case, list[str]]]:
    for row in rows:
        concerned = [*([row.server] if engine.open_attributes(row.server) & read else []), *elsewhere]
        if concerned:
            yield from ((case, concerned) for case, _ in row.cases())


def _hangs(one: Written, rest: str, satisfaction: Satisfaction, engine: Engine, case: Case) -> bool:
    for variant in engine.variants(case.server):
        _, values = satisfaction.regions(case, variant)
        runs = (engine.run(zip(values, combined, strict=True)) for combined in product(*values.values()))
        requests = [case.request(run) for run in runs]
        parts = engine.answers(rest, requests, variant)
        wholes = engine.answers(one.statement.text, requests, variant)
        for part, whole in zip(parts, wholes, strict=True):
            stands = failure(part) is not None or bool(part.diagnostics.reasons)
            holds = one.policy.forbids and failure(whole) is None and bool(whole.diagnostics.reasons)
            if stands and not holds:
                return True
    return False


def _without(one: Written, reading: Sequence[frozenset[str]]) -> str:
    """The text of the policy without the clauses that read the attributes."""
    clauses = list(one.statement.clauses())
    text = one.statement.source.text
    scope = text[one.statement.tokens[0].start : clauses[0][0].start]
    kept = (text[clause[0].start : clause[-1].end] for clause, read in zip(clauses, reading, strict=True) if not read)
    return "\n".join([scope, *kept, ";"])
