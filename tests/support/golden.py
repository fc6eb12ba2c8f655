"""Golden files: what a program said once and has to say again. `--update-goldens` rewrites them, and still fails."""

from __future__ import annotations

from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "data" / "golden"


def inputs() -> list[str]:
    """The names of the inputs, without their ending."""
    return sorted(path.stem for path in FOLDER.glob("*.mcpx"))


def assert_golden(name: str, actual: str, *, update: bool) -> None:
    """Compare with the file `name` beside the inputs, as `assert_file` does."""
    assert_file(FOLDER / name, actual, update=update)


def assert_file(path: Path, actual: str, *, update: bool) -> None:
    """Compare a file with what it has to hold.

    Args:
        path: the golden file.
        actual: what was said now.
        update: write the file where it differs; the test fails all the same, so that nobody runs with it unawares.
    """
    expected = path.read_text(encoding="utf-8") if path.exists() else None
    if expected == actual:
        return
    if update:
        path.write_text(actual, encoding="utf-8")
        pytest.fail(f"{path.name} was rewritten: look at the change and run without --update-goldens")
    assert actual == expected, f"{path.name} differs; --update-goldens rewrites it"
