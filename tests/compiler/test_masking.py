"""No output holds a literal secret, the user information of an address, or the value of a secret query parameter."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.command import mcpx
from support.compiling import BASE, compiled

from mcpx.compiler.report.masking import masked
from mcpx.compiler.source import Source

PLACES = [
    'secret k = "{}"',
    'secret k @t = "{}"',
    'shared secret k = "{}"',
    'secret k =\n  "{}"',
    "secret k = # which\n  {}",
    'secret k: "{}"',
    'secret k "{}"',
    "secret k = '{}'",
    "secret k = {}",
    'secret k = "{}',
    'secret k = env("{} x")',
    'secret k = vault("{}!")',
    'overlay o {{\n  secret.k = "{}"\n}}',
    'server s {{\n  header X-Api-Key = "{}"\n}}',
    'server s {{\n  header X-Api-Key: "{}"\n}}',
    'server s {{\n  header X-Api-Key =\n    "{}"\n}}',
    "server s {{\n  header X-Api-Key = {}\n}}",
    "server s {{\n  header X-Api-Key = {} # old\n}}",
    'server s {{\n  optional header "X-Auth" = "{} ${{run.tenant}}"\n}}',
    'server s {{\n  header Authorization = "Bearer {}"\n}}',
    'server s {{\n  header Authorization = "Bearer ${{credential}} {}"\n}}',
    'server s {{\n  header Txn-Token = "{}"\n}}',
    'server s {{\n  url = "https://svc:{}@s.example.com/mcp"\n}}',
    'server s {{\n  url = "https://{}@s.example.com/mcp"\n}}',
    'server s {{\n  url = "https://svc:a/{}@s.example.com/mcp"\n}}',
    'server s {{\n  url = "https:/svc:{}@s.example.com/mcp"\n}}',
    'server s {{\n  url = "svc:{}@s.example.com/mcp"\n}}',
    "server s {{\n  url = https://svc:{}@s.example.com/mcp\n}}",
    'server s {{\n  url = "https://svc:{}\\u{{40}}s.example.com/mcp"\n}}',
    'server s {{\n  url = "https://s.example.com/mcp?token={}"\n}}',
    'server s {{\n  url = "https://s.example.com/mcp?a=b&api_key={}#x"\n}}',
    'setting a = env("A", "https://svc:{}@s.example.com")',
    'setting api_token = env("A", "{}")',
    'setting api_token = "{}"',
    'secrt k = "{}"',
    'secrets k = "{}"',
    'server s {{\n  header X-Api-Key "{}"\n}}',
    'credential for a to s = "{}"',
    "credential for a to s = {}",
    'credential for a to s: "{}"',
    'setting a = env("A", "https://s.example.com?key={}")',
]
SECRETS = st.from_regex(r"\A[a-z][a-z0-9_-]{5,30}[a-z0-9]\Z").map(lambda text: f"zq{text}")
BREAKS = st.sampled_from(["", "\n}", "\nserver s {", '\ndeny @x -> "', "\n\u202e", "\nagent a uses nothing"])


@given(st.sampled_from(PLACES), SECRETS, BREAKS)
@settings(max_examples=400, deadline=None)
def test_no_secret_of_a_file_is_in_what_is_said_about_it(place: str, secret: str, rest: str) -> None:
    with TemporaryDirectory() as folder:
        result = compiled(Path(folder), f"{BASE}{place.format(secret)}{rest}\n")
    assert result.findings
    assert secret not in result.text


@pytest.mark.parametrize("place", PLACES)
def test_no_secret_comes_out_of_any_place_on_either_stream(tmp_path: Path, place: str) -> None:
    (tmp_path / "app.mcpx").write_text(BASE + place.format("hunter-two") + "\n\n" + place.format("hunter-two") + "\n")
    result = compiled(tmp_path, (tmp_path / "app.mcpx").read_text())
    assert result.findings
    assert "hunter-two" not in result.text


def test_lang_16_a_a_secret_that_is_written_down(tmp_path: Path) -> None:
    (tmp_path / "app.mcpx").write_text(BASE.replace('env("CRM_KEY")', '"sk-live-51Hq7TzLk0aQm2"'))
    result = mcpx("check", cwd=tmp_path)
    said = result.stderr.decode()
    assert result.returncode == 1
    assert "MX218" in said
    assert "app.mcpx:5:18" in said
    assert "env(" in said
    assert "file(" in said
    assert "51Hq7TzLk0aQm2" not in said + result.stdout.decode()


@given(st.text(alphabet='ab:/@?&=#"\\\n ${}secrthdkyu', max_size=120))
@settings(max_examples=300, deadline=None)
def test_masking_keeps_every_place(text: str) -> None:
    hidden = masked(Source("a.mcpx", text, b"")).text
    assert len(hidden) == len(text)
    assert [m.start() for m in re.finditer("\n", hidden)] == [m.start() for m in re.finditer("\n", text)]
    assert all(after in (before, "*") for before, after in zip(text, hidden, strict=True))


@pytest.mark.parametrize(
    "line",
    [
        'secret crm_key = env("CRM_KEY")',
        'secret crm_key @pii = file("/run/secrets/crm")',
        '  header Authorization = "Bearer ${credential}"',
        "  header X-Api-Key = credential",
        "  header X-Api-Key = secret.crm_key  # the vendor's",
        '  header X-Region = "eu"',
        '  url = "https://crm.example.com/mcp?region=eu"',
        '  url = "https://${setting.host}/mcp"',
        "credential for analyst to crm = secret.crm_key",
        "## Keeps every secret = safe",
    ],
)
def test_what_is_no_secret_is_shown(line: str) -> None:
    assert masked(Source("a.mcpx", line, b"")).text == line
