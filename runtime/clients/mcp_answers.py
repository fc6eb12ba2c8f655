"""What a server may answer with: MCP messages alone (streamable HTTP, "Sending Messages to the Server").

The SDK quotes an answer that it cannot parse in its exceptions and logs, and a server may echo a request's headers. So
such an answer is stopped here, before the SDK sees it, and its text goes nowhere.
"""

from __future__ import annotations

import re
from typing import Final

from mcp_types import JSONRPCError, JSONRPCMessage, JSONRPCResponse, jsonrpc_message_adapter
from pydantic import ValidationError

MAX_MESSAGE_BYTES: Final = 16 * 1024 * 1024
"""The longest message that is read from a server: a JSON body, or one event of a stream."""

_LINE_END: Final = re.compile(rb"\r\n|\n|\r(?=[^\n])")


def json_fault(content: bytes, request_id: int | str) -> str | None:
    """Why a JSON body is no answer to a request, as a clause without its text; nothing when it is one."""
    message = _message(content)
    if message is None:
        return "is no JSON-RPC message"
    if not isinstance(message, JSONRPCResponse | JSONRPCError):
        return "is a message, but no answer"
    return None if _answers(message, request_id) else "has the id of another request"


class UnusableEventError(Exception):
    """An event that may not be handed on; the text is a clause that says why, without its text."""


class EventFilter:
    """Lets whole events of an event stream through, once their data is known to be a message that may come there.

    Events of other types than `message` are dropped: MCP gives them no meaning. Source of the line grammar: the HTML
    standard, "Server-sent events".

    Args:
        request_id: of the request that the stream belongs to; None for the session's own stream, which carries no
            answers (streamable HTTP, "Listening for Messages from the Server").
    """

    def __init__(self, request_id: int | str | None) -> None:
        self._request_id = request_id
        self._buffer = bytearray()
        self._event = bytearray()
        self._data: list[bytes] = []
        self._type = b"message"

    def feed(self, chunk: bytes) -> bytes:
        """The events that are complete by now, as they came, without comments.

        Raises:
            UnusableEventError: the data of an event is no message that may come here, or is too long.
        """
        # A carriage return that ended the chunk before is an end of line only if no line feed follows.
        unseen = max(0, len(self._buffer) - 1)
        self._buffer += chunk
        passed = bytearray()
        start = 0
        for before, after in [found.span() for found in _LINE_END.finditer(self._buffer, unseen)]:
            passed += self._line(bytes(self._buffer[start:before]), bytes(self._buffer[start:after]))
            start = after
        del self._buffer[:start]
        self._require_short(len(self._buffer))
        return bytes(passed)

    def _line(self, line: bytes, whole: bytes) -> bytes:
        if line.startswith(b":"):
            return b""
        self._require_short(len(line))
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

    def _require_short(self, more: int) -> None:
        if len(self._event) + more > MAX_MESSAGE_BYTES:
            raise UnusableEventError(f"is longer than {MAX_MESSAGE_BYTES} bytes")

    def _require_message(self, data: bytes) -> None:
        message = _message(data)
        if message is None:
            raise UnusableEventError("is no JSON-RPC message")
        if not isinstance(message, JSONRPCResponse | JSONRPCError):
            return
        if self._request_id is None:
            raise UnusableEventError("is an answer where nothing was asked")
        if not _answers(message, self._request_id):
            raise UnusableEventError("has the id of another request")


def _message(content: bytes) -> JSONRPCMessage | None:
    try:
        return jsonrpc_message_adapter.validate_json(content, by_name=False)
    except ValidationError:
        return None


def _answers(message: JSONRPCResponse | JSONRPCError, request_id: int | str) -> bool:
    """JSON-RPC 2.0 section 5: the id of an error may be null where the request's could not be read."""
    return message.id == request_id or (isinstance(message, JSONRPCError) and message.id is None)
