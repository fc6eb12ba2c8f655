"""Every code has a page; the page's wrong example gives that code and nothing else, its right one is clean."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.explained import EXPLAIN, codes, write_example

from mcpx.compiler.pipeline import compile_project

COMPILER = Path(__file__).parents[2] / "compiler"


def test_every_code_in_the_compiler_has_a_page_and_every_page_a_code() -> None:
    used = {
        code
        for module in COMPILER.rglob("*.py")
        for code in re.findall(r'"(MX\d{3})"', module.read_text(encoding="utf-8"))
    }
    assert used == set(codes())


@pytest.mark.parametrize("code", codes())
def test_the_wrong_example_gives_exactly_its_code(code: str, tmp_path: Path) -> None:
    outcome = compile_project(write_example(code, "Wrong", tmp_path))
    assert {finding.code for finding in outcome.diagnostics} == {code}


@pytest.mark.parametrize("code", codes())
def test_the_right_example_is_clean(code: str, tmp_path: Path) -> None:
    outcome = compile_project(write_example(code, "Right", tmp_path))
    assert outcome.diagnostics == ()
    assert outcome.body is not None


@pytest.mark.parametrize("code", codes())
def test_a_page_begins_with_its_code_and_a_title(code: str) -> None:
    first = EXPLAIN.joinpath(f"{code}.md").read_text(encoding="utf-8").split("\n", 1)[0]
    assert re.fullmatch(rf"# {code}: \S.*[^.]", first)
