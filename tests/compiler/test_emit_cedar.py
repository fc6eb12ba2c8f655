"""`--emit cedar` is all that Cedar saw: asked with it alone, Cedar answers what the table says."""

from __future__ import annotations

import json

import cedarpy
from support.cedar_projects import BASE, program_of

from mcpx.compiler.cedar.cases import rows_of
from mcpx.compiler.cedar.decide import decide
from mcpx.compiler.cedar.engine import Engine
from mcpx.compiler.emit.cedar import policies, schema

GUARDRAIL = """
// nobody else's business
@id("no_pii_leaves")
forbid (principal, action, resource in Mcpx::Tag::"third_party")
when { context has field && context.field in Mcpx::Tag::"pii" };
"""
RULES = f"{BASE}allow run.user -> search\ndeny @pii -> @third_party as inside\n"


def test_the_emitted_policies_decide_as_the_table_does() -> None:
    program, sources = program_of(RULES, GUARDRAIL)
    decisions, _ = decide(program)
    assert decisions is not None
    engine = Engine(program, cedarpy.Schema.from_json_str(schema(program)))
    cases = [case for row in rows_of(program) for case, _ in row.cases()]
    results = engine.answers(policies(program, sources), [case.request(engine.run()) for case in cases])
    answers = {
        case: (result.allowed, {result.diagnostics.id_annotations_by_reason[one] for one in result.diagnostics.reasons})
        for case, result in zip(cases, results, strict=True)
    }
    assert {case.action for case in cases} == {"connect", "attach", "send", "present"}
    for case in cases:
        expected = {
            "connect": lambda c: decisions.connect[c.agent, c.server],
            "attach": lambda c: decisions.attach[c.agent, c.server, c.via],
            "send": lambda c: decisions.send[c.agent, c.server, c.field, c.via],
            "present": lambda c: decisions.present[c.agent, c.server, c.credential, c.via],
        }[case.action](case)
        assert answers[case] == (expected.guard, set(expected.by)), str(case)


def test_every_policy_stands_below_its_place_and_written_ones_as_they_were_written() -> None:
    program, sources = program_of(RULES, GUARDRAIL)
    text = policies(program, sources)
    assert GUARDRAIL.split("\n", 2)[2].strip() in text
    assert '// org.cedar:3:1\n@id("no_pii_leaves")' in text
    places = [line for line in text.splitlines() if line.startswith("// ")]
    assert len(places) == text.count("@id(")


def test_the_emitted_schema_is_the_vocabulary() -> None:
    program, _ = program_of(BASE)
    vocabulary = json.loads(schema(program))["Mcpx"]
    assert vocabulary["entityTypes"]["Tag"] == {"enum": ["pii", "third_party"]}
    assert set(vocabulary["commonTypes"]["Run"]["attributes"]) == {"tenant", "user", "region", "seats"}
