"""The runtime stands alone, and the console script says what is missing."""

from __future__ import annotations

import re
import subprocess
import sys

BLOCKED = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"lark", "jinja2", "cedarpy", "click", "httpx2", "httpx", "mcp", "anyio", "jwt"}:
            raise ModuleNotFoundError(f"{name} is blocked", name=name)

sys.meta_path.insert(0, Blocked())
"""


def python(program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", BLOCKED + program, *arguments],
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_runtime_is_imported_and_loads_a_table_without_the_packages_of_others() -> None:
    program = """
import mcpx.runtime
assert all(hasattr(mcpx.runtime, name) for name in mcpx.runtime.__all__)
assert not any(name.startswith("mcpx.compiler") for name in sys.modules)
print(sorted(name for name in sys.modules if name.startswith("mcpx.")))
"""
    done = python(program)
    assert done.stderr == ""
    assert "mcpx.runtime.clients" not in done.stdout


def test_the_version_is_told_without_the_compiler() -> None:
    done = python("import mcpx.runtime.console as c; sys.exit(c.main())", "--version")
    assert re.fullmatch(r"mcpx \d+\.\d+\.\d+\S* \(language edition 1, table format 1\)\n", done.stdout)
    assert (done.returncode, done.stderr) == (0, "")


def test_without_the_compiler_everything_else_is_one_sentence_and_exit_code_2() -> None:
    for arguments in ((), ("check", "x.mcpx"), ("--help",)):
        done = python("import mcpx.runtime.console as c; sys.exit(c.main())", *arguments)
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1
        assert "mcpx-lang[compiler]" in done.stderr
