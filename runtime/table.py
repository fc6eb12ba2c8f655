"""The routing table: reading, verifying and writing its one exact spelling.

A table is immutable, holds no secret value, and knows nothing of the machine that built it. The file is
`{"body":…,"digest":"sha256:…"}` and a line end: JSON (RFC 8259) in UTF-8, sorted keys, no blanks. The digest is over
the body's exact bytes, and any other spelling of the same content is refused, so that one content has one digest.

No error of this module holds text of the file beyond names, nor the exception of a library that would.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from mcpx.runtime.body import (
    FORMAT,
    Body,
    Branch,
    ClaimSpec,
    ClaimStep,
    CredentialPart,
    EnvSource,
    FieldPart,
    FieldSpec,
    FileSource,
    Flow,
    GrantSpec,
    HeaderProgram,
    Origin,
    Part,
    Row,
    SecretPart,
    ServerSpec,
    SettingPart,
    SettingSpec,
    SourceDigest,
    Step,
    TextPart,
    TokenPart,
    TokenSpec,
)
from mcpx.runtime.errors import TableError
from mcpx.runtime.files import NotRegularError, read_regular
from mcpx.runtime.integrity import fault

__all__ = [
    "FORMAT",
    "MAX_BYTES",
    "Body",
    "Branch",
    "ClaimSpec",
    "ClaimStep",
    "CredentialPart",
    "EnvSource",
    "FieldPart",
    "FieldSpec",
    "FileSource",
    "Flow",
    "GrantSpec",
    "HeaderProgram",
    "Origin",
    "Part",
    "Row",
    "SecretPart",
    "ServerSpec",
    "SettingPart",
    "SettingSpec",
    "SourceDigest",
    "Step",
    "Table",
    "TextPart",
    "TokenPart",
    "TokenSpec",
    "load",
    "read",
    "write",
]

MAX_BYTES: Final = 256 * 1024 * 1024
"""The largest file that is read; a table of 1,000 agents and 1,000 servers is far below."""

_BODY: Final[TypeAdapter[Body]] = TypeAdapter(Body)
_HEAD: Final = b'{"body":'
_TAIL: Final = re.compile(rb',"digest":"(sha256:[0-9a-f]{64})"\}\n')
_TAIL_LENGTH: Final = len(',"digest":"sha256:"}\n') + 64
_NAME: Final = re.compile(r"[A-Za-z0-9_.:-]{1,100}")


@dataclass(frozen=True, slots=True)
class Table:
    """A body and the digest of its exact bytes (`sha256:` and 64 hexadecimal digits)."""

    body: Body
    digest: str


def write(body: Body) -> bytes:
    """The bytes of a table file.

    Args:
        body: what the table says; plain mappings are as good as frozen ones.

    Returns:
        Bytes that `read` accepts, the same for equal bodies.

    Raises:
        TableError: `read` would refuse it.
    """
    content = _spelling(_BODY.dump_python(body, mode="json", warnings="error"))
    if content is None:
        raise TableError("the table holds text that is not Unicode")
    data = _HEAD + content + f',"digest":"{_digest(content)}"}}\n'.encode("ascii")
    read(data)
    return data


def load(path: str | os.PathLike[str]) -> Table:
    """The table in a file.

    Args:
        path: a regular file, or a link to one.

    Raises:
        TableError: the file cannot be read, or `read` refuses its content.
    """
    return read(_file(path))


def read(data: bytes) -> Table:
    """The table that `data` spells, verified and frozen.

    Args:
        data: the whole content of a table file.

    Raises:
        TableError: too large, not this format, not the exact spelling, a digest that does not fit, unknown or missing
            keys, values of another type, or parts that contradict each other.
    """
    if len(data) > MAX_BYTES:
        raise TableError(f"the table is larger than {MAX_BYTES} bytes")
    whole = _parsed(data)
    _require_format(whole)
    tail = _TAIL.fullmatch(data, max(0, len(data) - _TAIL_LENGTH))
    if tail is None or not data.startswith(_HEAD):
        raise TableError("the table is not spelled as the compiler writes it")
    content = data[len(_HEAD) : tail.start()]
    digest = _digest(content)
    if tail[1].decode("ascii") != digest:
        raise TableError("the table was changed: its digest does not fit its content")
    if content != _spelling(whole["body"]):
        raise TableError("the table is not spelled as the compiler writes it")
    body = _validated(content)
    if content != _spelling(_BODY.dump_python(body, mode="json")):
        raise TableError("the table does not fit its model: a key is missing")
    contradiction = fault(body)
    if contradiction is not None:
        raise TableError(f"the table contradicts itself: {contradiction}")
    return Table(body, digest)


def _file(path: str | os.PathLike[str]) -> bytes:
    try:
        return read_regular(path, MAX_BYTES)[0]
    except NotRegularError:
        problem = "is not a regular file"
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
    except (TypeError, ValueError):
        raise TableError("the table's place is no path of a file") from None
    raise TableError(f"the table {os.fspath(path)} {problem}")


def _digest(content: bytes) -> str:
    return "sha256:" + hashlib.sha256(content).hexdigest()


def _spelling(content: Any) -> bytes | None:
    """The one spelling of a JSON value, or nothing for a value that has none."""
    try:
        text = json.dumps(content, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
        return text.encode("utf-8")
    except ValueError:
        return None


def _parsed(data: bytes) -> Any:
    parsed = False
    value = None
    try:
        value = from_json(data)
        parsed = True
    except ValueError:
        pass
    # Raised outside the handler: an exception's context would hold the library's words about the content.
    if not parsed:
        raise TableError("the table is not JSON, or nested too deeply")
    return value


def _require_format(content: Any) -> None:
    """The first question about a table: one of another format is an error of its own, whatever else it holds."""
    body = content.get("body") if isinstance(content, dict) else None
    number = body.get("format") if isinstance(body, dict) else None
    if type(number) is not int or not 0 <= number < 2**31:
        raise TableError("this is not a routing table: it has no format number")
    if number != FORMAT:
        raise TableError(f"the table has format {number}; this runtime reads format {FORMAT}")


def _validated(content: bytes) -> Body:
    body = misfit = None
    try:
        body = _BODY.validate_json(content)
    except ValidationError as error:
        first = error.errors(include_input=False, include_context=False, include_url=False)[0]
        place = ".".join(str(step) if _NAME.fullmatch(str(step)) else "?" for step in first["loc"])
        misfit = f"the table does not fit its model at {place}: {first['type']}"
    # Raised outside the handler: a ValidationError holds the content it complains about.
    if body is None:
        raise TableError(misfit)
    return body
