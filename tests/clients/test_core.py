"""The parts that every adapter shares, and the releases that are refused."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import PackageNotFoundError

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.client_tables import KEY, SENTINEL, crm_router, route_of, run_of

from mcpx.runtime.clients import versions
from mcpx.runtime.clients.core import Carried, Operation, SessionRoute, is_session_request, operation
from mcpx.runtime.errors import CallRefused, ConfigurationError, ConnectionFailed, RunRequired

HERE = ("http", "127.0.0.1", 8000)


@pytest.fixture
def route() -> SessionRoute:
    return route_of(crm_router("http://127.0.0.1:8000/mcp"))


@pytest.mark.parametrize(
    ("method", "session"),
    [
        ("initialize", True),
        ("notifications/initialized", True),
        ("server/discover", True),
        ("ping", True),
        ("tools/list", True),
        ("resources/templates/list", True),
        ("vendor/things/list", True),
        ("tools/call", False),
        ("resources/read", False),
        ("notifications/roots/list_changed", False),
        ("notifications/cancelled", False),
        ("subscriptions/listen", False),
        ("logging/setLevel", False),
        ("list", False),
        ("vendor/unknown", False),
        ("", False),
    ],
)
def test_only_the_handshake_ping_and_lists_belong_to_the_session(method: str, session: bool) -> None:
    assert is_session_request(method) is session


def test_what_a_call_carries_is_its_runs_and_does_not_show_in_text(route: SessionRoute) -> None:
    router = crm_router("http://127.0.0.1:8000/mcp")
    with pytest.raises(CallRefused, match="another router"), run_of(router, "acme"):
        route.carry("tools/call", 1)
    with pytest.raises(RunRequired):
        route.carry("tools/call", 1)
    own = route_of(router)
    with run_of(router, SENTINEL):
        carried = own.carry("tools/call", 1)
    assert dict(carried.headers or {}) == {"Authorization": f"Bearer {KEY}", "X-Tenant-Id": SENTINEL}
    assert SENTINEL not in repr(carried)
    assert KEY not in repr(carried)


def test_a_list_inside_a_run_carries_nothing_of_it() -> None:
    router = crm_router("http://127.0.0.1:8000/mcp")
    own = route_of(router)
    with run_of(router, "acme"):
        carried = own.carry("tools/list", 1)
    headers = {"X-Tenant-Id": "left over"}
    own.dress(HERE, headers, carried)
    assert headers == {"X-Tenant-Id": "left over", "Authorization": f"Bearer {KEY}"}


def test_a_run_of_another_agent_is_refused_on_this_agents_session() -> None:
    router = crm_router("http://127.0.0.1:8000/mcp", agents=("analyst", "billing"))
    own = route_of(router)
    with pytest.raises(CallRefused, match="billing"), run_of(router, "acme", agent="billing"):
        own.carry("tools/call", 1)


@pytest.mark.parametrize(
    "origin",
    [
        ("https", "127.0.0.1", 8000),
        ("http", "127.0.0.1", 8001),
        ("http", "127.0.0.1", None),
        ("http", "localhost", 8000),
        ("http", "127.0.0.1.evil.example", 8000),
    ],
)
def test_a_request_to_another_origin_gets_nothing_and_is_not_sent(
    route: SessionRoute, origin: tuple[str, str, int | None]
) -> None:
    headers: dict[str, str] = {}
    with pytest.raises(ConnectionFailed, match="another origin"):
        route.dress(origin, headers, Carried(Operation(), headers={"X-Tenant-Id": "acme"}))
    assert headers == {}


def test_the_default_port_is_the_same_origin_written_or_not() -> None:
    own = route_of(crm_router("https://crm.example.com/mcp"))
    headers: dict[str, str] = {}
    own.dress(("https", "crm.example.com", None), headers, None)
    own.dress(("https", "crm.example.com", 443), headers, None)
    assert headers == {"Authorization": f"Bearer {KEY}"}


def test_a_new_request_of_an_operation_forgets_the_failure_of_the_last(route: SessionRoute) -> None:
    with operation(None) as current:
        current.failure = ConnectionFailed("the last one")
        assert route.carry("tools/list", 2).operation is current
        assert current.failure is None


def test_a_handshake_does_not_go_on_where_no_server_was_found(route: SessionRoute) -> None:
    with operation(None) as current:
        current.failure = ConnectionFailed("nobody there")
        with pytest.raises(ConnectionFailed, match="nobody there"):
            route.carry("initialize", 2)


@given(
    major=st.integers(0, 5),
    minor=st.integers(0, 12),
    rest=st.sampled_from(["", ".0", ".7", "rc1", ".0.dev3", ".0+local", ".post1"]),
)
def test_exactly_mcp_2_from_2_2_on_is_accepted(major: int, minor: int, rest: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(versions, "version", lambda _: f"{major}.{minor}{rest}")
        if major == 2 and minor >= 2:
            versions.require_mcp_2()
        else:
            with pytest.raises(ConfigurationError, match=r"mcp>=2\.2,<3 is needed: "):
                versions.require_mcp_2()


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(versions, "version", missing)
    with pytest.raises(ConfigurationError, match=r"mcpx-lang\[mcp\]"):
        versions.require_mcp_2()


def test_the_shared_parts_need_no_client_library() -> None:
    code = (
        "import sys\n"
        "for name in ('mcp', 'mcp_types', 'httpx2', 'httpx', 'anyio'): sys.modules[name] = None\n"
        "import mcpx.runtime.clients.core, mcpx.runtime.clients.pool, mcpx.runtime.clients.defaults\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
