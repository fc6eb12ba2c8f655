"""What may stand in a file beyond names and types: one module per topic.

`check` asks them all before Cedar is asked, `check_flows` reads what Cedar decided.
"""

from __future__ import annotations

from mcpx.compiler import model
from mcpx.compiler.cedar.decision import Decisions
from mcpx.compiler.check.audiences import check_audiences
from mcpx.compiler.check.calls import check_calls
from mcpx.compiler.check.credentials import check_credentials
from mcpx.compiler.check.declared import check_declared
from mcpx.compiler.check.encodings import check_encodings
from mcpx.compiler.check.flows import check_ways
from mcpx.compiler.check.handshakes import check_handshakes
from mcpx.compiler.check.headers import check_headers
from mcpx.compiler.check.overlays import check_overlays
from mcpx.compiler.check.rules import check_rules
from mcpx.compiler.check.sessions import check_sessions
from mcpx.compiler.check.sizes import check_sizes
from mcpx.compiler.check.tokens import check_tokens
from mcpx.compiler.check.twins import check_twins
from mcpx.compiler.check.unused import check_unused
from mcpx.compiler.check.urls import check_urls
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.resolve.sources import check_variables

__all__ = ["check", "check_flows", "check_variant"]

_EVERYWHERE = (
    check_urls,
    check_headers,
    check_encodings,
    check_declared,
    check_sizes,
    check_credentials,
    check_rules,
    check_audiences,
    check_tokens,
    check_calls,
    check_sessions,
    check_twins,
)
_ONCE = (check_overlays, check_unused)


def check(program: model.Program) -> tuple[Diagnostic, ...]:
    """Everything that can be said before Cedar is asked."""
    return tuple(finding for topic in (*_EVERYWHERE, *_ONCE) for finding in topic(program))


def check_variant(program: model.Program) -> tuple[Diagnostic, ...]:
    """The same for what an overlay makes of a program; what is without effect there may have one elsewhere."""
    findings: list[Diagnostic] = []
    check_variables(program.secrets.values(), program.settings.values(), findings)
    return (*findings, *(finding for topic in _EVERYWHERE for finding in topic(program)))


def check_flows(program: model.Program, decisions: Decisions) -> tuple[Diagnostic, ...]:
    """What Cedar decided, held against what headers, calls and sessions need."""
    return (*check_ways(program, decisions), *check_handshakes(program, decisions))
