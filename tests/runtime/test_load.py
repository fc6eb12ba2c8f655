"""What a machine must have for a table, and where its servers are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import KEYS, body, crm, plain, router

from mcpx.runtime import ConfigurationError, Endpoint, NoRoute, Router, TableError
from mcpx.runtime.endpoints import endpoint
from mcpx.runtime.table import EnvSource, FieldPart, ServerSpec, SettingPart, SettingSpec, TextPart, read, write

HOST = SettingSpec("CRM_HOST", None, ())


def located(*parts: Any, spec: SettingSpec = HOST, **environment: str) -> Endpoint:
    """Where `crm` is when its URL has these parts; `"$"` is the setting."""
    url = tuple(SettingPart("host") if part == "$" else TextPart(part) for part in parts)
    made = router(
        body(settings={"host": spec}, servers={**body().servers, "crm": ServerSpec(url, "agent")}), **environment
    )
    return made.endpoint("crm")


def test_a_router_is_loaded_from_a_file_and_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "app.mcpxc"
    path.write_bytes(write(body()))
    with pytest.raises(ConfigurationError):
        Router.load(path)
    for name, value in KEYS.items():
        monkeypatch.setenv(name, value)
    made = Router.load(str(path))
    assert made.digest == read(write(body())).digest
    assert made.run("analyst", verified={"tenant": "a"}).headers("crm")["Authorization"] == "Bearer k-123"
    path.write_bytes(write(body())[:-40])
    with pytest.raises(TableError):
        Router.load(path)


@pytest.mark.parametrize("place", [None, "a\0b", ["app.mcpxc"], 1.5])
def test_what_is_no_path_is_no_table(place: Any) -> None:
    with pytest.raises(TableError):
        Router.load(place)


@pytest.mark.parametrize("name", [["crm"], {"crm": 1}, None, b"crm"])
def test_what_is_no_name_is_no_server(name: Any) -> None:
    made = router(body())
    run = made.run("analyst", verified={"tenant": "a"})
    for ask in (run.headers, run.call_headers, made.endpoint, made.compiled_names):
        with pytest.raises(NoRoute):
            ask(name)
    with pytest.raises(NoRoute):
        made.plan(name, "crm")


def test_hdr_16_everything_that_is_missing_is_named_at_once(tmp_path: Path) -> None:
    made = body(
        settings={"host": HOST, "port": SettingSpec("PORT", "1", ()), "mode": SettingSpec("MODE", None, ("a", "b"))}
    )
    with pytest.raises(ConfigurationError) as caught:
        Router(read(write(made)), {"CRM_KEY": "", "MODE": "zq81", "PORT": ""})
    text = str(caught.value)
    for name in (
        "`crm_key`",
        "CRM_KEY is empty",
        "`ledger_key`",
        "LEDGER_KEY is not set",
        "`host`",
        "CRM_HOST is not set",
    ):
        assert name in text
    assert "MODE is none of the choices" in text
    assert "PORT is empty" in text
    assert "zq81" not in text


def test_a_default_is_for_a_variable_that_is_not_set() -> None:
    spec = SettingSpec("CRM_HOST", "crm.example.com", ())
    assert located("https://", "$", "/mcp", spec=spec).host == "crm.example.com"
    assert located("https://", "$", "/mcp", spec=spec, CRM_HOST="crm.example.org").host == "crm.example.org"
    with pytest.raises(ConfigurationError, match="CRM_HOST is empty"):
        located("https://", "$", "/mcp", spec=spec, CRM_HOST="")


def test_a_setting_at_the_beginning_may_be_a_whole_address() -> None:
    found = located("$", CRM_HOST="https://crm.example.com:8443/mcp?v=1")
    assert found == Endpoint("https://crm.example.com:8443/mcp?v=1", "https", "crm.example.com", 8443)
    assert located("$", "/mcp", CRM_HOST="http://127.0.0.1:8931").url == "http://127.0.0.1:8931/mcp"


@pytest.mark.parametrize(
    "host", ["crm.example.com/other", "user@evil.example", "a:1", "a?b", "a#b", "a%2e", "ä", "a b", "a\n"]
)
def test_a_setting_elsewhere_stays_in_its_place(host: str) -> None:
    with pytest.raises(ConfigurationError, match="server `crm`: its URL setting `host` may hold") as caught:
        located("https://", "$", "/mcp", CRM_HOST=host)
    assert host not in str(caught.value)


@pytest.mark.parametrize("piece", ["..", "."])
def test_a_setting_cannot_climb_the_path(piece: str) -> None:
    with pytest.raises(ConfigurationError, match="segment"):
        located("https://crm.example.com/a/", "$", "/mcp", CRM_HOST=piece)


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://crm.example.com/mcp", ("https", "crm.example.com", 443)),
        ("https://crm.example.com", ("https", "crm.example.com", 443)),
        ("https://crm.example.com:8443/a/b;c=1/%C3%A9?x=y&z=/?", ("https", "crm.example.com", 8443)),
        ("https://10.0.0.1/mcp", ("https", "10.0.0.1", 443)),
        ("https://[2001:db8::1]:1/mcp", ("https", "2001:db8::1", 1)),
        ("https://h.example/a@b?c=d@e", ("https", "h.example", 443)),
        ("http://127.0.0.1:8931/mcp", ("http", "127.0.0.1", 8931)),
        ("http://127.9.9.9/", ("http", "127.9.9.9", 80)),
        ("http://[::1]:9000/mcp", ("http", "::1", 9000)),
        ("http://localhost:8931/mcp", ("http", "localhost", 8931)),
    ],
)
def test_an_address_is_pinned_to_its_origin(url: str, origin: tuple[str, str, int]) -> None:
    assert endpoint(url) == Endpoint(url, *origin)


@pytest.mark.parametrize(
    "url",
    [
        "http://crm.example.com/mcp",
        "http://127.0.0.1.example.com/",
        "http://10.0.0.1/",
        "http://0.0.0.0/",
        "http://[::]/",
        "http://localhost.example.com/",
        "http://127.evil.example/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://127.1/",
        "http://[::ffff:127.0.0.1]/",
        "https://user:pw@crm.example.com/",
        "https://user@crm.example.com/",
        "https://crm.example.com@evil.example/",
        "https://crm.example.com/#top",
        "https://crm.example.com#",
        "https:///mcp",
        "https:/crm.example.com",
        "https://",
        "HTTPS://crm.example.com/",
        "https://CRM.example.com/",
        "https://crm.example.com:443/",
        "http://127.0.0.1:80/",
        "https://crm.example.com:/",
        "https://crm.example.com:0/",
        "https://crm.example.com:080/",
        "https://crm.example.com:65536/",
        "https://crm.example.com/../x",
        "https://crm.example.com/a/./b",
        "https://crm.example.com/%2e%2e/x",
        "https://crm.example.com/%c3",
        "https://crm.example.com/%zz",
        "https://crm.example.com/a%41",
        "https://crm.example.com/a\\b",
        "https://crm..example.com/",
        "https://.example.com/",
        "https://crm.example.com./",
        "https://-a.example/",
        "https://a-.example/",
        "https://a.b-.example/",
        "https://a_b.example/",
        "https://[::1",
        "https://[v1.x]/",
        "https://[2001:DB8::1]/",
        "https://[2001:0db8::1]/",
        "https://010.0.0.1/",
        "https://256.0.0.1/",
        "https://1.2.3/",
        "ftp://crm.example.com/",
        "ws://crm.example.com/",
        "crm.example.com/mcp",
        "//crm.example.com/",
        "https://crm.example.com/ä",
        "https://ä.example/",
        'https://crm.example.com/"x"',
        "https://crm.example.com/<x>",
        "https://crm.example.com/[x]",
    ],
)
def test_an_address_that_is_unsafe_or_has_another_spelling_is_refused(url: str) -> None:
    assert isinstance(endpoint(url), str)


@pytest.mark.parametrize(
    "url", ["https://crm.example.com/\n", " https://crm.example.com/", "https://crm.example.com/ x", ""]
)
def test_blanks_and_line_ends_are_no_part_of_an_address(url: str) -> None:
    assert isinstance(endpoint(url), str)


@given(st.text(max_size=8), st.text(max_size=8))
def test_no_setting_moves_the_host_of_an_address(host: str, path: str) -> None:
    for url in (f"https://{host}.example.com/mcp", f"https://crm.example.com/{path}"):
        found = endpoint(url)
        if isinstance(found, Endpoint):
            assert found.host.endswith("example.com")
            assert found.scheme == "https"
            assert found.url == url


def test_faults_of_addresses_are_named_for_every_server_without_values() -> None:
    servers = {name: ServerSpec((SettingPart("host"),), "agent") for name in ("crm", "wiki", "ledger")}
    with pytest.raises(ConfigurationError) as caught:
        router(body(settings={"host": HOST}, servers=servers), CRM_HOST="http://zq81.example.com/")
    for name in servers:
        assert f"server `{name}`: its URL is http" in str(caught.value)
    assert "zq81" not in str(caught.value)


def test_a_setting_that_no_header_can_carry_stops_the_load() -> None:
    made = crm(
        plain("X-T", FieldPart("tenant"), TextPart("-"), SettingPart("zone")),
        settings={"zone": SettingSpec("ZONE", None, ())},
    )
    for zone in ("eu\n", "zq81ü", " eu"):
        with pytest.raises(ConfigurationError, match="setting `zone`") as caught:
            router(made, ZONE=zone)
        assert zone not in str(caught.value)


def test_a_server_outside_the_table_has_no_address() -> None:
    made = router()
    for ask in (made.endpoint, made.compiled_names, made.agents_of):
        with pytest.raises(NoRoute, match=r"did you mean `crm`\?"):
            ask("crmm")


def test_one_source_may_serve_two_secrets() -> None:
    made = router(body(secrets={"crm_key": EnvSource("CRM_KEY"), "ledger_key": EnvSource("CRM_KEY")}))
    assert made.session_headers("billing", "ledger")["Authorization"] == "Bearer k-123"
