"""The installed script: exit codes, streams, whole files, and never a traceback."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from support.command import SCRIPT, mcpx
from support.compiling import BASE, replaced

from mcpx.compiler.cli.main import main
from mcpx.runtime import table

WRONG = replaced("run.tenant\n}", "run.tenat\n}")
WARNED = BASE + "tag spare\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in (("app.mcpx", BASE), ("wrong.mcpx", WRONG), ("warned.mcpx", WARNED)):
        (tmp_path / name).write_text(text)
    return tmp_path


def test_check_of_clean_files_says_nothing_and_exits_0(folder: Path) -> None:
    result = mcpx("check", "app.mcpx", cwd=folder)
    assert (result.returncode, result.stdout, result.stderr) == (0, b"", b"")


def test_check_without_a_file_checks_app_mcpx(folder: Path) -> None:
    assert mcpx("check", cwd=folder).returncode == 0
    (folder / "app.mcpx").write_text(WRONG)
    assert mcpx("check", cwd=folder).returncode == 1


def test_findings_go_to_standard_error_with_file_line_column_code_caret_and_help(folder: Path) -> None:
    result = mcpx("check", "wrong.mcpx", cwd=folder)
    said = result.stderr.decode()
    assert (result.returncode, result.stdout) == (1, b"")
    assert "error[MX201]: no field is called `tenat`" in said
    assert "--> wrong.mcpx:9:28" in said
    assert "  header X-Tenant-Id = run.tenat\n" in said
    assert "^^^^^ not declared, did you mean `tenant`?" in said
    assert said.endswith("1 error in 1 file\n")


def test_lang_19_warnings_alone_exit_0_and_with_deny_warnings_1(folder: Path) -> None:
    assert mcpx("check", "warned.mcpx", cwd=folder).returncode == 0
    assert mcpx("check", "--deny-warnings", "warned.mcpx", cwd=folder).returncode == 1
    assert mcpx("check", "--deny-warnings", "app.mcpx", cwd=folder).returncode == 0


def test_every_file_is_checked_though_an_earlier_one_is_at_fault(folder: Path) -> None:
    result = mcpx("check", "wrong.mcpx", "warned.mcpx", "app.mcpx", cwd=folder)
    assert result.returncode == 1
    assert b"MX201" in result.stderr
    assert b"MX601" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "absent.mcpx"),
        ("check", "."),
        ("check", "--unknown"),
        ("build", "app.mcpx"),
        ("build", "app.mcpx", "-o", "no/such/folder/t"),
        ("build", "app.mcpx", "-o", "."),
        ("build", "app.mcpx", "-o", "/dev/null"),
        ("build", "app.mcpx", "-o", "app.mcpx"),
        ("build", "app.mcpx", "-o", "./wrong/../app.mcpx"),
        ("explain", "MX000"),
        ("explain",),
        ("unknown",),
    ],
)
def test_what_could_not_run_exits_2_with_a_sentence_and_harms_nothing(folder: Path, arguments: tuple[str, ...]) -> None:
    (folder / "wrong").mkdir()
    result = mcpx(*arguments, cwd=folder)
    assert result.returncode == 2
    assert result.stderr.strip()
    assert b"Traceback" not in result.stderr
    assert (folder / "app.mcpx").read_text() == BASE
    assert not Path("/dev/null").is_file()


def test_lang_01_a_failed_build_leaves_the_earlier_table_untouched(folder: Path) -> None:
    assert mcpx("build", "app.mcpx", "-o", "app.mcpxc", cwd=folder).returncode == 0
    before = (folder / "app.mcpxc").read_bytes()
    assert mcpx("build", "wrong.mcpx", "-o", "app.mcpxc", cwd=folder).returncode == 1
    assert (folder / "app.mcpxc").read_bytes() == before
    assert {path.name for path in folder.iterdir()} == {"app.mcpx", "wrong.mcpx", "warned.mcpx", "app.mcpxc"}


def test_build_to_a_dash_writes_the_table_to_standard_output(folder: Path) -> None:
    result = mcpx("build", "app.mcpx", "-o", "-", cwd=folder)
    assert (result.returncode, result.stderr) == (0, b"")
    assert table.read(result.stdout).body.servers.keys() == {"crm"}
    assert mcpx("build", "wrong.mcpx", "-o", "-", cwd=folder).stdout == b""


def test_build_follows_a_link_and_keeps_it(folder: Path) -> None:
    (folder / "real").mkdir()
    (folder / "link.mcpxc").symlink_to("real/app.mcpxc")
    assert mcpx("build", "app.mcpx", "-o", "link.mcpxc", cwd=folder).returncode == 0
    assert (folder / "link.mcpxc").is_symlink()
    table.load(folder / "real" / "app.mcpxc")


def test_a_new_table_has_the_permissions_that_the_umask_leaves(folder: Path) -> None:
    before = os.umask(0o027)
    try:
        mcpx("build", "app.mcpx", "-o", "app.mcpxc", cwd=folder)
    finally:
        os.umask(before)
    assert (folder / "app.mcpxc").stat().st_mode & 0o777 == 0o640


def test_a_reader_that_goes_away_gets_no_traceback(folder: Path) -> None:
    line = f"'{SCRIPT}' explain --all | head -c 1; '{SCRIPT}' build app.mcpx -o - | head -c 1"
    result = subprocess.run(["bash", "-c", line], cwd=folder, capture_output=True, timeout=120, check=False)
    assert result.stderr == b""


def test_explain_tells_the_page_and_lists_all(folder: Path) -> None:
    page = mcpx("explain", "mx402", cwd=folder).stdout.decode()
    assert page.startswith("# MX402: ")
    listed = mcpx("explain", "--all", cwd=folder, PYTHONIOENCODING="ascii").stdout.decode().splitlines()
    assert "MX402: nothing lets a field reach a server" in listed
    assert listed == sorted(listed)
    assert b"did you mean" in mcpx("explain", "MX4O2", cwd=folder).stderr


@pytest.mark.parametrize("name", [b"\xff.mcpx", "a\u202eb.mcpx".encode(), b"-.mcpx"])
def test_a_file_of_any_name_is_answered(tmp_path: Path, name: bytes) -> None:
    path = os.fsencode(tmp_path) + b"/" + name
    Path(os.fsdecode(path)).write_text(WRONG)
    result = mcpx("check", os.fsdecode(path), cwd=tmp_path)
    assert result.returncode in (1, 2)
    assert b"Traceback" not in result.stderr
    assert "\u202e".encode() not in result.stderr


ODD = ["\0", '"""', "${", "}", '"', "@", "cedar ", "\r", "\n", "\u202e", "mcpx 1\n", "((((", "!!!!"]
PIECES = [*(BASE.encode()[at : at + 40] for at in range(0, len(BASE), 20)), *(odd.encode() for odd in ODD), b"\xff"]


@given(st.one_of(st.binary(max_size=200), st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join)))
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_get_an_answer_and_no_fault_of_the_compiler(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], data: bytes
) -> None:
    path = tmp_path / "app.mcpx"
    path.write_bytes(data)
    assert main(["check", str(path)]) in (0, 1)
    assert "fault of the compiler" not in capsys.readouterr().err


def test_a_fault_of_the_compiler_is_one_sentence_without_values(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(_: Path, __: str | None) -> None:
        raise KeyError("hunter2")

    monkeypatch.setattr("mcpx.compiler.cli.common.compile_project", fail)
    assert main(["check", str(folder / "app.mcpx")]) == 2
    said = capsys.readouterr().err
    assert "KeyError" in said
    assert said.count("\n") == 1
    assert "hunter2" not in said
