"""`test` blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcpx.compiler.model.facts import PropertyValue, Scalar
from mcpx.compiler.source import Span


@dataclass(frozen=True, slots=True)
class HeaderExpected:
    """`expect header N [== v]` or `expect no header N` (`absent`)."""

    header: str
    value: str | None
    absent: bool
    span: Span


@dataclass(frozen=True, slots=True)
class DeniedExpected:
    """`expect denied run.f, …`."""

    fields: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class RefusalExpected:
    """`expect refused`."""

    span: Span


Expectation = HeaderExpected | DeniedExpected | RefusalExpected


@dataclass(frozen=True, slots=True)
class Sent:
    """One `send` of a test with the expectations that follow it.

    Attributes:
        session: whether it is the requests that open and keep a session.
        argument: name and JSON value of an argument of the tool call.
    """

    session: bool
    agent: str
    server: str
    argument: tuple[str, Scalar | tuple[Scalar, ...]] | None
    expectations: tuple[Expectation, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Test:
    """A `test` block: the run that is given, and what is sent in it."""

    title: str
    given: Mapping[str, PropertyValue]
    sends: tuple[Sent, ...]
    span: Span
