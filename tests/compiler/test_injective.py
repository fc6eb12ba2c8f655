"""Two runs whose fields differ never send the same text: what the compiler lets through can be taken apart again."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from support.compiling import BASE, Compiled, compiled

from mcpx.compiler.report.diagnostic import Severity
from mcpx.runtime.router import Router
from mcpx.runtime.table import read, write

VALUES: dict[str, tuple[str | int | bool, ...]] = {
    "int": (-11, -1, 0, 1, 11),
    "bool": (False, True),
    'one of ["a", "ab", "-", "a-b"]': ("a", "ab", "-", "a-b"),
    'string matches "[a-c]+"': ("a", "b", "ab", "aa", "ba"),
    'string matches "[a-c-]*"': ("a", "b", "-", "a-", "-b", "a-b", "b-a"),
    'string matches "(?:[a-c]:)+"': ("a:", "b:", "a:b:", "a:a:", "b:a:"),
    "string": ("a", "b", "ab", "a-b", "1", "11", "a:b", ":", "-1", "e", "true"),
}
"""Types of fields, and values of each that are alike enough to be mistaken where text allows it."""
BETWEEN = ("", "-", ":", "a", "1", "/", ":-", "e")


def with_texts(folder: Path, first: str, second: str, between: tuple[str, ...]) -> Compiled:
    """Base with a header for each text between two fields of these types."""
    fields = f"  verified a: {first}\n  verified b: {second}\n"
    lines = "".join(f'  header X-{number} = "${{run.a}}{text}${{run.b}}"\n' for number, text in enumerate(between))
    text = BASE.replace("run {\n", f"run {{\n{fields}").replace("server crm {\n", f"server crm {{\n{lines}")
    return compiled(folder, f"{text}allow run.a, run.b -> crm\n")


@pytest.mark.parametrize("first", VALUES)
@pytest.mark.parametrize("second", VALUES)
def test_text_that_the_compiler_lets_through_is_injective(tmp_path: Path, first: str, second: str) -> None:
    result = with_texts(tmp_path, first, second, BETWEEN)
    refused = [finding for finding in result.findings if finding.severity is Severity.ERROR]
    assert {finding.code for finding in refused} == {"MX309"}
    ambiguous = {int(finding.message.split("X-")[1].rstrip("`")) for finding in refused}
    kept = tuple(text for number, text in enumerate(BETWEEN) if number not in ambiguous)
    body = with_texts(tmp_path, first, second, kept).outcome.body
    assert body is not None
    running = Router(read(write(body)), {"CRM_KEY": "k"})
    seen: dict[tuple[str, str], tuple[object, object]] = {}
    for a, b in product(VALUES[first], VALUES[second]):
        for item in running.run("analyst", verified={"tenant": "acme", "a": a, "b": b}).headers("crm").items():
            assert seen.setdefault(item, (a, b)) == (a, b) or item[0] in ("Authorization", "X-Tenant-Id")


@pytest.mark.parametrize(
    ("first", "kept"),
    [
        ("int", [":", "a", "/", ":-", "e"]),
        ("bool", ["-", ":", "1", "/", ":-"]),
        ('one of ["a", "ab", "-", "a-b"]', [":", "1", "/", ":-", "e"]),
        ('string matches "[a-c]+"', ["-", ":", "1", "/", ":-", "e"]),
        ('string matches "[a-c-]*"', [":", "1", "/", ":-", "e"]),
        ('string matches "(?:[a-c]:)+"', ["-", "1", "/", "e"]),
        ("string", []),
    ],
)
def test_text_is_let_through_where_the_first_field_cannot_hold_what_follows(
    tmp_path: Path, first: str, kept: list[str]
) -> None:
    ambiguous = {finding.message for finding in with_texts(tmp_path, first, "string", BETWEEN).findings}
    assert [text for number, text in enumerate(BETWEEN) if not any(f"`X-{number}`" in one for one in ambiguous)] == kept
