"""A table in force without its machine: what comes from an environment has stand-ins that nobody takes for values."""

from __future__ import annotations

from dataclasses import replace

from mcpx.runtime.body import Body, EnvSource, ServerSpec, SettingSpec, TextPart
from mcpx.runtime.router import Router
from mcpx.runtime.table import read, write


def offline_router(body: Body) -> Router:
    """The runtime's own router for a table, with stand-ins for secrets, settings and addresses.

    A secret `k` has the value `(secret k)`, an open setting `s` the value `(setting s)`, one with choices its first
    choice; every server has an address in `.invalid` (RFC 2606 section 2), to which nothing is ever sent. Which headers
    a call carries depends on none of these. No variable and no file of this machine is read.

    Args:
        body: as the compiler made it.
    """
    variables = {name: f"secret:{name}" for name in body.secrets}
    offline = replace(
        body,
        secrets={name: EnvSource(variable) for name, variable in variables.items()},
        settings={name: _setting(name, spec) for name, spec in body.settings.items()},
        servers={name: _server(number, spec) for number, (name, spec) in enumerate(body.servers.items())},
    )
    return Router(
        read(write(offline)), {variable: f"({variable.replace(':', ' ')})" for variable in variables.values()}
    )


def _setting(name: str, spec: SettingSpec) -> SettingSpec:
    value = spec.choices[0] if spec.choices else f"(setting {name})"
    return replace(spec, variable=f"setting:{name}", default=value)


def _server(number: int, spec: ServerSpec) -> ServerSpec:
    return replace(spec, url=(TextPart(f"https://server-{number}.invalid/"),))
