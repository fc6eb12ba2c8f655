"""The wheel as a stranger meets it: built from the tree, installed without extras in an empty environment."""

from __future__ import annotations

import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
COMPILER_PACKAGES = {"lark", "jinja2", "cedarpy", "click", "mcp", "httpx2"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    tree = folder / "tree"  # setuptools leaves its work behind, and would pick it up again
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(".*", "build", "dist", "*.egg-info", "tests"))
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", folder, tree], check=True, capture_output=True
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def scripts(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("empty")
    venv.create(folder, with_pip=True)
    subprocess.run([folder / "bin" / "python", "-m", "pip", "install", "-q", wheel], check=True, capture_output=True)
    return folder / "bin"


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def test_nothing_lands_outside_the_namespace_and_all_that_is_not_code_is_there(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"mcpx"}
    expected = {
        "mcpx/grammar/mcpx.lark",
        "mcpx/grammar/py.typed",
        "mcpx/compiler/py.typed",
        "mcpx/runtime/py.typed",
        "mcpx/compiler/report/explain/MX401.md",
        "mcpx/examples/gomark/policies/guardrails.cedar",
    }
    assert expected <= set(names)
    modules = {
        f"mcpx/{path.relative_to(ROOT).as_posix()}"
        for top in ("grammar", "compiler", "runtime", "examples")
        for path in (ROOT / top).rglob("*.py")
    }
    assert modules <= set(names)


def test_without_extras_the_runtime_works_and_the_script_says_what_is_missing(scripts: Path, tmp_path: Path) -> None:
    version = run(scripts / "mcpx", "--version", cwd=tmp_path)
    assert version.returncode == 0
    assert version.stdout.startswith("mcpx 0.")
    check = run(scripts / "mcpx", "check", "app.mcpx", cwd=tmp_path)
    assert check.returncode == 2
    assert check.stdout == ""
    assert check.stderr.count("\n") == 1
    assert "mcpx-lang[compiler]" in check.stderr
    script = f"import sys, mcpx.runtime as r; print(r.Router.__name__, {COMPILER_PACKAGES!r} & set(sys.modules))"
    imported = run(scripts / "python", "-c", script, cwd=tmp_path)
    assert imported.stdout == "Router set()\n", imported.stderr
