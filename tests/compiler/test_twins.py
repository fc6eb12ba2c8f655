"""One thing under two names is no way round a guardrail."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.compiling import compiled

TWO_SERVERS = """mcpx 1
{tags}run {{
  verified seats: int
}}
server docs{one} {{
  url = "https://docs.example.com/mcp"
  audience = "https://docs.example.com"
}}
server search{other} {{
  url = "{url}"
  audience = "https://search.example.com"
  optional header Docs-Seats = run.seats
}}
agent analyst uses docs, search
agent billing uses docs, search
allow run.seats -> search
{rules}
"""
SAME = "https://docs.example.com/mcp"
CEDAR = """cedar \"\"\"
  @id("kept_from_billing")
  forbid (principal == Mcpx::Agent::"billing", action == Mcpx::Action::"send", resource)
  when {{ resource in [{servers}] }};
\"\"\""""


def servers(rules: str, *, url: str = SAME, one: str = "", other: str = "") -> str:
    tags = "tag outside\n" if one else ""
    return TWO_SERVERS.format(tags=tags, rules=rules, url=url, one=one, other=other)


@pytest.mark.parametrize(("named", "forgotten"), [("docs", "search"), ("search", "docs")])
def test_a_deny_of_one_name_of_a_server_names_the_other_as_well(tmp_path: Path, named: str, forgotten: str) -> None:
    result = compiled(tmp_path, servers(f"deny run.seats -> {named} for billing"))
    assert result.codes == ["MX387"]
    assert f"names `{named}` and not `{forgotten}`" in result.only.message
    assert compiled(tmp_path, servers("deny run.seats -> docs, search for billing")).codes == []


def test_a_tag_that_both_names_carry_covers_both(tmp_path: Path) -> None:
    text = servers("deny run.seats -> @outside for billing", one=" @outside", other=" @outside")
    assert compiled(tmp_path, text).codes == []
    mixed = servers("deny run.seats -> docs, @outside for billing", one=" @outside", other=" @outside")
    assert "MX387" not in compiled(tmp_path, mixed).codes


def test_another_path_is_another_server(tmp_path: Path) -> None:
    text = servers("deny run.seats -> docs for billing", url="https://docs.example.com/other")
    assert compiled(tmp_path, text.replace("optional header", "header")).codes == []


def test_a_policy_about_one_name_of_a_server_is_told(tmp_path: Path) -> None:
    both = 'Mcpx::Server::"docs", Mcpx::Server::"search"'
    assert compiled(tmp_path, servers(CEDAR.format(servers=both))).codes == []
    result = compiled(tmp_path, servers(CEDAR.format(servers='Mcpx::Server::"search"')))
    assert result.codes == ["MX388"]
    assert result.places == ['Server::"search"']


SECRETS = """mcpx 1
tag inner
run {{
  verified tenant: string
}}
shared secret first @inner = {one}
shared secret second{tags} = {two}
server crm {{
  url = "https://crm.example.com/mcp"
  header Authorization = "Bearer ${{credential}}"
  header X-Second = secret.second
}}
agent analyst uses crm
credential for analyst to crm = secret.first
{more}
"""


@pytest.mark.parametrize("source", ['env("KEY")', 'file("/run/key")', 'credential("key")', 'provider("vault", "key")'])
def test_two_secrets_of_one_source_carry_the_same_tags(tmp_path: Path, source: str) -> None:
    def text(tags: str, two: str) -> str:
        return SECRETS.format(one=source, two=two, tags=tags, more="").replace(
            "run {\n  verified tenant: string\n}\n", ""
        )

    result = compiled(tmp_path, text("", source))
    assert result.codes == ["MX385"]
    assert result.places == ["second"]
    assert compiled(tmp_path, text(" @inner", source)).codes == []
    assert compiled(tmp_path, text("", 'env("OTHER")')).codes == []


def test_a_tag_of_one_name_cannot_be_escaped_by_the_other(tmp_path: Path) -> None:
    """The two names carry one set of tags, so a `deny` of it stops both."""
    more = "deny @inner -> crm as stays_inside"
    text = SECRETS.format(one='env("KEY")', two='env("KEY")', tags=" @inner", more=more)
    result = compiled(tmp_path, text.replace("run {\n  verified tenant: string\n}\n", ""))
    assert result.codes == ["MX407", "MX407"]


def test_a_policy_about_one_name_of_a_secret_is_told(tmp_path: Path) -> None:
    policy = """cedar \"\"\"
  @id("first_stays")
  forbid (principal, action == Mcpx::Action::"present", resource)
  when { context.credential == Mcpx::Credential::"first" && context.via == "header:x-other" };
\"\"\""""
    text = SECRETS.format(one='env("KEY")', two='env("KEY")', tags=" @inner", more=policy)
    result = compiled(tmp_path, text.replace("run {\n  verified tenant: string\n}\n", ""))
    assert "MX388" in result.codes


def test_one_entry_of_a_provider_has_one_partition(tmp_path: Path) -> None:
    one, two = 'provider("vault", "key") per run.tenant', 'provider("vault", "key")'
    text = SECRETS.format(one=one, two=two, tags=" @inner", more="allow run.tenant -> crm")
    assert "MX386" in compiled(tmp_path, text).codes
    same = SECRETS.format(one=one, two=one, tags=" @inner", more="allow run.tenant -> crm")
    assert "MX386" not in compiled(tmp_path, same).codes


@pytest.mark.parametrize(
    ("source", "right"),
    [
        ('credential("crm.key")', True),
        ('credential("../key")', False),
        ('credential(".key")', False),
        ('credential("a/b")', False),
        ('credential("")', False),
        ('credential("a", "b")', False),
        ('provider("vault", "a/b c")', True),
        ('provider("vault")', False),
        ('provider("a b", "key")', False),
        ('provider("vault", "")', False),
    ],
)
def test_a_credential_is_one_file_and_a_provider_a_name_and_a_key(tmp_path: Path, source: str, right: object) -> None:
    text = f"""mcpx 1
secret key = {source}
server crm {{
  url = "https://crm.example.com/mcp"
  header Authorization = "Bearer ${{credential}}"
}}
agent analyst uses crm
credential for analyst to crm = secret.key
"""
    assert compiled(tmp_path, text).codes == ([] if right else ["MX220"])


def test_a_variable_is_not_per_anything(tmp_path: Path) -> None:
    text = SECRETS.format(one='env("A") per run.tenant', two='env("B")', tags="", more="allow run.tenant -> crm")
    assert "MX270" in compiled(tmp_path, text).codes
