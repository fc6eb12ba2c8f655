"""`mcpx build FILE -o TABLE`."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from mcpx.compiler.cli.common import CannotRun, compiled, write_whole
from mcpx.runtime.table import write


@click.command()
@click.argument("file", default="app.mcpx", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(path_type=Path, allow_dash=True),
    help="The table to write; - for standard output.",
)
def build(file: Path, output: Path) -> int:
    """Compile FILE and write its routing table (default: app.mcpx). The same sources give the same bytes everywhere."""
    outcome = compiled(file)
    if outcome.body is None:
        return 1
    data = write(outcome.body)
    root = file.resolve().parent
    if str(output) == "-":
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    elif output.resolve() in {root / name for name in outcome.sources}:
        raise CannotRun(f"`{output}` is one of the sources")
    else:
        write_whole(output, data)
    return 0
