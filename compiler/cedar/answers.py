"""The decisions of a program for others to look up, made from the few different ones that there are."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from mcpx.compiler.cedar.cases import Case, Row
from mcpx.compiler.cedar.combine import Combination
from mcpx.compiler.cedar.decision import Decision
from mcpx.compiler.cedar.lowering import relation_id

_Key = TypeVar("_Key", bound=tuple[str, ...])


class Answers:
    """Every question of every row; each action is a mapping of its own (see `Decisions`)."""

    def __init__(self, rows: Sequence[Row], combination: Combination) -> None:
        """Combine the rows, which asks Cedar what it was not asked before."""
        self._combination = combination
        self._rows = {(row.agent, row.server): (row, combination.row(row)) for row in rows}
        self.connect: Mapping[tuple[str, str], Decision] = _Cells(self, "connect")
        self.send: Mapping[tuple[str, str, str, str], Decision] = _Cells(self, "send")
        self.present: Mapping[tuple[str, str, str, str], Decision] = _Cells(self, "present")
        self.attach: Mapping[tuple[str, str, str], Decision] = _Cells(self, "attach")

    def about(self, action: str, agent: str, server: str, *rest: str) -> Decision:
        """One decision, with the statements of this very pair among the policies that decided."""
        item, via = rest if len(rest) == 2 else (None, *rest) if rest else (None, None)
        pattern = self._rows[agent, server][1][action, via][item]
        relations, decision = self._combination.decision(pattern)
        if not relations:
            return decision
        own = (relation_id(kind, agent, server, item, via) for kind in relations)
        return Decision(decision.guard, tuple(sorted({*own, *decision.by})))

    def alike(self, agent: str, server: str) -> Hashable:
        """Equal for pairs of which every field may reach the server alike, all ways together."""
        answers = self._rows[agent, server][1]
        return frozenset(id(answered) for (action, _), answered in answers.items() if action == "send")

    def cases(self, action: str) -> Iterator[Case]:
        """Every question of an action."""
        return (case for row, _ in self._rows.values() for case, _ in row.cases() if case.action == action)


class _Cells(Mapping[_Key, Decision]):
    def __init__(self, answers: Answers, action: str) -> None:
        self._answers = answers
        self._action = action

    def __getitem__(self, key: _Key) -> Decision:
        return self._answers.about(self._action, *key)

    def __iter__(self) -> Iterator[_Key]:
        for case in self._answers.cases(self._action):
            key: Any = tuple(
                part for part in (case.agent, case.server, case.field or case.credential, case.via) if part is not None
            )
            yield key

    def __len__(self) -> int:
        return sum(1 for _ in self._answers.cases(self._action))
