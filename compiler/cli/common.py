"""What the commands share: compiling a file, saying what was found, and writing a file as a whole or not at all."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import click

from mcpx.compiler.pipeline import Outcome, UnknownOverlay, compile_project
from mcpx.compiler.project import Unreadable
from mcpx.compiler.report.text import render


def compiled(path: Path, overlay: str | None = None) -> Outcome:
    """Compile a project and print its findings to standard error.

    Raises:
        CannotRun: the file cannot be read, or has no overlay of this name.
    """
    try:
        outcome = compile_project(path, overlay)
    except (Unreadable, UnknownOverlay) as error:
        raise CannotRun(str(error)) from None
    click.echo(render(outcome.diagnostics, outcome.sources), err=True, nl=False)
    return outcome


class CannotRun(click.ClickException):
    """The tool could not do its work; the files are not at fault."""

    exit_code = 2

    def show(self, file: object = None) -> None:
        """One line on standard error, whatever characters a file's name has."""
        click.echo("mcpx: " + "".join(c if c.isprintable() else repr(c)[1:-1] for c in self.message), err=True)


def write_out(data: bytes) -> None:
    """Write a result to standard output.

    Raises:
        CannotRun: it is closed, or takes no more.
    """
    if sys.stdout is None:
        raise CannotRun("cannot write the result: standard output is closed")
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        give_up_stdout()
        raise CannotRun(f"cannot write the result: {error.strerror}") from None


def give_up_stdout() -> None:
    """What is left in the buffer must not complain when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def write_whole(path: Path, data: bytes) -> None:
    """Write beside and rename, so that a reader sees the old file or the new one (rename(2) of POSIX is atomic).

    A link is followed; what is neither a regular file nor absent is left alone.

    Raises:
        CannotRun: the file cannot be written.
    """
    beside: str | None = None
    try:
        target = path.resolve()
        if target.exists() and not target.is_file():
            raise CannotRun(f"cannot write `{path}`: it is no regular file")
        handle, beside = tempfile.mkstemp(prefix=".mcpx-", dir=target.parent)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(beside).chmod(0o666 & ~umask)
        Path(beside).replace(target)
    except (OSError, RuntimeError) as error:  # RuntimeError: links in a circle, in Python 3.11 and 3.12
        if beside is not None:
            Path(beside).unlink(missing_ok=True)
        raise CannotRun(
            f"cannot write `{path}`: {getattr(error, 'strerror', None) or 'its links form a circle'}"
        ) from None
