"""Two runs whose fields differ never send the same text: what the compiler lets through can be taken apart again."""

from __future__ import annotations

from pathlib import Path
from string import ascii_lowercase
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from support.compiling import BASE, compiled

from mcpx.compiler.report.diagnostic import Severity
from mcpx.runtime.errors import HeaderRefused
from mcpx.runtime.router import Router
from mcpx.runtime.table import read, write

LETTERS = st.text(ascii_lowercase[:3], min_size=1, max_size=3)
TYPES: dict[str, st.SearchStrategy[Any]] = {
    "int": st.integers(-20, 20),
    "bool": st.booleans(),
    'one of ["a", "ab", "-", "a-b"]': st.sampled_from(["a", "ab", "-", "a-b"]),
    'string matches "[a-c]+"': LETTERS,
    'string matches "[a-c-]*"': st.text("abc-", max_size=3),
    'string matches "(?:[a-c]:)+"': LETTERS.map(lambda text: "".join(f"{letter}:" for letter in text)),
    "string": st.text("ab-:1 ", max_size=3),
}
TEXT = st.sampled_from(["", "-", ":", "a", "1", "/", ":-", "e"])


@st.composite
def headers(draw: st.DrawFn) -> tuple[list[str], str]:
    """Types of two or three fields, and a text that holds each once."""
    types = draw(st.lists(st.sampled_from(sorted(TYPES)), min_size=2, max_size=3))
    text = "".join(f"{draw(TEXT)}${{run.f{number}}}" for number in range(len(types))) + draw(TEXT)
    return types, text


@settings(max_examples=120, deadline=None)
@given(case=headers(), data=st.data())
def test_text_that_the_compiler_lets_through_is_injective(
    tmp_path_factory: pytest.TempPathFactory, case: tuple[list[str], str], data: st.DataObject
) -> None:
    types, text = case
    running = router(tmp_path_factory.mktemp("injective"), types, text)
    assume(running is not None)
    assert running is not None
    seen: dict[str, tuple[Any, ...]] = {}
    for _ in range(30):
        values = tuple(data.draw(TYPES[kind]) for kind in types)
        try:
            sent = headers_of(running, values)
        except HeaderRefused:
            continue
        assert seen.setdefault(sent, values) == values


def router(folder: Path, types: list[str], text: str) -> Router | None:
    fields = "".join(f"  verified f{number}: {kind}\n" for number, kind in enumerate(types))
    names = ", ".join(f"run.f{number}" for number in range(len(types)))
    source = BASE.replace("run {\n", f"run {{\n{fields}").replace(
        "server crm {\n", f'server crm {{\n  header X-F = "{text}"\n'
    )
    result = compiled(folder, f"{source}allow {names} -> crm\n")
    errors = {finding.code for finding in result.findings if finding.severity is Severity.ERROR}
    assert errors <= {"MX309"}
    return None if result.outcome.body is None else Router(read(write(result.outcome.body)), {"CRM_KEY": "k"})


def headers_of(running: Router, values: tuple[Any, ...]) -> str:
    fields = {f"f{number}": value for number, value in enumerate(values)}
    return running.run("analyst", verified={"tenant": "acme", **fields}).headers("crm")["X-F"]


def test_the_generator_meets_both_kinds_of_text(tmp_path: Path) -> None:
    assert router(tmp_path, ["int", "string"], "${run.f0}:${run.f1}") is not None
    assert router(tmp_path, ['string matches "[a-c-]*"', "int"], "${run.f0}-${run.f1}") is None
