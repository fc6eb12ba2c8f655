"""From Lark's tree to the tree as written (`syntax`): one method per rule of the grammar, called from the leaves up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from lark import Token, Tree, v_args
from lark.tree import Meta

from mcpx.compiler import syntax as s
from mcpx.compiler.build_parts import Annotations, PartsBuilder
from mcpx.compiler.comments import DocComment
from mcpx.compiler.report import parse_errors
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.source import Source, Span

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
    builder = TreeBuilder(source, docs)
    statements = builder.transform(tree)
    loose = tuple(comment for offset, comment in docs.items() if offset not in builder.taken)
    return Built(statements, tuple(builder.found), loose)


@v_args(inline=True, meta=True)
class TreeBuilder(PartsBuilder):
    """One method per rule of the grammar that is a statement or stands in a block."""

    def __init__(self, source: Source, docs: Mapping[int, DocComment]) -> None:
        super().__init__(source)
        self.docs = docs
        self.taken: set[int] = set()

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
        annotations: Annotations,
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

    # --- Servers ---

    def server(self, meta: Meta, name: s.Name, annotations: Annotations, *items: s.ServerItem) -> s.Server:
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
        annotations: Annotations,
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
