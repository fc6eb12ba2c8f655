"""Whatever the text, parsing ends, says something or gives a tree, and stays inside the text."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.parsing import nodes, parsed

from mcpx.compiler import syntax
from mcpx.compiler.recovery import MOST_ERRORS

COMPLETE = (Path(__file__).parents[1] / "data" / "complete.mcpx").read_text(encoding="utf-8")
BITS = [
    *(
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        '"',
        '"""',
        "${",
        "#",
        "##",
        "//",
        ";",
        ":",
        "=",
        "==",
        "=>",
        "->",
        "!",
        "&&",
        ",",
        ".",
        "@",
    ),
    *(
        "\n",
        "\n}\n",
        "\r\n",
        "\r",
        "\0",
        "\\",
        "\\u{",
        "5m",
        "-",
        "é",
        "\ud800",
        "mcpx 1",
        "mcpx 9",
        "agent ",
        "server x {",
    ),
    *("\nserver x {\n", '\ncedar """', "run.x", "optional ", "(\n", "[\n", "\nagent a uses"),
]


def check(text: str) -> None:
    file, found = parsed(text)
    assert len([finding for finding in found if finding.code == "MX120"]) <= MOST_ERRORS
    assert found or file.edition is not None
    for finding in found:
        for span in (*(label.span for label in finding.labels), *(e.span for fix in finding.fixes for e in fix.edits)):
            assert 0 <= span.start <= span.end <= len(text)
    for node in nodes(file.statements):
        assert 0 <= node.span.start <= node.span.end <= len(text)
        if isinstance(node, syntax.Name) and text[node.span.start - 1 : node.span.start] != '"':
            assert text[node.span.start : node.span.end] == node.text


def damaged(dice: random.Random) -> str:
    text = COMPLETE
    for _ in range(dice.randint(1, 5)):
        start = dice.randrange(len(text) + 1)
        end = min(len(text), start + dice.randint(1, 80))
        match dice.randrange(5):
            case 0:
                text = text[:start] + text[end:]
            case 1:
                text = text[:start] + dice.choice(BITS) + text[start:]
            case 2:
                text = text[:end] + text[start:]
            case 3:
                lines = text.split("\n")
                lines.insert(dice.randrange(len(lines)), lines.pop(dice.randrange(len(lines))))
                text = "\n".join(lines)
            case _:
                text = text[: max(start, len(text) // 2)]
    return text


@pytest.mark.parametrize("seed", range(10))
def test_damaged_files_end_in_findings_or_a_tree(seed: int) -> None:
    for number in range(100):
        check(damaged(random.Random(seed * 1000 + number)))


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([*BITS, *COMPLETE.split()]), max_size=60).map(" ".join))
def test_any_sequence_of_words_is_survived(text: str) -> None:
    check(text)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_survived(text: str) -> None:
    check(text)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, len(COMPLETE)))
def test_a_file_that_breaks_off_keeps_what_stands_before(length: int) -> None:
    whole, _ = parsed(COMPLETE)
    part, _ = parsed(COMPLETE[:length])
    complete = [s for s in whole.statements if s.span.end < length]
    assert [type(s) for s in part.statements[: len(complete)]] == [type(s) for s in complete]
