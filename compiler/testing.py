"""`test` blocks are run: each `send` is built by the runtime itself, from the compiled table, and nothing leaves."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from mcpx.compiler import model
from mcpx.compiler.source import Span
from mcpx.compiler.standins import offline_router
from mcpx.runtime.body import Body, Flow
from mcpx.runtime.errors import CallRefused, RunRefused
from mcpx.runtime.fields import Schema
from mcpx.runtime.guards import holds
from mcpx.runtime.redacted import Facts
from mcpx.runtime.run import Run

Came = Mapping[str, str] | CallRefused
"""What comes of a `send`: the headers, or the exception with which the runtime refuses."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An expectation that was not met.

    Attributes:
        span: the `expect` line.
        expected: in words.
        found: what came instead, in words; values of the run are shown, they stand in the test.
    """

    span: Span
    expected: str
    found: str


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one test; it passed when nothing failed."""

    test: model.Test
    failures: tuple[Failure, ...]


def run_tests(body: Body, tests: Iterable[model.Test]) -> tuple[Result, ...]:
    """Run tests on the table that the same sources gave.

    Args:
        body: the table.
        tests: of the program that the table was made from.
    """
    bench = _Bench(body)
    return tuple(Result(test, tuple(bench.failures(test))) for test in tests)


class _Bench:
    def __init__(self, body: Body) -> None:
        self._body = body
        self._router = offline_router(body)
        # The tool that is called has every argument that the runtime sets: none of them may be the caller's own.
        self._settable = frozenset(step.argument for call in body.calls.values() for step in call.arguments)
        self._flows = {(row.agent, row.server): body.flows[row.flows] for row in body.rows}

    def failures(self, test: model.Test) -> Iterator[Failure]:
        for sent in test.sends:
            came = self._came(test, sent)
            for expectation in sent.expectations:
                wanted, found = self._outcome(expectation, test, sent, came)
                if found is not None:
                    yield Failure(expectation.span, wanted, found)

    def _came(self, test: model.Test, sent: model.Sent) -> Came:
        try:
            if sent.session:
                keyed = self._body.servers[sent.server].session not in ("shared", "agent")
                return self._router.session_headers(self._run(test, sent) if keyed else sent.agent, sent.server)
            return self._run(test, sent).call(sent.server, *_tool_call(sent), takes=self._settable).headers
        except CallRefused as refusal:
            return refusal

    def _run(self, test: model.Test, sent: model.Sent) -> Run:
        verified, claimed = self._given(test)
        return self._router.run(sent.agent, verified=verified, claimed=claimed)

    def _given(self, test: model.Test) -> tuple[dict[str, model.PropertyValue], dict[str, model.PropertyValue]]:
        """What the application would vouch for, and what the caller would claim."""
        verified = {name: value for name, value in test.given.items() if self._body.fields[name].verified}
        return verified, {name: value for name, value in test.given.items() if name not in verified}

    def _facts(self, test: model.Test) -> Facts:
        facts = Schema(self._body.fields).facts(*self._given(test))
        if isinstance(facts, tuple):
            raise RunRefused("; ".join(facts))  # what is given fits: it was looked at when the test was resolved
        return facts

    def _outcome(
        self, expected: model.Expectation, test: model.Test, sent: model.Sent, came: Came
    ) -> tuple[str, str | None]:
        """What is expected, in words, and what came instead when it was not met."""
        match expected:
            case model.HeaderExpected():
                return _header_outcome(expected, came)
            case model.DeniedExpected():
                return self._denied_outcome(expected, test, sent)
            case model.RefusalExpected():
                return "refused", None if isinstance(came, CallRefused) else _told(came)

    def _denied_outcome(
        self, expected: model.DeniedExpected, test: model.Test, sent: model.Sent
    ) -> tuple[str, str | None]:
        names = ", ".join(f"`run.{name}`" for name in expected.fields)
        wanted = f"no way for {names} to `{sent.server}`"
        facts = self._facts(test)
        flows = self._flows.get((sent.agent, sent.server), {})
        found = [
            f"`run.{name}` {_permitted(flows[name])}"
            for name in expected.fields
            if name in flows and holds(flows[name].permitted, self._body.guards, facts)
        ]
        return wanted, "; ".join(found) or None


def _tool_call(sent: model.Sent) -> tuple[str, dict[str, object]]:
    """Method and params of the JSON-RPC message (MCP, "Calling Tools")."""
    return "tools/call", {"name": "test", "arguments": dict([sent.argument] if sent.argument is not None else ())}


def _header_outcome(expected: model.HeaderExpected, came: Came) -> tuple[str, str | None]:
    name = expected.header
    if expected.absent:
        wanted = f"no header {name}"
    else:
        wanted = f"header {name}" if expected.value is None else _quoted(expected.value)
    if isinstance(came, Exception):
        return wanted, _told(came)
    value = came.get(name)
    if expected.absent:
        return wanted, None if value is None else _quoted(value)
    if value is None:
        return wanted, f"no header {name}"
    return wanted, None if expected.value in (None, value) else _quoted(value)


def _told(came: Came) -> str:
    if isinstance(came, Exception):
        return f"refused: {came}"
    return f"sent, with {', '.join(came)}" if came else "sent, without headers"


def _permitted(flow: Flow) -> str:
    return f"may go, by {', '.join(f'`{policy}`' for policy in flow.by)}"


def _quoted(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)
