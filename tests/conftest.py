"""The option that rewrites golden files."""

from __future__ import annotations

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--guard-points", type=int, default=20_000, help="points at which guards are compared with Cedar")
    parser.addoption("--update-goldens", action="store_true", help="rewrite golden files that differ, and fail")


@pytest.fixture
def update_goldens(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update-goldens"))


@pytest.fixture
def guard_points(request: pytest.FixtureRequest) -> int:
    """At how many points guards are compared with Cedar."""
    return int(request.config.getoption("--guard-points"))
