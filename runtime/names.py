"""Header names and values: which names belong to others, which are risky, and what a value may hold.

Pure data and functions, for the compiler and the runtime alike. Names are compared as a receiver may see them: without
case (RFC 9110 section 5.1) and with `_` as `-`, since CGI-style gateways cannot tell those apart.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

MAX_FIELD: Final = 8_000
"""The most bytes of one field, its name and `: ` included: gunicorn, Apache and nginx refuse lines near 8,190."""

MAX_FIELDS: Final = 14_000
"""The most bytes of all fields of ours together: Node.js takes 16 KiB, and the request's own fields have to fit too."""

_TOKEN: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_PORTABLE: Final = re.compile(r"[A-Za-z0-9-]+")
_VISIBLE: Final = re.compile(r"[\x20-\x7e]+")
_UNRESERVED: Final = re.compile(r"[A-Za-z0-9\-._~]+")
_WORD: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
_LONGEST_PORTABLE: Final = 64

# In the patterns `*` stands for any text, also none.
_OWNERS: Final[dict[str, str]] = {
    "HTTP itself (framing, routing and connections)": """
        Host Content-* Transfer-Encoding TE Trailer Connection Keep-Alive Proxy-Connection Upgrade HTTP2-Settings
        Expect Max-Forwards Via Date :*
        """,
    "the MCP transport": "Accept Mcp-* Last-Event-ID",
    "browsers and cookies": """
        Cookie Cookie2 Set-Cookie Set-Cookie2 Origin Referer Sec-* Access-Control-* DNT
        """,
    "proxies (their credentials, and overrides of method and path)": """
        Proxy-* X-HTTP-Method X-HTTP-Method-Override X-Method-Override X-Original-URL X-Rewrite-URL
        """,
    "trusted proxies, which alone may assert it": """
        Forwarded X-Forwarded-* X-Real-IP X-Client-IP X-Cluster-Client-IP True-Client-IP CF-Connecting-IP
        Fastly-Client-IP X-Envoy-* Client-Cert Client-Cert-Chain SSL-Client-* X-SSL-Client-* X-ARR-ClientCert
        Remote-User X-Remote-User X-Remote-Group X-Remote-Extra-* X-Auth-Request-* X-Amzn-Oidc-* X-Amzn-Mtls-*
        X-Goog-Authenticated-User-* X-Goog-IAP-JWT-Assertion X-MS-CLIENT-PRINCIPAL* X-MS-TOKEN-* Cf-Access-*
        Impersonate-User Impersonate-Group Impersonate-Uid Impersonate-Extra-*
        """,
}
_TYPED: Final = """
    Authorization Txn-Token DPoP Signature Signature-Input Content-Digest Repr-Digest Want-*-Digest
    Workload-Identity-Token Workload-Proof-Token
    """
_USED_BY_OTHERS: Final = """
    User-Agent Accept-Encoding Accept-Language Accept-Charset Cache-Control Pragma If-* Range Priority Early-Data
    Idempotency-Key From Server-Timing
    """
_TRACING: Final = "traceparent tracestate baggage"

_IDENTITY_WORDS: Final = frozenset(
    ("tenant", "org", "account", "customer", "workspace", "user", "subject", "role", "group", "scope", "actor")
)
_SECRET_WORDS: Final = frozenset(("apikey", "token", "secret", "password", "credential", "auth", "private"))


def fold(name: str) -> str:
    """The name as the least careful receiver sees it: two names that fold to one are one name."""
    return name.lower().replace("_", "-")


def _any_of(patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(fold(pattern)).replace(r"\*", ".*") for pattern in patterns.split()))


_OWNED: Final = tuple((owner, _any_of(patterns)) for owner, patterns in _OWNERS.items())
_TYPED_NAMES: Final = _any_of(_TYPED)
_USED_NAMES: Final = _any_of(_USED_BY_OTHERS)
_TRACE_NAMES: Final = _any_of(_TRACING)


def is_token(name: str) -> bool:
    """Whether a header may have this name at all (`token`, RFC 9110 sections 5.1 and 5.6.2)."""
    return _TOKEN.fullmatch(name) is not None


def forbidden(name: str) -> str | None:
    """Whose the name is, as words that fit behind "belongs to"; nothing when a file may use it.

    Sources: RFC 9110 section 7.6.1, RFC 9113 section 8.2.2, the Fetch standard's forbidden request-headers, the MCP
    streamable HTTP transport, RFC 9440, and the headers by which proxies and clouds hand on an identity.
    """
    folded = fold(name)
    return next((owner for owner, pattern in _OWNED if pattern.fullmatch(folded)), None)


def only_typed(name: str) -> bool:
    """Whether the name carries a credential, token or signature, and so takes exactly one of them and nothing else."""
    return _TYPED_NAMES.fullmatch(fold(name)) is not None


def traces(name: str) -> bool:
    """Whether the name is a tracer's (W3C Trace Context, W3C Baggage): no field of a run may go there."""
    return _TRACE_NAMES.fullmatch(fold(name)) is not None


def warned(name: str) -> str | None:
    """Why a permitted name may not work as meant, as a clause about it; nothing for a good name.

    Sources: RFC 9110 section 16.3.2.1; nginx and gunicorn drop names with other characters in their default settings.
    """
    if _PORTABLE.fullmatch(name) is None:
        return "proxies and servers drop names with characters other than letters, digits and `-` without a word"
    if not name[0].isalpha():
        return "names that do not begin with a letter are not portable"
    if len(name) > _LONGEST_PORTABLE:
        return f"names longer than {_LONGEST_PORTABLE} characters are not portable"
    if traces(name):
        return "tracing libraries own this name and may replace it"
    if _USED_NAMES.fullmatch(fold(name)):
        return "HTTP clients, caches and servers give this name a meaning of their own"
    return None


def identity_words(name: str) -> tuple[str, ...]:
    """The words that make a name an identity's, in lower case; a plural counts as its singular.

    Words are what lies between characters other than letters, or begins with a capital: `X-TenantId` holds `tenant`,
    `X-Restaurant` does not hold `tenant`.
    """
    words = _words(name)
    found = [word for word in (word.removesuffix("s") for word in words) if word in _IDENTITY_WORDS]
    found += [word for word in words if word.startswith("impersonat")]
    found += ["on-behalf"] * _follows(words, "on", "behalf")
    return tuple(found)


def secret_words(name: str) -> tuple[str, ...]:
    """The words that make a name a secret's, in lower case; a plural counts as its singular."""
    words = tuple(word.removesuffix("s") for word in _words(name))
    found = [word for word in words if word in _SECRET_WORDS]
    found += ["api-key"] * _follows(words, "api", "key")
    return tuple(found)


def value_fault(value: str) -> str | None:
    """What keeps a text from being a header's value or a piece of one, in words that do not show it.

    Narrower than RFC 9110 section 5.5, which also knows TAB and obs-text: visible ASCII and inner blanks.
    """
    if not value:
        return "is empty"
    if _VISIBLE.fullmatch(value) is None:
        return "has characters other than printable ASCII"
    if value[0] == " " or value[-1] == " ":
        return "begins or ends with a blank"
    return None


def unreserved(text: str) -> bool:
    """Whether a text is non-empty and of unreserved characters alone (RFC 3986 section 2.3)."""
    return _UNRESERVED.fullmatch(text) is not None


def _words(name: str) -> tuple[str, ...]:
    return tuple(word.lower() for word in _WORD.findall(name))


def _follows(words: tuple[str, ...], first: str, second: str) -> bool:
    return (first, second) in pairwise(words)
