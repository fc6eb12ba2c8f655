"""Where in a statement Cedar's complaint lies: `cedarpy` gives sentences without positions."""

from __future__ import annotations

import re

import cedarpy

from mcpx.compiler.cedar.split import Statement
from mcpx.compiler.cedar.tokens import Token, tokenize
from mcpx.compiler.source import Span

_NAMED = re.compile(r"[`']([^`']+)[`']|: ([^\s`']+)$")
_UNFINISHED = "unexpected end of input"
_ROOTS = ("context", "principal", "resource", "action")


def of_parse_error(statement: Statement, message: str) -> Span:
    """The word that cannot follow the words before it; else a word that the message names; else the policy's head.

    Found by viable prefixes: a prefix that could still become a policy only lacks its end. Once a prefix cannot, no
    longer one can, so the first such prefix is found by halving.
    """
    tokens = statement.tokens
    if _viable(statement, tokens[-1]):
        if message == _UNFINISHED:
            return statement.span_of(tokens[-1], tokens[-1])
        return of_names(statement, message)
    low, high = 0, len(tokens) - 1
    while low < high:
        middle = (low + high) // 2
        if _viable(statement, tokens[middle]):
            low = middle + 1
        else:
            high = middle
    # Cedar's parser may repair a word and stumble over the next one; its message names the first.
    culprit = next((word for word in reversed(tokens[: low + 1]) if f"`{word.text}`" in message), tokens[low])
    return statement.span_of(culprit, culprit)


def of_names(statement: Statement, message: str) -> Span:
    """The words that the message holds in quotes or ends in, longest first, with the variable they are members of."""
    for name in sorted((quoted or last for quoted, last in _NAMED.findall(message)), key=len, reverse=True):
        wanted = [token.text for token in tokenize(name)]
        found = _find(statement.tokens, wanted)
        if found is not None:
            return statement.span_of(*found)
    return statement.head


def of_context(statement: Statement, items: frozenset[str]) -> Span:
    """The first use of `context` that is not a plain read of, or question for, one of the items."""
    tokens = statement.tokens
    for position, token in enumerate(tokens):
        if not token.is_name("context") or (position and tokens[position - 1].is_symbol(".", "@")):
            continue
        following = tokens[position + 1 : position + 3]
        joined = len(following) == 2 and (following[0].is_symbol(".", "[") or following[0].is_name("has"))
        if not joined:
            return statement.span_of(token, token)
        if following[1].text.strip('"') not in items:
            return statement.span_of(token, following[1])
    return statement.head


def _viable(statement: Statement, last: Token) -> bool:
    """Whether the words up to `last` are the beginning of something that has the form of a policy."""
    try:
        cedarpy.policies_to_json_str(statement.until(last))
    except ValueError as error:
        return not str(error).startswith(("unexpected token", "invalid token"))
    return True


def _find(tokens: tuple[Token, ...], wanted: list[str]) -> tuple[Token, Token] | None:
    for start in range(len(tokens) - len(wanted) + 1):
        if [token.text for token in tokens[start : start + len(wanted)]] != wanted:
            continue
        first = start
        while first >= 2 and tokens[first - 1].is_symbol(".") and tokens[first - 2].kind == "name":
            first -= 2
        if not tokens[first].is_name(*_ROOTS):
            first = start
        return tokens[first], tokens[start + len(wanted) - 1]
    return None
