"""A table in force without its machine: what comes from an environment has stand-ins that nobody takes for values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mcpx.runtime.body import (
    Body,
    EnvSource,
    MetaStep,
    Part,
    SecretPart,
    ServerSpec,
    SettingSpec,
    TextPart,
    TokenPart,
)
from mcpx.runtime.router import Router
from mcpx.runtime.table import read, write


def offline_router(body: Body) -> Router:
    """The runtime's own router for a table, with stand-ins for secrets, tokens, settings and addresses.

    A secret `k` has the value `(secret k)`, a token `t` the value `(token t)`, an open setting `s` the value
    `(setting s)`, one with choices its first choice; every server has an address in `.invalid` (RFC 2606 section 2), to
    which nothing is ever sent. Which headers a call carries depends on none of these. No variable and no file of this
    machine is read, and nothing is signed.

    Args:
        body: as the compiler made it.
    """
    secrets = {name: f"(secret {name})" for name in body.secrets}
    tokens = {name: _free(name, secrets) for name in body.tokens}
    secrets |= {secret: f"(token {name})" for name, secret in tokens.items()}
    offline = replace(
        _without_tokens(body, tokens),
        secrets={name: EnvSource(f"secret:{name}") for name in secrets},
        settings={name: _setting(name, spec) for name, spec in body.settings.items()},
        servers={name: _server(number, spec, tokens) for number, (name, spec) in enumerate(body.servers.items())},
    )
    return Router(read(write(offline)), {f"secret:{name}": value for name, value in secrets.items()})


def _free(name: str, taken: Mapping[str, str]) -> str:
    """A name for the stand-in of a token that no secret has."""
    return _free(f"_{name}", taken) if name in taken else name


def _without_tokens(body: Body, tokens: Mapping[str, str]) -> Body:
    def parts(of: tuple[Part, ...]) -> tuple[Part, ...]:
        return tuple(SecretPart(tokens[part.token]) if isinstance(part, TokenPart) else part for part in of)

    def meta(step: MetaStep) -> MetaStep:
        return replace(step, parts=parts(step.parts))

    return replace(
        body,
        tokens={},
        claims={},
        grants={},
        programs={name: replace(program, parts=parts(program.parts)) for name, program in body.programs.items()},
        calls={name: replace(call, metas=tuple(map(meta, call.metas))) for name, call in body.calls.items()},
        rows=tuple(replace(row, tokens={}) for row in body.rows),
    )


def _setting(name: str, spec: SettingSpec) -> SettingSpec:
    value = spec.choices[0] if spec.choices else f"(setting {name})"
    return replace(spec, variable=f"setting:{name}", default=value)


def _server(number: int, spec: ServerSpec, tokens: Mapping[str, str]) -> ServerSpec:
    own = spec.session_credential
    if own is not None and own.token is not None:
        own = replace(own, secret=tokens[own.token], token=None)
    return replace(spec, url=(TextPart(f"https://server-{number}.invalid/"),), audience=(), session_credential=own)
