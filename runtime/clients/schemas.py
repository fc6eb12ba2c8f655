"""The tools that a session listed, as far as arguments are set for them: what each takes, and what a host may see."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_MIRRORED: Final = "x-mcp-header"


class ToolSchemas:
    """What one session knows of its server's tools. Arguments that the runtime sets are hidden from what was listed.

    Args:
        hidden: the names of the arguments that the runtime sets.
    """

    def __init__(self, hidden: frozenset[str]) -> None:
        self._hidden = hidden
        self._asked: set[int | str] = set()
        self._takes: dict[str, frozenset[str]] = {}

    def asked(self, request_id: int | str) -> None:
        """Take the answer to this request for a list of tools."""
        if self._hidden:
            self._asked.add(request_id)

    def forget(self, request_id: int | str | None) -> None:
        """Expect no answer to this request any more."""
        if request_id is not None:
            self._asked.discard(request_id)

    def answered(self, request_id: int | str, result: Mapping[str, Any]) -> dict[str, Any] | None:
        """What a host may see of an answer, which is read on the way; nothing when it is no list of tools.

        A tool that mirrors a hidden argument into a header (MCP 2026-07-28, `x-mcp-header`) is left out: the client
        library could not send that header.
        """
        if request_id not in self._asked:
            return None
        self._asked.discard(request_id)
        listed = result.get("tools")
        tools = listed if isinstance(listed, list) else []
        return {**result, "tools": [shown for tool in tools if (shown := self._read(tool)) is not None]}

    def takes(self, tool: object) -> frozenset[str] | None:
        """The names of the arguments of a tool; nothing for one that was not listed on this session."""
        return self._takes.get(tool) if isinstance(tool, str) else None

    def _read(self, tool: Any) -> dict[str, Any] | None:
        schema = tool.get("inputSchema") if isinstance(tool, Mapping) else None
        if not isinstance(schema, Mapping) or not isinstance(tool.get("name"), str):
            return None
        properties = schema.get("properties")
        known = dict(properties) if isinstance(properties, Mapping) else {}
        hidden = self._hidden & known.keys()
        if any(isinstance(known[name], Mapping) and _MIRRORED in known[name] for name in hidden):
            self._takes.pop(tool["name"], None)
            return None
        self._takes[tool["name"]] = frozenset(known)
        if not hidden:
            return dict(tool)
        shown = {**schema, "properties": {name: known[name] for name in known if name not in hidden}}
        if isinstance(schema.get("required"), list):
            shown["required"] = [name for name in schema["required"] if name not in hidden]
        return {**tool, "inputSchema": shown}
