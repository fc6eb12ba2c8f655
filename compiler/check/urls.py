"""Addresses: https and canonical (RFC 3986 section 6.2.2), nothing secret in them, one place one set of tags.

What a URL may be is said in `runtime.endpoints`, which asks again when settings have their values. Here a setting is
open: a stand-in takes its place, and its default and choices do where it has some, since a table has to load with them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from mcpx.compiler import model
from mcpx.compiler.check.literals import looks_secret, secret_parameter
from mcpx.compiler.report import check_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.source import Span
from mcpx.runtime import body
from mcpx.runtime.endpoints import Endpoint, address, endpoint

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_HTTP = re.compile(r"http://(?P<host>\[[^\]]*\]|[^/:?#]*)")
_PORT_BEGUN = re.compile(r"[a-z]+://[^/?#]*:[0-9]*")
_ORIGIN = re.compile(r"(?:[a-z]+://)?[^/?#]*")


def check_urls(program: model.Program) -> Iterator[Diagnostic]:
    """The address and audience of every server, then the servers that lie at one place."""
    for server in program.servers.values():
        for url in (server.url, *(() if server.audience is None else (server.audience,))):
            yield from _faults(_with_stand_ins(url), url.span)
            yield from _with_declared(url, program)
    yield from _one_place(program)


def _with_stand_ins(url: model.Url) -> str:
    text = ""
    for number, part in enumerate(url.parts):
        if isinstance(part, model.TextPart):
            text += part.text
        elif number == 0:
            following = url.parts[1] if len(url.parts) > 1 else None
            bare_scheme = isinstance(following, model.TextPart) and following.text.startswith("://")
            text += "https" if bare_scheme else "https://a"
        else:
            text += "1" if _PORT_BEGUN.fullmatch(text) else "a"
    return text


def _with_declared(url: model.Url, program: model.Program) -> Iterator[Diagnostic]:
    """What is wrong with the address when the settings have their defaults, and then each of their choices."""
    names = dict.fromkeys(part.setting for part in url.parts if isinstance(part, model.SettingPart))
    declared = {name: _declared(program.settings[name]) for name in names}
    if not declared or not all(declared.values()):
        return
    first = {name: values[0] for name, values in declared.items()}
    others = ({**first, name: value} for name, values in declared.items() for value in values[1:])
    for settings in (first, *others):
        found = tuple(_with_values(url, settings))
        if found:
            yield from found
            return


def _declared(setting: model.Setting) -> tuple[str, ...]:
    default = () if setting.default is None else (setting.default,)
    return tuple(dict.fromkeys((*default, *setting.choices)))


def _with_values(url: model.Url, settings: dict[str, str]) -> Iterator[Diagnostic]:
    parts = [
        body.TextPart(part.text) if isinstance(part, model.TextPart) else body.SettingPart(part.setting)
        for part in url.parts
    ]
    fault = address(parts, settings)
    whole = "".join(part.text if isinstance(part, body.TextPart) else settings[part.setting] for part in parts)
    found = tuple(_faults(whole, url.span))
    yield from found
    if isinstance(fault, str) and not found:
        yield say.url_malformed(url.span, fault)


def _faults(text: str, span: Span) -> Iterator[Diagnostic]:
    rest = text.partition("://")[2]
    authority = re.split("[/?#]", rest, maxsplit=1)[0]
    if "@" in authority:
        yield say.url_user_info(span)
    if "#" in text:
        yield say.url_fragment(span)
    if _holds_secret(text):
        yield say.url_secret(span)
    if "@" not in authority and "#" not in text:
        fault = endpoint(text)
        if isinstance(fault, str):
            yield say.url_scheme(span) if _insecure(text) else say.url_malformed(span, fault)


def _holds_secret(text: str) -> bool:
    query = text.partition("?")[2].partition("#")[0]
    pairs = (pair.partition("=") for pair in re.split("[&;]", query))
    return any(secret_parameter(unquote(name)) or looks_secret(unquote(value)) for name, _, value in pairs)


def _insecure(text: str) -> bool:
    """Whether the scheme is what is wrong: neither https nor http, or http to a host that is none of this machine."""
    scheme = _SCHEME.match(text)
    if scheme is not None and scheme[1].lower() not in ("http", "https"):
        return True
    http = _HTTP.match(text)
    return (
        http is not None
        and isinstance(endpoint(f"https://{http['host']}/"), Endpoint)
        and not isinstance(endpoint(f"http://{http['host']}/"), Endpoint)
    )


def _one_place(program: model.Program) -> Iterator[Diagnostic]:
    """Tags and properties mean the place and not its name: a second name with others would be a way around a `deny`."""
    first: dict[str, model.Server] = {}
    for server in program.servers.values():
        origin = _ORIGIN.match(server.url.text)
        known = first.setdefault(origin[0] if origin else "", server)
        if set(known.tags) != set(server.tags):
            yield say.one_place_two_tags(server, known)
        elif known.properties != server.properties:
            yield say.one_place_two_properties(server, known)
