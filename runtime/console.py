"""The console script `mcpx`: its version, and the door to the compiler, which an installation may lack."""

from __future__ import annotations

import importlib
import sys
from importlib.metadata import version
from typing import Final

from mcpx.runtime.body import FORMAT

EDITION: Final = 1
"""The newest edition of the language."""

_COMPILER_PACKAGES: Final = ("lark", "jinja2", "cedarpy", "click")


def version_text() -> str:
    """The version of the distribution, of the language and of the table, in one line."""
    return f"mcpx {version('mcpx-lang')} (language edition {EDITION}, table format {FORMAT})"


def main() -> int:
    """Run the command line of this process.

    Returns:
        The exit code: 0, or what the compiler's command line says; 2 without the compiler's packages.
    """
    arguments = sys.argv[1:]
    if arguments == ["--version"]:
        sys.stdout.write(version_text() + "\n")
        return 0
    try:
        # By name: the runtime does not depend on the compiler.
        command_line = importlib.import_module("mcpx.compiler.cli.main")
    except ModuleNotFoundError as missing:
        if missing.name not in _COMPILER_PACKAGES:
            raise
        extras = "compiler,mcp" if arguments[:1] == ["demo"] else "compiler"
        sys.stderr.write(f"this installation has no compiler; add it with: pip install 'mcpx-lang[{extras}]'\n")
        return 2
    code: int = command_line.main(arguments)
    return code
