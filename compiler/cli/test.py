"""`mcpx test FILE`."""

from __future__ import annotations

from pathlib import Path

import click

from mcpx.compiler.cli.common import CannotRun, compiled, write_out
from mcpx.compiler.report.results import junit, text
from mcpx.compiler.testing import run_tests

_FORMATS = {"text": text, "junit": junit}


@click.command()
@click.argument("file", default="app.mcpx", type=click.Path(path_type=Path))
@click.option("-k", "part", metavar="TEXT", help="Run only the tests whose title holds TEXT, in any case.")
@click.option("--format", "form", type=click.Choice(list(_FORMATS)), default="text", help="How to tell the results.")
def test(file: Path, part: str | None, form: str) -> int:
    """Run the tests of FILE on its compiled table (default: app.mcpx), offline and without secrets."""
    outcome = compiled(file)
    if outcome.body is None or outcome.program is None:
        return 1
    tests = outcome.program.tests
    if not tests:
        raise CannotRun(f"`{file}` has no tests")
    chosen = [one for one in tests if part is None or part.casefold() in one.title.casefold()]
    if not chosen:
        raise CannotRun(f"no test of `{file}` has this text in its title")
    results = run_tests(outcome.body, chosen)
    write_out(_FORMATS[form](results, outcome.sources).encode())
    return int(any(result.failures for result in results))
