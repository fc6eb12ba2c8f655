"""Does literal text look like a secret? Used for findings, and to mask source lines that are quoted."""

from __future__ import annotations

import re

KNOWN = re.compile(
    r"""(?:^|[^A-Za-z0-9])(?:
      sk-[A-Za-z0-9_-]{8,}            # API keys of several model providers, Stripe's are sk_live_
    | [sprk]k_(?:live|test)_[A-Za-z0-9]{8,}
    | gh[pousr]_[A-Za-z0-9]{16,} | github_pat_[A-Za-z0-9_]{16,} | glpat-[A-Za-z0-9_-]{16,}
    | xox[abeprs]-[A-Za-z0-9-]{8,}
    | A(?:KIA|SIA)[A-Z0-9]{16} | AIza[A-Za-z0-9_-]{20,}
    | eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}
    | (?:Bearer|Basic|Token|ApiKey)\ +[A-Za-z0-9+/=._~-]{8,}
    )""",
    re.VERBOSE,
)
"""Forms of keys that are in wide use, and credentials behind the name of their scheme."""
_RUN = re.compile(r"[A-Za-z0-9+/=_-]{20,}")


def looks_secret(text: str) -> bool:
    """A known form of key, or a long run of letters and digits that no word or name would be."""
    return KNOWN.search(text) is not None or any(_is_random(run) for run in _RUN.findall(text))


def _is_random(run: str) -> bool:
    digits = sum(character.isdigit() for character in run)
    kinds = (any(c.islower() for c in run), any(c.isupper() for c in run), digits > 0)
    changes = sum(a.isdigit() != b.isdigit() for a, b in zip(run, run[1:], strict=False))
    return (all(kinds) and changes >= 4) or (digits >= 8 and changes >= 6)
