"""The table: the same bytes from the same sources everywhere, and nothing in it of the machine or of a secret."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from support.command import mcpx
from support.compiling import BASE, compiled, replaced

from mcpx.runtime import table

GUARD = '@id("guard")\nforbid (principal, action, resource in Mcpx::Tag::"b");\n'
PROJECT = BASE.replace("mcpx 1\n", 'mcpx 1\nimport "org.cedar"\nimport "more.mcpx"\n')
MORE = """mcpx 1
tag a, b, c
secret docs_key @b = file("/run/secrets/docs")
setting region = env("REGION", "eu")
group readers, writers
server docs @c @a {
  url = "https://docs.example.com/mcp"
  header Docs-Key = secret.docs_key
  header Docs-Region = setting.region
}
agent reader in readers, writers uses docs
agent writer in writers uses docs
allow run.tenant -> docs for readers, writers as one
"""


def project(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "app.mcpx").write_text(PROJECT)
    (folder / "org.cedar").write_text(GUARD)
    (folder / "more.mcpx").write_text(MORE)
    return folder


def test_lang_24_the_same_bytes_in_other_folders_processes_and_environments(tmp_path: Path) -> None:
    tables = []
    for number, environment in enumerate(
        (
            {"PYTHONHASHSEED": "1", "TZ": "UTC", "CRM_KEY": "k-123"},
            {"PYTHONHASHSEED": "77", "TZ": "Asia/Tokyo", "LC_ALL": "C"},
        )
    ):
        folder = project(tmp_path / f"place-{number}" / ("deep" * number))
        os.utime(folder / "app.mcpx", (number * 1000, number * 1000))
        result = mcpx("build", folder / "app.mcpx", "-o", folder / "out.mcpxc", cwd=tmp_path, **environment)
        assert result.returncode == 0, result.stderr
        tables.append((folder / "out.mcpxc").read_bytes())
    assert tables[0] == tables[1]
    for secret in (b"k-123", str(tmp_path).encode(), b"place-", socket.gethostname().encode()):
        assert secret not in tables[0]
    assert table.read(tables[0]).body.agents.keys() == {"analyst", "reader", "writer"}


def test_a_comment_changes_the_digest_of_the_source_alone(tmp_path: Path) -> None:
    first = compiled(tmp_path, BASE).clean
    second = compiled(tmp_path, BASE + "# a remark\n").clean
    assert first.sources != second.sources
    assert first.rows == second.rows
    assert (first.programs, first.plans, first.policies) == (second.programs, second.plans, second.policies)


def test_equal_headers_and_plans_are_stored_once(tmp_path: Path) -> None:
    more = "".join(f"agent a{n} uses crm\ncredential for a{n} to crm = secret.crm_key\n" for n in range(5))
    body = compiled(tmp_path, BASE + more).clean
    assert len(body.rows) == 6
    assert len(body.programs) == 2
    assert len(body.plans) == 1


def test_a_row_names_its_own_statements_and_its_plan_says_where_they_decided(tmp_path: Path) -> None:
    body = compiled(tmp_path, BASE).clean
    (row,) = body.rows
    credential = "credential for analyst to crm = secret.crm_key"
    assert (row.by, dict(row.own)) == ((), {"credential": credential, "uses": "agent analyst uses crm"})
    assert [(step.own, bool(step.by)) for step in body.plans[row.plan]] == [(("credential", "uses"), False), ((), True)]
    assert set(row.own.values()) <= body.policies.keys()


@pytest.mark.parametrize("text", [BASE, replaced('env("CRM_KEY")', 'file("/run/secrets/key")')])
def test_a_table_refers_to_secrets_and_can_be_read_back(tmp_path: Path, text: str) -> None:
    body = compiled(tmp_path, text).clean
    assert table.read(table.write(body)).body == body


def test_the_table_has_the_rows_of_uses_and_no_other(tmp_path: Path) -> None:
    extra = (
        'server docs {\n  url = "https://docs.example.com/mcp"\n}\nagent reader uses docs\n'
        'server spare {\n  url = "https://spare.example.com/mcp"\n}\n'
    )
    result = compiled(tmp_path, BASE + extra)
    body = result.outcome.body
    assert body is not None
    assert [(row.agent, row.server) for row in body.rows] == [("analyst", "crm"), ("reader", "docs")]
