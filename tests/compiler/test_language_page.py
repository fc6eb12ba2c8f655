"""The language reference: every example on it compiles without a finding, and its tests pass."""

from __future__ import annotations

import json
import re
from pathlib import Path

import cedarpy
import pytest

from mcpx.compiler.emit.cedar import policies
from mcpx.compiler.pipeline import Outcome, compile_project
from mcpx.compiler.report.text import render
from mcpx.compiler.testing import run_tests

PAGE = Path(__file__).parents[2] / "docs" / "language.md"
_BLOCK = re.compile(r"^```(?:mcpx|cedar)(?: name=(?P<name>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


def projects() -> list[dict[str, str]]:
    """The files of each project on the page. A piece without a first line `mcpx 1` goes on with the one before it."""
    found: list[dict[str, str]] = []
    for block in _BLOCK.finditer(PAGE.read_text(encoding="utf-8")):
        name, text = block["name"] or "app.mcpx", block["text"]
        if name == "app.mcpx" and text.startswith("mcpx 1\n"):
            found.append({})
        found[-1][name] = found[-1].get(name, "") + text
    return found


def compiled(files: dict[str, str], folder: Path) -> Outcome:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return compile_project(folder / "app.mcpx")


@pytest.mark.parametrize("files", projects(), ids=lambda files: files["app.mcpx"].splitlines()[2][:30])
def test_every_example_of_the_page_compiles_without_a_finding(files: dict[str, str], tmp_path: Path) -> None:
    outcome = compiled(files, tmp_path)
    assert outcome.diagnostics == (), render(outcome.diagnostics, outcome.sources)
    assert outcome.body is not None
    assert outcome.program is not None
    assert [result for result in run_tests(outcome.body, outcome.program.tests) if result.failures] == []


def test_the_page_shows_every_kind_of_statement() -> None:
    shown = {line.split(" ", 1)[0] for files in projects() for line in "\n".join(files.values()).splitlines()}
    assert shown >= {
        *("import", "tag", "run", "property", "setting", "secret", "server", "group", "agent", "credential"),
        *("allow", "require", "deny", "cedar", "token", "grant", "overlay", "test"),
    }


def test_links_within_the_documents_lead_somewhere() -> None:
    for page in PAGE.parent.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        anchors = {_anchor(title) for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}
        for target in re.findall(r"\]\(([^)\s]+)\)", text):
            if target.startswith("#"):
                assert target[1:] in anchors, target
            elif "://" not in target:
                assert (page.parent / target.split("#")[0]).exists(), target


def _anchor(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


@pytest.mark.parametrize("files", projects(), ids=lambda files: files["app.mcpx"].splitlines()[2][:30])
def test_the_policies_that_a_table_names_are_those_that_are_emitted(files: dict[str, str], tmp_path: Path) -> None:
    outcome = compiled(files, tmp_path)
    assert outcome.program is not None
    assert outcome.body is not None
    parsed = json.loads(cedarpy.policies_to_json_str(policies(outcome.program, outcome.sources)))["staticPolicies"]
    assert {policy["annotations"]["id"] for policy in parsed.values()} == set(outcome.body.policies)
