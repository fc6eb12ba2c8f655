"""Source lines are quoted in messages; what looks like a secret in them is not. Masking keeps every offset as it is."""

from __future__ import annotations

import re
from functools import lru_cache

from mcpx.compiler.check.literals import KNOWN, looks_secret
from mcpx.compiler.source import Source
from mcpx.runtime.names import secret_words

_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)("|$)', re.MULTILINE)
_DECLARED = re.compile(r"^\s*(?:shared\s+)?secret\b[^\n\"(]*=\s*$")
_HEADER = re.compile(r"\bheader\s+\"?([^\s\"=]+)\"?\s*[=:]\s*$")
_USER_INFO = re.compile(r"(?<=://)[^/?#@\"]*(?=@)")
_QUERY = re.compile(r"(?<=[?&])([^=&#\"]+)=([^&#\"]*)")


@lru_cache(maxsize=64)
def masked(source: Source) -> Source:
    """The source with `*` in place of every character of its secrets."""
    return Source(source.name, KNOWN.sub(_stars, _STRING.sub(_mask, source.text)), source.data)


def _mask(match: re.Match[str]) -> str:
    start = match.string.rfind("\n", 0, match.start()) + 1
    before, text = match.string[start : match.start()], match.group(1)
    header = _HEADER.search(before)
    named = header is not None and bool(secret_words(header.group(1)))
    if "${" not in text and (_DECLARED.match(before) or named or (header is not None and looks_secret(text))):
        return f'"{"*" * len(text)}{match.group(2)}'
    text = _USER_INFO.sub(_stars, text)
    text = _QUERY.sub(lambda pair: pair.group(0) if not _secret_pair(pair) else f"{pair.group(1)}={_stars_for(pair.group(2))}", text)
    if looks_secret(text):
        text = "*" * len(text)
    return f'"{text}{match.group(2)}'


def _secret_pair(pair: re.Match[str]) -> bool:
    return "${" not in pair.group(2) and (bool(secret_words(pair.group(1))) or looks_secret(pair.group(2)))


def _stars(match: re.Match[str]) -> str:
    return _stars_for(match.group(0))


def _stars_for(text: str) -> str:
    return "*" * len(text)
