"""`mcpx build FILE -o TABLE`."""

from __future__ import annotations

from pathlib import Path

import click

from mcpx.compiler.cli.common import CannotRun, compiled, write_out, write_whole
from mcpx.compiler.emit.cedar import policies, schema
from mcpx.runtime.table import write

_STDOUT = Path("-")


@click.command()
@click.argument("file", default="app.mcpx", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, allow_dash=True),
    help="The file to write; - for standard output. A table needs it; what --emit prints goes to standard output.",
)
@click.option(
    "--emit",
    type=click.Choice(["cedar", "schema"]),
    help="In place of the table: all policies that Cedar saw, generated ones included, or their schema as JSON.",
)
@click.option("--overlay", metavar="NAME", help="Build with the addresses, sources and lifetimes of this overlay.")
def build(file: Path, output: Path | None, emit: str | None, overlay: str | None) -> int:
    """Compile FILE and write its routing table (default: app.mcpx). The same sources give the same bytes everywhere."""
    if output is None and emit is None:
        raise click.UsageError("name the table to write: -o TABLE")
    outcome = compiled(file, overlay)
    if outcome.body is None or outcome.program is None:
        return 1
    match emit:
        case "cedar":
            data = policies(outcome.program, outcome.sources).encode()
        case "schema":
            data = schema(outcome.program).encode()
        case _:
            data = write(outcome.body)
    root = file.resolve().parent
    target = output or _STDOUT
    if target == _STDOUT:
        write_out(data)
    elif target.resolve() in {root / name for name in outcome.sources}:
        raise CannotRun(f"`{target}` is one of the sources")
    else:
        write_whole(target, data)
    return 0
