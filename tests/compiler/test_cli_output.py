"""Results that cannot be written, and names that would not be shown as they are."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from support.command import SCRIPT
from support.compiling import BASE

COMMANDS = [("explain", "--all"), ("explain", "MX201"), ("build", "app.mcpx", "-o", "-")]


def script(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["sh", "-c", line, "sh", SCRIPT], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("sink", [">/dev/full", ">&-"])
def test_a_result_that_cannot_be_written_is_told_in_one_sentence(
    command: tuple[str, ...], sink: str, tmp_path: Path
) -> None:
    (tmp_path / "app.mcpx").write_text(BASE)
    result = script(tmp_path, f'"$1" {" ".join(command)} {sink}')
    assert result.returncode == 2
    assert result.stderr.startswith("mcpx: cannot write the result: ")
    assert result.stderr.count("\n") == 1


def test_a_name_with_control_characters_is_escaped(tmp_path: Path) -> None:
    result = script(tmp_path, r'''"$1" check "$(printf 'a\nb\033[31m.mcpx')"''')
    assert result.returncode == 2
    assert result.stderr == "mcpx: cannot read `a\\nb\\x1b[31m.mcpx`: No such file or directory\n"


@pytest.mark.parametrize(
    ("made", "why"),
    [
        ("ln -s app.mcpx app.mcpx", "its links form a circle"),
        ("mkfifo app.mcpx", "it is no regular file"),
        ("head -c 5000000 /dev/zero > app.mcpx", "it has more than 4194304 bytes"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_with_its_own_reason(made: str, why: str, tmp_path: Path) -> None:
    result = script(tmp_path, f'{made}; "$1" check app.mcpx')
    assert result.returncode == 2
    assert why in result.stderr
