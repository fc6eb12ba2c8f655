"""What written Cedar has to pass before it may decide: each rule keeps out text that Cedar would take and not enforce.

The rules on size and words come before Cedar sees the text, the others read the policy as Cedar parsed it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import cedarpy

from mcpx.compiler.cedar import parsed, places
from mcpx.compiler.cedar.decision import Policy
from mcpx.compiler.cedar.parsed import Parsed
from mcpx.compiler.cedar.size import too_large
from mcpx.compiler.cedar.split import Statement, split
from mcpx.compiler.cedar.tokens import Token, entity_literals, unescape
from mcpx.compiler.cedar.vocabulary import ACTION_ITEMS, ITEMS
from mcpx.compiler.model import CedarText, Field
from mcpx.compiler.report import cedar_errors as errors
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.source import Span

_LARGEST = 2**63 - 1
_NO_ITEM = re.compile(r'attribute `(?P<item>\w+)[^`]*` in context for Mcpx::Action::"(?P<action>\w+)" not found')


@dataclass(frozen=True, slots=True)
class Written:
    """A policy that somebody wrote and that may decide."""

    policy: Policy
    statement: Statement
    parsed: Parsed


def admit(
    texts: Iterable[CedarText],
    names: Mapping[str, frozenset[str]],
    schema: cedarpy.Schema,
    taken: Mapping[str, Span],
    fields: Mapping[str, Field],
) -> tuple[tuple[Written, ...], tuple[Diagnostic, ...]]:
    """Let written policies in, or say what keeps them out.

    Args:
        texts: all Cedar text of the project; its characters were judged when its file was read.
        names: the ids that policies may name, by qualified entity type (`vocabulary.declared`).
        schema: the vocabulary.
        taken: the ids of rules and other policies, with their places.
        fields: those of the run.

    Returns:
        The policies without a finding, and all findings.
    """
    ids = dict(taken)
    written: list[Written] = []
    found: list[Diagnostic] = []
    for text in texts:
        for number, statement in enumerate(split(text)):
            before = len(found)
            found += _words(statement)
            if len(found) > before:
                continue
            try:
                policy = parsed.parse(statement.text)
            except ValueError as error:
                found.append(errors.not_cedar(places.of_parse_error(statement, str(error)), str(error)))
                continue
            found += _identity(statement, policy, ids, number)
            found += _meaning(statement, policy, names)
            if len(found) == before:
                found += _types(statement, policy, schema)
            if len(found) == before:
                found += _trust(statement, policy, fields)
            if all(one.severity is errors.WARNING for one in found[before:]):
                name = str(policy.annotations["id"])
                written.append(Written(Policy(name, policy.forbids, statement.span), statement, policy))
    return tuple(written), tuple(found)


def _words(statement: Statement) -> Iterator[Diagnostic]:
    tokens = statement.tokens
    excess = too_large(tokens)
    if excess is not None:
        # Placed at the policy: the word that breaks the limit is one of thousands and says nothing.
        yield errors.too_large(statement.head, excess.limit, excess.what)
        return
    for position, token in enumerate(tokens):
        span = statement.span_of(token, token)
        if token.kind == "unknown":
            yield errors.not_cedar(span, "unclosed string" if token.text[0] == '"' else f"stray `{token.text}`")
        elif token.kind == "string" and not unicodedata.is_normalized("NFC", unescape(token)):
            yield errors.not_normalized(span)
        elif token.kind == "number" and not _fits(token, tokens[position - 1] if position else None):
            yield errors.out_of_range(span)
        elif token.is_name("unknown") and _called(tokens, position):
            yield errors.unknown_call(span)


def _called(tokens: Sequence[Token], position: int) -> bool:
    annotation = position > 0 and tokens[position - 1].is_symbol("@")
    return not annotation and position + 1 < len(tokens) and tokens[position + 1].is_symbol("(")


def _fits(token: Token, previous: Token | None) -> bool:
    # Longer texts are not converted: Python refuses numbers of some thousand digits.
    digits = token.text.lstrip("0")
    if len(digits) > len(str(_LARGEST)):
        return False
    negated = previous is not None and previous.is_symbol("-")
    return int(digits or "0") <= _LARGEST + negated


def _identity(statement: Statement, policy: Parsed, ids: dict[str, Span], number: int) -> Iterator[Diagnostic]:
    name = policy.annotations.get("id")
    if "id" not in policy.annotations:
        yield errors.no_id(statement.head, statement.span, _free_name(ids, number))
        return
    span = _id_span(statement)
    if name is None or not name.strip() or not name.isprintable():
        yield errors.no_name(span)
    elif name in ids:
        yield errors.id_taken(span, name, ids[name])
    else:
        ids[name] = span


def _free_name(ids: Mapping[str, Span], number: int) -> str:
    while f"policy_{number + 1}" in ids:
        number += 1
    return f"policy_{number + 1}"


def _id_span(statement: Statement) -> Span:
    tokens = statement.tokens
    for position in range(len(tokens) - 1):
        if tokens[position].is_symbol("@") and tokens[position + 1].is_name("id"):
            valued = position + 3 < len(tokens) and tokens[position + 3].kind == "string"
            token = tokens[position + 3 if valued else position + 1]
            return statement.span_of(token, token)
    return statement.head


def _meaning(statement: Statement, policy: Parsed, names: Mapping[str, frozenset[str]]) -> Iterator[Diagnostic]:
    if policy.template:
        slots = (token for token in statement.tokens if token.kind == "slot")
        slot = next(slots, statement.tokens[0])
        yield errors.template(statement.span_of(slot, slot))
    if policy.calls("unknown"):
        yield errors.unknown_call(statement.head)
    if policy.context_beyond(ITEMS | {"run"}):
        yield errors.context_whole(places.of_context(statement, ITEMS | {"run"}))
    elif policy.run_beyond():
        yield errors.context_whole(places.of_names(statement, "`context.run`"))
    yield from _entities(statement, policy, names)


def _entities(statement: Statement, policy: Parsed, names: Mapping[str, frozenset[str]]) -> Iterator[Diagnostic]:
    named = set(policy.entities())
    literals = [literal for literal in entity_literals(statement.tokens) if (literal.type, literal.id) in named]
    for literal in literals:
        whole = statement.span_of(literal.first, literal.last)
        if literal.type not in names:
            yield errors.unknown_type(whole, literal.type, names)
        elif literal.id not in names[literal.type]:
            quoted = statement.span_of(literal.last, literal.last)
            yield errors.undeclared(quoted, whole, literal.type, literal.id, names[literal.type])
    # What Cedar saw and the words did not show cannot be pointed at, and is refused all the same.
    for kind, name in sorted(named.difference((literal.type, literal.id) for literal in literals)):
        if name not in names.get(kind, ()):
            yield errors.undeclared(statement.head, statement.head, kind, name, ())
    for kind in sorted(set(policy.entity_types()).difference(names)):
        yield errors.unknown_type(places.of_names(statement, f"`{kind}`"), kind, names)


def _trust(statement: Statement, policy: Parsed, fields: Mapping[str, Field]) -> Iterator[Diagnostic]:
    """What the caller claims may narrow, never widen."""
    name = str(policy.annotations["id"])
    for field in sorted(policy.run_fields()):
        if not fields[field].verified:
            place = places.of_names(statement, f"`context.run.{field}`")
            yield (errors.claim_narrows if policy.forbids else errors.claim_widens)(place, name, field)


def _types(statement: Statement, policy: Parsed, schema: cedarpy.Schema) -> Iterator[Diagnostic]:
    name = str(policy.annotations["id"])
    result = cedarpy.validate_policies(statement.text, schema)
    complaints: dict[Span, list[str]] = defaultdict(list)
    actions: dict[str, set[str]] = defaultdict(set)
    for complaint in sorted({one.error for one in result.errors}):
        lacking = _NO_ITEM.search(complaint)
        if lacking is not None:
            actions[lacking["item"]].add(lacking["action"])
        else:
            complaints[places.of_names(statement, complaint)].append(complaint)
    for item, without in sorted(actions.items()):
        having = (action for action, items in ACTION_ITEMS.items() if item in items)
        span = places.of_names(statement, f"`context.{item}`")
        yield errors.no_such_item(span, name, item, without, having)
    if not actions:
        # A type that follows from a missing item would be the same mistake a second time.
        for span, about in complaints.items():
            yield errors.does_not_validate(span, name, about)
    if not result.validation_passed and not result.errors:
        yield errors.does_not_validate(statement.head, name, ["refused without a reason"])
