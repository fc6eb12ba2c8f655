"""Whether a table agrees with itself: every name leads somewhere, and no row sends what its own decisions forbid.

The compiler proves more than this. Checked here is what the runtime relies on when it follows the table blindly.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from mcpx.runtime.body import (
    Body,
    CredentialPart,
    CredentialSource,
    EnvSource,
    FieldPart,
    FieldSpec,
    Flow,
    Guard,
    HeaderProgram,
    ProviderSource,
    Row,
    SecretPart,
    SettingPart,
    Step,
    TextPart,
    TokenPart,
)
from mcpx.runtime.call_faults import (
    agreement_faults,
    call_faults,
    row_call_faults,
    row_session_faults,
    selecting,
    session_faults,
)
from mcpx.runtime.decision_faults import decided, own_faults
from mcpx.runtime.encodings import Encoding, encodable
from mcpx.runtime.fields import FieldRule
from mcpx.runtime.guard_faults import guard_faults
from mcpx.runtime.names import fold, forbidden, is_token, only_typed
from mcpx.runtime.token_faults import row_faults, token_faults
from mcpx.runtime.wording import NAME, quoted

_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
_VARIABLE: Final = re.compile(r"[^=\x00-\x20\x7f]+")
_FILE_NAME: Final = re.compile(r"(?!\.)[A-Za-z0-9_.-]{1,255}")
_TEXT: Final = re.compile(r"[\x20-\x7e]+")


def fault(body: Body) -> str | None:
    """The first contradiction, as a sentence with names alone; nothing for a sound table."""
    return next(_faults(body), None)


def _faults(body: Body) -> Iterator[str]:
    yield from _name_faults(body)
    yield from _source_faults(body)
    yield from _field_faults(body)
    yield from _setting_faults(body)
    yield from _secret_faults(body)
    yield from _server_faults(body)
    yield from _program_faults(body)
    named = frozenset(guard for guard in _guards(body) if isinstance(guard, str))
    if not body.guards.keys() >= named:
        yield "a header or flow has a guard that is not listed"
        return
    guards = tuple(guard_faults(body.guards, named, body.fields))
    yield from guards
    if guards:
        return
    yield from _plan_faults(body)
    yield from _flow_faults(body)
    yield from token_faults(body)
    yield from session_faults(body)
    yield from call_faults(body)
    rows = tuple(_row_faults(body))
    yield from rows or agreement_faults(body)


def _name_faults(body: Body) -> Iterator[str]:
    named = (
        ("field", body.fields),
        ("setting", body.settings),
        ("secret", body.secrets),
        ("server", body.servers),
        ("agent", body.agents),
    )
    for kind, names in named:
        if not all(NAME.fullmatch(name) for name in names):
            yield f"the name of a {kind} is none of the language"
    if not all(NAME.fullmatch(group) for groups in body.agents.values() for group in groups):
        yield "the name of a group is none of the language"


def _source_faults(body: Body) -> Iterator[str]:
    names = {source.name for source in body.sources}
    if len(names) != len(body.sources):
        yield "a source is listed twice"
    if not all(_DIGEST.fullmatch(source.digest) for source in body.sources):
        yield "the digest of a source is none"
    for policy, origin in body.policies.items():
        if origin.file not in names:
            yield f"policy {quoted(policy)} comes from a source that is not listed"
        if origin.line < 1 or origin.column < 1:
            yield f"policy {quoted(policy)} comes from a place that no file has"


def _field_faults(body: Body) -> Iterator[str]:
    for name, spec in body.fields.items():
        if (spec.kind == "choice") is not bool(spec.choices) or _repeated(spec.choices):
            yield f"field `{name}` and its choices do not fit"
        if spec.matches is not None and spec.kind not in ("string", "list"):
            yield f"field `{name}` has a pattern, and values that are no text"
        if spec.max < 1 or spec.items < 1:
            yield f"field `{name}` has a bound below 1"
        if spec.default is not None and spec.verified:
            yield f"field `{name}` is verified, and a default would invent it"
        yield from _default_faults(name, spec)


def _default_faults(name: str, spec: FieldSpec) -> Iterator[str]:
    try:
        rule = FieldRule(spec)
    except ValueError:
        yield f"field `{name}` has a pattern that does not run in linear time"
        return
    if spec.default is not None and rule.fault(spec.default) is not None:
        yield f"field `{name}` has a default that its type does not allow"


def _setting_faults(body: Body) -> Iterator[str]:
    for name, spec in body.settings.items():
        if not _VARIABLE.fullmatch(spec.variable):
            yield f"setting `{name}` names no environment variable"
        if _repeated(spec.choices) or "" in spec.choices or spec.default == "":
            yield f"setting `{name}` has a choice or default that is empty or repeated"
        if spec.choices and spec.default is not None and spec.default not in spec.choices:
            yield f"setting `{name}` has a default that is none of its choices"


def _secret_faults(body: Body) -> Iterator[str]:
    open_variables = {spec.variable for spec in body.settings.values()}
    for name, source in body.secrets.items():
        if isinstance(source, EnvSource):
            if not _VARIABLE.fullmatch(source.env):
                yield f"secret `{name}` names no environment variable"
            if source.env in open_variables:
                yield f"secret `{name}` has the environment variable of a setting"
        elif isinstance(source, CredentialSource):
            if not _FILE_NAME.fullmatch(source.credential):
                yield f"secret `{name}` names no file of the service's credentials"
        elif isinstance(source, ProviderSource):
            if not NAME.fullmatch(source.provider):
                yield f"secret `{name}` names no provider"
        elif not source.file.startswith("/") or "\0" in source.file:
            yield f"secret `{name}` has no absolute path"


def _server_faults(body: Body) -> Iterator[str]:
    for name, server in body.servers.items():
        settings = (part.setting for part in server.url if isinstance(part, SettingPart))
        if not server.url or not body.settings.keys() >= set(settings):
            yield f"server `{name}` has a URL of nothing, or of a setting that is not listed"


def _program_faults(body: Body) -> Iterator[str]:
    for program in body.programs.values():
        name = program.name
        if not is_token(name):
            yield "the name of a header is no token"
        elif (owner := forbidden(name)) is not None:
            yield f"header `{name}` belongs to {owner}"
        elif only_typed(name) and not _carries_one_secret(program):
            yield f"header `{name}` takes exactly one credential, secret or token"
        elif not program.parts or not _parts_exist(body, program):
            yield f"header `{name}` is made of nothing, or of what is not listed"
        else:
            yield from _field_part_faults(body, program)


def _field_part_faults(body: Body, program: HeaderProgram) -> Iterator[str]:
    specs = [body.fields[field] for field in _fields(program)]
    if program.encode is None and any(spec.kind == "list" for spec in specs):
        yield f"header `{program.name}` draws on a list, and has no encoding for it"
    elif program.encode is not None and not _encoding_fits(program, program.encode, specs):
        yield f"header `{program.name}` has an encoding that does not fit what it is made of"
    if len({spec.verified for spec in specs}) > 1:
        yield f"header `{program.name}` mixes verified and claimed fields"
    if not program.optional and any(spec.optional for spec in specs):
        yield f"header `{program.name}` is always sent, and draws on a field that may be missing"


def _encoding_fits(program: HeaderProgram, encoding: Encoding, specs: list[FieldSpec]) -> bool:
    """An encoding is for the whole value, which is one field of its type."""
    return len(program.parts) == len(specs) == 1 and specs[0].kind in encodable(encoding)


def _parts_exist(body: Body, program: HeaderProgram) -> bool:
    for part in program.parts:
        match part:
            case TextPart(text):
                exists = _TEXT.fullmatch(text) is not None
            case FieldPart(field):
                exists = field in body.fields
            case SecretPart(secret):
                exists = secret in body.secrets
            case SettingPart(setting):
                exists = setting in body.settings
            case TokenPart(token):
                exists = token in body.tokens
            case CredentialPart():
                exists = True
        if not exists:
            return False
    return True


def _carries_one_secret(program: HeaderProgram) -> bool:
    varying = [part for part in program.parts if not isinstance(part, TextPart)]
    return len(varying) == 1 and isinstance(varying[0], CredentialPart | SecretPart | TokenPart)


def _plan_faults(body: Body) -> Iterator[str]:
    for name, steps in body.plans.items():
        if not all(step.program in body.programs for step in steps):
            yield f"plan {quoted(name)} has a header that is not listed"
            continue
        if _repeated(fold(body.programs[step.program].name) for step in steps):
            yield f"plan {quoted(name)} has a header twice"
        for step in steps:
            yield from _step_faults(body, step)


def _step_faults(body: Body, step: Step) -> Iterator[str]:
    program = body.programs[step.program]
    if step.send is not True and not program.optional:
        yield f"header `{program.name}` is always sent, and is left out"
    drawing = bool(_fields(program))
    if not decided(body, step.by, step.own, permitted=step.send is not False, drawing=drawing):
        yield f"header `{program.name}` is not decided by policies that are listed"


def _flow_faults(body: Body) -> Iterator[str]:
    for name, flows in body.flows.items():
        if flows.keys() != body.fields.keys():
            yield f"flows {quoted(name)} are not those of the fields of a run"
        if not all(decided(body, flow.by, permitted=flow.permitted is not False) for flow in flows.values()):
            yield f"flows {quoted(name)} are not decided by policies that are listed"


def _row_faults(body: Body) -> Iterator[str]:
    if _repeated((row.agent, row.server) for row in body.rows):
        yield "a pair of agent and server has two rows"
    for row in body.rows:
        pair = f"the row of agent {quoted(row.agent)} and server {quoted(row.server)}"
        if row.agent not in body.agents or row.server not in body.servers:
            yield f"{pair} is for a pair that does not exist"
        elif row.plan not in body.plans or row.flows not in body.flows:
            yield f"{pair} has a plan or flows that are not listed"
        elif not decided(body, row.by, ("uses",) if "uses" in row.own else (), permitted=True):
            yield f"{pair} is not decided by policies that are listed"
        else:
            yield from (f"{pair} {what}" for what in _content_faults(body, row))


def _content_faults(body: Body, row: Row) -> Iterator[str]:
    steps = [(step, body.programs[step.program]) for step in body.plans[row.plan]]
    sent = [program for step, program in steps if step.send is not False]
    if row.credential is None and any(_needs_credential(program) for program in sent):
        yield "has no credential, and sends one"
    if row.credential is not None and row.credential not in body.secrets:
        yield "has a credential that is not listed"
    call = None if row.call is None else body.calls.get(row.call)
    metas = () if call is None else call.metas
    needs = (*(program.parts for _, program in steps), *(meta.parts for meta in metas))
    if row.credential is not None and not any(isinstance(part, CredentialPart) for parts in needs for part in parts):
        yield "has a credential that no header asks for"
    flows = body.flows[row.flows]
    drawn = [(step, (*_fields(program), *selecting(body, program.parts, row.credential))) for step, program in steps]
    if any(_stopped(step, flows[field]) for step, fields in drawn for field in fields):
        yield "sends a field that may not reach the server"
    yield from own_faults(body, row)
    yield from row_faults(body, row)
    yield from row_call_faults(body, row)
    yield from row_session_faults(body, row)


def _stopped(step: Step, flow: Flow) -> bool:
    """What a header sends to every run may flow for every run, and what it sends to some may flow for some."""
    return flow.permitted is False if isinstance(step.send, str) else step.send and flow.permitted is not True


def _guards(body: Body) -> Iterator[Guard]:
    for steps in body.plans.values():
        yield from (step.send for step in steps)
    for flows in body.flows.values():
        yield from (flow.permitted for flow in flows.values())
    for call in body.calls.values():
        yield from (meta.send for meta in call.metas)
    for claims in body.claims.values():
        yield from (claim.send for claim in claims)


def _needs_credential(program: HeaderProgram) -> bool:
    return any(isinstance(part, CredentialPart) for part in program.parts)


def _fields(program: HeaderProgram) -> tuple[str, ...]:
    return tuple(part.field for part in program.parts if isinstance(part, FieldPart))


def _repeated(items: Iterable[object]) -> bool:
    listed = list(items)
    return len(set(listed)) != len(listed)
