"""Which run the code at hand belongs to."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from support.tables import router

from mcpx.runtime import Run, RunRequired, current_run, require_run, run_as

ROUTER = router()


def run_of(tenant: str) -> Run:
    return ROUTER.run("analyst", verified={"tenant": tenant})


def test_outside_any_run_there_is_none() -> None:
    assert current_run() is None
    with pytest.raises(RunRequired, match="no run"):
        require_run()


def test_a_run_is_bound_inside_and_only_there() -> None:
    run = run_of("acme")
    with run as entered:
        assert entered is run
        assert require_run() is run
    assert current_run() is None
    with run_as(run):
        assert current_run() is run


def test_runs_nest_and_one_run_may_be_entered_again() -> None:
    outer, inner = run_of("acme"), run_of("globex")
    with outer, inner, outer:
        with inner:
            assert current_run() is inner
        assert current_run() is outer
    assert current_run() is None


def test_an_exception_leaves_the_run() -> None:
    with pytest.raises(KeyError), run_of("acme"):
        raise KeyError
    assert current_run() is None


def test_leaving_a_run_that_is_not_the_innermost_raises_and_changes_nothing() -> None:
    outer, inner = run_of("acme"), run_of("globex")
    with outer:
        with inner:
            with pytest.raises(RuntimeError, match="innermost"):
                outer.__exit__(None, None, None)
            assert current_run() is inner
        assert current_run() is outer
    with pytest.raises(RuntimeError, match="innermost"):
        outer.__exit__(None, None, None)


def test_one_run_in_many_tasks_at_once_does_not_disturb_itself() -> None:
    shared, others = run_of("acme"), [run_of(f"t{number}") for number in range(20)]

    async def work(other: Run) -> bool:
        async with shared:
            await asyncio.sleep(0)
            async with other:
                await asyncio.sleep(0)
                inside = current_run() is other
            await asyncio.sleep(0)
            return inside and current_run() is shared

    async def all_of_them() -> None:
        assert all(await asyncio.gather(*map(work, others)))
        assert current_run() is None

    asyncio.run(all_of_them())


def test_a_task_made_inside_belongs_to_the_run_and_cannot_end_it_for_others() -> None:
    async def seen() -> Run | None:
        await asyncio.sleep(0)
        with run_of("globex"):
            pass
        return current_run()

    async def main() -> None:
        run = run_of("acme")
        async with run:
            task = asyncio.create_task(seen())
        assert current_run() is None
        assert await task is run

    asyncio.run(main())


def test_threads_do_not_inherit_a_run_and_a_bound_function_brings_it_along() -> None:
    run = run_of("acme")
    with ThreadPoolExecutor(1) as executor, run_of("globex"):
        assert executor.submit(current_run).result() is None
        assert executor.submit(run.bind(current_run)).result() is run
        assert executor.submit(current_run).result() is None


def test_a_bound_function_keeps_arguments_result_and_name() -> None:
    def divide(a: int, *, by: int) -> float:
        """Divide."""
        return a / by

    bound = run_of("acme").bind(divide)
    assert bound(6, by=4) == 1.5
    assert bound.__name__ == "divide"
    with pytest.raises(ZeroDivisionError):
        bound(1, by=0)
    assert current_run() is None


def test_a_bound_coroutine_function_runs_inside_also_when_awaited_in_another_run() -> None:
    run, other = run_of("acme"), run_of("globex")

    async def seen(*steps: int) -> list[Run | None]:
        found = []
        for _ in steps:
            await asyncio.sleep(0)
            found.append(current_run())
        return found

    async def main() -> None:
        async with other:
            for bound in (run.bind(seen), run.bind(lambda *steps: seen(*steps)), run.bind(partial(seen))):
                assert await bound(1, 2) == [run, run]
                assert current_run() is other
        assert asyncio.iscoroutinefunction(run.bind(seen))

    asyncio.run(main())


def test_a_generator_function_cannot_be_bound() -> None:
    def numbers() -> Iterator[int]:
        yield 1

    async def later() -> AsyncIterator[int]:
        yield 1

    for function in (numbers, later):
        with pytest.raises(TypeError, match="generator"):
            run_of("acme").bind(function)


def test_a_copied_context_keeps_its_run() -> None:
    run = run_of("acme")
    with run:
        context = contextvars.copy_context()
    assert context.run(current_run) is run
    assert current_run() is None
