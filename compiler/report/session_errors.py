"""Sentences about sessions, what opens them, and secrets that go by several names or have several values."""

from __future__ import annotations

from collections.abc import Sequence

from mcpx.compiler import model
from mcpx.compiler.cedar.decision import Policy
from mcpx.compiler.report.diagnostic import Diagnostic, Label, Severity, Stage
from mcpx.compiler.source import Span


def key_field(field: model.Field, place: Span, server: str) -> Diagnostic:
    """A session keyed by a field that anybody may choose, or that a run may lack."""
    return Diagnostic(
        "MX380",
        Stage.CHECK,
        f"`run.{field.name}` cannot be the key of a session with `{server}`",
        (Label(place, "runs with equal values share one session"), Label(field.span, _why_no_key(field))),
        helps=("name fields that are verified and have no `?`",),
    )


def partition_field(field: model.Field, secret: model.Secret) -> Diagnostic:
    """A secret for each value of a field that anybody may choose, or that a run may lack."""
    return Diagnostic(
        "MX381",
        Stage.CHECK,
        f"the secret `{secret.name}` cannot be `per run.{field.name}`",
        (Label(secret.span, "the field selects whose value is sent"), Label(field.span, _why_no_key(field))),
        helps=("name fields that are verified and have no `?`",),
    )


def _why_no_key(field: model.Field) -> str:
    return "a run may lack it" if field.verified else "the caller chooses its value"


def not_shared(line: model.SessionCredential, server: model.Server) -> Diagnostic:
    """A credential of the session where the agent's own opens it."""
    return Diagnostic(
        "MX382",
        Stage.CHECK,
        f"the session of `{server.name}` is not `shared`, and takes no credential of its own",
        (
            Label(line.span, "would have no effect"),
            Label(server.session.span or server.span, "this session carries the agent's credential"),
        ),
        helps=("remove the line, or write `session = shared` in the server",),
    )


def two_session_credentials(second: model.SessionCredential, first: model.SessionCredential, server: str) -> Diagnostic:
    """Two lines for the session of one server."""
    return Diagnostic(
        "MX383",
        Stage.CHECK,
        f"two credentials for the session of `{server}`",
        (Label(second.span, "this one applies"), Label(first.span, "this one too")),
        helps=("remove one of them",),
    )


def bare_handshake(server: model.Server, part: model.CredentialPart | model.SecretPart | model.TokenPart) -> Diagnostic:
    """A session that is opened by nobody in particular, although its calls carry a credential."""
    return Diagnostic(
        "MX384",
        Stage.CHECK,
        f"the handshake with `{server.name}` would carry no credential, although its calls do",
        (
            Label(server.session.span or server.span, "what opens this session knows no credential"),
            Label(part.span, "sent with calls alone"),
        ),
        notes=("a header goes on session requests only if what fixes its value is the same for the whole session",),
        helps=(f"give the session its own:\ncredential for session to {server.name} = secret.NAME",)
        if server.session.kind == "shared"
        else (f"name the fields of the secret in `session = per …` of `{server.name}`",),
        severity=Severity.WARNING,
    )


def unused_session_credential(line: model.SessionCredential, server: model.Server) -> Diagnostic:
    """A credential of the session that no header of its requests asks for."""
    return Diagnostic(
        "MX607",
        Stage.CHECK,
        "this credential is never used",
        (
            Label(line.span, f"no header for the session requests of `{server.name}` draws on it"),
            Label(server.span, "declared here"),
        ),
        severity=Severity.WARNING,
    )


def denied(line: model.SessionCredential, agents: Sequence[str], server: str, by: Sequence[Policy]) -> Diagnostic:
    """A credential of a session that one of those who share it may not present."""
    what = f"secret.{line.secret}" if line.secret is not None else f"token.{line.token}"
    names = ", ".join(f"`{policy.id}`" for policy in by) or "nothing permits it"
    users = ", ".join(f"`{agent}`" for agent in agents[:5])
    return Diagnostic(
        "MX407",
        Stage.EMIT,
        f"`{what}` may not open the session with `{server}` for {users}: {names}",
        (
            Label(line.value_span, "presented for everybody who shares the session"),
            *(Label(policy.span, f"denied by `{policy.id}`") for policy in by[:2]),
        ),
        notes=("a `deny` or `forbid` wins over everything that permits, so no rule can open this way",),
        helps=(f"give the session with `{server}` a credential that may go there, or change the policy",),
    )


def hangs_on_run(line: model.SessionCredential, agent: str, server: str, by: Sequence[Policy]) -> Diagnostic:
    """A credential of a session that policies let go for some runs and not for others."""
    what = f"secret.{line.secret}" if line.secret is not None else f"token.{line.token}"
    return Diagnostic(
        "MX389",
        Stage.EMIT,
        f"whether `{what}` may open the session with `{server}` for `{agent}` hangs on the run",
        (
            Label(line.value_span, "presented before any run is known"),
            *(Label(policy.span, "one of the policies that decide it") for policy in by[:2]),
        ),
        helps=('leave sessions out of the condition: a policy can ask for `context.via == "session"`',),
    )


def draws_on_run(line: model.SessionCredential, field: model.Field) -> Diagnostic:
    """A credential of a session that is another for each run."""
    what = f"secret.{line.secret}" if line.secret is not None else f"token.{line.token}"
    return Diagnostic(
        "MX389",
        Stage.CHECK,
        f"`{what}` draws on `run.{field.name}`, and cannot open a session",
        (Label(line.value_span, "presented before any run is known"), Label(field.span, "known with a run alone")),
        helps=("open the session with a secret, or a token, that draws on no run",),
    )


def one_source_two_tags(second: model.Secret, first: model.Secret) -> Diagnostic:
    """One value under two names, and rules that would tell them apart."""
    return Diagnostic(
        "MX385",
        Stage.CHECK,
        f"`{second.name}` and `{first.name}` are one secret and carry different tags",
        (Label(second.span, _carried(second)), Label(first.span, _carried(first))),
        notes=("tags mean the value: both names are read from the same source",),
        helps=("give both the same tags, or use one name",),
    )


def one_source_two_partitions(second: model.Secret, first: model.Secret) -> Diagnostic:
    """One entry of a provider, asked for with different partitions."""
    return Diagnostic(
        "MX386",
        Stage.CHECK,
        f"`{second.name}` and `{first.name}` are one secret with different `per`",
        (Label(second.span, _partition(second)), Label(first.span, _partition(first))),
        notes=("both names ask the same provider for the same key",),
        helps=("use two keys of the provider, or one name",),
    )


def _carried(secret: model.Secret) -> str:
    return f"carries {', '.join(f'`@{tag}`' for tag in secret.tags)}" if secret.tags else "carries no tag"


def _partition(secret: model.Secret) -> str:
    return f"a value per {', '.join(f'`run.{name}`' for name in secret.per)}" if secret.per else "one value for all"


def twin_not_denied(rule: model.Rule, named: model.Server, twin: model.Server) -> Diagnostic:
    """A `deny` of one name of a server that has two."""
    return Diagnostic(
        "MX387",
        Stage.CHECK,
        f"this `deny` names `{named.name}` and not `{twin.name}`, which is the same server",
        (
            Label(rule.span, "what it forbids could go the other way"),
            Label(twin.span, f"has the address of `{named.name}`"),
        ),
        helps=(f"name both: `{named.name}, {twin.name}`", "or deny by a tag that both carry"),
    )


def twin_not_named(kind: str, name: str, twin: str, place: Span, twin_span: Span) -> Diagnostic:
    """A Cedar policy about one name of a thing that has two."""
    return Diagnostic(
        "MX388",
        Stage.CHECK,
        f"Cedar names the {kind} `{name}` and not `{twin}`, which is the same {kind}",
        (Label(place, "speaks of one of two names"), Label(twin_span, "the other name")),
        helps=("name both, or use a tag that both carry",),
    )
