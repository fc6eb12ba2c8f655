"""Classes equal brute force: every question of a random model, asked of Cedar one by one with all policies at once."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path
from random import Random

import cedarpy
import pytest
from support.cedar_projects import program_of

from mcpx.compiler.cedar.cases import rows_of
from mcpx.compiler.cedar.decide import decide
from mcpx.compiler.cedar.decision import Decision
from mcpx.compiler.cedar.engine import Engine
from mcpx.compiler.emit.cedar import policies, schema

TAGS, GROUPS = ("t0", "t1", "t2"), ("g0", "g1", "g2")


def model(seed: int, size: int) -> tuple[str, str]:
    """Agents, servers and fields that policies tell apart by scope, tag, group, property, item, way and id."""
    random = Random(seed)
    pick = random.choice
    lines = ["mcpx 1", f"tag {', '.join(TAGS)}", "run {", "  verified n: int"]
    lines += [f"  verified f{number}: string @{pick(TAGS)}" for number in range(8)]
    lines += ["}", "property server.zone: string", "property agent.level: int", f"group {', '.join(GROUPS)}"]
    for number in range(size):
        lines += [
            f'secret k{number} @{pick(TAGS)} = env("K{number}")',
            f"server s{number} @{pick(TAGS)} {{",
            f'  url = "https://s{number}.example.com/mcp"',
            f'  zone = "{pick("ab")}"',
            f"  header {pick(['Authorization', 'X-Key'])} = credential",
            f"  optional header X-F{pick('01')} = run.f{random.randint(0, 7)}",
            "}",
        ]
    for number in range(size):
        used = ", ".join(f"s{one}" for one in sorted(random.sample(range(size), size * 2 // 3)))
        lines.append(f"agent a{number} in {pick(GROUPS)} uses {used} {{ level = {random.randint(0, 2)} }}")
    lines += [f"credential for {', '.join(GROUPS)} to s{number} = secret.k{number}" for number in range(size)]
    for number in range(6):
        rule = pick(["allow", "deny", "require"])
        item = pick([f"run.f{random.randint(0, 7)}", f"@{pick(TAGS)}"])
        to = pick([f"@{pick(TAGS)}", f"s{random.randint(0, size - 1)}"])
        who = pick(["", f" for {pick(GROUPS)}", f" for a{random.randint(0, size - 1)}"])
        when = pick(["", f" when run.n > {random.randint(0, 2)}", ' when server.zone == "a"', " when agent.level < 2"])
        lines.append(f"{rule} {item} -> {to}{who}{when} as r{number}")
    return "\n".join(lines) + "\n", "\n".join(_policy(number, random, size) for number in range(8))


def _policy(number: int, random: Random, size: int) -> str:
    pick = random.choice
    action, conditions = pick(
        [
            (
                "send",
                [f'context.field in Mcpx::Tag::"{pick(TAGS)}"', f'context.field == Mcpx::Field::"f{pick("0123")}"'],
            ),
            (
                "present",
                [f'context.credential in Mcpx::Tag::"{pick(TAGS)}"', "context.credential.holders.contains(principal)"],
            ),
            ("attach", ['context.via == "header:x-f0"', 'context.via like "*key"']),
            ("connect", ["principal.level == 1", 'resource.zone == "b"']),
        ]
    )
    extra = [
        *conditions,
        "principal.level > 0",
        'resource.zone == "a"',
        "context.run.n == 1",
        'resource has host && resource.host like "s1*"',
    ]
    principal = pick(
        [
            "principal",
            f'principal in Mcpx::Group::"{pick(GROUPS)}"',
            f'principal == Mcpx::Agent::"a{random.randint(0, size - 1)}"',
        ]
    )
    resource = pick(
        [
            "resource",
            f'resource in Mcpx::Tag::"{pick(TAGS)}"',
            f'resource == Mcpx::Server::"s{random.randint(0, size - 1)}"',
        ]
    )
    effect = pick(["permit", "forbid"])
    scope = f'({principal}, action == Mcpx::Action::"{action}", {resource})'
    return f'@id("p{number}") {effect} {scope} when {{ {pick(extra)} && {pick(["true", pick(extra)])} }};'


@pytest.mark.parametrize("seed", range(3))
def test_every_decision_is_what_cedar_says_of_it_alone(seed: int, guard_points: int) -> None:
    size = 15 if guard_points <= 20_000 else 40
    program, sources = program_of(*model(seed, size))
    decisions, found = decide(program)
    assert decisions is not None, found
    engine = Engine(program, cedarpy.Schema.from_json_str(schema(program)))
    cases = [case for row in rows_of(program) for case, _ in row.cases()]
    whole = cedarpy.PolicySet.from_str(policies(program, sources))
    answers = {n: engine.answers(whole, [case.request(engine.run([("n", n)])) for case in cases]) for n in (0, 1, 2, 3)}
    permitted = 0
    for place, case in enumerate(cases):
        table = {"connect": decisions.connect, "send": decisions.send, "present": decisions.present}.get(
            case.action, decisions.attach
        )
        key = tuple(
            one for one in (case.agent, case.server, case.field or case.credential, case.via) if one is not None
        )
        decision: Decision = table[key]  # type: ignore[index]
        said = {n: results[place].allowed for n, results in answers.items()}
        if isinstance(decision.guard, bool):
            assert set(said.values()) == {decision.guard}, str(case)
            reasons = answers[0][place].diagnostics
            names = {reasons.id_annotations_by_reason[one] for one in reasons.reasons}
            assert not decision.guard or set(decision.by) <= names, str(case)
        else:
            home = decision.guard.home
            assert said == {n: home.met(decision.guard.node, {"n": n}) for n in said}, str(case)
        permitted += any(said.values())
    assert 0 < permitted < len(cases)


def test_the_bytes_of_a_table_are_the_same_in_every_process(tmp_path: Path) -> None:
    make = runpy.run_path(str(Path(__file__).parents[3] / "benchmarks" / "compile.py"))["model"]
    for name, text in zip(("app.mcpx", "org.cedar"), make(4), strict=True):
        (tmp_path / name).write_text(text, encoding="utf-8")
    script = (
        "import sys; from pathlib import Path; from mcpx.compiler.pipeline import compile_project;"
        "from mcpx.runtime.table import write; found = compile_project(Path(sys.argv[1]));"
        "sys.exit(str(found.diagnostics)) if found.body is None else sys.stdout.buffer.write(write(found.body))"
    )
    made = {
        subprocess.run(
            [sys.executable, "-c", script, str(tmp_path / "app.mcpx")],
            capture_output=True,
            check=True,
            env={"PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "77")
    }
    assert len(made) == 1
    assert b'"g0"' in made.pop()
