"""What of a server block is about its sessions: which calls share one, with whose headers lists are asked for."""

from __future__ import annotations

from typing import Literal

from mcpx.compiler import model, syntax
from mcpx.compiler.report import name_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.resolve.scope import Scope

_SESSION = "`shared`, `per agent`, `per run` or `per run.FIELD`"
_DISCOVERY = "`session` or `per run`"


def session_key(value: syntax.Setting, scope: Scope, findings: list[Diagnostic]) -> model.SessionKey:
    """What stands behind `session =`; the default where it is nothing of the kind, which has been reported."""
    match value:
        case syntax.Ref() if value.text == "shared":
            return model.SessionKey("shared", (), value.span)
        case syntax.Per(refs=(only,)) if only.text == "agent":
            return model.SessionKey("agent", (), value.span)
        case syntax.Per(refs=(only,)) if only.text == "run":
            return model.SessionKey("run", (), value.span)
        case syntax.Per():
            return model.SessionKey("fields", fields_of(value, scope, findings), value.span)
    findings.append(say.wrong_form("session", value.span, _SESSION))
    return model.SessionKey()


def fields_of(per: syntax.Per, scope: Scope, findings: list[Diagnostic]) -> tuple[str, ...]:
    """The fields behind `per`."""
    names = []
    for ref in per.refs:
        if ref.parts[0].text == "run" and len(ref.parts) == 2:
            names.append(ref.parts[1])
        else:
            findings.append(say.wrong_reference(ref, "`run.FIELD`"))
    return scope.fields.find_all(names, findings)


def discovery(value: syntax.Setting, findings: list[Diagnostic]) -> Literal["session", "run"]:
    """What stands behind `discovery =`."""
    match value:
        case syntax.Ref() if value.text == "session":
            return "session"
        case syntax.Per(refs=(only,)) if only.text == "run":
            return "run"
    findings.append(say.wrong_form("discovery", value.span, _DISCOVERY))
    return "session"
