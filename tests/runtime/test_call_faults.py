"""A table that contradicts itself about the params of calls, or about secrets of many values, is refused."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest
from support.tables import altered, body, flows

from mcpx.runtime import TableError
from mcpx.runtime.body import ArgumentCheck, ArgumentStep, CallPlan, MetaStep, ProviderSource
from mcpx.runtime.table import Body, FieldPart, TextPart, read, write


def table(session: Any = "agent") -> Body:
    """`analyst` sends `tenant` to `crm` in `_meta` and as an argument, and an optional `user`; `id` is checked."""
    made = body()
    plan = CallPlan(
        (
            MetaStep("example.com/tenant", (TextPart("t-"), FieldPart("tenant")), False, True, ("rule",)),
            MetaStep("example.com/user", (FieldPart("user"),), True, True, ("rule",)),
        ),
        (ArgumentStep("tenant_id", "tenant", ("rule",)),),
    )
    crm = dataclasses.replace(made.servers["crm"], checks=(ArgumentCheck("id", "tenant"),), session=session)
    first, *others = made.rows
    return dataclasses.replace(
        made,
        servers={**made.servers, "crm": crm},
        calls={"m0": plan},
        rows=(dataclasses.replace(first, call="m0"), *others),
    )


def test_the_table_that_the_changes_are_made_to_is_sound() -> None:
    assert read(write(table())).body.calls["m0"].arguments[0].argument == "tenant_id"


def _metas(content: Any) -> Any:
    return content["calls"]["m0"]["metas"]


def _arguments(content: Any) -> Any:
    return content["calls"]["m0"]["arguments"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda content: _metas(content)[0].update(key="io.mcp/x"), "belongs to MCP"),
        (lambda content: _metas(content)[0].update(key="progressToken"), "belongs to MCP"),
        (lambda content: _metas(content)[1].update(key="example.com/tenant"), "one thing twice"),
        (lambda content: _arguments(content).append(_arguments(content)[0]), "one thing twice"),
        (lambda content: _metas(content)[0].update(by=[]), "not decided"),
        (lambda content: _metas(content)[0].update(by=["nobody"]), "not decided"),
        (lambda content: _metas(content)[0].update(by=[], own=["uses"]), "not decided"),
        (lambda content: _metas(content)[0].update(own=["uses"]), "of its own that it does not have"),
        (lambda content: _arguments(content)[0].update(by=[]), "not decided"),
        (lambda content: _metas(content)[1].update(optional=False), "may have no value"),
        (lambda content: _metas(content)[0].update(send=False, by=[]), "may have no value"),
        (lambda content: _metas(content)[0].update(parts=[]), "made of nothing"),
        (lambda content: _metas(content)[0].update(parts=[{"field": "nowhere"}]), "made of nothing"),
        (lambda content: _metas(content)[0].update(parts=[{"token": "nowhere"}]), "made of nothing"),
        (lambda content: _metas(content)[0]["parts"].append({"field": "locale"}), "mixes verified and claimed"),
        (lambda content: _metas(content)[1]["parts"].insert(0, {"field": "roles"}), "list within text"),
        (lambda content: _metas(content)[1].update(parts=[{"field": "seats"}]), "may not reach the server"),
        (lambda content: _arguments(content)[0].update(field="user"), "not verified, or may be missing"),
        (lambda content: _arguments(content)[0].update(field="locale"), "not verified, or may be missing"),
        (lambda content: _arguments(content)[0].update(argument="id"), "sets an argument that is checked"),
        (lambda content: content["servers"]["crm"]["checks"][0].update(field="locale"), "checks an argument"),
        (lambda content: content["servers"]["crm"]["checks"].append({"argument": "id", "field": "user"}), "twice"),
        (lambda content: content["rows"][0].update(call="m9"), "call plan that is not listed"),
    ],
)
def test_a_contradiction_is_named(change: Callable[[Any], None], said: str) -> None:
    with pytest.raises(TableError, match="contradicts itself") as caught:
        read(altered(change, table()))
    assert said in str(caught.value)


def test_a_guard_of_a_call_has_to_be_listed() -> None:
    with pytest.raises(TableError, match="guard that is not listed"):
        read(altered(lambda content: _metas(content)[1].update(send="g9"), table()))


def test_a_credential_in_meta_needs_one() -> None:
    def change(content: Any) -> None:
        _metas(content)[0].update(parts=[{"credential": True}])
        content["rows"][0].update(credential=None)
        content["plans"]["p0"].pop(0)

    made = table()
    with pytest.raises(TableError, match="has no credential"):
        read(altered(change, dataclasses.replace(made, rows=made.rows[:1])))


def partitioned(session: Any, *permitted: str) -> Body:
    """The credential of `crm` is one per tenant."""
    made = table(session)
    secrets = {**made.secrets, "crm_key": ProviderSource("vault", "crm", ("tenant",))}
    return dataclasses.replace(
        made,
        secrets=secrets,
        calls={},
        programs={**made.programs, "h1": dataclasses.replace(made.programs["h1"], parts=(TextPart("x"),))},
        flows={**made.flows, "f0": flows("user", *permitted)},
        rows=(dataclasses.replace(made.rows[0], call=None), *made.rows[1:]),
    )


def test_a_secret_of_many_values_goes_on_session_requests_only_where_the_key_selects_it() -> None:
    assert write(partitioned(("tenant",), "tenant"))
    assert write(partitioned("run", "tenant"))
    with pytest.raises(TableError, match="requests of no run"):
        write(partitioned("agent", "tenant"))


def test_a_secret_of_many_values_goes_only_where_what_selects_it_may() -> None:
    with pytest.raises(TableError, match="may not reach the server"):
        write(partitioned(("tenant",)))


@pytest.mark.parametrize("per", [["user"], ["locale"], ["nowhere"]])
def test_a_partition_is_of_fields_that_every_run_has(per: list[str]) -> None:
    def change(content: Any) -> None:
        content["secrets"]["crm_key"]["per"] = per

    with pytest.raises(TableError, match="partition"):
        read(altered(change, partitioned("run", "tenant")))


@pytest.mark.parametrize("name", ["../key", "", ".key", "a/b"])
def test_a_credential_is_a_file_name(name: str) -> None:
    def change(content: Any) -> None:
        content["secrets"]["crm_key"] = {"credential": name}

    with pytest.raises(TableError, match="names no file"):
        read(altered(change, table()))
