"""Which credential line speaks for a pair."""

from __future__ import annotations

import pytest
from support.cedar_projects import program_of

from mcpx.compiler.credentials import credential_of

PROJECT = """mcpx 1
secret a = env("A")
secret b = env("B")
server crm {
  url = "https://crm.example.com/mcp"
}
server search {
  url = "https://search.example.com/mcp"
}
group staff, night
agent ann in staff, night uses crm, search
agent bob uses crm
"""


@pytest.mark.parametrize(
    ("lines", "agent", "secrets"),
    [
        ("", "ann", []),
        ("credential for staff to crm = secret.a", "ann", ["a"]),
        ("credential for staff to crm = secret.a", "bob", []),
        ("credential for staff to search = secret.a", "ann", []),
        ("credential for staff to crm = secret.a\ncredential for ann to crm = secret.b", "ann", ["b"]),
        ("credential for ann to search = secret.b\ncredential for staff to crm = secret.a", "ann", ["a"]),
        ("credential for staff to crm = secret.a\ncredential for night to crm = secret.b", "ann", ["a", "b"]),
        ("credential for ann to crm = secret.a\ncredential for ann, bob to crm = secret.b", "ann", ["a", "b"]),
        ("credential for bob, staff to search, crm = secret.a", "bob", ["a"]),
    ],
)
def test_an_agent_beats_its_groups_and_equally_narrow_lines_all_come_back(
    lines: str, agent: str, secrets: list[str]
) -> None:
    program, _ = program_of(f"{PROJECT}{lines}\n")
    assert [line.secret for line in credential_of(program, agent, "crm")] == secrets
