"""What a call carries in its params: checked and set arguments, keys of `_meta`, and nothing of another run."""

from __future__ import annotations

import copy
import dataclasses
import traceback
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import tables

from mcpx.runtime import ArgumentRefused, CallRefused, Router, Run
from mcpx.runtime.body import ArgumentCheck, ArgumentStep, CallPlan, MetaStep
from mcpx.runtime.calls import ArgumentRule, key_fault, with_arguments, without_keys
from mcpx.runtime.redacted import Facts
from mcpx.runtime.table import Body, FieldPart, Flow, Part, TextPart

SECRET = "value-that-no-message-shows"
FACTS: dict[str, Any] = {"tenant": "acme", "seats": 5, "beta": True, "roles": ("a", "b")}


def meta(key: str, *parts: Part, optional: bool = False, send: bool = True) -> MetaStep:
    return MetaStep(key, parts, optional, send, ("rule",))


def table(
    *metas: MetaStep, checks: Mapping[str, str] | None = None, sets: Mapping[str, str] | None = None, **changes: Any
) -> Body:
    """`analyst` may send every field to `crm`, whose calls carry these."""
    made = tables.body(**changes)
    every = {name: Flow(permitted=True, by=("rule",)) for name in made.fields}
    fields = {name: dataclasses.replace(spec, optional=False) for name, spec in made.fields.items()}
    fields["user"] = dataclasses.replace(fields["user"], optional=True)
    plan = CallPlan(metas, tuple(ArgumentStep(name, field, ("rule",)) for name, field in (sets or {}).items()))
    crm = dataclasses.replace(
        made.servers["crm"], checks=tuple(ArgumentCheck(name, field) for name, field in (checks or {}).items())
    )
    first, *others = made.rows
    has_plan = bool(metas or sets)
    return dataclasses.replace(
        made,
        fields=fields,
        servers={**made.servers, "crm": crm},
        calls={"m0": plan} if has_plan else {},
        flows={**made.flows, "f0": every},
        rows=(dataclasses.replace(first, call="m0" if has_plan else None), *others),
    )


def router(*metas: MetaStep, **more: Any) -> Router:
    return tables.router(table(*metas, **more))


def run_of(made: Router, tenant: str = "acme", **more: Any) -> Run:
    verified = {"tenant": tenant, "seats": 5, "beta": True, "plan": "pro", "roles": ["a", "b"], **more}
    return made.run("analyst", verified=verified)


def arguments(sent: Mapping[str, Any], **checks: str) -> dict[str, Any] | str | None:
    """What comes of a tool call with these arguments; a clause where it is refused."""
    rules = (tuple(ArgumentRule(name, field) for name, field in checks.items()), ())
    return with_arguments("tools/call", {"name": "t", "arguments": sent}, rules, Facts(FACTS), None)


def test_run_05_a_call_that_names_another_tenant_is_refused_and_the_others_go() -> None:
    run = run_of(router(checks={"tenant_id": "tenant"}))
    with pytest.raises(ArgumentRefused, match="`tenant_id`") as caught:
        run.call("crm", "tools/call", {"name": "t", "arguments": {"tenant_id": "globex"}})
    assert "globex" not in str(caught.value)
    assert "acme" not in str(caught.value)
    for sent in ({"tenant_id": "acme"}, {}, {"filter": {"tenant_id": "globex"}}):
        call = run.call("crm", "tools/call", {"name": "t", "arguments": sent})
        assert call.params == {"name": "t", "arguments": sent}
        assert call.headers["X-Tenant-Id"] == "acme"


@pytest.mark.parametrize(
    ("field", "same", "others"),
    [
        ("tenant", "acme", ["Acme", "acme ", "", None, ["acme"], {"tenant": "acme"}, 5]),
        ("seats", 5, [5.0, "5", True, 6, None]),
        ("beta", True, [1, "true", False, None, 1.0]),
        ("roles", ["a", "b"], [["b", "a"], ["a"], ["a", "b", "c"], "a,b", ["a", 1], None, [True, "b"]]),
    ],
)
def test_an_argument_equals_a_field_in_value_and_type(field: str, same: object, others: list[object]) -> None:
    assert arguments({"n": same}, n=field) == {"name": "t", "arguments": {"n": same}}
    for other in others:
        assert isinstance(arguments({"n": other}, n=field), str), other


def test_a_field_that_is_missing_equals_nothing() -> None:
    made = router(checks={"user": "user"})
    for value in ("", None, "u-1"):
        with pytest.raises(ArgumentRefused, match="`user`"):
            run_of(made).call("crm", "tools/call", {"name": "t", "arguments": {"user": value}})
    assert run_of(made).call("crm", "tools/call", {"name": "t", "arguments": {}}).params is not None
    assert run_of(made, user="u-1").call("crm", "tools/call", {"arguments": {"user": "u-1"}}).params is not None


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "t", "arguments": {"tenant_id": "globex"}}),
        ("prompts/get", {"name": "p", "arguments": {"tenant_id": "globex"}}),
        ("completion/complete", {"ref": {}, "argument": {"name": "tenant_id", "value": "globex"}}),
        (
            "completion/complete",
            {"argument": {"name": "q", "value": ""}, "context": {"arguments": {"tenant_id": "globex"}}},
        ),
        ("tools/call", {"name": "t", "arguments": [["tenant_id", "globex"]]}),
        ("tools/call", {"name": "t", "arguments": "tenant_id=globex"}),
        ("completion/complete", {"argument": "tenant_id"}),
        ("completion/complete", {"argument": {"value": "globex"}}),
        ("completion/complete", {"argument": {"name": "q", "value": ""}, "context": {"arguments": "tenant_id"}}),
    ],
)
def test_every_place_of_arguments_is_checked_and_what_cannot_be_is_refused(method: str, params: dict[str, Any]) -> None:
    with pytest.raises(ArgumentRefused):
        run_of(router(checks={"tenant_id": "tenant"})).call("crm", method, params)


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": "t"}),
        ("tools/call", {"name": "t", "arguments": None}),
        ("tools/call", None),
        ("resources/read", {"uri": "a:b"}),
        ("completion/complete", {"argument": {"name": "tenant_id", "value": "acme"}, "context": {"arguments": {}}}),
        ("completion/complete", {"argument": {"name": "q", "value": "globex"}}),
    ],
)
def test_a_call_without_the_argument_goes_as_it_is(method: str, params: dict[str, Any] | None) -> None:
    sent = run_of(router(checks={"tenant_id": "tenant"})).call("crm", method, params).params
    assert sent == params or (sent is not None and sent.get("arguments") == {} and params is not None)


def test_what_was_checked_is_what_is_sent() -> None:
    class Changing(dict[str, Any]):
        """Answers the first look at it with another value than every later one."""

        looks = 0

        def __getitem__(self, key: str) -> Any:
            self.looks += 1
            return "acme" if self.looks == 1 else "globex"

    sent = Changing(tenant_id="globex")
    with pytest.raises(ArgumentRefused):
        run_of(router(checks={"tenant_id": "tenant"})).call("crm", "tools/call", {"arguments": sent})
    kept = {"tenant_id": "acme"}
    call = run_of(router(checks={"tenant_id": "tenant"})).call("crm", "tools/call", {"arguments": kept})
    kept["tenant_id"] = "globex"
    assert call.params == {"arguments": {"tenant_id": "acme"}}


def test_an_argument_is_set_where_the_tool_has_it() -> None:
    run = run_of(router(sets={"tenant_id": "tenant", "roles": "roles"}))
    call = run.call("crm", "tools/call", {"name": "t", "arguments": {"q": "x"}}, takes={"q", "tenant_id", "roles"})
    assert call.params == {"name": "t", "arguments": {"q": "x", "tenant_id": "acme", "roles": ["a", "b"]}}
    assert run.call("crm", "tools/call", {"name": "t"}, takes={"q"}).params == {"name": "t"}
    assert run.call("crm", "tools/call", {"name": "t"}, takes={"tenant_id"}).params == {
        "name": "t",
        "arguments": {"tenant_id": "acme"},
    }


def test_an_argument_that_the_runtime_sets_is_nobody_elses() -> None:
    run = run_of(router(sets={"tenant_id": "tenant"}))
    for method in ("tools/call", "prompts/get"):
        with pytest.raises(ArgumentRefused, match="`tenant_id`"):
            run.call("crm", method, {"name": "t", "arguments": {"tenant_id": "acme"}}, takes={"tenant_id"})


def test_a_tool_whose_schema_was_not_read_is_not_called_where_arguments_are_set() -> None:
    run = run_of(router(sets={"tenant_id": "tenant"}))
    with pytest.raises(ArgumentRefused, match="schema"):
        run.call("crm", "tools/call", {"name": "t", "arguments": {}})
    assert run.call("crm", "resources/read", {"uri": "a:b"}).params == {"uri": "a:b"}


def test_a_field_alone_keeps_its_type_in_meta_and_text_is_text() -> None:
    steps = [meta(name, FieldPart(name)) for name in FACTS]
    run = run_of(router(*steps, meta("note", TextPart("of "), FieldPart("seats"), TextPart(" "), FieldPart("beta"))))
    call = run.call("crm", "tools/call", {"name": "t"})
    assert call.params == {"name": "t", "_meta": {**FACTS, "roles": ["a", "b"], "note": "of 5 true"}}


def test_meta_is_the_runs_own_and_the_callers_copy_is_cleared() -> None:
    made = router(meta("tenant", FieldPart("tenant")), meta("user", FieldPart("user"), optional=True))
    sent = {"name": "t", "_meta": {"tenant": "globex", "user": "someone", "progressToken": 7}}
    before = copy.deepcopy(sent)
    assert run_of(made).call("crm", "tools/call", sent).params == {
        "name": "t",
        "_meta": {"tenant": "acme", "progressToken": 7},
    }
    assert run_of(made, "globex", user="u-1").call("crm", "ping-me").params == {
        "_meta": {"tenant": "globex", "user": "u-1"}
    }
    assert sent == before


def test_a_key_that_a_rule_leaves_out_is_cleared_all_the_same() -> None:
    run = run_of(router(meta("user", FieldPart("user"), optional=True, send=False)), user="u-1")
    assert run.call("crm", "tools/call", {"_meta": {"user": "someone"}, "name": "t"}).params == {"name": "t"}


def test_a_server_without_such_statements_changes_no_params() -> None:
    sent = {"name": "t", "arguments": {"tenant_id": "globex"}, "_meta": {"a": 1}}
    run = run_of(router())
    assert run.call("crm", "tools/call", sent).params == sent
    assert run.headers("crm")["X-Tenant-Id"] == "acme"


@pytest.mark.parametrize(
    "made",
    [
        router(meta("tenant", FieldPart("tenant"))),
        router(checks={"tenant_id": "tenant"}),
        router(sets={"tenant_id": "tenant"}),
    ],
)
def test_headers_alone_are_not_given_for_calls_that_are_checked_as_a_whole(made: Router) -> None:
    with pytest.raises(CallRefused, match=r"run\.call"):
        run_of(made).headers("crm")


def test_refusals_and_calls_show_no_value() -> None:
    run = run_of(router(meta("tenant", FieldPart("tenant")), checks={"tenant_id": "tenant"}), tenant=SECRET)
    call = run.call("crm", "tools/call", {"arguments": {}})
    assert SECRET not in f"{call!r} {call}"
    try:
        run.call("crm", "tools/call", {"arguments": {"tenant_id": SECRET + "-other"}})
    except ArgumentRefused as refusal:
        shown = "".join(traceback.TracebackException.from_exception(refusal, capture_locals=True).format())
        own = "\n".join(line for line in shown.splitlines() if "SECRET" not in line)
        assert SECRET not in own


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5) | st.just("acme"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(JSON, st.sampled_from(list(FACTS)))
def test_only_the_fields_own_value_passes(value: object, field: str) -> None:
    outcome = arguments({"n": value}, n=field)
    expected = list(FACTS[field]) if isinstance(FACTS[field], tuple) else FACTS[field]
    passes = type(value) is type(expected) and value == expected
    assert isinstance(outcome, str) is not passes


@given(st.dictionaries(st.text(max_size=5) | st.just("k"), JSON, max_size=4))
def test_clearing_a_key_touches_nothing_else(given_meta: dict[str, Any]) -> None:
    left = without_keys({"_meta": given_meta, "x": 1}, {"k"})
    assert left is not None
    assert left.get("_meta", {}) == {name: value for name, value in given_meta.items() if name != "k"}
    assert left["x"] == 1


def test_reserved_keys_are_known_whatever_their_case() -> None:
    assert key_fault("example.com/x") is None
    assert all(key_fault(key) for key in ("BAGGAGE", "mcp/x", "a.MCP/x", "x.mcp.y/z", ""))
    assert key_fault("a.b.mcp/x") is None
