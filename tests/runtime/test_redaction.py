"""RUN-09: no text that leaves the runtime shows a value of a run or a secret."""

from __future__ import annotations

import copy
import dataclasses
import io
import json
import logging
import pickle
import pprint
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.tables import STRING, altered, body, router

from mcpx.runtime import McpxError, Router, Run, Secret, TableError
from mcpx.runtime.redacted import Facts, Headers
from mcpx.runtime.table import EnvSource, FileSource, read, write

TENANT = "acme-4711"
KEY = "zq81Vt5xKw90"


def texts_of(value: object) -> list[str]:
    """Every way in which a program turns a value into text without asking for what it holds."""
    ways: list[Callable[[], object]] = [
        lambda: repr(value),
        lambda: str(value),
        lambda: f"{value}",
        lambda: f"{value!a:>40}",
        lambda: "%r %s" % (value, value),  # noqa: UP031
        lambda: "{!r}".format(value),  # noqa: UP032
        lambda: format(value, ">40"),
        lambda: pprint.pformat([value]),
        lambda: json.dumps(value, default=repr),
        lambda: vars(value),
        lambda: dataclasses.asdict(value),  # type: ignore[call-overload]
        lambda: value.__getstate__(),
        lambda: value.__reduce__(),
        *(lambda protocol=protocol: pickle.dumps(value, protocol) for protocol in range(6)),
    ]
    texts = []
    for way in ways:
        try:
            texts.append(str(way()))
        except (TypeError, AttributeError) as error:
            texts.append(str(error))
    return texts


def assert_silent(text: str) -> None:
    assert TENANT not in text
    assert "4711" not in text
    assert not any(KEY[start : start + 4] in text for start in range(len(KEY) - 3))


def made() -> tuple[Router, Run]:
    loaded = router(CRM_KEY=KEY)
    return loaded, loaded.run("analyst", verified={"tenant": TENANT, "user": TENANT})


def test_run_09_no_textual_form_shows_a_value() -> None:
    loaded, run = made()
    headers = run.headers("crm")
    assert headers["X-Tenant-Id"] == TENANT
    assert headers["Authorization"] == f"Bearer {KEY}"
    facts = Facts({"tenant": TENANT})
    for value in (
        loaded,
        run,
        Secret(KEY),
        headers,
        facts,
        {"a": [run]},
        (Secret(KEY),),
        loaded.secrets(loaded.plan("analyst", "crm")),
    ):
        for text in texts_of(value):
            assert_silent(text)


def test_run_09_the_length_of_a_secret_is_not_shown() -> None:
    assert texts_of(Secret("a"))[:3] == texts_of(Secret("a" * 99))[:3]


def test_run_09_what_holds_a_value_cannot_be_pickled_and_its_copy_is_itself() -> None:
    loaded, run = made()
    for value in (loaded, run, Secret(KEY), run.headers("crm")):
        with pytest.raises(TypeError, match="does not leave its process"):
            pickle.dumps(value)
        assert copy.copy(value) is value
        assert copy.deepcopy(value) is value


def test_names_are_shown() -> None:
    loaded, run = made()
    assert repr(run) == f"<Run {run.id} of agent analyst>"
    assert repr(run.headers("crm")) == "<Headers Authorization, X-Tenant-Id, X-User-Id>"
    assert repr(loaded) == f"<Router {loaded.digest}>"
    assert isinstance(run.headers("crm"), Headers)


def test_what_holds_values_does_not_change_with_what_it_was_made_of() -> None:
    values = {"X-Tenant-Id": TENANT}
    headers, facts = Headers(values), Facts(values)
    values["X-Tenant-Id"] = "globex"
    assert headers == {"X-Tenant-Id": TENANT}
    assert facts.text("X-Tenant-Id") == TENANT


def refusals(tmp_path: Path) -> list[Callable[[], object]]:
    loaded, _ = made()
    bad_file = tmp_path / "key"
    bad_file.write_text(KEY + "\n\n")
    bad_file.chmod(0o600)
    rotten = tmp_path / "rotten"
    rotten.write_text(KEY)
    rotten.chmod(0o600)
    with_rotten = router(body(secrets={**body().secrets, "crm_key": FileSource(str(rotten))}))
    late = with_rotten.run("analyst", verified={"tenant": TENANT})
    late.headers("crm")
    rotten.write_text(KEY + "\t")
    strict = router(body(fields={**body().fields, "tenant": dataclasses.replace(STRING, matches="[a-z]+")}))

    def start(**verified: object) -> Callable[[], object]:
        return lambda: loaded.run("analyst", verified=verified)

    return [
        start(tenant=7, plan=TENANT),
        start(tenant=TENANT + "\ud800", seats=TENANT, roles=[TENANT, 1], beta=TENANT),
        start(tenant=TENANT * 100, admin=TENANT),
        start(),
        lambda: strict.run("analyst", verified={"tenant": TENANT}),
        lambda: loaded.run("analyst", verified={"tenant": TENANT}, claimed={"tenant": TENANT, "locale": 1}),
        lambda: loaded.run("nobody", verified={"tenant": TENANT}),
        lambda: loaded.run("analyst", verified={"tenant": TENANT}, run_id=f"{TENANT} {KEY}"),
        lambda: loaded.run("analyst", verified={"tenant": f"{TENANT}\r\n"}).headers("crm"),
        lambda: loaded.run("analyst", verified={"tenant": f" {TENANT}"}).headers("crm"),
        lambda: loaded.run("analyst", verified={"tenant": TENANT}).headers("ledger"),
        lambda: late.headers("crm"),
        lambda: with_rotten.session_headers("analyst", "crm"),
        lambda: router(CRM_KEY=KEY + "\n", LEDGER_KEY=KEY),
        lambda: router(body(secrets={**body().secrets, "crm_key": FileSource(str(bad_file))}), LEDGER_KEY=KEY),
    ]


@pytest.mark.parametrize("number", range(15))
def test_run_09_no_refusal_logs_a_value_even_with_the_variables_of_its_own_frames(number: int, tmp_path: Path) -> None:
    refuse = refusals(tmp_path)[number]
    stream = io.StringIO()
    logger = logging.Logger("test")
    logger.addHandler(logging.StreamHandler(stream))
    with pytest.raises(McpxError) as caught:
        refuse()
    logger.error("refused", exc_info=caught.value)
    assert_silent(stream.getvalue().replace(__file__, ""))
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    assert_silent(repr(caught.value) + str(caught.value.args))
    assert_silent(variables_of_runtime_frames(caught.value))


def variables_of_runtime_frames(error: BaseException) -> str:
    """What a logger that prints local variables would show of every frame inside the runtime."""
    shown: list[str] = []
    for frame, _ in traceback.walk_tb(error.__traceback__):
        if "/runtime/" in frame.f_code.co_filename and "/tests/" not in frame.f_code.co_filename:
            shown += [f"{name} = {value!r}" for name, value in frame.f_locals.items()]
    assert shown
    return "\n".join(shown)


def test_a_table_error_shows_no_text_of_the_file() -> None:
    def spoil(content: Any) -> None:
        content["programs"]["h0"]["parts"][0]["text"] = [KEY]

    with pytest.raises(TableError) as caught:
        read(altered(spoil))
    assert_silent("".join(traceback.format_exception(caught.value)))


def test_the_table_holds_the_place_of_a_secret_and_never_its_value() -> None:
    assert b"CRM_KEY" in write(body(secrets={**body().secrets, "crm_key": EnvSource("CRM_KEY")}))
    assert KEY.encode() not in write(body())
