"""Sentences of `resolve` about `test` blocks."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from mcpx.compiler import syntax
from mcpx.compiler.report.diagnostic import Diagnostic, Label, Stage, finding
from mcpx.compiler.source import Span

_error = partial(finding, Stage.RESOLVE)


def sends_nothing(title: Span) -> Diagnostic:
    """A test without a `send`."""
    return _error(
        "MX701",
        "this test sends nothing",
        Label(title, "without a `send` there is nothing to expect"),
        helps=("name an agent and a server: send AGENT -> SERVER",),
    )


def expects_nothing(send: Span) -> Diagnostic:
    """A `send` that no `expect` follows: it would pass whatever happens."""
    return _error(
        "MX701",
        "nothing is expected of this `send`",
        Label(send, "no `expect` follows"),
        helps=("say what has to come of it: expect header NAME == VALUE, or expect refused",),
    )


def out_of_order(item: Span, why: str) -> Diagnostic:
    """A `given` behind a `send`, an `expect` before every `send`."""
    return _error(
        "MX702",
        "a test reads `given`, then `send`, then `expect`",
        Label(item, why),
    )


def given_does_not_fit(field: str, value: Span, why: str) -> Diagnostic:
    """A value that no run could have in this field."""
    return _error("MX703", f"no run can have this as `{field}`", Label(value, why))


def given_too_little(missing: Iterable[str], place: Span) -> Diagnostic:
    """Fields that every run has and the test does not give."""
    names = ", ".join(f"`{name}`" for name in missing)
    return _error(
        "MX704",
        f"this test gives no {names}",
        Label(place, f"a run cannot start without {names}"),
        helps=("give a value to every field that is neither optional nor has a default",),
    )


def unknowable(header: str, value: Span, source: syntax.Ref) -> Diagnostic:
    """A comparison with what only a running host knows."""
    return _error(
        "MX705",
        f"a test cannot know the value of `{header}`",
        Label(value, "compared with this"),
        Label(source.span, "drawn from here: tests run without secrets, tokens and settings"),
        helps=(f"expect that it is sent, without a value: expect header {header}",),
    )


def refused_and_more(other: Span, refused: Span) -> Diagnostic:
    """Headers expected of a call that is expected not to be sent."""
    return _error(
        "MX706",
        "a call that is refused carries no headers",
        Label(other, "expected of the same `send`"),
        Label(refused, "expected to be refused"),
        helps=("remove one of them, or give it a `send` of its own",),
    )


def session_argument(send: Span) -> Diagnostic:
    """An argument on a request that has none."""
    return _error(
        "MX707",
        "session requests have no arguments",
        Label(send, "opens or keeps a session, and calls no tool"),
        helps=("remove the word `session`, or the argument",),
    )
