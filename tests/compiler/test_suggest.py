from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpx.compiler.report.suggest import MOST, nearest

WORDS = st.text("abc_", max_size=8)


@pytest.mark.parametrize(
    ("name", "candidates", "near"),
    [
        ("tenat", ["tenant", "user"], ("tenant",)),
        ("thirdparty", ["third_party", "pii"], ("third_party",)),
        ("crm_kee", ["crm_key", "search_key"], ("crm_key",)),
        ("Crm", ["crm"], ("crm",)),
        ("useer", ["user"], ("user",)),
        ("uesr", ["user"], ("user",)),
        ("ab", ["ac", "b"], ()),
        ("plan", ["locale"], ()),
        ("tenant", ["tenant"], ()),
    ],
)
def test_a_near_name_is_one_edit_away_for_every_three_letters(
    name: str, candidates: list[str], near: tuple[str, ...]
) -> None:
    assert nearest(name, candidates) == near


def test_the_nearest_comes_first_and_equals_by_name() -> None:
    assert nearest("abcdef", ["abcdxy", "abcdez", "abcdey"]) == ("abcdey", "abcdez", "abcdxy")


@given(WORDS, st.lists(WORDS))
def test_only_other_candidates_are_offered_and_few(name: str, candidates: list[str]) -> None:
    near = nearest(name, candidates)
    assert set(near) <= set(candidates) - {name}
    assert len(near) == len(set(near)) <= MOST


@given(WORDS.filter(lambda word: len(word) >= 3), st.integers(0, 7), st.sampled_from("xyz"))
def test_one_slip_is_always_found(word: str, place: int, letter: str) -> None:
    slipped = word[:place] + letter + word[place:]
    assert word in nearest(slipped, [word])
