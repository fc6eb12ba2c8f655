"""What a `deny` covers is nowhere: in no row, guard outcome, token claim or overlay. Over random projects."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from hypothesis import HealthCheck, event, given, settings
from support.random_projects import PLANS, Agent, Project, Server, projects

from mcpx.compiler.pipeline import Outcome, compile_project
from mcpx.compiler.report.text import render
from mcpx.compiler.standins import offline_router
from mcpx.runtime.body import Body, FieldPart
from mcpx.runtime.guards import holds
from mcpx.runtime.redacted import Facts
from mcpx.runtime.table import read, write

_SLOW = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)


def outcomes(project: Project) -> Iterator[Outcome]:
    """The project as it is and with each of its overlays."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "app.mcpx")
        root.write_text(project.text, encoding="utf-8")
        for overlay in (None, *(f"{server.name}_staging" for server in project.servers if server.moved)):
            yield compile_project(root, overlay)


def facts(project: Project, plan: str) -> dict[str, str]:
    """A run that has every field, each with a value that can be told from all others."""
    return {field.name: f"value-of-{field.name}" for field in project.fields} | {"plan": plan}


def flowing(body: Body, project: Project, agent: Agent, server: Server, plan: str) -> set[str]:
    """The fields that the table lets out for a run, by headers that are really built, and by the claims of tokens."""
    run = offline_router(body).run(agent.name, verified=facts(project, plan))
    sent = " ".join(run.headers(server.name).values())
    fields = {field.name for field in project.fields if f"value-of-{field.name}" in sent}
    row = next(row for row in body.rows if (row.agent, row.server) == (agent.name, server.name))
    known = Facts(facts(project, plan))
    for token, plan_of_claims in row.tokens.items():
        for claim, step in zip(body.tokens[token].claims, body.claims[plan_of_claims], strict=True):
            if claim.field is not None and holds(step.send, body.guards, known):
                fields.add(claim.field)
    fields |= {name for name, flow in body.flows[row.flows].items() if holds(flow.permitted, body.guards, known)}
    return fields


@_SLOW
@given(projects())
def test_what_a_deny_covers_is_in_no_row_guard_claim_or_overlay(project: Project) -> None:
    for outcome in outcomes(project):
        assert outcome.body is not None, project.text + render(outcome.diagnostics, outcome.sources)
        body = read(write(outcome.body)).body
        for agent, server in project.pairs():
            for plan in PLANS:
                out = flowing(body, project, agent, server, plan)
                for field in project.fields:
                    if project.denied(agent, server, field, plan):
                        event("a denial was met")
                        assert field.name not in out, (agent.name, server.name, field.name, plan, project.text)


@_SLOW
@given(projects())
def test_what_no_deny_covers_and_a_rule_allows_does_flow(project: Project) -> None:
    """The other half, without which a table that lets nothing out would pass."""
    outcome = next(outcomes(project))
    assert outcome.body is not None
    for agent, server in project.pairs():
        for plan in PLANS:
            out = flowing(outcome.body, project, agent, server, plan)
            for field in project.fields:
                allowed = any(
                    rule.effect == "allow"
                    and rule.speaks_of(agent, server, field)
                    and (rule.plans is None or plan in rule.plans)
                    for rule in project.rules
                )
                carried = {way.field for way in (*server.headers, *server.claims)}
                if allowed and field.name in carried and not project.denied(agent, server, field, plan):
                    event("an allowed flow was met")
                    assert field.name in out, (agent.name, server.name, field.name, plan, project.text)


@_SLOW
@given(projects(whole=False))
def test_a_plain_header_or_claim_that_a_deny_covers_fails_the_build(project: Project) -> None:
    (first, *_) = outcomes(project)
    stopped = [
        (agent.name, server.name, way.field)
        for agent, server in project.pairs()
        for way in (*server.headers, *server.claims)
        if not way.optional
        for field in project.fields
        if field.name == way.field and project.denied(agent, server, field)
    ]
    if stopped:
        event("a plain way was denied")
        assert first.body is None, project.text
        assert "MX401" in {finding.code for finding in first.diagnostics}


def test_the_table_alone_shows_what_is_left_out() -> None:
    """A step that a `deny` stopped for good is false in the table, not left to the runtime."""
    text = """mcpx 1
tag pii, third_party
run {
  verified user: string @pii
}
secret key = env("KEY")
server s @third_party {
  url = "https://s.example.com/mcp"
  header Authorization = "Bearer ${credential}"
  optional header X-U = run.user
}
agent a uses s
credential for a to s = secret.key
allow run.user -> s
deny @pii -> @third_party as no_pii
"""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder, "app.mcpx")
        root.write_text(text, encoding="utf-8")
        body = compile_project(root).body
    assert body is not None
    drawing = {name for name, program in body.programs.items() if any(isinstance(p, FieldPart) for p in program.parts)}
    assert [(step.send, step.by) for steps in body.plans.values() for step in steps if step.program in drawing] == [
        (False, ("no_pii",))
    ]
