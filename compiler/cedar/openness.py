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
    open_attributes = {server.name: address_of(server.url).open() for server in program.servers.values()}
    for one in written:
        reading = [one.parsed.reads(number, _ATTRIBUTES) for number in range(len(one.parsed.clauses))]
        read = frozenset[str]().union(*reading)
        if not read:
            continue
        named = {name for kind, name in one.parsed.entities() if kind == qualified("Server")}
        rest = _without(one, reading)
        for case in cases:
            servers = [name for name in (case.server, *sorted(named)) if open_attributes[name] & read]
            if not servers or not _may_hold(engine, rest, case):
                continue
            if one.policy.forbids and _holds(engine, one.statement.text, case):
                continue
            server = program.servers[servers[0]]
            yield errors.address_is_open(
                one.statement.head,
                one.policy.id,
                server.name,
                server.url.span,
                open_attributes[server.name] & read,
                str(case),
            )
            break


def _without(one: Written, reading: Sequence[frozenset[str]]) -> str:
    """The text of the policy without the clauses that read the attributes."""
    clauses = list(one.statement.clauses())
    text = one.statement.source.text
    kept = [text[one.statement.tokens[0].start : clauses[0][0].start]]
    kept += [text[clause[0].start : clause[-1].end] for clause, read in zip(clauses, reading, strict=True) if not read]
    return " \n".join([*kept, ";"])


def _holds(engine: Engine, policy: str, case: Case) -> bool:
    decision = engine.ask(policy, [case]).get(case)
    return decision is not None and bool(decision.by)


def _may_hold(engine: Engine, policy: str, case: Case) -> bool:
    decision = engine.ask(policy, [case]).get(case)
    return decision is None or bool(decision.by)
