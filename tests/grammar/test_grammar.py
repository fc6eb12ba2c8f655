from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.parsing import parsed, statement

from mcpx.compiler.build_tree import TreeBuilder
from mcpx.grammar.loader import load
from mcpx.grammar.words import declarations, keywords, phrases

COMPLETE = Path(__file__).parents[1] / "data" / "complete.mcpx"


def test_the_grammar_has_no_conflict_and_no_overlapping_terminals() -> None:
    load(strict=True)


def test_the_parser_is_built_once() -> None:
    assert load() is load()


def test_every_rule_of_the_grammar_becomes_a_part_of_the_tree() -> None:
    visible = {rule.alias or rule.options.template_source or rule.origin.name for rule in load().rules}
    inlined = {rule.origin.name for rule in load().rules if rule.options.expand1 and not rule.alias}
    missing = {name for name in visible - inlined if not name.startswith("_") and not hasattr(TreeBuilder, name)}
    assert missing == set()


def test_the_complete_example_parses_without_a_finding() -> None:
    _, found = parsed(COMPLETE.read_text(encoding="utf-8"))
    assert found == ()


def test_the_words_that_begin_a_declaration_come_from_the_grammar() -> None:
    assert {"server", "shared", "never", "mcpx", "test"} <= set(declarations())
    assert "header" not in declarations()
    assert set(declarations()) <= set(keywords().values())


@pytest.mark.parametrize(
    ("terminals", "words"),
    [
        ({"NAME"}, ("a name",)),
        ({"_NL", "$END", "COMMA", "FOR"}, ("`for`", "the end of the line", "`,`")),
        ({"STRING", "INT", "TRUE", "FALSE"}, ("a literal",)),
    ],
)
def test_terminals_have_words_for_people(terminals: set[str], words: tuple[str, ...]) -> None:
    assert phrases(terminals) == words


@pytest.mark.parametrize("word", ["uses", "in", "for"])
def test_a_word_ends_where_its_letters_end(word: str) -> None:
    """`usesx` is never read as `uses x`."""
    text = {"uses": "agent a usesb", "in": "agent a ing uses s", "for": "token t fors { }"}[word]
    _, found = parsed("mcpx 1\n" + text)
    assert len(found) == 1


# --- Time ---


def seconds(text: str) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        parsed(text)
        best = min(best, time.perf_counter() - start)
    return best


@pytest.mark.parametrize(
    "lines",
    [
        lambda n: "# a comment about nothing\n" * n,
        lambda n: "\n" * n,
        lambda n: "## documentation\n" * n,
        lambda n: "".join(f"tag t{i}\n" for i in range(n)),
        lambda n: "tag " + ",\n".join(f"t{i}" for i in range(n)),
        lambda n: "allow run.a -> b when " + " &&\n".join(["run.b"] * n),
        lambda n: "server s {\n" + "  header X = run.a\n" * n + "}",
        lambda n: 'server s {\n  url = "' + "${run.a}" * n + '"\n}',
        lambda n: 'cedar """' + "// text\n" * n,
        lambda n: "tag @@@ ((( [[[\n" * n,
    ],
)
def test_time_grows_with_the_size_of_the_file(lines: Callable[[int], str]) -> None:
    """Quadratic work would take 16 times as long at 4 times the size; 8 leaves room for noise."""
    small, large = ("mcpx 1\n" + lines(n) for n in (500, 2_000))
    assert seconds(large) < 8 * seconds(small) + 0.05


def test_a_long_list_stays_flat() -> None:
    assert len(statement("tag " + ", ".join(f"t{i}" for i in range(5_000))).names) == 5_000
