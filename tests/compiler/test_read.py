from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpx.compiler.read import MOST_FINDINGS, read
from mcpx.compiler.report.diagnostic import Stage


def places(data: bytes, name: str = "app.mcpx") -> list[tuple[str, int, int]]:
    source, found = read(name, data)
    positions = [source.position(finding.primary.start) for finding in found]
    return [(finding.code, at.line, at.column) for finding, at in zip(found, positions, strict=True)]


@pytest.mark.parametrize(
    "character", ["\u202e", "\u2066", "\u200e", "\u061c", "\u2028", "\u2029", "\x85", "\x0b", "\x0c"]
)
def test_characters_that_hide_text_are_refused_at_their_place_lang_05(character: str) -> None:
    assert places(f"mcpx 1\n# é {character}x\n".encode()) == [("MX102", 2, 5)]


@pytest.mark.parametrize(
    "character", ["\x00", "\x07", "\x1b", "\x7f", "\x9b", "\u200b", "\u2060", "\u00ad", "\U000e0041"]
)
def test_control_and_invisible_characters_are_refused(character: str) -> None:
    assert places(f'"{character}"'.encode()) == [("MX102", 1, 2)]


def test_a_byte_order_mark_in_the_middle_is_refused_lang_05() -> None:
    assert places("mcpx 1\nrun\ufeff {}\n".encode()) == [("MX102", 2, 4)]


def test_a_byte_that_is_not_utf8_is_refused_at_its_place_lang_05() -> None:
    source, (finding,) = read("app.mcpx", "mcpx 1\n# é ".encode() + b"\xff\n")
    at = source.position(finding.primary.start)
    assert (finding.code, finding.stage, at.line, at.column) == ("MX101", Stage.READ, 2, 5)
    assert "0xFF" in finding.message


@pytest.mark.parametrize("data", [b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xe2\x82"])
def test_utf8_is_strict(data: bytes) -> None:
    assert places(data)[0] == ("MX101", 1, 1)


def test_carriage_returns_are_accepted_before_line_feeds_alone_lang_05() -> None:
    source, found = read("app.mcpx", b"mcpx 1\r\ntag a\r\n")
    assert found == ()
    assert source.text == "mcpx 1\r\ntag a\r\n"
    assert places(b"mcpx 1\rtag a\r\n") == [("MX102", 1, 7)]


def test_a_leading_byte_order_mark_is_dropped_from_mcpx_and_refused_in_cedar() -> None:
    data = "\ufeffmcpx 1\n".encode()
    source, found = read("app.mcpx", data)
    assert (found, source.text, source.data) == ((), "mcpx 1\n", data)
    assert places(data, "guard.cedar") == [("MX102", 1, 1)]
    assert places(b"\xef\xbb\xbf" + data) == [("MX102", 1, 1)]


def test_all_findings_are_told_up_to_a_limit() -> None:
    assert places(b"\xff\n\x00\n\xfe") == [("MX101", 1, 1), ("MX101", 3, 1), ("MX102", 2, 1)]
    assert len(places(b"\xff" * 1000)) == MOST_FINDINGS
    assert len(places(b"\x00" * 1000)) == MOST_FINDINGS


@given(st.text(st.characters(exclude_categories=["Cs", "Cc", "Cf", "Zl", "Zp"])))
def test_any_other_text_is_read_as_it_stands(text: str) -> None:
    source, found = read("app.mcpx", text.encode())
    assert (source.text, found) == (text, ())


@given(st.binary())
def test_any_bytes_are_read_or_refused_inside_the_text(data: bytes) -> None:
    source, found = read("guard.cedar", data)
    assert found or source.text.encode() == data
    for finding in found:
        assert 0 <= finding.primary.start < finding.primary.end <= len(source.text)
