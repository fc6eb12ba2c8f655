"""Encodings of values: what is on the wire exactly, and that a receiver gets back what was sent."""

from __future__ import annotations

import dataclasses
import re
from urllib.parse import unquote

import http_sf
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.shared.inbound import decode_header_value, encode_header_value
from support.tables import STRING, altered, crm, optional, plain, router

from mcpx.runtime.body import FieldPart, FieldSpec, HeaderProgram, SettingPart, SettingSpec, TextPart
from mcpx.runtime.encodings import ENCODINGS, Encoding, Fault, encode
from mcpx.runtime.errors import ConfigurationError, HeaderRefused, RunRefused, TableError
from mcpx.runtime.names import value_fault
from mcpx.runtime.run import Run
from mcpx.runtime.table import read

TEXT = st.text(st.characters(exclude_categories=["Cs"])) | st.text('ab \\"%=?,/\t\né')
LISTS = st.lists(st.text("ab ,\"\\'é\t", max_size=4) | TEXT, max_size=4).map(tuple)


@pytest.mark.parametrize(
    ("encoding", "value", "wire"),
    [
        ("sf-display", "Müller", '%"M%c3%bcller"'),
        ("sf-display", "Müller GmbH", '%"M%c3%bcller GmbH"'),
        ("sf-display", 'a"%\x07', '%"a%22%25%07"'),
        ("pct", "Müller", "M%C3%BCller"),
        ("pct", "Müller GmbH", "M%C3%BCller%20GmbH"),
        ("pct", "a~b._-/%", "a~b._-%2F%25"),
        ("mcp-base64", "Müller", "=?base64?TcO8bGxlcg==?="),
        ("mcp-base64", "Müller GmbH", "=?base64?TcO8bGxlciBHbWJI?="),
        ("mcp-base64", "acme", "acme"),
        ("mcp-base64", "=?base64?YWNtZQ==?=", "=?base64?PT9iYXNlNjQ/WVdOdFpRPT0/PQ==?="),
        ("sf-string", 'a, "b\\', '"a, \\"b\\\\"'),
        ("sf-list", ("admin", "a,b"), '"admin", "a,b"'),
        ("sf-list", ("admin,a", "b"), '"admin,a", "b"'),
        ("comma", ("admin", "ops"), "admin,ops"),
        ("space", ("admin", "ops"), "admin ops"),
    ],
)
def test_hdr_05_06_07_what_is_on_the_wire(encoding: Encoding, value: str | tuple[str, ...], wire: str) -> None:
    assert encode(encoding, value) == wire


@pytest.mark.parametrize(
    ("encoding", "value"),
    [
        ("sf-string", "Müller"),
        ("sf-string", "a\tb"),
        ("sf-list", ("a", "Müller")),
        ("comma", ("a,b",)),
        ("comma", ("a", "")),
        ("comma", ("a", " b")),
        ("comma", ("a", "ü")),
        ("space", ("a b",)),
        ("space", ("",)),
        ("sf-list", "a"),
        ("comma", "a"),
        ("pct", ("a",)),
        ("sf-string", ()),
    ],
)
def test_what_an_encoding_has_no_form_for_is_refused(encoding: Encoding, value: str | tuple[str, ...]) -> None:
    outcome = encode(encoding, value)
    assert isinstance(outcome, Fault)
    assert not value or str(value) not in outcome.clause


DECODERS = {
    "sf-string": lambda wire: http_sf.parse(wire.encode("ascii"), tltype="item")[0],
    "sf-display": lambda wire: str(http_sf.parse(wire.encode("ascii"), tltype="item")[0]),
    "pct": lambda wire: unquote(wire, errors="strict"),
    "mcp-base64": decode_header_value,
}
LIST_DECODERS = {
    "sf-list": lambda wire: tuple(item for item, _ in http_sf.parse(wire.encode("ascii"), tltype="list")),
    "comma": lambda wire: tuple(item.strip(" \t") for item in wire.split(",")),
    "space": lambda wire: tuple(wire.split(" ")),
}


@pytest.mark.parametrize("encoding", DECODERS)
@given(value=TEXT)
def test_a_decoder_of_somebody_elses_gives_back_the_text(encoding: Encoding, value: str) -> None:
    wire = encode(encoding, value)
    if isinstance(wire, Fault):
        assert encoding == "sf-string"
        assert not re.fullmatch(r"[ -~]*", value)
        return
    assert isinstance(wire, str)
    assert not wire or value_fault(wire) is None
    assert DECODERS[encoding](wire) == value


@pytest.mark.parametrize("encoding", LIST_DECODERS)
@given(value=LISTS)
def test_a_decoder_of_somebody_elses_gives_back_the_list(encoding: Encoding, value: tuple[str, ...]) -> None:
    wire = encode(encoding, value)
    if isinstance(wire, Fault):
        assert encoding != "sf-list" or not all(re.fullmatch(r"[ -~]*", item) for item in value)
    elif not value:
        assert wire is None
    else:
        assert wire is not None
        assert value_fault(wire) is None
        assert LIST_DECODERS[encoding](wire) == value


@given(value=TEXT)
def test_mcp_base64_is_what_the_mcp_library_sends(value: str) -> None:
    sentinel_overlaps = value == "=?base64?="
    assert encode("mcp-base64", value) == encode_header_value(value) or sentinel_overlaps


ROLES = FieldSpec(True, False, "list", (), 256, None, 8, None)


def run_with(encoding: Encoding | None, spec: FieldSpec, value: object, *, is_optional: bool = False) -> Run:
    program = HeaderProgram("X-Value", (FieldPart("value"),), is_optional, encoding)
    return router(crm(program, fields={"value": spec})).run("analyst", verified={"value": value})


@pytest.mark.parametrize(
    ("encoding", "name", "wire"),
    [
        (None, "acme", "acme"),
        ("sf-display", "Müller", '%"M%c3%bcller"'),
        ("pct", "Müller", "M%C3%BCller"),
        ("mcp-base64", "Müller", "=?base64?TcO8bGxlcg==?="),
        ("sf-string", "a,b", '"a,b"'),
        ("pct", " acme\n", "%20acme%0A"),
    ],
)
def test_hdr_05_a_run_sends_the_encoded_value(encoding: Encoding | None, name: str, wire: str) -> None:
    assert dict(run_with(encoding, STRING, name).headers("crm")) == {"X-Value": wire}


@pytest.mark.parametrize(
    ("encoding", "name"), [(None, "Müller"), ("sf-string", "Müller"), ("pct", ""), ("mcp-base64", "")]
)
def test_hdr_05_a_value_without_a_form_refuses_the_call_and_stays_out_of_the_message(
    encoding: Encoding | None, name: str
) -> None:
    with pytest.raises(HeaderRefused, match=r"header `X-Value`: (field `value`|its value)") as refused:
        run_with(encoding, STRING, name).headers("crm")
    assert not name or name not in str(refused.value)


def test_hdr_06_roles_with_commas_stay_apart() -> None:
    sent = [
        run_with("sf-list", ROLES, roles).headers("crm")["X-Value"] for roles in (["admin", "a,b"], ["admin,a", "b"])
    ]
    assert sent == ['"admin", "a,b"', '"admin,a", "b"']


def test_hdr_07_an_item_outside_the_pattern_refuses_the_run() -> None:
    spec = FieldSpec(True, False, "list", (), 256, "[a-z-]+", 8, None)
    assert run_with("comma", spec, ["admin", "ops"]).headers("crm")["X-Value"] == "admin,ops"
    with pytest.raises(RunRefused, match="field `value` has an item that does not match its pattern"):
        run_with("comma", spec, ["a,b"])


@pytest.mark.parametrize("encoding", LIST_DECODERS)
def test_an_empty_list_refuses_a_plain_header_and_leaves_an_optional_one_out(encoding: Encoding) -> None:
    with pytest.raises(HeaderRefused, match="field `value` is an empty list"):
        run_with(encoding, ROLES, []).headers("crm")
    assert dict(run_with(encoding, ROLES, [], is_optional=True).headers("crm")) == {}


def test_an_encoded_value_that_grows_too_long_is_refused() -> None:
    with pytest.raises(HeaderRefused, match="more than 8000 bytes"):
        run_with("pct", FieldSpec(True, False, "string", (), 4000, None, 8, None), "é" * 2000).headers("crm")


@pytest.mark.parametrize("encoding", ENCODINGS)
@pytest.mark.parametrize("kind", ["string", "choice", "int", "bool", "list"])
def test_a_table_whose_encoding_does_not_suit_its_field_is_refused(encoding: Encoding, kind: str) -> None:
    spec = {"max": 8, "choices": ["a"] if kind == "choice" else [], "kind": kind}

    def change(content: dict[str, dict[str, dict[str, object]]]) -> None:
        content["fields"]["value"].update(spec)
        content["programs"]["h0"]["encode"] = encoding

    table = altered(change, crm(plain("X-Value", FieldPart("value")), fields={"value": STRING}))
    fits = kind == "list" if encoding in LIST_DECODERS else kind in ("string", "choice")
    if fits:
        read(table)
    else:
        with pytest.raises(TableError, match="header `X-Value` has an encoding that does not fit"):
            read(table)


def test_a_table_with_a_list_without_encoding_or_an_encoding_of_text_and_field_is_refused() -> None:
    for program in (plain("X-Value", FieldPart("value")), optional("X-Value", FieldPart("value"))):
        with pytest.raises(TableError, match="draws on a list, and has no encoding"):
            router(crm(program, fields={"value": ROLES}))
    for program in (
        HeaderProgram("X-Value", (TextPart("a"), FieldPart("value")), optional=False, encode="sf-list"),
        HeaderProgram("X-Value", (FieldPart("value"), FieldPart("value")), optional=False, encode="sf-list"),
    ):
        with pytest.raises(TableError, match="encoding that does not fit"):
            router(crm(program, fields={"value": ROLES}))


def test_headers_that_are_too_long_together_refuse_the_call_and_stop_the_load() -> None:
    long = dataclasses.replace(STRING, max=7_000)
    programs = (plain("X-A", FieldPart("a")), plain("X-B", FieldPart("b")))
    running = router(crm(*programs, fields={"a": long, "b": long}))
    size = 7_000 - len("X-A: ")
    fitting = running.run("analyst", verified={"a": "a" * size, "b": "b" * size}).headers("crm")
    assert sum(len(f"{name}: {value}") for name, value in fitting.items()) == 14_000
    with pytest.raises(HeaderRefused, match="together have more than 14000 bytes"):
        running.run("analyst", verified={"a": "a" * (size + 1), "b": "b" * size}).headers("crm")
    fixed = (plain("X-A", SettingPart("a")), plain("X-B", SettingPart("b")), plain("X-C", TextPart("c")))
    specs = {name: SettingSpec(name.upper(), None, ()) for name in "ab"}
    router(crm(*fixed, settings=specs), A="a", B="b")
    with pytest.raises(ConfigurationError, match=r"`analyst` to server `crm`: .* more than 14000 bytes"):
        router(crm(*fixed, settings=specs), A="a" * 7_000, B="b" * 7_000)
