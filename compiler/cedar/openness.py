"""Policies that read a server's address where a setting decides it: only the host that loads the table will know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mcpx.compiler.cedar.addresses import address_of
from mcpx.compiler.cedar.cases import Case
from mcpx.compiler.cedar.engine import Engine
from mcpx.compiler.cedar.gate import Written
from mcpx.compiler.cedar.vocabulary import qualified
from mcpx.compiler.model import Program
from mcpx.compiler.report import cedar_errors as errors
from mcpx.compiler.report.diagnostic import Diagnostic

_ATTRIBUTES = frozenset({"scheme", "host"})


def undecided(
    program: Program, engine: Engine, written: Sequence[Written], cases: Sequence[Case]
) -> Iterator[Diagnostic]:
    """The policies whose answer hangs on an address that is open, unless not knowing it leads to `forbid`.

    A policy hangs on it where the clauses that do not read it leave the policy standing, and the whole, with the
    attribute absent, is not a `forbid` that holds.
    """
    open_attributes = {server.name: address_of(server.url).open for server in program.servers.values()}
    for one in written:
        reading = [one.parsed.reads(number, _ATTRIBUTES) for number in range(len(one.parsed.clauses))]
        read = frozenset[str]().union(*reading)
        if not read:
            continue
        named = {name for kind, name in one.parsed.entities() if kind == qualified("Server")}
        servers = {
            case: [name for name in (case.server, *sorted(named)) if open_attributes[name] & read] for case in cases
        }
        concerned = [case for case in cases if servers[case]]
        rest = engine.ask(_without(one, reading), concerned)
        whole = engine.ask(one.statement.text, concerned) if one.policy.forbids else {}
        for case in concerned:
            stands = case not in rest or rest[case].by
            holds = case in whole and whole[case].by
            if stands and not holds:
                server = program.servers[servers[case][0]]
                attributes = open_attributes[server.name] & read
                yield errors.address_is_open(
                    one.statement.head, one.policy.id, server.name, server.url.span, attributes, str(case)
                )
                break


def _without(one: Written, reading: Sequence[frozenset[str]]) -> str:
    """The text of the policy without the clauses that read the attributes."""
    clauses = list(one.statement.clauses())
    text = one.statement.source.text
    scope = text[one.statement.tokens[0].start : clauses[0][0].start]
    kept = (text[clause[0].start : clause[-1].end] for clause, read in zip(clauses, reading, strict=True) if not read)
    return "\n".join([scope, *kept, ";"])
