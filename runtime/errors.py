"""Everything that the runtime raises. Messages hold names, never the value of a secret or of a run.

McpxError
├── TableError            the file is no table, was changed, has another format, or contradicts itself
├── ConfigurationError    settings, secrets or an installed package that the table needs are not there
├── RunRefused            a run cannot start: unknown agent, or fields that do not fit the schema
├── CallRefused           nothing was sent
│   ├── RunRequired       no run is bound to the code that calls
│   ├── NoRoute           the table has no row for this agent and server
│   ├── HeaderRefused     a value that this header cannot carry
│   ├── ArgumentRefused   an argument of the call that its run may not send
│   └── SecretUnavailable a secret that the call needs cannot be read now
└── CallFailed            the request was sent, or tried, and there is no answer to use
    ├── ServerRefused     the server answered with an HTTP error status
    ├── RedirectRefused   the server pointed to another place; nothing was sent there
    ├── AnswerUnusable    the server answered with something that is no MCP message
    ├── CallTimedOut      no answer in time
    └── ConnectionFailed  the transport broke
"""

from __future__ import annotations


class McpxError(Exception):
    """The root of the tree."""


class TableError(McpxError):
    """The table cannot be used; nothing of it was taken."""


class ConfigurationError(McpxError):
    """What the table needs from this machine is missing; the message names all of it."""


class RunRefused(McpxError):
    """The run was not started."""


class CallRefused(McpxError):
    """The call was refused before a byte was sent."""


class RunRequired(CallRefused):
    """A call was made outside any run."""


class NoRoute(CallRefused):
    """The agent does not use this server, or there is no such server."""


class HeaderRefused(CallRefused):
    """A header's value has characters, blanks or a length that it may not have."""


class ArgumentRefused(CallRefused):
    """An argument that must equal a field of the run does not, or one that the runtime sets was given."""


class SecretUnavailable(CallRefused):
    """A secret that this call needs cannot be read at the moment."""


class CallFailed(McpxError):
    """The call left, or tried to, and failed for this caller alone."""


class ServerRefused(CallFailed):
    """The server answered with an HTTP status of 400 or more.

    Attributes:
        status: the HTTP status code (RFC 9110 section 15).
    """

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message, status)
        self.status = status

    def __str__(self) -> str:
        return str(self.args[0])


class RedirectRefused(CallFailed):
    """The server answered with a redirect, which is never followed (RFC 9110 section 15.4)."""


class AnswerUnusable(CallFailed):
    """The server answered with something that is no MCP message; nothing of its text is shown or logged."""


class CallTimedOut(CallFailed):
    """No answer within the time that the host allows."""


class ConnectionFailed(CallFailed):
    """The connection could not be made or was lost."""
