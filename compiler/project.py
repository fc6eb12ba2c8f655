"""The files of a project: the one given on the command line, and all that it imports, inside its folder."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from mcpx.compiler import model, syntax
from mcpx.compiler.parse import parse
from mcpx.compiler.read import read
from mcpx.compiler.report import name_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.source import Source, Span


class Unreadable(Exception):
    """The file given on the command line cannot be read."""


@dataclass
class Project:
    """Everything that was read. `files` begins with the root; `cedar` are the imported `.cedar` files."""

    sources: dict[str, Source] = field(default_factory=dict)
    files: list[syntax.File] = field(default_factory=list)
    cedar: list[model.CedarText] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)


def load(path: Path) -> Project:
    """Read a file and what it imports. Names are relative to the real folder of `path`, the project's root.

    Raises:
        Unreadable: `path` itself cannot be read.
    """
    real = path.resolve()
    try:
        data = real.read_bytes()
    except OSError as error:
        raise Unreadable(f"cannot read `{path}`: {error.strerror or 'not a file'}") from None
    project = Project()
    _Loader(real.parent, project).mcpx(real.name, data, ())
    return project


class _Loader:
    def __init__(self, root: Path, project: Project) -> None:
        self._root = root
        self._project = project

    def mcpx(self, name: str, data: bytes, chain: tuple[str, ...]) -> None:
        """One `.mcpx` file, then those that it imports; `chain` are the files that led here."""
        source = self._source(name, data)
        if source is None:
            return
        file, found = parse(source)
        self._project.diagnostics.extend(found)
        self._project.files.append(file)
        first: dict[str, Span] = {}
        for statement in file.statements:
            if isinstance(statement, syntax.Import):
                self._import(statement.path, name, (*chain, name), first)

    def _import(
        self, path: syntax.StringLiteral, importer: str, chain: tuple[str, ...], first: dict[str, Span]
    ) -> None:
        report = self._project.diagnostics.append
        if not path.value.endswith((".mcpx", ".cedar")):
            report(say.import_kind(path))
        elif path.value.startswith("/") or "\\" in path.value or "\0" in path.value:
            report(say.import_absolute(path))
        elif (real := self._inside(importer, path.value)) is None:
            report(say.import_leaves_project(path))
        elif (name := real.relative_to(self._root).as_posix()) in first:
            report(say.import_twice(path, first[name]))
        elif name in chain:
            report(say.import_cycle(path, (*chain[chain.index(name) :], name)))
        else:
            first[name] = path.span
            if name in self._project.sources:
                return
            try:
                data = real.read_bytes()
            except OSError:
                report(say.import_not_found(path))
                return
            if name.endswith(".mcpx"):
                self.mcpx(name, data, chain)
            else:
                self._cedar(name, data)

    def _inside(self, importer: str, path: str) -> Path | None:
        real = (self._root / importer).parent.joinpath(path).resolve()
        return real if real.is_relative_to(self._root) else None

    def _cedar(self, name: str, data: bytes) -> None:
        source = self._source(name, data)
        if source is not None:
            self._project.cedar.append(model.CedarText(source.text, Span(name, 0, len(source.text))))

    def _source(self, name: str, data: bytes) -> Source | None:
        """The source, for showing places in any case; nothing to parse when its characters were refused."""
        source, found = read(name, data)
        self._project.sources[name] = source
        self._project.diagnostics.extend(found)
        return None if found else source
