"""Small routing tables, made by hand: agent `analyst` may use `crm` and `wiki`, agent `billing` may use `ledger`."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from mcpx.runtime.router import Router
from mcpx.runtime.table import (
    Body,
    CredentialPart,
    EnvSource,
    FieldPart,
    FieldSpec,
    Flow,
    HeaderProgram,
    Origin,
    Part,
    Row,
    ServerSpec,
    SourceDigest,
    Step,
    TextPart,
    read,
    write,
)

KEYS = {"CRM_KEY": "k-123", "LEDGER_KEY": "k-ledger"}
"""The environment that the table of `body` needs."""

STRING = FieldSpec(True, False, "string", (), 256, None, 8, None)


def body(**changes: Any) -> Body:
    """A sound table; `changes` replace attributes of the body."""
    made = Body(
        format=1,
        compiler="0.1.0",
        sources=(SourceDigest("app.mcpx", "sha256:" + "0" * 64),),
        fields={
            "tenant": STRING,
            "user": dataclasses.replace(STRING, optional=True),
            "seats": dataclasses.replace(STRING, kind="int", optional=True),
            "beta": dataclasses.replace(STRING, kind="bool", optional=True),
            "plan": dataclasses.replace(STRING, kind="choice", choices=("free", "pro"), optional=True),
            "roles": dataclasses.replace(STRING, kind="list", optional=True),
            "locale": dataclasses.replace(STRING, verified=False, default="en"),
        },
        settings={},
        secrets={"crm_key": EnvSource("CRM_KEY"), "ledger_key": EnvSource("LEDGER_KEY")},
        servers={
            "crm": ServerSpec((TextPart("https://crm.example.com/mcp"),), "agent"),
            "wiki": ServerSpec((TextPart("https://wiki.example.com/mcp"),), "agent"),
            "ledger": ServerSpec((TextPart("https://ledger.example.com/mcp"),), "agent"),
        },
        agents={"analyst": ("research",), "billing": ()},
        programs={
            "h0": HeaderProgram("Authorization", (TextPart("Bearer "), CredentialPart(True)), False),
            "h1": plain("X-Tenant-Id", FieldPart("tenant")),
            "h2": optional("X-User-Id", FieldPart("user")),
            "h3": plain("Search-Locale", FieldPart("locale")),
        },
        plans={
            "p0": (step("h0", requests="session"), step("h1"), step("h2")),
            "p1": (step("h3"), step("h2", send=False)),
        },
        flows={"f0": flows("tenant", "user"), "f1": flows("locale")},
        guards={},
        calls={},
        tokens={},
        claims={},
        grants={},
        policies={"rule": Origin("app.mcpx", 1, 1)},
        rows=(
            Row("analyst", "crm", "crm_key", "p0", "f0", ("rule",)),
            Row("analyst", "wiki", None, "p1", "f1", ("rule",)),
            Row("billing", "ledger", "ledger_key", "p0", "f0", ("rule",)),
        ),
    )
    return dataclasses.replace(made, **changes)


def plain(name: str, *parts: Part) -> HeaderProgram:
    return HeaderProgram(name, parts, optional=False)


def optional(name: str, *parts: Part) -> HeaderProgram:
    return HeaderProgram(name, parts, optional=True)


def step(program: str, *, send: bool = True, requests: Any = "calls") -> Step:
    return Step(program, send, requests, ("rule",))


def flows(*permitted: str) -> Mapping[str, Flow]:
    """Decisions on every field of `body`."""
    fields = ("tenant", "user", "seats", "beta", "plan", "roles", "locale")
    return {field: Flow(field in permitted, ("rule",) if field in permitted else ()) for field in fields}


def crm(*programs: HeaderProgram, **changes: Any) -> Body:
    """A table whose `analyst` sends these headers to `crm`, any field permitted, the credential where one is needed."""
    made = body(**changes)
    every = {field: Flow(True, ("rule",)) for field in made.fields}
    needs = any(isinstance(part, CredentialPart) for program in programs for part in program.parts)
    return dataclasses.replace(
        made,
        programs={f"h{number}": program for number, program in enumerate(programs)},
        plans={"p0": tuple(_step(number, program) for number, program in enumerate(programs))},
        flows={"f0": every},
        rows=(Row("analyst", "crm", "crm_key" if needs else None, "p0", "f0", ("rule",)),),
    )


def _step(number: int, program: HeaderProgram) -> Step:
    draws = any(isinstance(part, FieldPart) for part in program.parts)
    return step(f"h{number}", requests="calls" if draws else "session")


def router(made: Body | None = None, **environment: str) -> Router:
    """A router for the table as it is written and read back, in an environment of `KEYS` and `environment` alone."""
    return Router(read(write(made or body())), {**KEYS, **environment})


def spelled(content: Any) -> bytes:
    """A table file of any content, with the spelling and digest that fit."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
    return b'{"body":%s,"digest":"sha256:%s"}\n' % (text, hashlib.sha256(text).hexdigest().encode())


def altered(change: Callable[[Any], None], made: Body | None = None) -> bytes:
    """The file of a table after `change` was made to its JSON; spelling and digest fit."""
    content = json.loads(write(made or body()))["body"]
    change(content)
    return spelled(content)
