"""How compiling grows: models of N agents and N servers with 20 fields and 200 policies, a quarter of them on the run.

    python benchmarks/compile.py [10 100 1000]

Each size is compiled in a process of its own, from `.mcpx` and `.cedar` files to the bytes of the table, and one line
is printed: seconds, peak memory, questions to Cedar, size of the table, rows, and what each row more costs in
comparison with the step before.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

FIELDS = 20
POLICIES = 200
SERVERS_OF_AN_AGENT = 20
TAGS = tuple(f"t{number}" for number in range(10))
GROUPS = tuple(f"g{number}" for number in range(20))
REGIONS = ("eu", "us", "ap")


def model(size: int) -> tuple[str, str]:
    """An `.mcpx` file and a `.cedar` file; the same for the same size."""
    random = Random(size)
    return "\n".join(_lines(size, random)) + "\n", "\n".join(_policies(random)) + "\n"


def _lines(size: int, random: Random) -> Iterator[str]:
    yield "mcpx 1"
    yield 'import "org.cedar"'
    yield f"tag {', '.join(TAGS)}"
    yield "run {"
    yield '  verified plan: one of ["free", "pro", "team"]'
    yield "  verified seats: int"
    yield "  verified region?: string"
    for number in range(FIELDS - 3):
        yield f"  verified f{number}: string @{TAGS[number % len(TAGS)]}"
    yield "}"
    yield "property server.regions: list of string"
    yield f"group everyone, {', '.join(GROUPS)}"
    for number in range(size):
        yield f'secret k{number} = env("K{number}")'
    for number in range(size):
        tags = " ".join(f"@{tag}" for tag in sorted(random.sample(TAGS, 2)))
        yield f"server s{number} {tags} {{"
        yield f'  url = "https://s{number}.example.com/mcp"'
        yield f'  regions = ["{random.choice(REGIONS)}", "{random.choice(("a", "b"))}"]'
        yield '  header Authorization = "Bearer ${credential}"'
        for field in random.sample(range(FIELDS - 3), 2):
            yield f"  optional header X-F{field} = run.f{field}"
        yield "}"
    for number in range(size):
        used = sorted(random.sample(range(size), min(SERVERS_OF_AN_AGENT, size)))
        groups = ", ".join(sorted(random.sample(GROUPS, 2)))
        yield f"agent a{number} in everyone, {groups} uses {', '.join(f's{one}' for one in used)}"
    for number in range(size):
        yield f"credential for everyone to s{number} = secret.k{number}"
    for number in range(FIELDS - 3):
        yield f"allow run.f{number} -> {', '.join(f'@{tag}' for tag in TAGS)} as open_f{number}"


def _policies(random: Random) -> Iterator[str]:
    written = POLICIES - (FIELDS - 3)
    for number in range(written):
        group, tag, field = random.choice(GROUPS), random.choice(TAGS), random.choice(TAGS)
        condition = f'context.field in Mcpx::Tag::"{field}"'
        if number < POLICIES // 4:
            condition += " && " + random.choice(
                [
                    f'context.run.plan == "{random.choice(("free", "pro", "team"))}"',
                    f"context.run.seats > {random.choice((3, 10, 50))}",
                    "!(context.run has region && resource.regions.contains(context.run.region))",
                ]
            )
        yield (
            f'@id("p{number}") forbid (principal in Mcpx::Group::"{group}", action == Mcpx::Action::"send", '
            f'resource in Mcpx::Tag::"{tag}") when {{ {condition} }};'
        )


def measured(size: int) -> dict[str, float]:
    """Compile one model in this process."""
    from mcpx.compiler.cedar.engine import Engine
    from mcpx.compiler.pipeline import compile_project
    from mcpx.runtime.table import write

    asked = 0
    answers = Engine.answers

    def counting(self: Engine, policies: object, requests: list[object], *rest: object) -> object:
        nonlocal asked
        asked += len(requests)
        return answers(self, policies, requests, *rest)  # type: ignore[arg-type]

    Engine.answers = counting  # type: ignore[assignment, method-assign]
    with tempfile.TemporaryDirectory() as folder:
        mcpx, cedar = model(size)
        root = Path(folder) / "app.mcpx"
        root.write_text(mcpx)
        (Path(folder) / "org.cedar").write_text(cedar)
        started = time.perf_counter()
        outcome = compile_project(root)
        if outcome.body is None:
            raise SystemExit("\n".join(one.message for one in outcome.diagnostics))
        data = write(outcome.body)
        seconds = time.perf_counter() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return {"seconds": seconds, "peak": peak, "asked": asked, "bytes": len(data), "rows": len(outcome.body.rows)}


def main(sizes: list[int]) -> None:
    """Measure each size and print it."""
    print(f"{'size':>6} {'rows':>7} {'seconds':>8} {'peak MB':>8} {'Cedar':>8} {'table kB':>9} {'ms a row':>9} growth")
    before: float | None = None
    for size in sizes:
        done = subprocess.run(
            [sys.executable, __file__, "--one", str(size)], capture_output=True, text=True, check=True
        )
        found = json.loads(done.stdout)
        per_row = 1000 * found["seconds"] / found["rows"]
        growth = "" if before is None else f"x{per_row / before:.2f}"
        print(
            f"{size:>6} {found['rows']:>7} {found['seconds']:>8.2f} {found['peak']:>8.0f} {found['asked']:>8}"
            f" {found['bytes'] / 1000:>9.0f} {per_row:>9.3f} {growth}"
        )
        before = per_row


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measured(int(sys.argv[2]))))
    else:
        main([int(one) for one in sys.argv[1:]] or [10, 100, 1000])
