"""RUN-01: however many runs share a router, each sends what is its own."""

from __future__ import annotations

import asyncio
import random
import threading

from hypothesis import given, settings
from hypothesis import strategies as st
from support.tables import router

from mcpx.runtime import current_run, require_run


def test_run_01_many_runs_in_threads_and_tasks_never_share_a_value() -> None:
    made = router()
    tenants = [f"tenant-{number}" for number in range(64)]
    runs = [made.run("analyst", verified={"tenant": tenant, "user": f"u-of-{tenant}"}) for tenant in tenants]
    wrong: list[str] = []
    finished: list[int] = []

    async def call(number: int) -> None:
        async with runs[number]:
            await asyncio.sleep(0)
            headers = require_run().headers("crm")
            expected = {
                "Authorization": "Bearer k-123",
                "X-Tenant-Id": tenants[number],
                "X-User-Id": f"u-of-{tenants[number]}",
            }
            if headers != expected:
                wrong.append(tenants[number])
            finished.append(number)

    async def calls(seed: int) -> None:
        order = random.Random(seed)
        await asyncio.gather(*(call(order.randrange(64)) for _ in range(2_500)))

    threads = [threading.Thread(target=lambda seed=seed: asyncio.run(calls(seed))) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(finished) == 10_000


WORDS = st.text(st.characters(min_codepoint=0x21, max_codepoint=0x7E), min_size=1, max_size=3)


@settings(max_examples=50)
@given(st.lists(st.tuples(WORDS, st.none() | WORDS), min_size=1, max_size=6), st.data())
def test_a_run_sends_its_own_fields_whatever_other_runs_have(
    facts: list[tuple[str, str | None]], data: st.DataObject
) -> None:
    made = router()
    known = [{"tenant": tenant} | ({} if user is None else {"user": user}) for tenant, user in facts]
    runs = [made.run("analyst", verified=fields) for fields in known]
    for number in data.draw(st.lists(st.integers(0, len(runs) - 1), max_size=12)):
        headers = dict(runs[number].headers("crm"))
        assert headers.pop("Authorization") == "Bearer k-123"
        assert headers.pop("X-Tenant-Id") == known[number]["tenant"]
        assert headers.pop("X-User-Id", None) == known[number].get("user")
        assert headers == {}


def test_a_run_that_ends_or_begins_changes_nothing_for_another() -> None:
    made = router()
    first = made.run("analyst", verified={"tenant": "acme"})
    with first:
        with made.run("analyst", verified={"tenant": "globex"}):
            assert require_run().headers("crm")["X-Tenant-Id"] == "globex"
        assert current_run() is first
        assert require_run().headers("crm")["X-Tenant-Id"] == "acme"
