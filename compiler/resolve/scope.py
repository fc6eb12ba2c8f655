"""What is declared, by kind, and the looking-up of names: one that is not there is reported here and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Generic, Protocol, TypeVar

from mcpx.compiler import syntax
from mcpx.compiler.report import name_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.resolve.properties import Properties, resolve_properties


class _Named(Protocol):
    @property
    def name(self) -> syntax.Name: ...


_Node = TypeVar("_Node", bound=_Named)


@dataclass(frozen=True)
class Table(Generic[_Node]):
    """One namespace: what its names are called in messages, the statement that declares each, and deprecated uses."""

    kind: str
    nodes: Mapping[str, _Node]
    warnings: list[Diagnostic] = field(default_factory=list)

    def find(self, name: syntax.Name, findings: list[Diagnostic]) -> str | None:
        """The name's text if it is declared; else `None`, and a finding that suggests the nearest.

        A use of what is deprecated is kept in `warnings`, so that new `findings` always mean that something is wrong.
        """
        node = self.nodes.get(name.text)
        if node is not None:
            if isinstance(node, syntax.Field | syntax.Server | syntax.Agent) and node.deprecated is not None:
                self.warnings.append(
                    say.deprecated("agent" if isinstance(node, syntax.Agent) else self.kind, name, node.deprecated)
                )
            return name.text
        findings.append(say.unknown(self.kind, name, self.nodes))
        return None

    def find_all(self, names: Iterable[syntax.Name], findings: list[Diagnostic]) -> tuple[str, ...]:
        """Those of `names` that are declared, in order; a name given twice is reported and kept once."""
        found: dict[str, syntax.Name] = {}
        for name in names:
            if self.find(name, findings) is None:
                continue
            if name.text in found:
                findings.append(say.repeated(name, found[name.text]))
            found.setdefault(name.text, name)
        return tuple(found)


@dataclass(frozen=True, slots=True)
class Word:
    """A name that one statement declares together with others: `tag a, b`, `group a, b`."""

    name: syntax.Name
    doc: str | None = None


@dataclass
class Scope:
    """Every namespace of a project. Agents and groups share one: `people` is all of it, and they are its halves."""

    tags: Table[Word]
    fields: Table[syntax.Field]
    settings: Table[syntax.SettingDecl]
    secrets: Table[syntax.SecretDecl]
    servers: Table[syntax.Server]
    agents: Table[syntax.Agent]
    groups: Table[Word]
    tokens: Table[syntax.Token]
    grants: Table[syntax.Grant]
    overlays: Table[syntax.Overlay]
    properties: Properties
    people: Table[syntax.Agent | Word] = field(init=False)

    def __post_init__(self) -> None:
        self.people = Table("agent or group", {**self.agents.nodes, **self.groups.nodes})


def declare(statements: Iterable[syntax.Statement], findings: list[Diagnostic]) -> Scope:
    """Collect all declarations of a project; a second one of the same name is reported and left out."""
    statements = tuple(statements)

    def of(kind: type[_Node]) -> list[_Node]:
        return [statement for statement in statements if isinstance(statement, kind)]

    blocks = [statement for statement in statements if isinstance(statement, syntax.RunBlock)]
    findings.extend(say.second_run_block(extra, blocks[0]) for extra in blocks[1:])
    fields = [field for block in blocks for field in block.fields]
    tags = [Word(n, s.doc) for s in statements if isinstance(s, syntax.Tags) for n in s.names]
    people: dict[str, syntax.Agent | Word] = {}
    for declared in _people(statements):
        if declared.name.text == "session":
            findings.append(say.reserved_session(declared.name))
        _add(people, declared, "agent or group", findings)
    return Scope(
        tags=_table("tag", tags, findings),
        fields=_table("field", fields, findings),
        settings=_table("setting", of(syntax.SettingDecl), findings),
        secrets=_table("secret", of(syntax.SecretDecl), findings),
        servers=_table("server", of(syntax.Server), findings),
        agents=Table("agent", {k: v for k, v in people.items() if isinstance(v, syntax.Agent)}),
        groups=Table("group", {k: v for k, v in people.items() if isinstance(v, Word)}),
        tokens=_table("token", of(syntax.Token), findings),
        grants=_table("grant", of(syntax.Grant), findings),
        overlays=_table("overlay", of(syntax.Overlay), findings),
        properties=resolve_properties((s for s in statements if isinstance(s, syntax.Property)), findings),
    )


def _people(statements: Iterable[syntax.Statement]) -> Iterator[syntax.Agent | Word]:
    for statement in statements:
        if isinstance(statement, syntax.Agent):
            yield statement
        elif isinstance(statement, syntax.Groups):
            yield from (Word(name, statement.doc) for name in statement.names)


def _table(kind: str, nodes: Iterable[_Node], findings: list[Diagnostic]) -> Table[_Node]:
    declared: dict[str, _Node] = {}
    for node in nodes:
        _add(declared, node, kind, findings)
    return Table(kind, declared)


def _add(declared: dict[str, _Node], node: _Node, kind: str, findings: list[Diagnostic]) -> None:
    first = declared.setdefault(node.name.text, node)
    if first is not node:
        findings.append(say.declared_twice(kind, node.name, first.name))
