"""What a secret may be, and what happens when its file changes."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from support.tables import body, crm, plain, router

from mcpx.runtime import ConfigurationError, HeaderRefused, Router, Secret, SecretUnavailable
from mcpx.runtime.body import CredentialSource, ProviderSource
from mcpx.runtime.secrets import SecretStore
from mcpx.runtime.table import CredentialPart, EnvSource, FileSource, SecretPart, TextPart, read, write


@pytest.fixture
def key(tmp_path: Path) -> Path:
    return keep(tmp_path / "key", b"k-123\n")


def keep(path: Path, content: bytes, mode: int = 0o600) -> Path:
    path.write_bytes(content)
    path.chmod(mode)
    return path


def replace(path: Path, content: bytes) -> None:
    """Written beside, then renamed, as rotation does."""
    keep(path.with_suffix(".new"), content).rename(path)


def with_file(path: Path) -> Router:
    return router(body(secrets={"crm_key": FileSource(str(path)), "ledger_key": EnvSource("LEDGER_KEY")}))


def refusal(make: Callable[[], object]) -> str:
    with pytest.raises(ConfigurationError) as caught:
        make()
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return str(caught.value)


@pytest.mark.parametrize("content", [b"k-123", b"k-123\n"])
@pytest.mark.parametrize("mode", [0o400, 0o600, 0o440, 0o640])
def test_hdr_15_one_line_end_at_the_end_is_the_editors(tmp_path: Path, content: bytes, mode: int) -> None:
    made = with_file(keep(tmp_path / "key", content, mode))
    assert made.run("analyst", verified={"tenant": "a"}).headers("crm")["Authorization"] == "Bearer k-123"


@pytest.mark.parametrize(
    "content",
    [
        b"k-123\n\n",
        b"k-\n123",
        b"",
        b"\n",
        b"k-123\r\n",
        b"k-\r123",
        b"k-\x00123",
        b"k-\t123",
        b"k-\x7f123",
        b" k-123",
        b"k-123 ",
        "k-123\u00e9".encode(),
        b"k-123\xff",
        b"\xef\xbb\xbfk-123",
        b"a" * (64 * 1024 + 1),
    ],
)
def test_hdr_15_any_other_content_stops_the_load_and_is_not_shown(tmp_path: Path, content: bytes) -> None:
    path = keep(tmp_path / "key", content)
    text = refusal(lambda: with_file(path))
    assert "`crm_key`" in text
    assert str(path) in text
    assert "k-" not in text
    assert "123" not in text.replace(str(path), "")


@pytest.mark.parametrize("mode", [0o644, 0o604, 0o602, 0o601, 0o620, 0o660, 0o610, 0o666])
def test_a_file_that_others_can_touch_is_refused(key: Path, mode: int) -> None:
    key.chmod(mode)
    assert "owner and group" in refusal(lambda: with_file(key))


def test_what_is_no_regular_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "missing", Path("/dev/zero")):
        assert "`crm_key`" in refusal(lambda path=path: with_file(path))


@pytest.mark.parametrize(
    "environment",
    [{"CRM_KEY": ""}, {"CRM_KEY": "k-123\n"}, {"CRM_KEY": " k-123"}, {"CRM_KEY": "k-\udcff"}, {"CRM_KEY": "kü"}],
)
def test_hdr_16_a_variable_that_holds_nothing_usable_stops_the_load(environment: dict[str, str]) -> None:
    text = refusal(lambda: router(**environment))
    assert "`crm_key`" in text
    assert "CRM_KEY" in text
    assert "k-" not in text


def test_hdr_16_a_variable_that_is_not_set_stops_the_load() -> None:
    assert (
        refusal(lambda: Router(read(write(body())), {"LEDGER_KEY": "x"}))
        == "secret `crm_key`: environment variable CRM_KEY is not set"
    )


def test_the_environment_is_read_once() -> None:
    environment = {"CRM_KEY": "k-123"}
    store = SecretStore({"crm_key": EnvSource("CRM_KEY")}, environment)
    environment["CRM_KEY"] = "k-456"
    assert store.secret("crm_key").reveal() == "k-123"


def test_run_07_a_replaced_file_is_in_force_with_the_next_call(key: Path) -> None:
    run = with_file(key).run("analyst", verified={"tenant": "acme"})
    assert run.headers("crm")["Authorization"] == "Bearer k-123"
    replace(key, b"k-456")
    assert run.headers("crm") == {"Authorization": "Bearer k-456", "X-Tenant-Id": "acme"}
    assert run.router.session_headers("analyst", "crm")["Authorization"] == "Bearer k-456"


def test_run_07_a_link_whose_target_is_swapped_is_a_replaced_file(tmp_path: Path) -> None:
    for version, content in (("v1", b"k-123"), ("v2", b"k-456")):
        (tmp_path / version).mkdir()
        keep(tmp_path / version / "key", content)
    (tmp_path / "data").symlink_to("v1")
    (tmp_path / "key").symlink_to("data/key")
    run = with_file(tmp_path / "key").run("analyst", verified={"tenant": "acme"})
    assert run.headers("crm")["Authorization"] == "Bearer k-123"
    (tmp_path / "next").symlink_to("v2")
    (tmp_path / "next").rename(tmp_path / "data")
    assert run.headers("crm")["Authorization"] == "Bearer k-456"


def test_a_file_that_is_overwritten_in_place_many_times_within_a_tick_is_seen_each_time(key: Path) -> None:
    run = with_file(key).run("analyst", verified={"tenant": "acme"})
    for number in range(300):
        key.write_bytes(b"k-%03d" % number)
        assert run.headers("crm")["Authorization"] == f"Bearer k-{number:03}"


def test_a_change_within_a_tick_of_the_clock_is_seen(key: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mcpx.runtime.secrets._signature", lambda status: (status.st_size,))
    run = with_file(key).run("analyst", verified={"tenant": "acme"})
    key.write_bytes(b"k-456\n")
    assert run.headers("crm")["Authorization"] == "Bearer k-456"


def test_run_08_a_useless_key_refuses_the_calls_that_need_it_until_it_is_good_again(key: Path) -> None:
    made = with_file(key)
    run, other = made.run("analyst", verified={"tenant": "acme"}), made.run("billing", verified={"tenant": "acme"})
    assert run.headers("crm")["Authorization"] == "Bearer k-123"
    for content in (b"", b"k-\n456"):
        replace(key, content)
        for _ in range(2):
            with pytest.raises(SecretUnavailable, match="`crm_key`") as caught:
                run.headers("crm")
            assert "456" not in str(caught.value)
            assert caught.value.__context__ is None
        with pytest.raises(SecretUnavailable):
            made.session_headers("analyst", "crm")
        assert run.headers("wiki") == {"Search-Locale": "en"}
        assert other.headers("ledger")["Authorization"] == "Bearer k-ledger"
    replace(key, b"k-789")
    assert run.headers("crm")["Authorization"] == "Bearer k-789"


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.chmod(0o644)])
def test_a_file_that_vanishes_or_opens_to_others_refuses_and_the_old_key_is_not_used_on(
    key: Path, spoil: Callable[[Path], object]
) -> None:
    old = key.stat().st_mtime_ns - 10**10
    os.utime(key, ns=(old, old))
    run = with_file(key).run("analyst", verified={"tenant": "acme"})
    assert run.headers("crm")
    spoil(key)
    with pytest.raises(SecretUnavailable, match="`crm_key`"):
        run.headers("crm")


def test_a_file_that_did_not_change_gives_the_same_secret_and_the_same_headers(key: Path) -> None:
    store = SecretStore({"k": FileSource(str(key))}, {})
    first = store.secret("k")
    os.utime(key)
    assert store.secret("k") is first
    run = with_file(key).run("analyst", verified={"tenant": "acme"})
    assert run.headers("crm") is run.headers("crm")


def test_a_secret_that_makes_a_field_too_long_stops_the_load_and_later_the_call(key: Path) -> None:
    def made() -> Router:
        secrets = {"crm_key": FileSource(str(key)), "ledger_key": EnvSource("LEDGER_KEY")}
        return router(
            crm(plain("Authorization", TextPart("Bearer "), CredentialPart(credential=True)), secrets=secrets)
        )

    sound = made()
    replace(key, b"k" * 8_000)
    assert "`Authorization`" in refusal(made)
    with pytest.raises(HeaderRefused, match="`Authorization`"):
        sound.session_headers("analyst", "crm")
    with pytest.raises(HeaderRefused, match="`Authorization`"):
        sound.run("analyst", verified={"tenant": "acme"}).headers("crm")


def test_a_secret_that_stands_in_a_header_itself_is_sent() -> None:
    made = router(crm(plain("X-Api-Key", SecretPart("crm_key"))))
    assert made.session_headers("analyst", "crm") == {"X-Api-Key": "k-123"}


def test_a_secret_reveals_its_value_only_when_asked() -> None:
    assert Secret("k-123").reveal() == "k-123"


def with_credential(**environment: str) -> Router:
    sources = {"crm_key": CredentialSource("crm.key"), "ledger_key": EnvSource("LEDGER_KEY")}
    return router(body(secrets=sources), **environment)


def test_a_credential_of_the_service_is_a_file_that_may_rotate(tmp_path: Path) -> None:
    keep(tmp_path / "crm.key", b"k-123\n", 0o400)
    run = with_credential(CREDENTIALS_DIRECTORY=str(tmp_path)).run("analyst", verified={"tenant": "a"})
    assert run.headers("crm")["Authorization"] == "Bearer k-123"
    replace(tmp_path / "crm.key", b"k-456\n")
    assert run.headers("crm")["Authorization"] == "Bearer k-456"


@pytest.mark.parametrize("directory", [None, "", "relative/place"])
def test_a_service_without_credentials_stops_the_load(directory: str | None) -> None:
    environment = {} if directory is None else {"CREDENTIALS_DIRECTORY": directory}
    said = refusal(lambda: with_credential(**environment))
    assert "secret `crm_key`" in said
    assert "CREDENTIALS_DIRECTORY" in said


def test_a_credential_that_is_not_there_stops_the_load(tmp_path: Path) -> None:
    said = refusal(lambda: with_credential(CREDENTIALS_DIRECTORY=str(tmp_path)))
    assert f"{tmp_path}/crm.key" in said


def test_a_secret_of_a_provider_is_refused_by_name() -> None:
    sources = {"crm_key": ProviderSource("vault", "crm", ()), "ledger_key": EnvSource("LEDGER_KEY")}
    said = refusal(lambda: router(body(secrets=sources)))
    assert "secret `crm_key`" in said
    assert "`vault`" in said
