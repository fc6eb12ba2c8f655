"""Which characters a whole match can hold: what is proved is true of Rust's regular expressions."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mcpx.compiler.patterns import may_hold
from mcpx.runtime.patterns import whole

PRINTABLE = [chr(code) for code in range(0x20, 0x7F)]
ODD = ["\t", "\n", "\x00", "\x7f", "\xe9", "\u212a", "\u017f", "\u2028", "\u0663", "\u0130"]


@pytest.mark.parametrize(
    ("pattern", "held", "free"),
    [
        ("[a-z-]+", "az-", ",. A0"),
        ("[a-z]{2,8}(?:-[0-9]+)?", "a-0", ", A:"),
        (r"\d{4}", "07", "a,-"),
        (r"\w+", "aZ_0", "- ,"),
        (r"[^,\s]+", "a-;", ", "),
        (r"\S+", "a,", " "),
        ("(acme|beta)", "acmebt", "d,|("),
        (r"a\.b\-c\,", "abc.-,", "d/"),
        ("[+-/]", "+,-./", "0*"),
        ("[]^a]", "^a]", ""),
        ("[a^]", "^a", "b"),
        ("[a-c-e]", "abc-e", "d"),
        (r"[\]\-a]", "]-a", "b["),
        ("^[a-c]$", "abc", "^$d"),
        ("(?P<name>a)(?<other>b)", "ab", "n<>?P"),
        (r"[\d.]+", "0.", ",a"),
        ("a}b]", "a}b]", "{["),
    ],
)
def test_what_a_plain_pattern_holds_is_known(pattern: str, held: str, free: str) -> None:
    whole(pattern)
    assert all(may_hold(pattern, character) for character in held)
    assert not any(may_hold(pattern, character) for character in free)


@pytest.mark.parametrize(
    "pattern",
    [
        ".*", "(?i)a", "(?i:a)", "(?x) a", r"\p{L}", r"\pL", r"\x2c", r"\x{2c}", r"\u002c", "[[:punct:]]",
        "[a-z&&[^b]]", "[a--b]", "[a~~b]", "[[a],]", r"[\x20-\x2f]", r"[\n-z]", r"[\t-]", r"\D", r"\W", r"[^a]",
        r"[\W]", r"\b{start}a", "[^]a]", "(?s-i:.)", r"[\p{Zs}]",
    ],
)  # fmt: skip
def test_where_a_comma_may_stand_or_nothing_is_proved_it_may_be_held(pattern: str) -> None:
    whole(pattern)
    assert may_hold(pattern, ",")


@pytest.mark.parametrize("character", ODD)
def test_nothing_is_proved_about_characters_that_no_literal_of_a_header_has(character: str) -> None:
    assert may_hold("[a-z]", character)


ATOMS = (
    st.sampled_from(PRINTABLE)
    | st.sampled_from(
        [r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", r"\t", r"\n", r"\b", ".", r"\x2c", r"\p{P}", "(?i)", "&&"]
    )
    | st.sampled_from(PRINTABLE + ODD).map(lambda character: "\\" + character)
    | st.sampled_from(ODD)
)
CLASSES = st.lists(ATOMS | st.sampled_from(["-", "^", "]", "a-z", "+--", "[a]", "[:punct:]"]), max_size=5).map(
    lambda members: f"[{''.join(members)}]"
)
PATTERNS = st.lists(
    ATOMS | CLASSES | st.sampled_from(["+", "*?", "{2}", "{1,}", "(", ")", "(?:", "|", "(?i:", "(?x)", "^", "$"]),
    max_size=6,
).map("".join)


def accepted(pattern: str) -> bool:
    try:
        whole(pattern)
    except ValueError:
        return False
    return True


@settings(max_examples=1500)
@given(PATTERNS)
def test_whatever_matches_holds_only_what_may_be_held(pattern: str) -> None:
    assume(accepted(pattern))
    matches = whole(pattern)
    free = {character for character in PRINTABLE if not may_hold(pattern, character)}
    assert not [character for character in free if matches(character)]
    some = [*sorted(free)[:3], *sorted(free)[-3:]]
    others = ["", "a", "b", "-", ",", " ", "0", "_", "é"]
    longer = ("".join(two) for two in product(some, others))
    assert not [text for text in longer if matches(text) or matches(text[::-1])]


@given(
    st.lists(st.sampled_from(PRINTABLE).map(re.escape) | st.sampled_from(["a-f", r"\d", "-"]), min_size=1, max_size=5)
)
def test_a_plain_class_is_decided_exactly(members: list[str]) -> None:
    for pattern in (f"[{''.join(members)}]", f"[^{''.join(members)}]"):
        assume(accepted(pattern) and "--" not in pattern and "&&" not in pattern and "~~" not in pattern)
        matches = whole(pattern)
        assert [may_hold(pattern, character) for character in PRINTABLE] == [matches(c) for c in PRINTABLE]
