"""Session keys: which calls share a session, and what its requests carry."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from support import tables
from support.tables import altered, body

from mcpx.runtime import ConfigurationError, Endpoint, NoRoute, Router, RunRequired, TableError
from mcpx.runtime.body import SessionCredential
from mcpx.runtime.endpoints import endpoint
from mcpx.runtime.table import Body, EnvSource, SettingPart, SettingSpec, TextPart, read, write

SECRET = "value-that-no-message-shows"


def keyed(session: Any, *, on_session: bool = False, **server: Any) -> Body:
    """`analyst` and `billing` use `crm`, whose session has this key; `X-Tenant-Id` goes on its requests or not."""
    made = body()
    steps = (
        tables.step("h0", requests="calls" if session == "shared" and not server else "session"),
        tables.step("h1", requests="session" if on_session else "calls"),
    )
    first, *others = made.rows
    return dataclasses.replace(
        made,
        agents={"analyst": (), "billing": ()},
        secrets={**made.secrets, "session_key": EnvSource("SESSION_KEY")},
        servers={**made.servers, "crm": dataclasses.replace(made.servers["crm"], session=session, **server)},
        plans={**made.plans, "crm": steps},
        rows=(
            dataclasses.replace(first, plan="crm"),
            dataclasses.replace(first, plan="crm", agent="billing", credential="ledger_key"),
            *others,
        ),
    )


def router(session: Any, **more: Any) -> Router:
    return tables.router(keyed(session, **more), SESSION_KEY="k-session")


SHARED = {"session_credential": SessionCredential("session_key", None, ("rule",))}


def test_cli_05_runs_share_a_session_as_its_key_says() -> None:
    def keys(session: Any) -> list[object]:
        made = router(session)
        runs = [
            made.run(agent, verified={"tenant": tenant, "user": "u-1"})
            for agent, tenant in (("analyst", "acme"), ("analyst", "acme"), ("analyst", "globex"), ("billing", "acme"))
        ]
        return [made.session_key(run, "crm") for run in runs]

    one, same, globex, billing = keys("agent")
    assert one == same == globex != billing
    one, same, globex, billing = keys("shared")
    assert one == same == globex == billing
    assert len({one, same, globex, billing}) == 1
    one, same, globex, billing = keys(("tenant",))
    assert one == same
    assert len({one, globex, billing}) == 3
    assert len(set(keys("run"))) == 4


def test_a_run_has_one_session_of_its_own_whatever_its_id() -> None:
    made = router("run")
    first, second = (made.run("analyst", verified={"tenant": "acme"}, run_id="same") for _ in range(2))
    assert made.session_key(first, "crm") == made.session_key(first, "crm")
    assert made.session_key(first, "crm") != made.session_key(second, "crm")


def test_fields_of_one_text_and_other_places_are_told_apart() -> None:
    made = body()
    fields = {**made.fields, "user": dataclasses.replace(made.fields["user"], optional=False)}
    both = dataclasses.replace(keyed(("tenant", "user")), fields=fields)
    loaded = tables.router(both, SESSION_KEY="k")
    one = loaded.run("analyst", verified={"tenant": "a", "user": "b"})
    other = loaded.run("analyst", verified={"tenant": "b", "user": "a"})
    assert loaded.session_key(one, "crm") != loaded.session_key(other, "crm")


@pytest.mark.parametrize("session", [("tenant",), "run"])
def test_a_session_that_belongs_to_a_run_needs_one(session: Any) -> None:
    made = router(session)
    for ask in (made.session_key, made.session_headers):
        with pytest.raises(RunRequired, match="`crm`"):
            ask("analyst", "crm")


@pytest.mark.parametrize("session", ["agent", "shared"])
def test_a_session_that_belongs_to_no_run_needs_none(session: Any) -> None:
    made = router(session, **(SHARED if session == "shared" else {}))
    run = made.run("analyst", verified={"tenant": "acme"})
    assert made.session_key("analyst", "crm") == made.session_key(run, "crm")
    with pytest.raises(NoRoute):
        made.session_key("analyst", "ledger")


def test_cli_04_a_shared_session_carries_its_own_credential_and_no_call_does() -> None:
    made = router("shared", **SHARED)
    run = made.run("analyst", verified={"tenant": "acme"})
    for who in ("analyst", "billing", run, made.session_key(run, "crm")):
        assert made.session_headers(who, "crm") == {"Authorization": "Bearer k-session"}
    assert run.headers("crm") == {"Authorization": "Bearer k-123", "X-Tenant-Id": "acme"}


def test_a_shared_session_without_a_credential_carries_none() -> None:
    assert dict(router("shared").session_headers("analyst", "crm")) == {}


@pytest.mark.parametrize("session", [("tenant",), "run"])
def test_what_the_key_fixes_goes_on_session_requests_with_the_values_of_that_session(session: Any) -> None:
    made = router(session, on_session=True)
    for tenant in ("acme", "globex"):
        run = made.run("analyst", verified={"tenant": tenant})
        assert made.session_headers(run, "crm") == {"Authorization": "Bearer k-123", "X-Tenant-Id": tenant}
        key = made.session_key(run, "crm")
        assert made.session_headers(key, "crm")["X-Tenant-Id"] == tenant


def test_a_key_shows_no_value() -> None:
    made = router(("tenant",))
    key = made.session_key(made.run("analyst", verified={"tenant": SECRET}), "crm")
    assert SECRET not in f"{key!r} {key} {key.facts!r} {[key]}"
    with pytest.raises(TypeError):
        key.__reduce__()


def _refused(change: Callable[[Any], None], made: Body) -> str:
    with pytest.raises(TableError) as caught:
        read(altered(change, made))
    return str(caught.value)


@pytest.mark.parametrize("session", ["agent", "shared"])
def test_a_table_that_puts_a_run_on_requests_of_no_run_is_refused(session: str) -> None:
    def change(content: Any) -> None:
        content["plans"]["crm"][1]["requests"] = "session"

    made = keyed(session, **(SHARED if session == "shared" else {}))
    assert "requests of no run" in _refused(change, made)


def test_a_table_whose_key_does_not_fix_a_header_of_the_session_is_refused() -> None:
    made = body()
    fields = {**made.fields, "user": dataclasses.replace(made.fields["user"], optional=False)}
    other = dataclasses.replace(keyed(("user",)), fields=fields)
    assert "requests of no run" in _refused(
        lambda content: content["plans"]["crm"][1].update(requests="session"), other
    )


@pytest.mark.parametrize("field", ["locale", "user", "nowhere"])
def test_a_table_whose_key_is_claimed_optional_or_no_field_is_refused(field: str) -> None:
    assert "session key" in _refused(lambda content: content["servers"]["crm"].update(session=[field]), keyed("agent"))


def test_a_table_without_a_credential_for_what_opens_a_shared_session_is_refused() -> None:
    def change(content: Any) -> None:
        content["plans"]["crm"][0]["requests"] = "session"

    assert "knows no credential" in _refused(change, keyed("shared"))


def test_a_table_whose_agents_disagree_about_their_shared_session_is_refused() -> None:
    def change(content: Any) -> None:
        content["plans"]["other"] = [dict(step, requests="calls") for step in content["plans"]["crm"]]
        content["rows"][1]["plan"] = "other"

    assert "do not agree" in _refused(change, keyed("shared", **SHARED))


@pytest.mark.parametrize(
    "own", [{"by": ["rule"], "secret": "nowhere", "token": None}, {"by": ["rule"], "secret": None, "token": None}]
)
def test_a_table_with_an_odd_credential_for_a_session_is_refused(own: Any) -> None:
    made = keyed("shared", **SHARED)
    assert "for its session" in _refused(lambda content: content["servers"]["crm"].update(session_credential=own), made)


def test_a_credential_for_a_session_that_is_not_shared_is_refused() -> None:
    with pytest.raises(TableError, match="for its session"):
        write(keyed("agent", **SHARED))


def test_servers_that_settings_put_at_one_place_agree_about_what_guardrails_see() -> None:
    def load(host: str, **wiki: Any) -> Router:
        made = body(settings={"host": SettingSpec("HOST", None, ())})
        servers = dict(made.servers)
        servers["crm"] = dataclasses.replace(servers["crm"], tags=("inner",))
        url = (TextPart("https://"), SettingPart("host"), TextPart("/mcp"))
        servers["wiki"] = dataclasses.replace(servers["wiki"], url=url, **wiki)
        return tables.router(dataclasses.replace(made, servers=servers), HOST=host)

    assert load("wiki.example.com")
    assert load("crm.example.com", tags=("inner",))
    with pytest.raises(ConfigurationError, match="`crm` and `wiki` are at one place"):
        load("crm.example.com")
    with pytest.raises(ConfigurationError, match="one place"):
        load("crm.example.com", tags=("inner",), properties={"region": "eu"})


def test_names_of_this_machine_are_one_place() -> None:
    places = {found.place for found in map(endpoint, _LOOPBACK) if isinstance(found, Endpoint)}
    assert places == {("http", "localhost", 8000)}


_LOOPBACK = ("http://localhost:8000/a", "http://127.0.0.1:8000/", "http://[::1]:8000", "http://127.9.9.9:8000/x")
