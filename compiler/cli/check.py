"""`mcpx check FILE…`."""

from __future__ import annotations

from pathlib import Path

import click

from mcpx.compiler.cli.common import compiled


@click.command()
@click.argument("files", metavar="FILE…", nargs=-1, type=click.Path(path_type=Path))
@click.option("--deny-warnings", is_flag=True, help="Exit with 1 when there are warnings.")
def check(files: tuple[Path, ...], *, deny_warnings: bool) -> int:
    """Find everything wrong in each FILE and what it imports (default: app.mcpx)."""
    outcomes = [compiled(file) for file in files or (Path("app.mcpx"),)]
    faulty = any(outcome.body is None or (deny_warnings and outcome.diagnostics) for outcome in outcomes)
    return int(faulty)
