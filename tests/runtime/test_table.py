"""A table file has one spelling, and anything else is refused by name."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import altered, body, plain, spelled

from mcpx.runtime.errors import TableError
from mcpx.runtime.table import Row, TextPart, load, read, write


def refused(data: bytes) -> str:
    with pytest.raises(TableError) as caught:
        read(data)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    return str(caught.value)


def test_what_is_written_is_read_back_equal() -> None:
    assert read(write(body())).body == body()


def test_equal_bodies_have_equal_bytes_whatever_the_order_of_their_mappings() -> None:
    other = body()
    turned = dataclasses.replace(other, fields=dict(reversed(other.fields.items())))
    assert write(turned) == write(other)
    assert write(read(write(other)).body) == write(other)


def test_the_file_is_sorted_compact_json_with_the_digest_of_its_body_and_one_line_end() -> None:
    data = write(body())
    content = json.loads(data)
    assert data == spelled(content["body"])
    assert read(data).digest == content["digest"]


def test_run_11a_every_change_of_one_byte_is_refused() -> None:
    data = write(body())
    for place, byte in enumerate(data):
        for mask in (0x01, 0x20, 0x80):
            changed = data[:place] + bytes((byte ^ mask,)) + data[place + 1 :]
            with pytest.raises(TableError):
                read(changed)


@given(st.data())
def test_every_cut_and_insertion_is_refused(data: st.DataObject) -> None:
    table = write(body())
    place = data.draw(st.integers(0, len(table)))
    inserted = data.draw(st.binary(max_size=3))
    end = data.draw(st.integers(place, len(table)))
    changed = table[:place] + inserted + table[end:]
    if changed != table:
        with pytest.raises(TableError):
            read(changed)


def test_run_11b_another_format_is_an_error_of_its_own_even_where_all_else_differs() -> None:
    assert "format 2" in refused(spelled({"format": 2, "unheard": "of"}))
    assert "format 7" in refused(b'{ "extra": 1, "body": {"format": 7} }')


@pytest.mark.parametrize("number", [True, 1.0, "1", None, -1, 10**30])
def test_a_format_that_is_no_number_is_no_table(number: object) -> None:
    assert "no format number" in refused(altered(lambda content: content.update(format=number)))


def test_run_11c_an_unknown_key_is_refused_although_the_digest_fits() -> None:
    assert "extra" not in refused(altered(lambda content: content.update({"extra value": 1})))
    for path in ("fields.tenant", "servers.crm", "rows.0", "programs.h0.parts.0", "plans.p0.0", "policies.rule"):

        def add(content: Any, path: str = path) -> None:
            for key in path.split("."):
                content = content[int(key)] if isinstance(content, list) else content[key]
            content["zzz"] = 1

        assert "does not fit its model" in refused(altered(add))


def test_a_missing_key_is_refused() -> None:
    assert "does not fit its model" in refused(altered(lambda content: content.pop("rows")))
    for record, key in (
        ("programs.h0", "encode"),
        ("programs.h0", "advisory"),
        ("servers.crm", "checks"),
        ("servers.crm", "discovery"),
        ("rows.0", "call"),
    ):

        def drop(content: Any, record: str = record, key: str = key) -> None:
            for step in record.split("."):
                content = content[int(step)] if isinstance(content, list) else content[step]
            del content[key]

        assert "does not fit its model: a key is missing" in refused(altered(drop))


@pytest.mark.parametrize(
    "change",
    [
        lambda content: content["fields"]["tenant"].update(max="256"),
        lambda content: content["fields"]["tenant"].update(verified=1),
        lambda content: content["policies"]["rule"].update(line=1.0),
        lambda content: content["rows"][0].update(agent=None),
        lambda content: content["servers"]["crm"].update(session="nobody"),
    ],
)
def test_a_value_of_another_type_is_refused_and_not_converted(change: Callable[[Any], None]) -> None:
    assert "does not fit its model" in refused(altered(change))


def test_a_repeated_key_is_refused() -> None:
    data = write(body())
    twice = data.replace(b'"compiler":"0.1.0"', b'"compiler":"0.1.0","compiler":"0.1.0"')
    content = twice[len(b'{"body":') : twice.index(b',"digest"')]
    fitting = b'{"body":%s,"digest":"sha256:%s"}\n' % (content, hashlib.sha256(content).hexdigest().encode())
    assert "not spelled" in refused(fitting)


@pytest.mark.parametrize(
    "respell",
    [
        lambda data: b" " + data,
        lambda data: data + b"\n",
        lambda data: data.removesuffix(b"\n"),
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: b"\xef\xbb\xbf" + data,
        lambda data: json.dumps(json.loads(data)).encode(),
        lambda data: json.dumps(json.loads(data), separators=(",", ":"), sort_keys=True).encode(),
        lambda data: data.decode().encode("utf-16"),
    ],
)
def test_another_spelling_of_the_same_content_is_refused(respell: Callable[[bytes], bytes]) -> None:
    refused(respell(write(body())))


def test_an_escaped_character_is_another_spelling_even_with_its_own_digest() -> None:
    content = write(body())[len(b'{"body":') :].split(b',"digest"')[0].replace(b"analyst", b"\\u0061nalyst", 1)
    fitting = b'{"body":%s,"digest":"sha256:%s"}\n' % (content, hashlib.sha256(content).hexdigest().encode())
    assert "not spelled" in refused(fitting)


@pytest.mark.parametrize("data", [b"", b"null", b"[]", b"{}", b'{"body":[]}', b"\xff", b"[" * 100_000, b"NaN"])
def test_what_is_no_table_is_refused(data: bytes) -> None:
    refused(data)


def test_deep_nesting_is_refused() -> None:
    deep: Any = 1
    for _ in range(900):
        deep = [deep]
    assert "nested" in refused(altered(lambda content: content.update(deep=deep)))


def test_too_large_a_table_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    data = write(body())
    monkeypatch.setattr("mcpx.runtime.table.MAX_BYTES", len(data) - 1)
    assert "larger than" in refused(data)


def test_a_table_is_frozen_to_the_leaves() -> None:
    table = read(write(body()))
    for attempt in (
        lambda: table.body.fields.__setitem__("x", 1),  # type: ignore[attr-defined]
        lambda: table.body.flows["f0"].__setitem__("x", 1),  # type: ignore[attr-defined]
        lambda: setattr(table.body, "rows", ()),
        lambda: setattr(table.body.rows[0], "agent", "billing"),
    ):
        with pytest.raises((AttributeError, TypeError)):
            attempt()
    assert isinstance(table.body.plans["p0"], tuple)


def test_no_refusal_shows_text_of_the_table() -> None:
    sentinel = "zq81Vt5xKw90"
    changes: list[Callable[[Any], None]] = [
        lambda content: content.update({sentinel: sentinel}),
        lambda content: content["programs"]["h0"].update(optional=sentinel),
        lambda content: content["fields"]["tenant"].update(kind=sentinel),
        lambda content: content["programs"]["h0"]["parts"].append({"text": sentinel, "field": sentinel}),
        lambda content: content["settings"].update(x={"variable": sentinel, "default": [sentinel], "choices": []}),
        lambda content: content["programs"]["h0"].update(name=f"a:{sentinel}"),
    ]
    shown = [refused(altered(change)) for change in changes[1:]]
    assert not any(sentinel in text for text in shown)
    assert sentinel not in refused(altered(changes[0])).replace(f"at {sentinel}", "")


def test_write_refuses_what_read_would_refuse() -> None:
    with pytest.raises(TableError, match="contradicts itself"):
        write(body(rows=(Row("analyst", "nowhere", None, "p1", "f1", ("rule",)),)))
    with pytest.raises(TableError, match="not Unicode"):
        write(body(compiler="\ud800"))


def test_a_file_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "app.mcpxc"
    path.write_bytes(write(body()))
    assert load(path) == load(str(path)) == read(path.read_bytes())


def test_run_11f_the_same_file_again_is_fine(tmp_path: Path) -> None:
    path = tmp_path / "app.mcpxc"
    path.write_bytes(write(body()))
    assert load(path).digest == load(path).digest


def test_what_is_no_readable_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "missing"):
        with pytest.raises(TableError, match=r"not a regular file|No such file|Is a directory") as caught:
            load(path)
        assert caught.value.__context__ is None


def test_literal_text_of_a_header_may_hold_any_printable_ascii() -> None:
    text = "".join(map(chr, range(0x20, 0x7F)))
    made = body(programs={**body().programs, "h9": plain("X-Text", TextPart(f"<{text}>"))})
    assert read(write(made)).body.programs["h9"].parts == (TextPart(f"<{text}>"),)
