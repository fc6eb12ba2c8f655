"""What statements are made of: names, references, values, types and conditions, from Lark's tree to `syntax`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from lark import Token, v_args
from lark.tree import Meta
from lark.visitors import Transformer_NonRecursive

from mcpx.compiler import syntax as s
from mcpx.compiler.report import parse_errors
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.source import Source, Span
from mcpx.compiler.strings import read_literal, read_text

_LONGEST_NUMBER = 20
_SECONDS = {"s": 1, "m": 60, "h": 3600}


@dataclass(frozen=True, slots=True)
class Annotations:
    """What stands behind a name with an `@`."""

    tags: tuple[s.TagRef, ...]
    deprecated: s.StringLiteral | None


@dataclass(frozen=True, slots=True)
class _Kind:
    word: Literal["string", "int", "bool", "one of", "list of string"]
    choices: tuple[s.StringLiteral, ...] = ()


@dataclass(frozen=True, slots=True)
class _Option:
    word: str
    value: s.IntLiteral | s.StringLiteral
    span: Span


@v_args(inline=True, meta=True)
class PartsBuilder(Transformer_NonRecursive[Token, Any]):
    """One method per rule of the grammar below the statements; `found` collects what is wrong inside them."""

    def __init__(self, source: Source) -> None:
        super().__init__(visit_tokens=False)
        self.source = source
        self.found: list[Diagnostic] = []

    def _span(self, place: Meta | Token) -> Span:
        return Span(self.source.name, place.start_pos or 0, place.end_pos or 0)

    # --- Names, references, values ---

    def name(self, _: Meta, word: Token) -> s.Name:
        return s.Name(str(word), self._span(word))

    def quoted_name(self, _: Meta, quoted: Token) -> s.Name:
        text = self.string(_, quoted)
        return s.Name(text.value, Span(text.span.file, text.span.start + 1, text.span.end - 1))

    def names(self, _: Meta, *names: s.Name) -> tuple[s.Name, ...]:
        return names

    def tag_ref(self, _: Meta, tag: Token) -> s.TagRef:
        span = self._span(tag)
        return s.TagRef(s.Name(str(tag)[1:], Span(span.file, span.start + 1, span.end)), span)

    def tag_refs(self, _: Meta, *tags: s.TagRef) -> tuple[s.TagRef, ...]:
        return tags

    def annotation(
        self, _: Meta, tag: s.TagRef, text: s.StringLiteral | None
    ) -> tuple[s.TagRef, s.StringLiteral | None]:
        return tag, text

    def annotations(self, _: Meta, *annotations: tuple[s.TagRef, s.StringLiteral | None]) -> Annotations:
        tags: list[s.TagRef] = []
        deprecated: list[tuple[s.TagRef, s.StringLiteral]] = []
        for tag, text in annotations:
            if text is None:
                tags.append(tag)
            elif tag.name.text != "deprecated":
                self.found.append(parse_errors.annotation_unknown(tag.span, tag.name.text))
            elif deprecated:
                self.found.append(parse_errors.annotation_twice(tag.span, deprecated[0][0].span))
            else:
                deprecated.append((tag, text))
        return Annotations(tuple(tags), deprecated[0][1] if deprecated else None)

    def ref(self, meta: Meta, *words: Token) -> s.Ref:
        return s.Ref(tuple(s.Name(str(word), self._span(word)) for word in words), self._span(meta))

    def list_literal(self, meta: Meta, *items: s.Scalar) -> s.ListLiteral:
        return s.ListLiteral(items, self._span(meta))

    def string(self, _: Meta, quoted: Token) -> s.StringLiteral:
        literal, found = read_literal(self.source.name, quoted.start_pos or 0, quoted)
        self.found.extend(found)
        return literal

    def value_string(self, _: Meta, quoted: Token) -> s.Text | s.StringLiteral:
        text, found = read_text(self.source.name, quoted.start_pos or 0, quoted)
        self.found.extend(found)
        return text

    def integer(self, _: Meta, digits: Token) -> s.IntLiteral:
        return s.IntLiteral(self._whole(digits, digits), self._span(digits))

    def duration(self, _: Meta, written: Token) -> s.Duration:
        return s.Duration(self._whole(written, written[:-1]) * _SECONDS[written[-1]], self._span(written))

    def boolean(self, _: Meta, word: Token) -> s.BoolLiteral:
        return s.BoolLiteral(word.type == "TRUE", self._span(word))

    def _whole(self, written: Token, digits: str) -> int:
        if len(digits) <= _LONGEST_NUMBER and -(2**63) <= int(digits) < 2**63:
            return int(digits)
        self.found.append(parse_errors.number_range(self._span(written)))
        return 0

    def call(self, meta: Meta, function: s.Name, *arguments: s.StringLiteral) -> s.Call:
        return s.Call(function, arguments, self._span(meta))

    def per(self, meta: Meta, *refs: s.Ref) -> s.Per:
        return s.Per(refs, self._span(meta))

    # --- Types ---

    def field_type(self, meta: Meta, kind: _Kind, *options: _Option) -> s.Type:
        said: dict[str, _Option] = {}
        for option in options:
            first = said.setdefault(option.word, option)
            if first is not option:
                self.found.append(parse_errors.option_twice(option.span, option.word, first.span))
        longest, pattern, count = (said.get(word) for word in ("max", "matches", "items"))
        return s.Type(
            kind=kind.word,
            choices=kind.choices,
            max=longest.value if longest and isinstance(longest.value, s.IntLiteral) else None,
            matches=pattern.value if pattern and isinstance(pattern.value, s.StringLiteral) else None,
            items=count.value if count and isinstance(count.value, s.IntLiteral) else None,
            span=self._span(meta),
        )

    def type_option(self, _: Meta, word: Token, value: s.IntLiteral | s.StringLiteral) -> _Option:
        return _Option(str(word), value, self._span(word))

    def string_type(self, _: Meta) -> _Kind:
        return _Kind("string")

    def int_type(self, _: Meta) -> _Kind:
        return _Kind("int")

    def bool_type(self, _: Meta) -> _Kind:
        return _Kind("bool")

    def list_type(self, _: Meta) -> _Kind:
        return _Kind("list of string")

    def choice_type(self, _: Meta, choices: s.ListLiteral) -> _Kind:
        texts = []
        for item in choices.items:
            if isinstance(item, s.StringLiteral):
                texts.append(item)
            else:
                self.found.append(parse_errors.choice_not_text(item.span))
        return _Kind("one of", tuple(texts))

    # --- Conditions ---

    def any_of(self, meta: Meta, *conditions: s.Condition) -> s.Any:
        return s.Any(conditions, self._span(meta))

    def all_of(self, meta: Meta, *conditions: s.Condition) -> s.All:
        return s.All(conditions, self._span(meta))

    def negation(self, meta: Meta, condition: s.Condition) -> s.Not:
        return s.Not(condition, self._span(meta))

    def comparison(self, meta: Meta, left: s.Ref | s.Scalar, operator: s.Name, right: s.Ref | s.Scalar) -> s.Comparison:
        return s.Comparison(left, operator, right, self._span(meta))

    def comparator(self, _: Meta, operator: Token) -> s.Name:
        return s.Name(str(operator), self._span(operator))

    def membership(self, meta: Meta, left: s.Ref | s.Scalar, right: s.Ref | s.ListLiteral) -> s.In:
        return s.In(left, right, self._span(meta))

    def has(self, meta: Meta, ref: s.Ref) -> s.Has:
        return s.Has(ref, self._span(meta))

    def contains(self, meta: Meta, ref: s.Ref, item: s.Scalar | s.Ref) -> s.Contains:
        return s.Contains(ref, item, self._span(meta))

    def truth(self, meta: Meta, ref: s.Ref) -> s.Truth:
        return s.Truth(ref, self._span(meta))
