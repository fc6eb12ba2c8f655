"""`encode e` behind a value."""

from __future__ import annotations

from mcpx.compiler import syntax
from mcpx.compiler.report import value_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.runtime.encodings import ENCODINGS, Encoding


def resolve_encoding(name: syntax.Name | None, findings: list[Diagnostic]) -> Encoding | None:
    """The encoding that is called so; `None` for none, and for a name that is reported."""
    if name is None:
        return None
    found = next((encoding for encoding in ENCODINGS if encoding == name.text), None)
    if found is None:
        findings.append(say.encoding_unknown(name))
    return found
