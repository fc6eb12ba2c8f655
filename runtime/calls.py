"""What a call carries besides headers: keys of `params._meta`, and arguments that a run has a say in."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from mcpx.runtime.redacted import Facts, Headers, Redacted, Value

_LABEL: Final = r"[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_KEY: Final = re.compile(rf"(?:(?P<prefix>{_LABEL}(?:\.{_LABEL})*)/)?[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?")
_OWN_LABELS: Final = frozenset({"modelcontextprotocol", "mcp"})
_OWN_NAMES: Final = frozenset({"progresstoken", "traceparent", "tracestate", "baggage"})


@dataclass(frozen=True, slots=True)
class ArgumentRule:
    """An argument, by its name at the top level of a call's arguments, and the run field that it must equal or gets."""

    argument: str
    field: str


class Call(Redacted):
    """What one call carries, ready to be sent; its text shows nothing of it.

    Attributes:
        headers: of its HTTP request.
        params: of its JSON-RPC message; nothing where it has none.
    """

    __slots__ = ("headers", "params")
    headers: Headers
    params: dict[str, Any] | None

    def __init__(self, headers: Headers, params: dict[str, Any] | None) -> None:
        self._hold(headers=headers, params=params)


def key_fault(key: str) -> str | None:
    """Why a file may not set this key of `_meta`, as a clause; nothing when it may.

    Sources: MCP, "General fields: `_meta`" (form, and prefixes that are kept for MCP), and the keys that MCP gives a
    meaning of its own, among them those of trace contexts. Any label of a prefix but its last may make it MCP's.
    """
    found = _KEY.fullmatch(key)
    if found is None:
        return "a key is `name` or `prefix/name`, of letters, digits, `-`, `_` and `.`"
    labels = (found["prefix"] or "").lower().split(".")
    if _OWN_LABELS.intersection((*labels[:-1], *labels[1:2])) or labels[0] in _OWN_LABELS:
        return "a prefix that MCP keeps for itself"
    return "a key that MCP or tracing gives a meaning of its own" if key.lower() in _OWN_NAMES else None


def without_keys(params: Mapping[str, Any] | None, keys: Collection[str]) -> dict[str, Any] | None:
    """A copy of a message's params in which none of these keys of `_meta` is set; `_meta` goes when nothing is left."""
    if params is None:
        return None
    copy = dict(params)
    meta = copy.get("_meta")
    if isinstance(meta, Mapping):
        copy["_meta"] = {key: value for key, value in meta.items() if key not in keys}
        if not copy["_meta"]:
            del copy["_meta"]
    return copy


def with_meta(params: dict[str, Any] | None, values: Mapping[str, Any]) -> dict[str, Any] | None:
    """The params with these values under `_meta`."""
    if not values:
        return params
    given = {} if params is None else params
    meta = given.get("_meta")
    return {**given, "_meta": {**(meta if isinstance(meta, Mapping) else {}), **values}}


def with_arguments(
    method: str,
    params: dict[str, Any] | None,
    rules: tuple[Iterable[ArgumentRule], Iterable[ArgumentRule]],
    facts: Facts,
    takes: Collection[str] | None,
) -> dict[str, Any] | str | None:
    """The params of a call with its arguments checked and set.

    Args:
        method: its JSON-RPC method.
        params: a copy, which is changed at its top level alone.
        rules: the arguments that must equal a field, and those that are set to one.
        facts: the fields of the run.
        takes: the names of the arguments that the called tool has; None where its schema was not read.

    Returns:
        New params, or a clause that names the argument which is refused. Nothing is raised: a traceback through here
        could show values.
    """
    checked, given = tuple(rules[0]), tuple(rules[1])
    if not checked and not given:
        return params
    copied = _copied(method, params)
    if isinstance(copied, str):
        return copied
    params, places = copied
    for place in places:
        for rule in given:
            if rule.argument in place:
                return f"argument `{rule.argument}` is set by the runtime alone"
        for rule in checked:
            if rule.argument in place and not _same(place[rule.argument], facts.value(rule.field)):
                return f"argument `{rule.argument}` is not field `{rule.field}` of the run"
    return _set(params, given, facts, takes) if method == "tools/call" and given else params


def _set(
    params: dict[str, Any] | None, rules: Iterable[ArgumentRule], facts: Facts, takes: Collection[str] | None
) -> dict[str, Any] | str | None:
    if takes is None:
        return "the schema of the tool was not read on this connection"
    own: dict[str, Any] = {}
    for rule in rules:
        value = facts.value(rule.field)
        if rule.argument in takes and value is not None:
            own[rule.argument] = list(value) if isinstance(value, tuple) else value
    if not own:
        return params
    params = {} if params is None else params
    return {**params, "arguments": {**(params.get("arguments") or {}), **own}}


def _copied(
    method: str, params: dict[str, Any] | None
) -> tuple[dict[str, Any] | None, tuple[Mapping[str, Any], ...]] | str:
    """The params with copies of everything that holds arguments, and those copies; a clause for what holds none."""
    if params is None or method not in ("tools/call", "prompts/get", "completion/complete"):
        return params, ()
    if method != "completion/complete":
        arguments = _mapping(params.get("arguments"))
        if arguments is None:
            return "its arguments are no JSON object"
        return ({**params, "arguments": arguments} if "arguments" in params else params), (arguments,)
    argument, context = _mapping(params.get("argument")), _mapping(params.get("context"))
    known = None if context is None else _mapping(context.get("arguments"))
    if argument is None or context is None or known is None:
        return "its arguments are no JSON object"
    copy = {**params, "argument": argument}
    if "context" in params:
        copy["context"] = {**context, "arguments": known} if "arguments" in context else context
    name = argument.get("name")
    if type(name) is not str and argument:
        return "its argument has no name"
    return copy, ({name: argument.get("value")} if type(name) is str else {}, known)


def _mapping(given: object) -> dict[str, Any] | None:
    """A copy of a JSON object; an empty one for nothing, nothing for what is none."""
    if given is None:
        return {}
    copy = dict(given) if isinstance(given, Mapping) else None
    return copy if copy is not None and all(type(key) is str for key in copy) else None


def _same(given: object, field: Value | None) -> bool:
    """Whether two JSON values are equal and of one type; a field that is missing equals nothing."""
    if isinstance(field, tuple):
        return isinstance(given, list | tuple) and all(type(item) is str for item in given) and tuple(given) == field
    return field is not None and type(given) is type(field) and given == field
