"""The published description of the table: its JSON Schema, and a page with an example that the compiler wrote."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from support.golden import assert_file

from mcpx.compiler.emit.table_schema import table_schema
from mcpx.compiler.pipeline import compile_project
from mcpx.runtime.table import write

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "table-format.md"
_EXAMPLE = re.compile(r"```mcpx\n(?P<source>.*?)```\n(?P<between>.*?)```json\n(?P<table>.*?)```", re.DOTALL)


def test_the_published_schema_is_that_of_the_model(*, update_goldens: bool) -> None:
    assert_file(ROOT / "docs" / "table.schema.json", table_schema(), update=update_goldens)


def test_the_schema_is_one_and_tables_of_the_examples_fit_it() -> None:
    schema = json.loads(table_schema())
    Draft202012Validator.check_schema(schema)
    assert not list(Draft202012Validator(schema).iter_errors(_table(ROOT / "examples" / "gomark" / "app.mcpx")))


@pytest.mark.parametrize(
    "change",
    [
        lambda table: table.update(digest="sha256:0"),
        lambda table: table.pop("digest"),
        lambda table: table.update(more=1),
        lambda table: table["body"].update(format=2),
        lambda table: table["body"].update(more={}),
        lambda table: table["body"].pop("rows"),
        lambda table: table["body"]["rows"][0].update(agent=7),
        lambda table: table["body"]["rows"][0].update(more=""),
    ],
)
def test_the_schema_refuses_what_the_runtime_refuses(change: Callable[[Any], Any]) -> None:
    table = _table(ROOT / "examples" / "gomark" / "app.mcpx")
    change(table)
    assert not Draft202012Validator(json.loads(table_schema())).is_valid(table)


def test_the_example_of_the_page_is_what_the_compiler_writes(tmp_path: Path, *, update_goldens: bool) -> None:
    page = PAGE.read_text(encoding="utf-8")
    example = _EXAMPLE.search(page)
    assert example is not None
    root = tmp_path / "app.mcpx"
    root.write_text(example["source"], encoding="utf-8")
    shown = json.dumps(_table(root), indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    rewritten = page[: example.start("table")] + shown + page[example.end("table") :]
    assert_file(PAGE, rewritten, update=update_goldens)


def test_the_page_describes_every_record_and_every_key() -> None:
    page = PAGE.read_text(encoding="utf-8")
    sections = dict(re.findall(r"^### `(\w+)`\n(.*?)(?=^##|\Z)", page, re.MULTILINE | re.DOTALL))
    tables = {name: text.split("| key | holds |\n", 1)[1].split("\n\n", 1)[0] for name, text in sections.items()}
    described = {name: set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) for name, table in tables.items()}
    assert described == {name: set(record["properties"]) for name, record in _records()}


def _records() -> Iterator[tuple[str, Any]]:
    yield from json.loads(table_schema())["$defs"].items()


def _table(root: Path) -> Any:
    outcome = compile_project(root)
    assert outcome.body is not None, [finding.message for finding in outcome.diagnostics]
    return json.loads(write(outcome.body))
