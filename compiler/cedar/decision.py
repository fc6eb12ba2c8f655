"""What Cedar decided, for later phases to read. Nothing else in the compiler decides whether a value may flow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mcpx.compiler.source import Span


@dataclass(frozen=True, slots=True)
class Decision:
    """One answer of Cedar.

    Attributes:
        permitted: some permit is satisfied and no forbid is.
        by: the ids of the policies that decided, sorted: the satisfied permits, or the satisfied forbids; empty when
            nothing permits.
    """

    permitted: bool
    by: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy of the set that Cedar saw.

    Attributes:
        id: unique in the project: the `@id` of written text, the name of a rule, else the place of its statement.
        forbids: its effect.
        span: the statement or rule it comes from.
    """

    id: str
    forbids: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Decisions:
    """Every decision about every pair of `uses`. `via` is `header:<lower-case name>`.

    Attributes:
        policies: by id.
        connect: (agent, server).
        send: (agent, server, field, via), for every field of the run and every `via` that the server has.
        present: (agent, server, secret, via), for the credential lines and direct references of the server's headers.
        attach: (agent, server, via), for every `via` that the server has.
    """

    policies: Mapping[str, Policy]
    connect: Mapping[tuple[str, str], Decision]
    send: Mapping[tuple[str, str, str, str], Decision]
    present: Mapping[tuple[str, str, str, str], Decision]
    attach: Mapping[tuple[str, str, str], Decision]
