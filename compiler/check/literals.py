"""Does literal text look like a secret? Used for findings, and to mask source lines that are quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from mcpx.runtime.names import secret_words

_KNOWN = re.compile(
    r"""(?<![A-Za-z0-9])(?:
      sk-[A-Za-z0-9_-]{8,}            # API keys of several model providers, Stripe's are sk_live_
    | [sprk]k_(?:live|test)_[A-Za-z0-9]{8,}
    | gh[pousr]_[A-Za-z0-9]{16,} | github_pat_[A-Za-z0-9_]{16,} | glpat-[A-Za-z0-9_-]{16,}
    | xox[abeprs]-[A-Za-z0-9-]{8,}
    | A(?:KIA|SIA)[A-Z0-9]{16} | AIza[A-Za-z0-9_-]{20,}
    | eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]+)*
    | (?:Bearer|Basic|Token|ApiKey)\ +[A-Za-z0-9+/=._~-]{8,}
    )""",
    re.VERBOSE,
)
"""Forms of keys that are in wide use, and credentials behind the name of their scheme."""
_RUN = re.compile(r"[A-Za-z0-9+/=_-]{20,}")
_PARAMETERS = frozenset(("key", "sig", "signature", "pass", "passwd", "pwd", "jwt"))


def known_secrets(text: str) -> Iterator[tuple[int, int]]:
    """The places (start and end offset) of texts that have a known form of key."""
    return (found.span() for found in _KNOWN.finditer(text))


def random_runs(text: str) -> Iterator[tuple[int, int]]:
    """The places of long runs of letters and digits that no word or name would be."""
    return (found.span() for found in _RUN.finditer(text) if _is_random(found[0]))


def looks_secret(text: str) -> bool:
    """A known form of key, or a long run of letters and digits that no word or name would be."""
    return any(known_secrets(text)) or any(random_runs(text))


def secret_parameter(name: str) -> bool:
    """Whether a query parameter is named like a secret: here, unlike in a header's name, `key` alone is enough."""
    return bool(secret_words(name)) or not _PARAMETERS.isdisjoint(re.split("[^a-z]+", name.lower()))


def _is_random(run: str) -> bool:
    digits = sum(character.isdigit() for character in run)
    kinds = (any(c.islower() for c in run), any(c.isupper() for c in run), digits > 0)
    changes = sum(a.isdigit() != b.isdigit() for a, b in pairwise(run))
    return (all(kinds) and changes >= 4) or (digits >= 8 and changes >= 6)
