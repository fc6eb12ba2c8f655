"""What is read of a list of tools where arguments are set, and what of it a host may see."""

from __future__ import annotations

from typing import Any

import pytest

from mcpx.runtime.clients.schemas import ToolSchemas


def tool(name: str = "t", *, schema: Any = None) -> dict[str, Any]:
    own = {"type": "object", "properties": {"tenant_id": {"type": "string"}, "q": {}}, "required": ["tenant_id", "q"]}
    return {"name": name, "inputSchema": own if schema is None else schema}


def listed(schemas: ToolSchemas, *tools: Any) -> list[Any]:
    schemas.asked(1)
    shown = schemas.answered(1, {"tools": list(tools), "nextCursor": "c"})
    assert shown is not None
    assert shown["nextCursor"] == "c"
    found: list[Any] = shown["tools"]
    return found


def test_what_the_runtime_sets_is_known_and_hidden() -> None:
    schemas = ToolSchemas(frozenset({"tenant_id"}))
    [shown] = listed(schemas, tool())
    assert shown == {"name": "t", "inputSchema": {"type": "object", "properties": {"q": {}}, "required": ["q"]}}
    assert schemas.takes("t") == {"tenant_id", "q"}


def test_a_tool_that_was_not_listed_takes_nothing_that_is_known() -> None:
    schemas = ToolSchemas(frozenset({"tenant_id"}))
    assert schemas.takes("t") is None
    assert schemas.takes(None) is None
    assert schemas.answered(7, {"tools": [tool()]}) is None
    assert schemas.takes("t") is None


def test_pages_add_up_and_a_later_list_is_the_one_that_counts() -> None:
    schemas = ToolSchemas(frozenset({"tenant_id"}))
    listed(schemas, tool("a"))
    listed(schemas, tool("b", schema={"type": "object"}))
    assert schemas.takes("a") == {"tenant_id", "q"}
    assert schemas.takes("b") == frozenset()
    listed(schemas, tool("a", schema={"properties": {"q": {}}}))
    assert schemas.takes("a") == {"q"}


def test_a_tool_that_mirrors_a_hidden_argument_into_a_header_is_not_there() -> None:
    mirrored = tool(schema={"properties": {"tenant_id": {"type": "string", "x-mcp-header": "Tenant"}}})
    schemas = ToolSchemas(frozenset({"tenant_id"}))
    listed(schemas, tool())
    assert listed(schemas, mirrored) == []
    assert schemas.takes("t") is None


@pytest.mark.parametrize("odd", ["t", None, {"name": "t"}, {"name": 1, "inputSchema": {}}, tool(schema=[])])
def test_what_is_no_tool_is_not_shown(odd: Any) -> None:
    schemas = ToolSchemas(frozenset({"tenant_id"}))
    assert listed(schemas, odd) == []
    assert schemas.takes("t") is None


def test_an_answer_that_will_not_come_is_not_waited_for() -> None:
    schemas = ToolSchemas(frozenset({"tenant_id"}))
    schemas.asked(1)
    schemas.forget(1)
    assert schemas.answered(1, {"tools": [tool()]}) is None


def test_where_nothing_is_set_lists_pass_untouched() -> None:
    schemas = ToolSchemas(frozenset())
    schemas.asked(1)
    assert schemas.answered(1, {"tools": [tool()]}) is None
