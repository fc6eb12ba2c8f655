"""Sentences about what Cedar decided: what a header may carry, and what stops it."""

from __future__ import annotations

from collections.abc import Sequence

from mcpx.compiler import model
from mcpx.compiler.cedar.decision import Policy
from mcpx.compiler.report.diagnostic import Diagnostic, Label, Severity, Stage
from mcpx.compiler.source import Span

_LABELS = 3
_AGENTS = 5


def _found(
    code: str,
    message: str,
    labels: Sequence[Label],
    notes: tuple[str, ...] = (),
    helps: tuple[str, ...] = (),
    severity: Severity = Severity.ERROR,
) -> Diagnostic:
    return Diagnostic(code, Stage.EMIT, message, tuple(labels[:_LABELS]), notes, helps, (), severity)


def _by(policies: Sequence[Policy]) -> tuple[Label, ...]:
    return tuple(Label(policy.span, f"denied by `{policy.id}`") for policy in policies)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:_AGENTS])
    return shown if len(names) <= _AGENTS else f"{shown} and {len(names) - _AGENTS} more"


def _names(policies: Sequence[Policy]) -> str:
    return ", ".join(f"`{policy.id}`" for policy in policies)


_DENY_WINS = "a `deny` or `forbid` wins over everything that permits, so no rule can open this way"


def connect_denied(agent: str, server: str, span: Span, by: Sequence[Policy]) -> Diagnostic:
    """A pair of `uses` that may not connect."""
    return _found(
        "MX406",
        f"`{agent}` may not use `{server}`: {_names(by)}",
        [Label(span, "asked for here"), *_by(by)],
        (_DENY_WINS,),
        (f"remove `{server}` from the servers of `{agent}`, or change the policy",),
    )


def _deciding(policies: Sequence[Policy]) -> tuple[Label, ...]:
    return tuple(Label(policy.span, f"`{policy.id}` depends on the run") for policy in policies)


def connect_depends(agent: str, server: str, span: Span, by: Sequence[Policy]) -> Diagnostic:
    """A pair of `uses` that only some runs may connect."""
    return _found(
        "MX409",
        f"only some runs of `{agent}` may use `{server}`: {_names(by)}",
        [Label(span, "asked for here, for every run"), *_deciding(by)],
        ("a run that may not use a server would find out call by call",),
        ('stop what is sent instead, with `action == Mcpx::Action::"send"`, or give those runs another agent',),
    )


def depends_on_the_run(
    header: model.Way, part: model.Part, agents: Sequence[str], server: str, by: Sequence[Policy]
) -> Diagnostic:
    """A plain header that only some runs may send."""
    what = f"`run.{part.field}`" if isinstance(part, model.FieldPart) else "what it is made of"
    return _found(
        "MX409",
        f"`{header.name}` is always sent, and only some runs of {_listed(agents)} may send {what} to `{server}`:"
        f" {_names(by)}",
        [Label(part.span, f"sent in `{header.name}` here"), *_deciding(by)],
        (),
        ("make it an `optional` one, which is left out for the other runs, or drop the condition",),
    )


def field_denied(
    header: model.Way, field: str, span: Span, agents: Sequence[str], server: str, by: Sequence[Policy]
) -> Diagnostic:
    """A field in a plain header that a rule stops."""
    return _found(
        "MX401",
        f"`run.{field}` may not flow to `{server}` for {_listed(agents)}: {_names(by)}",
        [Label(span, f"sent in `{header.name}` here"), *_by(by)],
        (_DENY_WINS,),
        ("remove the header, or send something that may flow there",),
    )


def field_undeclared(header: model.Way, field: str, span: Span, agents: Sequence[str], server: str) -> Diagnostic:
    """A field in a header that nothing lets through, for these agents."""
    return _found(
        "MX402",
        f"nothing lets `run.{field}` reach `{server}` for {_listed(agents)}",
        [Label(span, f"sent in `{header.name}` here")],
        ("what no rule permits is denied",),
        (f"if it may flow there, add: allow run.{field} -> {server}",),
    )


def present_denied(
    header: model.Way, secret: str, span: Span, agents: Sequence[str], server: str, by: Sequence[Policy]
) -> Diagnostic:
    """A credential or secret that an agent may not present."""
    return _found(
        "MX407",
        f"`secret.{secret}` may not be presented at `{server}` by {_listed(agents)}: {_names(by)}",
        [Label(span, f"sent in `{header.name}` here"), *_by(by)],
        (_DENY_WINS,),
        (f"give `{server}` a credential that may go there, or change the policy",),
    )


def attach_denied(header: model.Way, agents: Sequence[str], server: str, by: Sequence[Policy]) -> Diagnostic:
    """A literal or setting that may not be sent."""
    return _found(
        "MX408",
        f"`{header.name}` may not be sent to `{server}` by {_listed(agents)}: {_names(by)}",
        [Label(header.name_span, "sent here"), *_by(by)],
        (_DENY_WINS,),
        ("remove the header, or change the policy",),
    )


def never_sent(header: model.Way, server: str, by: Sequence[Policy]) -> Diagnostic:
    """An optional header that rules stop for every agent."""
    return _found(
        "MX404",
        f"`{header.name}` is never sent to `{server}`: {_names(by)}",
        [Label(header.name_span, "left out for every agent"), *_by(by)],
        (_DENY_WINS,),
        ("remove the header, or change the rule",),
        Severity.WARNING,
    )


def not_carried(rule: model.Rule, field: str, agents: Sequence[str], server: model.Server) -> Diagnostic:
    """A `require` that nothing fulfils at a server."""
    return _found(
        "MX405",
        f"nothing sends `run.{field}` to `{server.name}` for certain, for {_listed(agents)}",
        [
            Label(rule.span, "required here"),
            Label(server.span, f"no plain header of this server draws on `run.{field}`"),
        ],
        ("only a plain header is always sent",),
        (f"add a plain header to `{server.name}` that draws on `run.{field}`",),
    )


def claim_denied(
    claim: model.Claim, token: model.Token, agents: Sequence[str], server: str, by: Sequence[Policy]
) -> Diagnostic:
    """A plain claim that a rule stops: of a field, or of a literal."""
    code = "MX401" if claim.parts else "MX408"
    what = f"`run.{claim.parts[0].field}`" if claim.parts else f"`{claim.name}`"
    return _found(
        code,
        f"{what} may not flow to `{server}` in the token `{token.name}` for {_listed(agents)}: {_names(by)}",
        [Label(claim.value_span, f"the claim `{claim.name}` of `{token.name}` would carry it"), *_by(by)],
        (_DENY_WINS,),
        ("remove the claim, or change the rule",),
    )


def claim_depends(
    claim: model.Claim, token: model.Token, agents: Sequence[str], server: str, by: Sequence[Policy]
) -> Diagnostic:
    """A plain claim that only some runs may have."""
    what = f"`run.{claim.parts[0].field}`" if claim.parts else f"`{claim.name}`"
    return _found(
        "MX409",
        f"`{claim.name}` is always in the token `{token.name}`, and only some runs of {_listed(agents)} may send {what}"
        f" to `{server}`: {_names(by)}",
        [Label(claim.value_span, f"the claim `{claim.name}` of `{token.name}` would carry it"), *_deciding(by)],
        (),
        ("make it an `optional` claim, which is left out for the other runs, or drop the condition",),
    )


def claim_undeclared(claim: model.Claim, token: model.Token, agents: Sequence[str], server: str) -> Diagnostic:
    """A claim that nothing lets through, for these agents."""
    field = claim.parts[0].field if claim.parts else ""
    return _found(
        "MX402",
        f"nothing lets `run.{field}` reach `{server}` in the token `{token.name}` for {_listed(agents)}",
        [Label(claim.value_span, f"the claim `{claim.name}` of `{token.name}` would carry it")],
        ("what no rule permits is denied",),
        (f"if it may flow there, add: allow run.{field} -> {server}",),
    )


def claim_never_sent(claim: model.Claim, token: model.Token, server: str, by: Sequence[Policy]) -> Diagnostic:
    """An optional claim that rules stop for every agent."""
    return _found(
        "MX404",
        f"`{claim.name}` is never in the token `{token.name}` for `{server}`: {_names(by)}",
        [Label(claim.name_span, "left out for every agent"), *_by(by)],
        (_DENY_WINS,),
        ("remove the claim, or change the rule",),
        Severity.WARNING,
    )


def never_matches(policy: Policy) -> Diagnostic:
    """A rule with a condition, or a written policy, that is satisfied by no run in any case."""
    return _found(
        "MX521",
        f"`{policy.id}` can never match",
        [Label(policy.span, "no run of any agent that uses a server satisfies this")],
        ("a rule that never matches guards nothing and opens nothing",),
        ("correct its condition or whom and what it names, or remove it",),
        Severity.WARNING,
    )


def shadowed(policy: Policy, by: Sequence[Policy]) -> Diagnostic:
    """A permit that opens nothing, because forbids hold wherever it does."""
    return _found(
        "MX522",
        f"`{policy.id}` opens nothing: it is shadowed by {_names(by)}",
        [Label(policy.span, "permits what is denied anyway"), *_by(by)],
        (_DENY_WINS,),
        ("remove it, or narrow what denies",),
        Severity.WARNING,
    )
