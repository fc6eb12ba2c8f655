"""The size budget of each server, proved from the declared maxima: what common servers and proxies take."""

from __future__ import annotations

from collections.abc import Iterator

from mcpx.compiler import model
from mcpx.compiler.encodings import encoding_of
from mcpx.compiler.patterns import can_hold
from mcpx.compiler.report import check_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic, Severity
from mcpx.runtime.encodings import Encoding, encode
from mcpx.runtime.names import MAX_FIELD, MAX_FIELDS

_FIELD = ((MAX_FIELD, Severity.ERROR), (4_000, Severity.WARNING))
_TOTAL = ((MAX_FIELDS, Severity.ERROR), (6_000, Severity.WARNING))
_COUNT = ((90, Severity.ERROR), (50, Severity.WARNING))
_TOKEN_FRAME = 640
"""The header of a token, and the claims of the runtime but for the issuer and the client: names, ids, times, digest."""
_SIGNATURE = 86
_LONGEST_INT = len(str(-(2**63)))


def check_sizes(program: model.Program) -> Iterator[Diagnostic]:
    """Each header, encoded, all headers, and their number. Secrets and settings are measured at load."""
    for server in program.servers.values():
        sizes = {header: _size(header, program) for header in server.headers}
        for header, size in sizes.items():
            if (over := _over(size, _FIELD)) is not None:
                yield say.header_size(header, size, *over)
        total = sum(sizes.values())
        # One long header is the cause where it alone makes them too many; a warning about it hides no error.
        worst = _over(max(sizes.values(), default=0), _FIELD)
        over = _over(total, _TOTAL)
        if over is not None and (worst is None or (worst[1] is Severity.WARNING and over[1] is Severity.ERROR)):
            yield say.headers_size(server, total, *over)
        if (over := _over(len(sizes), _COUNT)) is not None:
            yield say.headers_count(server, len(sizes), *over)


def _over(size: int, limits: tuple[tuple[int, Severity], ...]) -> tuple[int, Severity] | None:
    return next(((limit, severity) for limit, severity in limits if size > limit), None)


def _size(header: model.Header, program: model.Program) -> int:
    encoding = encoding_of(header, program)
    fields = [program.fields[part.field].type for part in header.parts if isinstance(part, model.FieldPart)]
    if encoding is not None and len(fields) == len(header.parts) == 1:
        return len(f"{header.name}: ") + _encoded(encoding, fields[0])
    return len(f"{header.name}: ") + sum(_part_size(part, program) for part in header.parts)


def _part_size(part: model.Part, program: model.Program) -> int:
    match part:
        case model.TextPart(text=text):
            return len(text)
        case model.FieldPart(field=field):
            return _longest(program.fields[field].type)
        case model.TokenPart(token=token):
            return _token_size(program.tokens[token], program)
        case _:
            return 0


def _token_size(token: model.Token, program: model.Program) -> int:
    """The most characters of a token: base64url of its header and claims, and an ES256 signature (RFC 7515)."""
    claims = len(token.issuer) + len(token.client_id or token.issuer)
    for claim in token.claims:
        fields = (program.fields[part.field].type for part in claim.parts)
        literal = 0 if claim.value is None else _utf8(str(claim.value))
        claims += _utf8(claim.name) + len('"":"",') + literal + sum(4 * _longest(kind) for kind in fields)
    return (_TOKEN_FRAME + claims) * 4 // 3 + _SIGNATURE


def _utf8(text: str) -> int:
    return len(text.encode())


def _longest(kind: model.FieldType) -> int:
    match kind.kind:
        case "int":
            return _LONGEST_INT
        case "bool":
            return len("false")
        case "choice":
            return max(map(len, kind.choices), default=0)
        case "string":
            return kind.max
        case "list":
            return kind.items * kind.max  # without an encoding, which is another finding's matter


def _encoded(encoding: Encoding, kind: model.FieldType) -> int:
    """The most bytes of an encoded value: text may take four bytes of UTF-8 for each character."""
    if kind.kind == "choice":
        outcomes = (encode(encoding, choice) for choice in kind.choices)
        return max((len(outcome) for outcome in outcomes if isinstance(outcome, str)), default=0)
    utf8 = 4 * kind.max
    match encoding:
        case "sf-string":
            return _quoted(kind)
        case "sf-display":
            return len('%""') + 3 * utf8
        case "pct":
            return 3 * utf8
        case "mcp-base64":
            return len("=?base64??=") + 4 * -(-utf8 // 3)
        case "sf-list":
            return kind.items * _quoted(kind) + (kind.items - 1) * len(", ")
        case "space" | "comma":
            return kind.items * kind.max + (kind.items - 1)


def _quoted(kind: model.FieldType) -> int:
    """A String (RFC 9651 section 3.3.3): quotes around it, and a backslash before each quote and backslash in it."""
    escapes = any(can_hold(kind, character) for character in '"\\')
    return len('""') + kind.max * (2 if escapes else 1)
