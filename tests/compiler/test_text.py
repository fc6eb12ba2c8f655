"""Findings as people read them."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import golden
from support.compiling import BASE, Compiled, compiled, replaced, with_lines

from mcpx.compiler.pipeline import compile_project
from mcpx.compiler.report.diagnostic import Diagnostic, Label, Stage
from mcpx.compiler.report.text import render
from mcpx.compiler.source import Source, Span


@pytest.mark.parametrize("name", golden.inputs())
def test_findings_read_as_they_did(name: str, *, update_goldens: bool) -> None:
    result = Compiled(compile_project(golden.FOLDER / f"{name}.mcpx"))
    golden.assert_golden(f"{name}.txt", result.text, update=update_goldens)


def test_there_is_a_golden_file_for_each_input_and_no_other() -> None:
    assert sorted(path.stem for path in golden.FOLDER.glob("*.txt")) == golden.inputs()


@pytest.mark.parametrize("before", ["", "\t", "  ", "\u5317\u4eac", "e\u0301", "\u00e9"])
def test_the_caret_stands_below_its_place_whatever_stands_before_it(before: str) -> None:
    line = f"{before}wrong"
    source = Source("a.mcpx", line, line.encode())
    found = Diagnostic("MX999", Stage.CHECK, "m", (Label(Span("a.mcpx", len(before), len(line)), "here"),))
    *_, quoted, below, _, _ = render([found], {"a.mcpx": source}).splitlines()
    cells = {"\u5317\u4eac": 4, "\t": 4, "e\u0301": 1}.get(before, len(before))
    assert below == f"  | {' ' * cells}^^^^^ here"
    assert quoted.replace("\t", "    ").endswith("wrong")


def test_a_label_over_several_lines_marks_the_first(tmp_path: Path) -> None:
    text = 'mcpx 1\ncedar """\n  permit (\n    principal, action, resource);\n"""\n'
    result = compiled(tmp_path, text)
    assert result.findings
    assert all(len(line) < 80 for line in result.text.splitlines() if "^" in line)


def test_a_line_of_any_length_is_shown_around_the_place(tmp_path: Path) -> None:
    names = ", ".join(f"tag_number_{number}" for number in range(3_000))
    result = compiled(tmp_path, f"{BASE}tag {names}, crm_tag, crm_tag\n")
    first = next(found for found in result.findings if found.code == "MX202")
    said = render([first], result.outcome.sources)
    assert "crm_tag" in said
    assert max(map(len, said.splitlines())) < 400


@pytest.mark.parametrize("odd", ["\u001b[31m", "\u202e", "\u0007", "\u2028"])
def test_nothing_that_a_terminal_acts_on_is_said(tmp_path: Path, odd: str) -> None:
    escaped = f"\\u{{{ord(odd[0]):x}}}{odd[1:]}"
    in_name = compiled(tmp_path, with_lines(crm=f'  header "X{escaped}" = "x"'))
    in_text = compiled(tmp_path, BASE + f"# {odd}\n")
    for result in (in_name, in_text):
        assert result.findings
        assert odd[0] not in result.text


def test_lines_are_counted_for_each_file(tmp_path: Path) -> None:
    text = replaced("mcpx 1\n", 'mcpx 1\nimport "b.mcpx"\n')
    result = compiled(tmp_path, text, b_mcpx='mcpx 1\n\n\nserver crm {\n  url = "https://b.example.com"\n}\n')
    assert " --> b.mcpx:4:8" in result.text
    assert " ::: app.mcpx:7:8" in result.text
    assert result.text.endswith("1 error in 2 files\n")
