"""A table that contradicts itself is refused, whatever its digest says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from support.tables import altered

from mcpx.runtime.errors import TableError
from mcpx.runtime.table import read

CONTRADICTIONS: list[tuple[Callable[[Any], Any], str]] = [
    (lambda b: b["rows"].append(dict(b["rows"][0], plan="p1", credential=None)), "two rows"),
    (lambda b: b["rows"][0].update(agent="nobody"), "does not exist"),
    (lambda b: b["rows"][0].update(server="nowhere"), "does not exist"),
    (lambda b: b["rows"][0].update(plan="p9"), "not listed"),
    (lambda b: b["rows"][0].update(flows="f9"), "not listed"),
    (lambda b: b["rows"][0].update(by=["other"]), "not decided"),
    (lambda b: b["rows"][0].update(by=[]), "not decided"),
    (lambda b: b["rows"][0].update(credential=None), "no credential"),
    (lambda b: b["rows"][0].update(credential="no_key"), "credential that is not listed"),
    (lambda b: b["rows"][1].update(credential="crm_key"), "no header asks for"),
    (lambda b: b["rows"][0].update(flows="f1"), "may not reach"),
    (lambda b: b["plans"]["p0"].append(b["plans"]["p0"][1]), "twice"),
    (lambda b: b["programs"]["h2"].update(name="x_tenant_ID"), "twice"),
    (lambda b: b["plans"]["p0"][0].update(program="h9"), "not listed"),
    (lambda b: b["plans"]["p0"][1].update(send=False), "left out"),
    (lambda b: b["plans"]["p0"][1].update(requests="session"), "requests of no run"),
    (lambda b: b["plans"]["p0"][1].update(by=["other"]), "not decided"),
    (lambda b: b["plans"]["p0"][1].update(by=[]), "not decided"),
    (lambda b: b["plans"]["p0"][1].update(by=["rule", "rule"]), "not decided"),
    (lambda b: b["plans"]["p0"][1].update(by=[], own=["uses"]), "not decided"),
    (lambda b: b["plans"]["p0"][0].update(by=[], own=["uses"]), "statement of its own that it does not have"),
    (lambda b: b["plans"]["p0"][0].update(own=["uses", "credential"]), "not decided"),
    (lambda b: b["rows"][0].update(own={"uses": "other"}), "statement of its own that is not listed"),
    (lambda b: b["rows"][0].update(by=[], own={"credential": "rule"}), "not decided"),
    (lambda b: b["flows"]["f0"].pop("plan"), "not those of the fields"),
    (lambda b: b["flows"]["f0"]["tenant"].update(by=[]), "not decided"),
    (lambda b: b["programs"]["h1"].update(name="X Tenant"), "no token"),
    (lambda b: b["programs"]["h1"].update(name=""), "no token"),
    (lambda b: b["programs"]["h1"].update(name="X-A\r\nX-B"), "no token"),
    (lambda b: b["programs"]["h1"].update(name="mcp-session-id"), "MCP transport"),
    (lambda b: b["programs"]["h1"].update(name="X-Forwarded-User"), "trusted proxies"),
    (lambda b: b["programs"]["h1"].update(name="x_forwarded_user"), "trusted proxies"),
    (lambda b: b["programs"]["h1"].update(name="DPoP"), "exactly one credential"),
    (lambda b: b["programs"]["h0"]["parts"].append({"field": "tenant"}), "exactly one credential"),
    (lambda b: b["programs"]["h0"].update(parts=[{"text": "Bearer abc"}]), "exactly one credential"),
    (lambda b: b["programs"]["h1"].update(parts=[]), "made of nothing"),
    (lambda b: b["programs"]["h1"].update(parts=[{"field": "tenat"}]), "not listed"),
    (lambda b: b["programs"]["h1"].update(parts=[{"secret": "tenat"}]), "not listed"),
    (lambda b: b["programs"]["h1"].update(parts=[{"setting": "tenat"}]), "not listed"),
    (lambda b: b["programs"]["h1"].update(parts=[{"text": "a\r\nb"}]), "not listed"),
    (lambda b: b["programs"]["h1"].update(parts=[{"field": "roles"}], optional=True), "a list"),
    (lambda b: b["programs"]["h1"].update(parts=[{"field": "user"}]), "may be missing"),
    (lambda b: b["programs"]["h1"]["parts"].append({"field": "locale"}), "mixes"),
    (lambda b: b["fields"]["plan"].update(choices=[]), "choices"),
    (lambda b: b["fields"]["plan"].update(choices=["a", "a"]), "choices"),
    (lambda b: b["fields"]["tenant"].update(choices=["a"]), "choices"),
    (lambda b: b["fields"]["seats"].update(matches="a"), "pattern"),
    (lambda b: b["fields"]["tenant"].update(matches="(?=a)a"), "linear"),
    (lambda b: b["fields"]["tenant"].update(matches="("), "linear"),
    (lambda b: b["fields"]["tenant"].update(max=0), "below 1"),
    (lambda b: b["fields"]["tenant"].update(default="acme"), "invent"),
    (lambda b: b["fields"]["locale"].update(max=1), "does not allow"),
    (lambda b: b["fields"]["locale"].update(default=True), "does not allow"),
    (lambda b: b["settings"].update(s={"variable": "", "default": None, "choices": []}), "variable"),
    (lambda b: b["settings"].update(s={"variable": "A=B", "default": None, "choices": []}), "variable"),
    (lambda b: b["settings"].update(s={"variable": "A", "default": "", "choices": []}), "empty"),
    (lambda b: b["settings"].update(s={"variable": "A", "default": "x", "choices": ["a"]}), "none of its choices"),
    (lambda b: b["settings"].update(s={"variable": "CRM_KEY", "default": None, "choices": []}), "of a setting"),
    (lambda b: b["secrets"]["crm_key"].update(env="A\0"), "variable"),
    (lambda b: b["secrets"].update(crm_key={"file": "key"}), "absolute"),
    (lambda b: b["secrets"].update(crm_key={"file": "/key\0"}), "absolute"),
    (lambda b: b["servers"]["crm"].update(url=[]), "URL"),
    (lambda b: b["servers"]["crm"].update(url=[{"setting": "host"}]), "URL"),
    (lambda b: b["agents"].update({"an agent": []}), "name of a agent"),
    (lambda b: b["agents"].update(analyst=["a group"]), "name of a group"),
    (lambda b: b["fields"].update({"a\nb": b["fields"]["tenant"]}), "name of a field"),
    (lambda b: b["sources"].append(b["sources"][0]), "twice"),
    (lambda b: b["sources"][0].update(digest="sha256:0"), "digest"),
    (lambda b: b["policies"]["rule"].update(file="b.mcpx"), "not listed"),
    (lambda b: b["policies"]["rule"].update(line=0), "no file"),
]


@pytest.mark.parametrize(("change", "words"), CONTRADICTIONS)
def test_a_contradiction_is_refused_and_named(change: Callable[[Any], Any], words: str) -> None:
    with pytest.raises(TableError, match=words) as caught:
        read(altered(change))
    assert "contradicts itself" in str(caught.value)


def test_own_statements_of_a_row_permit_what_draws_on_no_field() -> None:
    def change(content: Any) -> None:
        content["plans"]["p0"][0].update(by=[], own=["credential", "uses"])
        for row in content["rows"]:
            row.update(by=[], own={"credential": "rule", "uses": "rule"})

    assert read(altered(change)).body.plans["p0"][0].own == ("credential", "uses")


def test_the_table_of_these_tests_is_sound() -> None:
    assert read(altered(lambda b: None)).body.rows
