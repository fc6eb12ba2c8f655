"""`mcpx`: the command line. Exit codes: 0 clean, 1 the files are at fault, 2 the tool could not run."""

from __future__ import annotations

import traceback
from pathlib import Path

import click

from mcpx.compiler.cli.build import build
from mcpx.compiler.cli.check import check
from mcpx.compiler.cli.common import give_up_stdout
from mcpx.compiler.cli.demo import demo
from mcpx.compiler.cli.explain import explain
from mcpx.compiler.cli.test import test
from mcpx.runtime.console import version_text


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(message=version_text())
def mcpx() -> None:
    """Say which MCP servers exist, which headers each gets, and which facts of an agent run may flow where."""


for _command in (check, build, test, demo, explain):
    mcpx.add_command(_command)


def main(arguments: list[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: what stands behind `mcpx`; the process's own arguments when not given.

    Returns:
        The exit code.
    """
    try:
        code = mcpx.main(arguments, prog_name="mcpx", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except (KeyboardInterrupt, click.Abort):
        click.echo("mcpx: interrupted", err=True)
        return 2
    except BrokenPipeError:
        give_up_stdout()  # the reader has gone
        return 2
    except Exception as error:  # noqa: BLE001 - whatever the fault, people get a sentence and no value of their files
        place = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(place.filename).name}:{place.lineno}"
        click.echo(f"mcpx: a fault of the compiler, please report it: {type(error).__name__} at {where}", err=True)
        return 2
    return code if isinstance(code, int) else 0
