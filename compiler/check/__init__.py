"""What may stand in a file beyond names and types: one module per topic.

`check` asks them all before Cedar is asked, `check_flows` reads what Cedar decided.
"""

from __future__ import annotations

from mcpx.compiler import model
from mcpx.compiler.check.credentials import check_credentials
from mcpx.compiler.check.encodings import check_encodings
from mcpx.compiler.check.flows import check_flows
from mcpx.compiler.check.headers import check_headers
from mcpx.compiler.check.rules import check_rules
from mcpx.compiler.check.sizes import check_sizes
from mcpx.compiler.check.unused import check_unused
from mcpx.compiler.check.urls import check_urls
from mcpx.compiler.report.diagnostic import Diagnostic

__all__ = ["check", "check_flows"]

_TOPICS = (check_urls, check_headers, check_encodings, check_sizes, check_credentials, check_rules, check_unused)


def check(program: model.Program) -> tuple[Diagnostic, ...]:
    """Everything that can be said before Cedar is asked."""
    return tuple(finding for topic in _TOPICS for finding in topic(program))
