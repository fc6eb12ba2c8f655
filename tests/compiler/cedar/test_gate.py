"""What the gate keeps out, however it is spelt, and what it lets in."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from support.cedar_projects import decided


def when(condition: str) -> str:
    return f'@id("p") forbid (principal, action, resource) when {{ {condition} }};'


@pytest.mark.parametrize(
    "condition",
    [
        "(if true then context else context).run.seats > 1",
        "(if context has via then context else context) has via",
        "[context].contains(context)",
        "[1, {a: context}].contains(2)",
        "{a: context}.a.run.seats > 1",
        "{field: context}.field.run.seats > 1",
        '{"context": context}.context has run',
        "context == context",
        'context == {"run": 1}',
        "context is Mcpx::Agent",
        'context.hasTag("via")',
        'context.getTag("via") == "x"',
        'context like "*"',
        'context in Mcpx::Tag::"pii"',
        "resource.run == context",
        "context.run == context.run",
        "[context.run].contains(context.run)",
        "{a: context.run}.a.seats > 1",
        "(if true then context.run else context.run).seats > 1",
        "context.run is Mcpx::Agent",
    ],
)
@pytest.mark.parametrize("clause", ["when", "unless"])
def test_the_context_or_the_run_as_a_whole_is_refused(condition: str, clause: str) -> None:
    outcome = decided(f'@id("p") forbid (principal, action, resource) {clause} {{ {condition} }};')
    assert "MX512" in outcome.codes
    assert all(place.startswith(("context", "forbid")) for place in outcome.places)


@pytest.mark.parametrize(
    "condition",
    [
        'context has field && context.field == Mcpx::Field::"user"',
        'context has "via" && context["via"] == "header:x-user"',
        "context has credential && (context).credential.holders.contains(principal)",
        "context has field.verified && context.field.verified",
        'context has via && context.via == "context.run"',
        'context has via && context.via == {"context": "x", "run": "y"}.run',
        'context has via // context.run ; "\n && true',
    ],
)
def test_items_of_the_context_and_words_that_only_look_like_the_run_are_let_in(condition: str) -> None:
    assert decided(when(condition)).codes == []


@pytest.mark.parametrize(
    "literal",
    [
        'Mcpx::Agent::"analyst"',
        'Mcpx :: Agent // analist\n :: "analyst"',
        'Mcpx::Agent::"\\u{61}nalyst"',
        'Mcpx::Agent::"\\x61nalyst"',
    ],
)
def test_an_entity_is_known_by_its_value_and_not_by_its_spelling(literal: str) -> None:
    assert decided(f'@id("p") forbid (principal == {literal}, action, resource);').sound.connect[
        "analyst", "crm"
    ].by == ("p",)


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ('principal == Mcpx::Agent::"anal\\u{79}sd"', "MX508", '"anal\\u{79}sd"'),
        ('principal == Mcpx :: Agent // x\n :: "nobody"', "MX508", '"nobody"'),
        ('principal == Mcpx::Group::"analyst"', "MX508", '"analyst"'),
        ('principal == Agent::"analyst"', "MX509", 'Agent::"analyst"'),
        ('principal == Other::Agent::"analyst"', "MX509", 'Other::Agent::"analyst"'),
        ("principal is Agent", "MX509", "Agent"),
        ("principal is Mcpx::Agnet", "MX509", "Mcpx::Agnet"),
        ('principal.name == "x"', "MX510", "principal.name"),
        ('resource.host == "x"', "MX510", "resource.host"),
        ('ip("nowhere").isLoopback()', "MX510", '"nowhere"'),
        ('decimal("1.23456").lessThan(decimal("2.0"))', "MX510", '"1.23456"'),
        ("1 < true", "MX510", "forbid"),
        ('"e\\u{301}" == "x"', "MX513", '"e\\u{301}"'),
        ('"e\u0301" == "x"', "MX513", '"e\u0301"'),
        ("9223372036854775808 > 1", "MX514", "9223372036854775808"),
        ("1 - 9223372036854775809 > 1", "MX514", "9223372036854775809"),
        ("-9223372036854775809 > 1", "MX514", "9223372036854775809"),
        ("9223372036854775807 + 1 > 0", "MX515", "forbid"),
        ('principal == Mcpx::Agent::"analyst" && (-9223372036854775808 - 1 > 0)', "MX515", "forbid"),
        ('context has via && context.via == "header:x-user" && 9223372036854775807 * 2 > 0', "MX515", "forbid"),
        (
            'datetime("2024-01-01").offset(duration("9223372036854775807ms")) > datetime("2024-01-01")',
            "MX515",
            "forbid",
        ),
    ],
)
def test_a_condition_that_cannot_guard_is_refused_at_its_place(text: str, code: str, place: str) -> None:
    outcome = decided(when(text))
    assert (outcome.codes, outcome.places) == ([code], [place])


def test_the_smallest_number_is_a_number() -> None:
    assert decided(when("-9223372036854775808 > 1")).codes == []


def test_every_statement_of_every_text_is_judged_for_itself() -> None:
    outcome = decided(
        '@id("a") forbid (principal, action, resource) when { 1 in };\n'
        '@id("b") forbid (principal == Mcpx::Agent::"nobody", action, resource);\n'
        "permit (principal, action, resource);\n"
        '@id("c") forbid (principal, action, resource) when { "unclosed };\n'
    )
    assert outcome.codes == ["MX502", "MX508", "MX503", "MX502"]
    assert outcome.places == ["}", '"nobody"', "permit", '"unclosed };']


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('@id("p") forbid (principal, action, resource) when { context.via = "x" };', "="),
        ('@id("p") forbd (principal, action, resource);', "forbd"),
        ('@id("p") forbid (principal, acton, resource);', "acton"),
        ('@id("p") forbid (principal, action, resource) wen { true };', "wen"),
        ('@id("p") forbid (principal, action, resource) when { a b };', "b"),
        ('@id("p") forbid (principal, action, resource) when { foo(1) };', "foo"),
        ('@id("p") forbid (principal, action, resource) when { "\\q" == "a" };', "forbid"),
        ('@id("p") forbid (principal action, resource);', "action"),
        ('@id("p") forbid (principal, action, resource) when { true }', "}"),
        ('@id("p") @id("q") forbid (principal, action, resource);', "@id"),
        ('@id("p") forbid (principal, action, resource) /* no */ when { true };', "/"),
        ('@id("p") forbid (principal, action, resource) when { \'x\' == "x" };', "'"),
        ("@id('p') forbid (principal, action, resource);", "'"),
    ],
)
def test_what_is_not_cedar_is_refused_at_the_word(text: str, place: str) -> None:
    outcome = decided(text)
    assert (outcome.codes[0], outcome.places[0]) == ("MX502", place)


HOSTILE = {
    "parentheses without an end": "(" * 100_000,
    "parentheses": when("(" * 100_000 + "true" + ")" * 100_000),
    "mismatched brackets": when("(]" * 50_000),
    "sets": when("[" * 50_000 + "]" * 50_000),
    "records": when("{a: " * 50_000 + "1" + "}" * 50_000),
    "conditionals": when("if true then true else " * 20_000 + "true"),
    "conditionals in conditions": when("if " * 20_000 + "true" + " then true else false" * 20_000),
    "members": when("context" + ".field" * 50_000),
    "members called like keywords": when("context" + ".when" * 50_000),
    "asked members": when("context has field" + ".verified" * 50_000),
    "calls": when("[1]" + ".contains(1)" * 50_000),
    "indices": when("context" + '["field"]' * 50_000),
    "sums": when("1" + " + 1" * 50_000 + " > 1"),
    "products": when("1" + " * 1" * 50_000 + " > 1"),
    "conjunctions": when("true" + " && true" * 50_000),
    "chains in parentheses": when("(" * 60 + "true" + ("|| false" * 499 + ")") * 60),
    "types": when("principal == " + "A::" * 50_000 + '"x"'),
}


def test_hostile_text_is_too_large_and_ends_no_process() -> None:
    script = (
        "import json, sys; from support.cedar_projects import decided\n"
        "for name, text in json.load(sys.stdin).items(): print(name, decided(text).codes, flush=True)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=json.dumps(HOSTILE),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={"PYTHONPATH": "tests"},
    )
    assert done.stdout.splitlines() == [f"{name} ['MX501']" for name in HOSTILE], done.stderr
    assert done.returncode == 0


@pytest.mark.parametrize(
    ("largest", "larger"),
    [
        ("(" * 63 + "true" + ")" * 63, "(" * 64 + "true" + ")" * 64),
        (" || ".join(["principal == resource"] * 500), " || ".join(["principal == resource"] * 501)),
        (" && ".join(["1 < 2"] * 500), " && ".join(["1 < 2"] * 501)),
        (" + ".join(["1"] * 500) + " > 1", " + ".join(["1"] * 501) + " > 1"),
        (
            " || ".join(["(" + " && ".join(["1 < 2"] * 40) + ")"] * 500),
            " || ".join(["(" + " && ".join(["1 < 2"] * 90) + ")"] * 500),
        ),
    ],
)
def test_the_limits_are_exact_and_what_is_within_them_is_decided(largest: str, larger: str) -> None:
    assert decided(when(largest)).codes == []
    assert decided(when(larger)).codes == ["MX501"]


def test_a_bracket_is_closed_by_its_own_kind_alone() -> None:
    assert decided(when("(]" * 100)).codes == ["MX501"]


def test_a_large_set_is_not_deep() -> None:
    members = ", ".join(['Mcpx::Agent::"analyst"'] * 5_000)
    assert decided(when(f"[{members}].contains(principal)")).sound.connect["analyst", "crm"].by == ("p",)


def test_a_missing_id_has_a_fix_that_ends_the_finding() -> None:
    text = "\nforbid (principal, action, resource);"
    (finding,) = decided(text).findings
    (edit,) = finding.fixes[0].edits
    assert (edit.span.start, edit.span.end) == (1, 1)
    assert decided(text[:1] + edit.text + text[1:]).codes == []


def test_the_fix_of_a_misspelt_name_is_the_near_entity() -> None:
    text = '@id("p") forbid (principal == Mcpx :: Agent :: "analist", action, resource);'
    (finding,) = decided(text).findings
    (edit,) = finding.fixes[0].edits
    assert decided(text[: edit.span.start] + edit.text + text[edit.span.end :]).codes == []
