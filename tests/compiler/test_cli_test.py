"""`mcpx test` and `mcpx build --emit`, in a process of their own."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as Xml

import cedarpy
import pytest
from support.command import mcpx
from support.compiling import BASE

LANG_21 = f"""{BASE}test "tenant goes along" {{
  given tenant = "acme"
  send analyst -> crm
  expect header X-Tenant-Id == "acme"
}}
test "wrong on purpose" {{
  given tenant = "acme"
  send analyst -> crm
  expect header X-Tenant-Id == "globex"
}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "app.mcpx").write_text(LANG_21, encoding="utf-8")
    return tmp_path


def test_a_failed_expectation_is_told_with_its_line_and_what_came_lang_21(folder: Path) -> None:
    result = mcpx("test", "app.mcpx", cwd=folder)
    told = result.stdout.decode()
    line = LANG_21.splitlines().index('  expect header X-Tenant-Id == "globex"') + 1
    assert result.returncode == 1
    assert "ok    tenant goes along\n" in told
    assert f'app.mcpx:{line}:3: expect header X-Tenant-Id == "globex"\n          expected "globex"\n' in told
    assert '          found    "acme"\n' in told
    assert told.endswith("\n1 passed, 1 failed\n")
    assert result.stderr == b""


def test_tests_are_chosen_by_a_piece_of_their_title_in_any_case(folder: Path) -> None:
    result = mcpx("test", "-k", "TENANT goes", cwd=folder)
    assert (result.returncode, result.stdout) == (0, b"ok    tenant goes along\n\n1 passed, 0 failed\n")


@pytest.mark.parametrize(
    ("text", "arguments"), [(LANG_21, ["-k", "nothing like it"]), (BASE, []), (LANG_21, ["nowhere.mcpx"])]
)
def test_a_run_without_a_single_test_does_not_pass(text: str, arguments: list[str], tmp_path: Path) -> None:
    (tmp_path / "app.mcpx").write_text(text, encoding="utf-8")
    result = mcpx("test", *arguments, cwd=tmp_path)
    assert (result.returncode, result.stdout) == (2, b"")
    assert result.stderr.startswith(b"mcpx: ")


def test_a_file_with_an_error_is_not_tested(folder: Path) -> None:
    (folder / "app.mcpx").write_text(LANG_21.replace("= run.tenant", "= run.tenat"), encoding="utf-8")
    result = mcpx("test", cwd=folder)
    assert (result.returncode, result.stdout) == (1, b"")
    assert b"MX201" in result.stderr


def test_junit_counts_and_names_the_tests_and_their_failures(folder: Path) -> None:
    result = mcpx("test", "--format", "junit", cwd=folder)
    assert result.returncode == 1
    suites = Xml.fromstring(result.stdout)
    assert (suites.tag, suites.get("tests"), suites.get("failures")) == ("testsuites", "2", "1")
    first, second = suites.findall("testsuite/testcase")
    assert (first.get("name"), first.get("file"), first.find("failure")) == ("tenant goes along", "app.mcpx", None)
    failure = second.find("failure")
    assert failure is not None
    assert failure.get("message") == 'expected "globex", found "acme"'
    assert failure.text is not None
    assert failure.text.startswith("app.mcpx:22:3: ")


def test_a_title_cannot_act_on_the_terminal_or_break_the_xml(tmp_path: Path) -> None:
    text = LANG_21.replace("wrong on purpose", "\\u{1b}[2J <b>&\\u{0}")
    (tmp_path / "app.mcpx").write_text(text, encoding="utf-8")
    told = mcpx("test", cwd=tmp_path).stdout
    assert b"\x1b" not in told
    assert b"FAIL  \\u{1b}[2J <b>&\\u{0}\n" in told
    suites = Xml.fromstring(mcpx("test", "--format", "junit", cwd=tmp_path).stdout)
    assert [case.get("name") for case in suites.iter("testcase")][1] == "\\u{1b}[2J <b>&\\u{0}"


def test_what_looks_like_a_secret_in_an_expectation_is_not_told(tmp_path: Path) -> None:
    text = LANG_21.replace("globex", "sk-live-51Hq7TzLk0aQm2")
    (tmp_path / "app.mcpx").write_text(text, encoding="utf-8")
    for form in ("text", "junit"):
        result = mcpx("test", "--format", form, cwd=tmp_path)
        assert result.returncode == 1
        assert b"51Hq7TzLk0aQm2" not in result.stdout + result.stderr


def test_what_cedar_saw_is_emitted_as_text_that_cedar_takes(folder: Path) -> None:
    """Every policy of the text has an id, comes with its place, and validates against the emitted schema."""
    policies = mcpx("build", "--emit", "cedar", cwd=folder)
    schema = mcpx("build", "--emit", "schema", cwd=folder)
    assert (policies.returncode, schema.returncode) == (0, 0)
    text = policies.stdout.decode()
    result = cedarpy.validate_policies(text, cedarpy.Schema.from_json_str(schema.stdout.decode()))
    assert result.validation_passed
    lines = text.splitlines()
    places = {line: lines[number - 1] for number, line in enumerate(lines) if line.startswith("@id")}
    assert set(places) >= {'@id("app.mcpx:13:1")', '@id("agent analyst uses crm")'}
    assert places['@id("app.mcpx:13:1")'] == "// app.mcpx:13:1"


def test_what_is_emitted_goes_to_a_file_when_one_is_named(folder: Path) -> None:
    result = mcpx("build", "--emit", "cedar", "-o", "seen.cedar", cwd=folder)
    assert (result.returncode, result.stdout) == (0, b"")
    assert (folder / "seen.cedar").read_bytes() == mcpx("build", "--emit", "cedar", cwd=folder).stdout
    assert mcpx("build", "--emit", "cedar", "-o", "app.mcpx", cwd=folder).returncode == 2
    assert (folder / "app.mcpx").read_text(encoding="utf-8") == LANG_21


def test_a_table_is_not_written_without_a_place_for_it(folder: Path) -> None:
    result = mcpx("build", cwd=folder)
    assert (result.returncode, result.stdout) == (2, b"")
