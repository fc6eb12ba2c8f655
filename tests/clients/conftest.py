"""Real servers for the tests of the clients, and both protocol eras."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.recording_server import RecordingServer


@pytest.fixture(scope="session")
def json_server() -> Iterator[RecordingServer]:
    with RecordingServer(json_response=True) as server:
        yield server


@pytest.fixture(scope="session")
def sse_server() -> Iterator[RecordingServer]:
    with RecordingServer() as server:
        yield server


@pytest.fixture(params=["json", "sse"])
def server(request: pytest.FixtureRequest) -> RecordingServer:
    """The recording server, with nothing recorded yet; once with JSON answers, once with event streams."""
    found: RecordingServer = request.getfixturevalue(f"{request.param}_server")
    found.clear()
    return found


@pytest.fixture
def streaming(sse_server: RecordingServer) -> RecordingServer:
    sse_server.clear()
    return sse_server


@pytest.fixture(params=["legacy", "2026-07-28"])
def mode(request: pytest.FixtureRequest) -> str:
    """The protocol era: the handshake of 2025, or stateless. Tests without it let the client ask the server."""
    return str(request.param)
