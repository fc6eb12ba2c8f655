"""`mcpx explain CODE`."""

from __future__ import annotations

from importlib.resources import files

import click

from mcpx.compiler.cli.common import CannotRun, write_out
from mcpx.compiler.report.suggest import nearest


@click.command()
@click.argument("code", required=False)
@click.option("--all", "everything", is_flag=True, help="List every code and its title.")
def explain(code: str | None, *, everything: bool) -> int:
    """Tell the longer story of CODE: what it means, a file that has it, and one that has not."""
    pages = {
        page.name.removesuffix(".md"): page for page in files("mcpx.compiler.report").joinpath("explain").iterdir()
    }
    if everything:
        titles = (
            pages[name].read_text(encoding="utf-8").split("\n", 1)[0].removeprefix("# ") for name in sorted(pages)
        )
        write_out("".join(f"{title}\n" for title in titles).encode())
        return 0
    if code is None:
        raise click.UsageError("name a CODE, or --all")
    page = pages.get(code.upper())
    if page is None:
        close = ", ".join(nearest(code.upper(), pages))
        raise CannotRun(
            f"no code `{code}`; " + (f"did you mean {close}?" if close else "`mcpx explain --all` lists them")
        )
    write_out(page.read_bytes())
    return 0
