"""Guards as the table has them: each branch once, by an id that means nothing outside its table."""

from __future__ import annotations

from mcpx.compiler.cedar.diagrams import Diagram, Guard
from mcpx.runtime import body


class GuardPool:
    """The branches that the guards of one table need; ids count from 0 in the order of first use."""

    def __init__(self) -> None:
        self._ids: dict[Diagram, str] = {}
        self.branches: dict[str, body.Branch] = {}

    def id_of(self, guard: Guard) -> body.Guard:
        """A guard for a step or flow to name; its branches are taken into the table."""
        if isinstance(guard, bool):
            return guard
        if guard not in self._ids:
            test, then, otherwise = guard.top
            branch = body.Branch(
                field=test.field,
                test=test.op,
                value=test.value,
                then=self.id_of(then),
                otherwise=self.id_of(otherwise),
            )
            name = self._ids[guard] = f"g{len(self._ids)}"
            self.branches[name] = branch
        return self._ids[guard]
