"""Which run the code at hand belongs to.

The stack of entered runs lives in a context variable as an immutable tuple, so that every task and thread has its own:
one `Run` may be entered in many tasks at once, and nested, and none of them sees another's.
"""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING

from mcpx.runtime.errors import RunRequired

if TYPE_CHECKING:
    from mcpx.runtime.run import Run

_entered: ContextVar[tuple[Run, ...]] = ContextVar("mcpx_entered_runs", default=())


def enter(run: Run) -> None:
    """Make `run` the innermost run of this context."""
    _entered.set((*_entered.get(), run))


def leave(run: Run) -> None:
    """Undo the last `enter` of this context.

    Raises:
        RuntimeError: `run` is not the innermost run here, so something else would have been undone.
    """
    runs = _entered.get()
    if not runs or runs[-1] is not run:
        raise RuntimeError(f"{run!r} is left where it is not the innermost run")
    _entered.set(runs[:-1])


def current_run() -> Run | None:
    """The innermost run of this context, if any."""
    runs = _entered.get()
    return runs[-1] if runs else None


def require_run() -> Run:
    """The innermost run of this context.

    Raises:
        RunRequired: there is none.
    """
    run = current_run()
    if run is None:
        raise RunRequired("this call belongs to no run: make it inside `with run:`")
    return run
