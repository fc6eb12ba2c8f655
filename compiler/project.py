"""The files of a project: the one given on the command line, and all that it imports, inside its folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from mcpx.compiler import model, syntax
from mcpx.compiler.parse import parse
from mcpx.compiler.read import read
from mcpx.compiler.report import name_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.source import Source, Span
from mcpx.runtime.files import NotRegularError, read_regular

MAX_BYTES = 4 * 1024 * 1024
"""The largest file that is read: a thousand agents and a thousand servers fit many times."""

_ENDINGS = (".mcpx", ".cedar")


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
    try:
        real = path.resolve()
        real.name.encode()
        data = _content(real)
    except (OSError, RuntimeError, ValueError) as error:  # RuntimeError: links in a circle, in Python 3.11 and 3.12
        if isinstance(error, RuntimeError):
            why = "its links form a circle"
        else:
            why = getattr(error, "strerror", None) or "its name is not in UTF-8"
        raise Unreadable(f"cannot read `{path}`: {why}") from None
    if data is None:
        why = f"it has more than {MAX_BYTES} bytes" if real.is_file() else "it is no regular file"
        raise Unreadable(f"cannot read `{path}`: {why}")
    project = Project()
    _Loader(real.parent, project).load(real.name, data)
    return project


def _content(real: Path) -> bytes | None:
    """The bytes of a file; `None` when it is none or too large."""
    try:
        data, _ = read_regular(real, MAX_BYTES)
    except NotRegularError:
        return None
    return data if len(data) <= MAX_BYTES else None


@dataclass
class _Open:
    """A file whose imports are being followed: those that are left, and the places of those that were met."""

    name: str
    imports: Iterator[syntax.StringLiteral]
    met: dict[str, Span] = field(default_factory=dict)


class _Loader:
    """Depth first, so that a file comes before those that it imports. `_chain` leads from the root to where we are."""

    def __init__(self, root: Path, project: Project) -> None:
        self._root = root
        self._project = project
        self._seen: set[str] = set()
        self._chain: list[_Open] = []

    def load(self, name: str, data: bytes) -> None:
        """The file `name` and, one after the other, all that it leads to."""
        self._take(name, data)
        while self._chain:
            path = next(self._chain[-1].imports, None)
            if path is None:
                self._chain.pop()
            else:
                self._follow(path, self._chain[-1])

    def _take(self, name: str, data: bytes) -> None:
        self._seen.add(name)
        source, found = read(name, data)
        self._project.sources[name] = source
        self._project.diagnostics.extend(found)
        if found:
            return
        if name.endswith(".cedar"):
            self._project.cedar.append(model.CedarText(source.text, Span(name, 0, len(source.text))))
            return
        file, found = parse(source)
        self._project.diagnostics.extend(found)
        self._project.files.append(file)
        self._chain.append(_Open(name, iter([s.path for s in file.statements if isinstance(s, syntax.Import)])))

    def _follow(self, path: syntax.StringLiteral, importer: _Open) -> None:
        report = self._project.diagnostics.append
        real = self._real(path.value, importer.name)
        names = [step.name for step in self._chain]
        if not path.value.endswith(_ENDINGS):
            report(say.import_kind(path))
        elif path.value.startswith("/") or "\\" in path.value:
            report(say.import_absolute(path))
        elif real is None:
            report(say.import_not_found(path))
        elif not real.is_relative_to(self._root):
            report(say.import_leaves_project(path))
        elif real.suffix != PurePosixPath(path.value).suffix:
            report(say.import_kind(path))
        elif (name := real.relative_to(self._root).as_posix()) in importer.met:
            report(say.import_twice(path, importer.met[name]))
        elif name in names:
            report(say.import_cycle(path, (*names[names.index(name) :], name)))
        else:
            importer.met[name] = path.span
            if name not in self._seen:
                self._read(name, real, path)

    def _real(self, path: str, importer: str) -> Path | None:
        """Where a path leads, links followed; `None` for what no file can be called."""
        try:
            real = (self._root / importer).parent.joinpath(path).resolve()
            real.name.encode()
        except (OSError, RuntimeError, ValueError):
            return None
        return real

    def _read(self, name: str, real: Path, path: syntax.StringLiteral) -> None:
        try:
            data = _content(real)
        except OSError:
            data = None
        if data is None:
            self._project.diagnostics.append(say.import_not_found(path))
        else:
            self._take(name, data)
