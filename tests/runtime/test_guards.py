"""Guards in a table: what each question means, that nothing undecidable is read or allowed, that headers obey them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support.tables import altered, body, flows, optional, router, step

from mcpx.runtime.body import Branch, FieldPart, Flow
from mcpx.runtime.errors import TableError
from mcpx.runtime.guards import answer, fields_read, holds
from mcpx.runtime.redacted import Facts
from mcpx.runtime.router import Router
from mcpx.runtime.table import read, write

PRO = {"g0": Branch("plan", "eq", "pro", True, False), "g1": Branch("plan", "has", None, "g0", False)}
GIVEN = {"tenant": "acme", "user": "u"}


def guarded(guards: dict[str, Branch], guard: str = "g1", **changes: Any) -> Any:
    """A table whose `analyst` sends `X-User-Id` to `crm` where the guard holds."""
    made = body(guards=guards, **changes)
    plans = {**made.plans, "p0": (step("h0", requests="session"), step("h1"), step("h2", send=guard))}  # type: ignore[arg-type]
    allowed = {**flows("tenant"), "user": Flow(guard, ("rule",))}
    return body(guards=guards, plans=plans, flows={**made.flows, "f0": allowed}, **changes)


@pytest.mark.parametrize(("plan", "sent"), [("pro", True), ("free", False), (None, False)])
def test_an_optional_header_goes_where_its_guard_holds(plan: str | None, sent: bool) -> None:
    verified = GIVEN if plan is None else {**GIVEN, "plan": plan}
    headers = router(guarded(PRO)).run("analyst", verified=verified).headers("crm")
    assert ("X-User-Id" in headers) is sent
    assert headers["X-Tenant-Id"] == "acme"


def test_runs_of_one_table_are_decided_each_by_itself() -> None:
    shared = router(guarded(PRO))
    runs = [shared.run("analyst", verified={**GIVEN, "plan": plan}) for plan in ("pro", "free") * 50]
    assert [len(run.headers("crm")) for run in runs] == [3, 2] * 50


@pytest.mark.parametrize(
    ("test", "constant", "yes", "no"),
    [
        ("has", None, ["", 0, False, ()], [None]),
        ("true", None, [True], [False]),
        ("eq", "a", ["a"], ["A", "", "a "]),
        ("eq", 1, [1], [0, -1]),
        ("eq", ("a", "b"), [("b", "a"), ("a", "b", "a")], [("a",), (), ("a", "b", "c")]),
        ("in", ("a", ""), ["a", ""], ["b"]),
        ("in", (1, 2), [2], [3]),
        ("lt", 5, [4, -(2**63)], [5, 2**63 - 1]),
        ("le", 5, [5, 4], [6]),
        ("like", ("a", ""), ["a", "ab", "a\nb"], ["ba", ""]),
        ("like", ("", "b"), ["b", "ab"], ["ba"]),
        ("like", ("a", "b"), ["ab", "axb", "abb"], ["a", "b", "axbx"]),
        ("like", ("ab", "ba"), ["abba", "abxba"], ["aba"]),
        ("like", ("", "x", ""), ["x", "axb"], ["", "ab"]),
        ("like", ("a?b",), ["a?b"], ["axb"]),
        ("like", ("",), [""], ["a"]),
        ("contains", "a", [("b", "a")], [(), ("A",)]),
        ("containsAll", ("a", "b"), [("b", "a", "c")], [("a",), ()]),
        ("containsAny", ("a", "b"), [("b",)], [("c",), ()]),
        ("within", ("a", "b"), [(), ("a",), ("b", "a")], [("c", "a")]),
        ("isEmpty", None, [()], [("",)]),
    ],
)
def test_each_question_has_cedars_meaning(test: str, constant: Any, yes: list[Any], no: list[Any]) -> None:
    assert [answer(test, constant, value) for value in yes] == [True] * len(yes)
    assert [answer(test, constant, value) for value in no] == [False] * len(no)


@pytest.mark.parametrize(
    ("test", "constant", "value"),
    [
        ("eq", "a", None),
        ("lt", 5, None),
        ("eq", 1, True),
        ("le", 5, True),
        ("in", (1, 0), True),
        ("eq", "1", 1),
        ("true", None, 1),
        ("true", None, None),
        ("like", ("a",), ("a",)),
        ("contains", "a", "a"),
        ("isEmpty", None, ""),
        ("unheard", None, "a"),
        ("has", "a", "a"),
    ],
)
def test_a_question_that_has_no_answer_raises_and_never_allows(test: str, constant: Any, value: Any) -> None:
    with pytest.raises(TableError, match="no answer"):
        answer(test, constant, value)


def test_the_fields_that_a_guard_reads_are_those_of_all_its_ways() -> None:
    assert fields_read("g1", {**PRO, "g2": Branch("seats", "lt", 1, "g1", True)}) == {"plan"}
    assert fields_read("g2", {**PRO, "g2": Branch("seats", "lt", 1, "g1", True)}) == {"plan", "seats"}
    assert fields_read(True, PRO) == frozenset()


@pytest.mark.parametrize(
    ("guards", "word"),
    [
        ({"g1": Branch("plan", "has", None, "g9", False)}, "not listed"),
        ({"g1": Branch("nobody", "has", None, True, False)}, "field that is not listed"),
        ({"g1": Branch("seats", "has", 1, True, False)}, "cannot be asked"),
        ({"g1": Branch("tenant", "lt", 1, True, False)}, "cannot be asked"),
        ({"g1": Branch("tenant", "eq", 1, True, False)}, "cannot be asked"),
        ({"g1": Branch("tenant", "in", (1,), True, False)}, "cannot be asked"),
        ({"g1": Branch("tenant", "like", (), True, False)}, "cannot be asked"),
        ({"g1": Branch("tenant", "contains", "a", True, False)}, "cannot be asked"),
        ({"g1": Branch("tenant", "true", None, True, False)}, "cannot be asked"),
        ({"g1": Branch("plan", "eq", "pro", True, False)}, "may be missing"),
        ({"g0": PRO["g0"], "g1": Branch("plan", "has", None, True, "g0")}, "may be missing"),
        ({"g1": Branch("plan", "has", None, "g2", False), "g2": Branch("beta", "true", None, True, False)}, "missing"),
        ({"g1": Branch("plan", "has", None, "g2", False), "g2": Branch("plan", "has", None, "g1", False)}, "itself"),
        ({"g1": Branch("plan", "has", None, "g1", False)}, "itself"),
        ({}, "not listed"),
    ],
)
def test_a_table_with_a_guard_that_some_run_has_no_answer_to_is_refused(guards: dict[str, Branch], word: str) -> None:
    with pytest.raises(TableError, match=word):
        write(guarded(guards))


@pytest.mark.parametrize(
    "change",
    [
        lambda made: made["guards"]["g0"].update(test="unheard"),
        lambda made: made["guards"]["g0"].update(value=True),
        lambda made: made["guards"]["g0"].update(then=1),
        lambda made: made["guards"]["g0"].update(then=None),
        lambda made: made["guards"]["g0"].pop("otherwise"),
        lambda made: made["plans"]["p0"][2].update(send="g7"),
        lambda made: made["plans"]["p0"][2].update(send=1),
        lambda made: made["plans"]["p0"][1].update(send="g1"),
        lambda made: made["plans"]["p0"][2].update(send=True),
        lambda made: made["plans"]["p0"][2].update(by=[]),
        lambda made: made["flows"]["f0"]["user"].update(permitted=False, by=[]),
    ],
)
def test_a_table_that_was_changed_into_a_wider_or_unknown_guard_is_refused(change: Callable[[Any], None]) -> None:
    read(altered(lambda made: None, guarded(PRO)))
    with pytest.raises(TableError):
        read(altered(change, guarded(PRO)))


def test_a_long_guard_is_read_and_walked_without_recursion() -> None:
    chain = {f"g{number}": Branch("tenant", "eq", str(number), False, f"g{number + 1}") for number in range(1, 3000)}
    chain["g3000"] = Branch("tenant", "eq", "acme", True, False)
    made: Router = router(guarded(chain))
    assert "X-User-Id" in made.run("analyst", verified=GIVEN).headers("crm")
    assert holds("g1", chain, Facts({"tenant": "17"})) is False


def test_a_header_whose_guard_reads_the_run_is_not_for_requests_of_no_run() -> None:
    made = guarded(PRO, programs={**body().programs, "h2": optional("X-User-Id", FieldPart("user"))})
    with pytest.raises(TableError):
        read(altered(lambda content: content["plans"]["p0"][2].update(requests="session"), made))
