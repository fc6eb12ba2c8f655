"""The complete example: it compiles, its tests pass, and no rule of it can be changed in silence."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from mcpx.compiler.pipeline import Outcome, compile_project
from mcpx.compiler.report.text import render
from mcpx.compiler.testing import run_tests
from mcpx.runtime.table import write

DATA = Path(__file__).parents[1] / "data"
EXAMPLE = (DATA / "complete.mcpx").read_text(encoding="utf-8")
FIELDS = ("run.tenant", "run.user", "run.plan", "run.locale", "@identity", "@pii")
TARGETS = ("gomark", "websearch", "ledger", "@third_party")
SIDES = re.compile(r"\w+ (.+) -> ([^\s,]+(?:, [^\s,]+)*)(.*)")
RULE = re.compile(r"^(?:allow|deny|require) .*$", re.MULTILINE)

CARELESS = "allow run.tenant -> websearch\n"
"""A rule that somebody may add one day: the `deny` lines are there for it."""

HOLDING = """
test "gomark learns no more than that" {
  given tenant = "acme", user = "u-17", plan = "pro"
  send analyst -> gomark
  expect header X-User-Id == "u-17"
  expect denied run.plan, run.locale
}

test "websearch does not learn the plan" {
  given tenant = "acme", user = "u-17", plan = "pro"
  send analyst -> websearch
  expect denied run.plan
}

test "ledger learns the tenant alone" {
  given tenant = "acme", user = "u-17", plan = "pro"
  send billing -> ledger
  expect header X-Tenant-Id == "acme"
  expect denied run.user, run.plan, run.locale
}
"""
"""What the example's own tests leave open: that nothing more flows than it says."""


@dataclass(frozen=True)
class Judged:
    """What came of a variant of the example."""

    outcome: Outcome

    @property
    def compiles(self) -> bool:
        return self.outcome.body is not None

    @property
    def failed(self) -> list[str]:
        """The titles of the tests that fail."""
        assert self.outcome.body is not None
        assert self.outcome.program is not None
        results = run_tests(self.outcome.body, self.outcome.program.tests)
        return [result.test.title for result in results if result.failures]

    @property
    def caught(self) -> bool:
        return not self.compiles or bool(self.failed)

    @property
    def meaning(self) -> Any:
        """What flows, for each row: without the names of who decided it, and with everything said in its place."""
        assert self.outcome.body is not None
        body = json.loads(write(self.outcome.body))["body"]
        pools = {name: body[name] for name in ("programs", "plans", "flows", "guards")}
        return _said_in_place(body["rows"], {key: pool for ids in pools.values() for key, pool in ids.items()})


def _said_in_place(value: Any, pool: dict[str, Any]) -> Any:
    match value:
        case str() if value in pool:
            return _said_in_place(pool[value], pool)
        case list():
            return [_said_in_place(one, pool) for one in value]
        case dict():
            return {key: _said_in_place(one, pool) for key, one in value.items() if key != "by"}
        case _:
            return value


def judged(folder: Path, text: str) -> Judged:
    """Compile a variant of the example beside its guardrails."""
    shutil.copytree(DATA / "policies", folder / "policies", dirs_exist_ok=True)
    (folder / "app.mcpx").write_text(text, encoding="utf-8")
    return Judged(compile_project(folder / "app.mcpx"))


def changes(line: str) -> Iterator[str]:
    """What a rule line may become: gone, another effect, another or one more field or target, agent, condition."""
    yield ""
    effect, _, rest = line.partition(" ")
    yield from (f"{other} {rest}" for other in ("allow", "deny", "require") if other != effect)
    fields, targets, tail = _sides(line)
    for item in FIELDS:
        if item not in fields.split(", "):
            yield f"{effect} {item} -> {targets}{tail}"
            yield f"{effect} {fields}, {item} -> {targets}{tail}"
    for target in TARGETS:
        if target not in targets.split(", "):
            yield f"{effect} {fields} -> {target}{tail}"
            yield f"{effect} {fields} -> {targets}, {target}{tail}"
    for part in (" for analyst", ' when run.plan == "pro"'):
        if part in line:
            yield line.replace(part, "")
    if "for analyst" in line:
        yield line.replace("for analyst", "for billing")
    if '"pro"' in line:
        yield line.replace('"pro"', '"free"')
        yield line.replace("==", "!=")


def _sides(line: str) -> tuple[str, str, str]:
    found = SIDES.fullmatch(line)
    assert found is not None
    return found[1], found[2], found[3]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    return judged(tmp_path_factory.mktemp("whole"), EXAMPLE)


def test_the_example_compiles_and_its_tests_pass(whole: Judged) -> None:
    assert whole.compiles, render(whole.outcome.diagnostics, whole.outcome.sources)
    assert whole.failed == []
    assert whole.outcome.program is not None
    assert len(whole.outcome.program.tests) == 2


@pytest.mark.parametrize("rule", RULE.findall(EXAMPLE))
def test_a_changed_rule_that_changes_what_flows_fails_the_build_or_a_test(
    rule: str, whole: Judged, tmp_path: Path
) -> None:
    assert EXAMPLE.count(rule) == 1
    assert judged(tmp_path, EXAMPLE + HOLDING).failed == []
    judgements = {changed: judged(tmp_path, (EXAMPLE + HOLDING).replace(rule, changed)) for changed in changes(rule)}
    silent = [text for text, found in judgements.items() if not found.caught and found.meaning != whole.meaning]
    assert silent == []
    assert any(found.caught for found in judgements.values())


def test_a_deny_is_missed_as_soon_as_a_rule_would_let_something_through(whole: Judged, tmp_path: Path) -> None:
    """Without such a rule a `deny` changes nothing: what no rule permits does not flow anyway."""
    careless = EXAMPLE.replace("\ndeny @identity", f"\n{CARELESS}deny @identity")
    assert not judged(tmp_path, careless).caught
    without = re.sub(r"^deny @identity.*\n", "", careless, flags=re.MULTILINE)
    assert judged(tmp_path, without).failed == ["websearch learns nothing about the caller"]
    assert whole.compiles
