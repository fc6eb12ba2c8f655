"""What a server may answer with: MCP messages alone (streamable HTTP, "Sending Messages to the Server").

The SDK quotes an answer that it cannot parse in its exceptions and logs, and a server may echo a request's headers. So
such an answer is stopped here, before the SDK sees it, and its text goes nowhere.
"""

from __future__ import annotations

import re

from mcp_types import JSONRPCError, JSONRPCResponse, jsonrpc_message_adapter
from pydantic import ValidationError

_LINE_END = re.compile(rb"\r\n|\n|\r(?=[^\n])")


def json_fault(content: bytes, request_id: int | str) -> str | None:
    """Why a JSON body is no answer to a request, as a clause without its text; nothing when it is one."""
    try:
        message = jsonrpc_message_adapter.validate_json(content, by_name=False)
    except ValidationError:
        return "is no JSON-RPC message"
    if not isinstance(message, JSONRPCResponse | JSONRPCError):
        return "is a message, but no answer"
    # JSON-RPC 2.0 section 5: the id of an error may be null where the request's could not be read.
    if message.id != request_id and not (isinstance(message, JSONRPCError) and message.id is None):
        return "has the id of another request"
    return None


class EventFilter:
    """Lets whole events of an event stream through, once their data is known to be a JSON-RPC message.

    Events of other types than `message` are dropped: MCP gives them no meaning. Source of the line grammar: the HTML
    standard, "Server-sent events".
    """

    def __init__(self) -> None:
        self._rest = b""
        self._event = bytearray()
        self._data: list[bytes] = []
        self._type = b"message"

    def feed(self, chunk: bytes) -> bytes:
        """The events that are complete by now, as they came.

        Raises:
            ValueError: the data of an event is no JSON-RPC message.
        """
        buffer = self._rest + chunk
        passed = bytearray()
        start = 0
        for end in _LINE_END.finditer(buffer):
            passed += self._line(buffer[start : end.start()], buffer[start : end.end()])
            start = end.end()
        self._rest = buffer[start:]
        return bytes(passed)

    def _line(self, line: bytes, whole: bytes) -> bytes:
        self._event += whole
        if line:
            name, _, value = line.partition(b":")
            if name == b"data":
                self._data.append(value.removeprefix(b" "))
            elif name == b"event":
                self._type = value.removeprefix(b" ") or b"message"
            return b""
        event, data, kind = bytes(self._event), b"\n".join(self._data), self._type
        self._event.clear()
        self._data.clear()
        self._type = b"message"
        if kind != b"message":
            return b""
        if data:  # an event without data only gives the stream an id to resume from
            self._require_message(data)
        return event

    @staticmethod
    def _require_message(data: bytes) -> None:
        try:
            jsonrpc_message_adapter.validate_json(data, by_name=False)
        except ValidationError:
            raise ValueError("an event that is no JSON-RPC message") from None
