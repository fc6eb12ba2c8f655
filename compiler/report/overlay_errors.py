"""Sentences about overlays."""

from __future__ import annotations

from collections.abc import Iterable

from mcpx.compiler import model, syntax
from mcpx.compiler.report.diagnostic import Diagnostic, Label, Severity, Stage

MAY_CHANGE = (
    "server.NAME.url",
    "server.NAME.audience",
    "server.NAME.authorization_server",
    "token.NAME.ttl",
    "grant.NAME.ttl",
    "setting.NAME",
    "secret.NAME",
)


def not_changeable(overlay: model.Overlay, line: model.Refused) -> Diagnostic:
    """A line that would change what is the same everywhere."""
    return Diagnostic(
        "MX820",
        Stage.CHECK,
        f"an overlay cannot change `{line.target}`",
        (Label(line.span, "is the same wherever this program runs"), Label(overlay.span, "in this overlay")),
        notes=(f"an overlay may change {_listed(MAY_CHANGE)}",),
    )


def set_twice(line: syntax.OverlayLine, first: syntax.OverlayLine) -> Diagnostic:
    """Two lines of one overlay for one thing."""
    return Diagnostic(
        "MX208",
        Stage.RESOLVE,
        f"`{line.target.text}` is set twice in this block",
        (Label(line.target.span, "set again here"), Label(first.target.span, "set here already")),
        helps=("remove one of them",),
    )


def audience_stays(overlay: model.Overlay, server: model.Server, change: model.ServerChange) -> Diagnostic:
    """An address on another host whose tokens would still be for the old one."""
    assert server.audience is not None  # noqa: S101 - who has none follows its address
    return Diagnostic(
        "MX624",
        Stage.CHECK,
        f"the overlay `{overlay.name}` moves `{server.name}` to another host and leaves its audience",
        (
            Label(change.value.span, "the new address"),
            Label(server.audience.span, "tokens say that they are for this one"),
        ),
        helps=(f'say what its audience is there: server.{server.name}.audience = "…"',),
        severity=Severity.WARNING,
    )


def changes_nothing(overlay: model.Overlay) -> Diagnostic:
    """An overlay without lines."""
    return Diagnostic(
        "MX625",
        Stage.CHECK,
        f"the overlay `{overlay.name}` changes nothing",
        (Label(overlay.span, "has no line"),),
        severity=Severity.WARNING,
    )


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
