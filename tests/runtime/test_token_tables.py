"""Tables with tokens and grants: one that contradicts itself is refused, whoever wrote it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from support.tables import spelled

from mcpx.compiler.pipeline import compile_project
from mcpx.runtime.errors import ConfigurationError, TableError
from mcpx.runtime.router import Router
from mcpx.runtime.table import read, write

PROJECT = """mcpx 1
run {
  verified tenant: string
  verified user?: string
  claimed locale: string = "en"
}
secret crm_key = env("CRM_KEY")
server crm {
  url = "https://crm.example.com/mcp"
  header Authorization = "Bearer ${credential}"
  header X-Run-Proof = token.proof
  header X-Locale = run.locale
}
server wiki {
  url = "https://wiki.example.com/mcp"
  authorization_server = "https://app.example.com"
  session = per run.tenant
  header Authorization = "Bearer ${token.entry}"
}
agent analyst uses crm, wiki
credential for analyst to crm = secret.crm_key
allow run.tenant -> crm, wiki
allow run.user -> crm
allow run.locale -> crm
token proof for crm {
  issuer = "https://app.example.com"
  key = host
  ttl = 5m
  claims {
    tenant = run.tenant
    optional user = run.user
  }
}
token entry for wiki {
  kind = access
  issuer = "https://app.example.com"
  key = host
  ttl = 5m
  claims {
    tenant = run.tenant
  }
}
grant start {
  issuer = "https://app.example.com"
  audience = "https://gateway.example.com"
  ttl = 10m
  keys = file("/etc/jwks.json")
}
"""


@pytest.fixture(scope="module")
def content(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    root = tmp_path_factory.mktemp("project") / "app.mcpx"
    root.write_text(PROJECT, encoding="utf-8")
    outcome = compile_project(root)
    assert outcome.body is not None, outcome.diagnostics
    return write(outcome.body)


def row(body: Any, server: str) -> Any:
    return next(row for row in body["rows"] if row["server"] == server)


def claims(body: Any) -> Any:
    return body["claims"][row(body, "crm")["tokens"]["proof"]]


CONTRADICTIONS: list[tuple[str, Callable[[Any], Any]]] = [
    ("lifetime", lambda b: b["tokens"]["proof"].update(ttl=901)),
    ("lifetime", lambda b: b["tokens"]["proof"].update(ttl=0)),
    ("no https URL", lambda b: b["tokens"]["proof"].update(issuer="http://app.example.com")),
    ("server that is not listed", lambda b: b["tokens"]["proof"].update(servers=["cmr"])),
    ("server that is not listed", lambda b: b["tokens"]["proof"].update(servers=[])),
    ("tokens of its server", lambda b: b["tokens"]["proof"].update(servers=["wiki"])),
    ("tokens of its server", lambda b: row(b, "crm").update(tokens={})),
    ("key that is not listed", lambda b: b["tokens"]["proof"].update(key="other")),
    ("only the runtime writes", lambda b: b["tokens"]["proof"]["claims"][0].update(name="txn")),
    ("only the runtime writes", lambda b: b["tokens"]["proof"]["claims"][1].update(name="tenant")),
    ("of nothing", lambda b: b["tokens"]["proof"]["claims"][0].update(field=None)),
    ("of nothing", lambda b: b["tokens"]["proof"]["claims"][0].update(value="acme")),
    ("of nothing", lambda b: b["tokens"]["proof"]["claims"][0].update(field="other")),
    ("claimed field", lambda b: b["tokens"]["proof"]["claims"][0].update(field="locale")),
    ("may be missing", lambda b: b["tokens"]["proof"]["claims"][1].update(optional=False)),
    ("issuer that its server", lambda b: b["servers"]["wiki"].update(authorization_servers=["https://b.example"])),
    ("no https URL", lambda b: b["servers"]["wiki"]["authorization_servers"].append("http://b.example")),
    ("setting that is not listed", lambda b: b["servers"]["wiki"].update(audience=[{"setting": "place"}])),
    ("that are not listed", lambda b: row(b, "crm")["tokens"].update(proof="c99")),
    ("that are not listed", lambda b: claims(b).pop()),
    ("always in the token", lambda b: claims(b)[0].update(send=False)),
    ("no policy lets it", lambda b: claims(b)[0].update(by=[])),
    ("that no policy lets through", lambda b: claims(b)[0].update(by=[], own=["uses"])),
    ("of its own that it does not have", lambda b: row(b, "crm").update(by=[next(iter(b["policies"]))], own={})),
    ("policies that are listed", lambda b: claims(b)[0].update(by=["other"])),
    ("guard that is not listed", lambda b: claims(b)[1].update(send="g99")),
    ("may not reach", lambda b: b["flows"][row(b, "crm")["flows"]]["user"].update(permitted=False)),
    ("not its kind's", lambda b: b["tokens"]["entry"].update(kind="assertion")),
    ("lifetime", lambda b: b["grants"]["start"].update(ttl=901)),
    ("issuer or audience", lambda b: b["grants"]["start"].update(audience="gateway")),
    ("key that is not listed", lambda b: b["grants"]["start"].update(key="other")),
    ("absolute path", lambda b: b["grants"]["start"].update(keys={"file": "jwks.json"})),
    ("keys at an address", lambda b: b["grants"]["start"].update(keys="http://app.example.com/jwks.json")),
    ("name of a token", lambda b: b["grants"].update({"a b": b["grants"]["start"]})),
]


@pytest.mark.parametrize(("said", "change"), CONTRADICTIONS, ids=[said for said, _ in CONTRADICTIONS])
def test_a_table_that_contradicts_itself_about_tokens_is_refused(
    content: bytes, said: str, change: Callable[[Any], Any]
) -> None:
    whole = json.loads(content)["body"]
    change(whole)
    with pytest.raises(TableError, match=said):
        read(spelled(whole))


def test_the_unchanged_table_is_read_and_refused_by_name_where_tokens_are_needed(content: bytes) -> None:
    with pytest.raises(ConfigurationError) as refused:
        Router(read(content), {"CRM_KEY": "k-123"})
    assert all(name in str(refused.value) for name in ("`proof`", "`entry`", "`start`"))
    assert "k-123" not in str(refused.value)


def test_a_token_of_another_server_is_refused_in_a_row(content: bytes) -> None:
    whole = json.loads(content)["body"]
    program = next(p for p in whole["programs"].values() if p["parts"] == [{"token": "proof"}])
    program["parts"] = [{"token": "entry"}]
    with pytest.raises(TableError, match="for other servers"):
        read(spelled(whole))
