"""From Lark's tree to the tree as written (`syntax`): one method per rule of the grammar, called from the leaves up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from lark import Token, Tree, v_args
from lark.tree import Meta
from lark.visitors import Transformer_NonRecursive

from mcpx.compiler import syntax as s
from mcpx.compiler.comments import DocComment
from mcpx.compiler.report import parse_errors
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.source import Source, Span
from mcpx.compiler.strings import read_literal, read_text

_LONGEST_NUMBER = 20
_SECONDS = {"s": 1, "m": 60, "h": 3600}
_EFFECTS: Mapping[str, Literal["allow", "deny", "require"]] = {"ALLOW": "allow", "DENY": "deny", "REQUIRE": "require"}


@dataclass(frozen=True, slots=True)
class Edition:
    """`mcpx 1`."""

    number: s.IntLiteral
    span: Span


@dataclass(frozen=True, slots=True)
class Built:
    """The statements of a file in order, what is wrong inside them, and the doc comments that none of them took."""

    statements: tuple[s.Statement | Edition, ...]
    found: tuple[Diagnostic, ...]
    loose: tuple[DocComment, ...]


def build_tree(source: Source, tree: Tree[Token], docs: Mapping[int, DocComment]) -> Built:
    """Turns the parse tree of `source` into statements.

    Args:
        source: the file.
        tree: what the grammar made of it; never recursed into, so any depth is fine.
        docs: doc comments by the offset of what they stand above.
    """
    builder = _Builder(source, docs)
    statements = builder.transform(tree)
    loose = tuple(comment for offset, comment in docs.items() if offset not in builder.taken)
    return Built(statements, tuple(builder.found), loose)


@dataclass(frozen=True, slots=True)
class _Annotations:
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
class _Builder(Transformer_NonRecursive[Token, Any]):
    def __init__(self, source: Source, docs: Mapping[int, DocComment]) -> None:
        super().__init__(visit_tokens=False)
        self.source = source
        self.docs = docs
        self.taken: set[int] = set()
        self.found: list[Diagnostic] = []

    def _span(self, place: Meta | Token) -> Span:
        return Span(self.source.name, place.start_pos or 0, place.end_pos or 0)

    def _doc(self, meta: Meta) -> str | None:
        comment = self.docs.get(meta.start_pos)
        if comment is None:
            return None
        self.taken.add(meta.start_pos)
        return comment.text

    def start(self, _: Meta, *statements: s.Statement | Edition) -> tuple[s.Statement | Edition, ...]:
        return statements

    def edition(self, meta: Meta, number: s.IntLiteral) -> Edition:
        return Edition(number, self._span(meta))

    def import_line(self, meta: Meta, path: s.StringLiteral) -> s.Import:
        return s.Import(path, self._span(meta))

    def tags(self, meta: Meta, names: tuple[s.Name, ...]) -> s.Tags:
        return s.Tags(names, self._doc(meta), self._span(meta))

    # --- What a run knows, and properties ---

    def run_block(self, meta: Meta, head: Token, *fields: s.Field) -> s.RunBlock:
        return s.RunBlock(fields, self._span(head), self._doc(meta), self._span(meta))

    def field(
        self,
        meta: Meta,
        trust: Token,
        name: s.Name,
        maybe: Token | None,
        kind: s.Type,
        default: s.Scalar | s.ListLiteral | None,
        annotations: _Annotations,
        properties: tuple[s.Assignment, ...] | None,
    ) -> s.Field:
        return s.Field(
            trust="verified" if trust.type == "VERIFIED" else "claimed",
            name=name,
            optional=maybe is not None,
            type=kind,
            default=default,
            tags=annotations.tags,
            properties=properties or (),
            doc=self._doc(meta),
            deprecated=annotations.deprecated,
            span=self._span(meta),
        )

    def property_line(self, meta: Meta, owner: s.Name, name: s.Name, maybe: Token | None, kind: s.Type) -> s.Property:
        return s.Property(owner, name, maybe is not None, kind, self._doc(meta), self._span(meta))

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

    def properties(self, _: Meta, *assignments: s.Assignment) -> tuple[s.Assignment, ...]:
        return assignments

    def assignment(self, meta: Meta, name: s.Name, value: s.Setting) -> s.Assignment:
        return s.Assignment(name, value, self._span(meta))

    # --- Configuration ---

    def setting(
        self, meta: Meta, name: s.Name, source: s.Call | s.StringLiteral, choices: s.ListLiteral | None
    ) -> s.SettingDecl:
        return s.SettingDecl(name, source, choices, self._doc(meta), self._span(meta))

    def secret(
        self,
        meta: Meta,
        shared: Token | None,
        name: s.Name,
        tags: tuple[s.TagRef, ...],
        source: s.Call | s.StringLiteral,
        per: s.Per | None,
    ) -> s.SecretDecl:
        return s.SecretDecl(name, shared is not None, tags, source, per, self._doc(meta), self._span(meta))

    def call(self, meta: Meta, function: s.Name, *arguments: s.StringLiteral) -> s.Call:
        return s.Call(function, arguments, self._span(meta))

    def per(self, meta: Meta, *refs: s.Ref) -> s.Per:
        return s.Per(refs, self._span(meta))

    # --- Servers ---

    def server(self, meta: Meta, name: s.Name, annotations: _Annotations, *items: s.ServerItem) -> s.Server:
        return s.Server(name, annotations.tags, items, self._doc(meta), annotations.deprecated, self._span(meta))

    def header(
        self, meta: Meta, words: tuple[Token, ...], name: s.Name, value: s.Value, encode: s.Name | None
    ) -> s.Header:
        kinds = {word.type for word in words}
        return s.Header(
            name=name,
            value=value,
            optional="OPTIONAL" in kinds,
            advisory="ADVISORY" in kinds,
            encode=encode,
            keyword=self._span(words[0]).to(self._span(words[-1])),
            doc=self._doc(meta),
            span=self._span(meta),
        )

    def header_words(self, _: Meta, *words: Token) -> tuple[Token, ...]:
        return words

    def meta(self, meta: Meta, optional: Token | None, key: s.StringLiteral, value: s.Value) -> s.Meta:
        return s.Meta(key, value, optional is not None, self._doc(meta), self._span(meta))

    def argument_check(self, meta: Meta, name: s.Name, ref: s.Ref) -> s.Argument:
        return s.Argument(name, "check", ref, self._doc(meta), self._span(meta))

    def argument_value(self, meta: Meta, name: s.Name, ref: s.Ref) -> s.Argument:
        return s.Argument(name, "set", ref, self._doc(meta), self._span(meta))

    # --- Agents and their credentials ---

    def groups(self, meta: Meta, names: tuple[s.Name, ...]) -> s.Groups:
        return s.Groups(names, self._doc(meta), self._span(meta))

    def agent(
        self,
        meta: Meta,
        name: s.Name,
        annotations: _Annotations,
        groups: tuple[s.Name, ...] | None,
        uses: tuple[s.Name, ...],
        properties: tuple[s.Assignment, ...] | None,
    ) -> s.Agent:
        self.found.extend(parse_errors.agent_tag(tag.span) for tag in annotations.tags)
        return s.Agent(
            name=name,
            groups=groups or (),
            uses=uses,
            properties=properties or (),
            doc=self._doc(meta),
            deprecated=annotations.deprecated,
            span=self._span(meta),
        )

    def credential(
        self, meta: Meta, holders: tuple[s.Name, ...], servers: tuple[s.Name, ...], value: s.Ref
    ) -> s.Credential:
        return s.Credential(holders, servers, value, self._doc(meta), self._span(meta))

    # --- Rules and conditions ---

    def rule(
        self,
        meta: Meta,
        effect: Token,
        items: tuple[s.Ref | s.TagRef, ...],
        targets: tuple[s.Name | s.TagRef, ...],
        agents: tuple[s.Name, ...] | None,
        condition: s.Condition | None,
        name: s.Name | None,
    ) -> s.Rule:
        return s.Rule(
            _EFFECTS[effect.type], items, targets, agents or (), condition, name, self._doc(meta), self._span(meta)
        )

    def never_rule(
        self,
        meta: Meta,
        items: tuple[s.Ref | s.TagRef, ...],
        targets: tuple[s.Name | s.TagRef, ...],
        agents: tuple[s.Name, ...] | None,
        name: s.Name | None,
    ) -> s.Rule:
        return s.Rule("never", items, targets, agents or (), None, name, self._doc(meta), self._span(meta))

    def items(self, _: Meta, *items: s.Ref | s.TagRef) -> tuple[s.Ref | s.TagRef, ...]:
        return items

    def targets(self, _: Meta, *targets: s.Name | s.TagRef) -> tuple[s.Name | s.TagRef, ...]:
        return targets

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

    def cedar(self, meta: Meta, raw: Token) -> s.CedarBlock:
        span = self._span(raw)
        body = Span(span.file, span.start + 3, span.end - 3)
        return s.CedarBlock(str(raw)[3:-3], body, self._doc(meta), self._span(meta))

    # --- Tokens, grants, overlays, tests ---

    def token(
        self, meta: Meta, name: s.Name, servers: tuple[s.Name, ...], *items: s.Assignment | tuple[s.Claim, ...]
    ) -> s.Token:
        return s.Token(
            name=name,
            servers=servers,
            items=tuple(item for item in items if isinstance(item, s.Assignment)),
            claims=tuple(claim for item in items if isinstance(item, tuple) for claim in item),
            doc=self._doc(meta),
            span=self._span(meta),
        )

    def claims(self, _: Meta, *claims: s.Claim) -> tuple[s.Claim, ...]:
        return claims

    def claim(
        self, meta: Meta, optional: Token | None, name: s.Name, value: s.Value | s.IntLiteral | s.BoolLiteral
    ) -> s.Claim:
        return s.Claim(name, value, optional is not None, self._span(meta))

    def grant(self, meta: Meta, name: s.Name, *items: s.Assignment) -> s.Grant:
        return s.Grant(name, items, self._doc(meta), self._span(meta))

    def overlay(self, meta: Meta, name: s.Name, *lines: s.OverlayLine) -> s.Overlay:
        return s.Overlay(name, lines, self._doc(meta), self._span(meta))

    def overlay_line(self, meta: Meta, target: s.Ref, value: s.Setting) -> s.OverlayLine:
        return s.OverlayLine(target, value, self._span(meta))

    def test(self, meta: Meta, title: s.StringLiteral, *items: s.TestItem) -> s.Test:
        return s.Test(title, items, self._doc(meta), self._span(meta))

    def given(self, meta: Meta, *values: tuple[s.Name, s.Scalar | s.ListLiteral]) -> s.Given:
        return s.Given(values, self._span(meta))

    def given_value(
        self, _: Meta, name: s.Name, value: s.Scalar | s.ListLiteral
    ) -> tuple[s.Name, s.Scalar | s.ListLiteral]:
        return name, value

    def send(
        self,
        meta: Meta,
        session: Token | None,
        agent: s.Name,
        server: s.Name,
        argument: tuple[s.Name, s.Scalar | s.ListLiteral] | None,
    ) -> s.Send:
        return s.Send(session is not None, agent, server, argument, self._span(meta))

    def expect_header(self, meta: Meta, header: s.Name, value: s.Scalar | None) -> s.ExpectHeader:
        return s.ExpectHeader(header, value, absent=False, span=self._span(meta))

    def expect_no_header(self, meta: Meta, header: s.Name) -> s.ExpectHeader:
        return s.ExpectHeader(header, None, absent=True, span=self._span(meta))

    def expect_denied(self, meta: Meta, *refs: s.Ref) -> s.ExpectDenied:
        return s.ExpectDenied(refs, self._span(meta))

    def expect_refused(self, meta: Meta) -> s.ExpectRefused:
        return s.ExpectRefused(self._span(meta))

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

    def annotations(self, _: Meta, *annotations: tuple[s.TagRef, s.StringLiteral | None]) -> _Annotations:
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
        return _Annotations(tuple(tags), deprecated[0][1] if deprecated else None)

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
