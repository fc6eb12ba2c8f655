"""A program with an overlay applied to it: the same rules, headers and tags, at another place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mcpx.compiler import model


def applied(program: model.Program, overlay: model.Overlay) -> model.Program:
    """The program that an overlay makes of another.

    Args:
        program: the resolved program, which is left as it is.
        overlay: one of its overlays.
    """
    servers, tokens, grants = dict(program.servers), dict(program.tokens), dict(program.grants)
    settings, secrets = dict(program.settings), dict(program.secrets)
    for change in overlay.changes:
        match change:
            case model.ServerChange(server=name, key="url", value=value):
                servers[name] = replace(servers[name], url=value)
            case model.ServerChange(server=name, value=value):
                servers[name] = replace(servers[name], audience=value)
            case model.IssuersChange(server=name, value=issuers):
                servers[name] = replace(servers[name], authorization_servers=issuers)
            case model.LifetimeChange(kind="token", name=name, seconds=seconds):
                tokens[name] = replace(tokens[name], ttl=seconds)
            case model.LifetimeChange(name=name, seconds=seconds):
                grants[name] = replace(grants[name], ttl=seconds)
            case model.SettingChange(setting=setting):
                settings[setting.name] = setting
            case model.SecretChange(secret=name, source=source, span=span):
                secrets[name] = replace(secrets[name], source=source, span=span)
    return replace(
        program, servers=servers, tokens=tokens, grants=grants, settings=settings, secrets=secrets, overlays={}
    )


def variants(program: model.Program) -> Mapping[str | None, model.Program]:
    """The program itself (`None`) and what each overlay makes of it, by the overlay's name."""
    return {None: program} | {name: applied(program, overlay) for name, overlay in program.overlays.items()}
