"""Policies that Cedar decided about and that change nothing: they look like a guard, or a way, and are none."""

from __future__ import annotations

from collections.abc import Iterator

from mcpx.compiler.cedar.decision import Decisions
from mcpx.compiler.report import flow_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic


def check_effects(decisions: Decisions) -> Iterator[Diagnostic]:
    """Every policy that no run of any case satisfies, and every permit that forbids stop wherever it is satisfied."""
    for name in decisions.idle:
        yield say.never_matches(decisions.policies[name])
    for name, by in decisions.shadowed.items():
        yield say.shadowed(decisions.policies[name], [decisions.policies[one] for one in by])
