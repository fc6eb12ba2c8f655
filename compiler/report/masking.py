"""Messages and the source lines that they quote show no secret: what looks like one is starred, length and places kept.

A file that does not even parse is quoted as well, so this looks at the text and not at the tree, and stars too much
rather than too little.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache

from mcpx.compiler.check.literals import known_secrets, looks_secret, random_runs, secret_parameter
from mcpx.compiler.source import Source
from mcpx.grammar.words import keywords
from mcpx.runtime.names import only_typed, secret_words

_STRING = re.compile(r'"(?P<body>(?:[^"\\\n]|\\[^\n])*)(?:"|$)', re.MULTILINE)
_ESCAPE = re.compile(r"\\(?:u\{([0-9A-Fa-f]{1,6})\}|(.))")
_GAP = r"(?:[^\S\n]|(?:#[^\n]*)?\n)*"
_SECRET = re.compile(
    rf"^[^\S\n]*(?:shared[^\S\n]+)?secret(?:[^\S\n]+|\.)[\w-]+(?:[^\S\n]*@[\w-]+)*[^\S\n]*(?:[:=]+>?{_GAP})?(?P<rest>[^\n]*)",
    re.MULTILINE,
)
_CALL = re.compile(r"[A-Za-z_][A-Za-z0-9_]*[^\S\n]*\(")
_PLACE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|/.*")
_HEADER = re.compile(
    rf'\b(?:header|meta)[^\S\n]+"?(?P<name>[^\s"=:]+)"?[^\S\n]*(?:[:=]+>?{_GAP})?(?P<rest>[^\n]*)', re.MULTILINE
)
_CREDENTIAL = re.compile(rf"^[^\S\n]*credential\b[^\n=:]*[:=]+>?{_GAP}(?P<rest>[^\n]*)", re.MULTILINE)
_STATEMENT = re.compile(
    r"^[^\S\n]*(?P<word>[A-Za-z_][\w-]*)[^\S\n]+[\w-]+[^\S\n]*[:=]+>?[^\S\n]*(?P<rest>\"[^\n]*)", re.MULTILINE
)
_SETTING = re.compile(rf"^[^\S\n]*setting[^\S\n]+(?P<name>[\w-]+)[^\S\n]*[:=]+>?{_GAP}(?P<rest>[^\n]*)", re.MULTILINE)
_REFERENCE = re.compile(r"(?:run|secret|setting|token)\.[\w.-]+|credential\b|\$\{[^}\n]*\}?")
_SCHEME = re.compile(r"[A-Za-z]+ +")
_USER_INFO = re.compile(r"(?::[/\\]+|\burl[^\S\n]*[:=][^\S\n]*\"?)(?P<user>[^\"\n]*)@")
_QUERY = re.compile(r"[?&;](?P<name>[^=&;#\"\s]+)=(?P<value>[^&;#\"\n]*)")
_SHORTEST = 3
"""Shorter texts are left in messages: starring every `a` would leave nothing to read."""

_Range = tuple[int, int]


@lru_cache(maxsize=64)
def masked(source: Source) -> Source:
    """The source with `*` in place of every character of its secrets."""
    return Source(source.name, _starred(source.text, _secrets(source.text)), source.data)


def masked_text(text: str, sources: Mapping[str, Source]) -> str:
    """A message without the secrets of any of the sources, nor anything that has the form of a key."""
    found = {original for source in sources.values() for original in _originals(source) if len(original) >= _SHORTEST}
    for secret in sorted(found, key=len, reverse=True):
        text = text.replace(secret, "*" * len(secret))
    return _starred(text, known_secrets(text))


@lru_cache(maxsize=64)
def _originals(source: Source) -> tuple[str, ...]:
    return tuple({source.text[start:end].strip('"') for start, end in _secrets(source.text)})


def _starred(text: str, ranges: Iterable[_Range]) -> str:
    characters = list(text)
    for start, end in ranges:
        characters[start:end] = (character if character == "\n" else "*" for character in characters[start:end])
    return "".join(characters)


def _secrets(text: str) -> Iterator[_Range]:
    yield from known_secrets(text)
    yield from (found.span("user") for found in _USER_INFO.finditer(text))
    for pair in _QUERY.finditer(text):
        if secret_parameter(pair["name"]) or looks_secret(pair["value"]):
            yield from _around_references(text, *pair.span("value"))
    for string in _STRING.finditer(text):
        yield from _in_string(string["body"], string.start("body"))
    for line in _SECRET.finditer(text):
        yield from _declared(line)
    for line in _HEADER.finditer(text):
        if secret_words(line["name"]) or only_typed(line["name"]):
            yield from _in_header(line)
    for line in _CREDENTIAL.finditer(text):
        yield from _around_references(text, line.start("rest"), line.start("rest") + len(line["rest"].rstrip()))
    for line in _STATEMENT.finditer(text):
        if line["word"] not in keywords().values():  # it may be `secret`, misspelt
            yield line.span("rest")
    for line in _SETTING.finditer(text):
        if secret_words(line["name"]):
            yield from _defaults(line)


def _in_string(body: str, offset: int) -> Iterator[_Range]:
    yield from ((offset + start, offset + end) for start, end in random_runs(body))
    plain = _ESCAPE.sub(_unescaped, body)
    if plain != body and (any(_USER_INFO.finditer(plain)) or looks_secret(plain) or "?" in plain):
        yield offset, offset + len(body)


def _unescaped(escape: re.Match[str]) -> str:
    if escape[2]:
        return escape[2]
    code = int(escape[1], 16)
    return chr(code) if code <= 0x10FFFF else ""


def _declared(line: re.Match[str]) -> Iterator[_Range]:
    rest, start = line["rest"], line.start("rest")
    if _CALL.match(rest) is None:
        yield start, start + len(rest.rstrip())
        return
    for string in _STRING.finditer(rest):
        if _PLACE.fullmatch(string["body"]) is None:
            yield start + string.start("body"), start + string.end("body")


def _defaults(line: re.Match[str]) -> Iterator[_Range]:
    """The strings behind the name of the variable."""
    strings = list(_STRING.finditer(line["rest"]))
    start = line.start("rest")
    variables = 0 if _CALL.match(line["rest"]) is None else 1
    yield from ((start + string.start("body"), start + string.end("body")) for string in strings[variables:])


def _in_header(line: re.Match[str]) -> Iterator[_Range]:
    """All but references and the name of a scheme."""
    rest, start = line["rest"], line.start("rest")
    string = _STRING.match(rest)
    begin, end = string.span("body") if string else (0, len(rest.partition(" #")[0].rstrip()))
    scheme = _SCHEME.match(rest, begin, end)
    begin = scheme.end() if scheme else begin
    yield from _around_references(line.string, start + begin, start + end)


def _around_references(text: str, start: int, end: int) -> Iterator[_Range]:
    for reference in _REFERENCE.finditer(text, start, end):
        if reference.start() > start:
            yield start, reference.start()
        start = reference.end()
    if start < end:
        yield start, end
