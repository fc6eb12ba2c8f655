"""Random sets of valid policies over one small world, and random runs: what guards are compared with Cedar on."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

WORLD = """mcpx 1
tag red, blue
run {
  verified s: string @red
  verified a?: string
  verified n: int @blue
  verified m?: int
  verified b: bool
  verified c?: bool
  verified p: one of ["free", "pro", "team"]
  verified l: list of string
  verified k?: list of string
}
property server.home: string
property server.regions: list of string
property server.limit: int
property agent.level: int
property field.area: string
secret k1 = env("K1")
secret k2 = env("K2")
server x @red {
  url = "https://x.example.com/mcp"
  home = "eu"
  regions = ["eu", "us"]
  limit = 5
  header Authorization = "Bearer ${credential}"
  header X-A = "a"
}
server y @blue {
  url = "https://y.example.com/mcp"
  home = "a*b"
  regions = ["\u00e9"]
  limit = -9223372036854775808
  header X-Key = credential
}
group staff, guests
agent ann in staff uses x, y { level = 1 }
agent bob in guests uses x { level = 2 }
credential for ann, bob to x = secret.k1
credential for ann to y = secret.k2
"""

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
AREAS = {"s": "home", "a": "eu"}
STRINGS = ["", "a", "b", "ab", "a*b", "axxb", "eu", "us", "a?b", "a\nb", "\u00e9", "\U0001f600", "eu ", "EU"]
INTS = [-(2**63), -(2**63) + 1, -1, 0, 1, 2, 4, 5, 6, 2**63 - 2, 2**63 - 1]
PATTERNS = ["*", "a*", "*b", "a*b", "a\\*b", "*u*", "", "a?b", "**", "*a*b*", "e*u", "a?b", "?u", "a?*"]
CHOICES = ["free", "pro", "team"]
STRING_FIELDS, INT_FIELDS, BOOL_FIELDS, LIST_FIELDS = ("s", "a", "p"), ("n", "m"), ("b", "c"), ("l", "k")
OPTIONAL = frozenset("amck")


def world() -> str:
    """The `.mcpx` file; each field has the area that policies read of it."""
    text = WORLD
    for name in ("s", "a", "n", "m", "b", "c", "p", "l", "k"):
        head, line, rest = _line_of(text, name)
        text = f'{head}{line} {{ area = "{AREAS.get(name, "us")}" }}\n{rest}'
    return text


def _line_of(text: str, name: str) -> tuple[str, str, str]:
    lines = text.split("\n")
    number = next(i for i, line in enumerate(lines) if line.startswith((f"  verified {name}:", f"  verified {name}?:")))
    return "\n".join(lines[:number]) + "\n", lines[number], "\n".join(lines[number + 1 :])


@dataclass
class Policies:
    """Conditions and policies, drawn one after the other from one source of randomness."""

    random: Random

    def text(self) -> str:
        """A few policies about `send`."""
        return "\n".join(self._policy(number) for number in range(self.random.choice([1, 1, 1, 2, 3, 4])))

    def _policy(self, number: int) -> str:
        pick = self.random.choice
        effect = "permit" if number == 0 else pick(["permit", "forbid"])
        depth = pick([0, 1, 1, 2])
        principal = pick(
            ["principal", "principal", 'principal in Mcpx::Group::"staff"', 'principal == Mcpx::Agent::"bob"']
        )
        resource = pick(
            ["resource", 'resource in Mcpx::Tag::"red"', 'resource == Mcpx::Server::"y"', "resource is Mcpx::Server"]
        )
        clauses = "\n".join(
            f"  {pick(['when', 'unless'])} {{ {self._condition(depth)} }}" for _ in range(self.random.randint(0, 2))
        )
        scope = f'{principal}, action == Mcpx::Action::"send", {resource}'
        return f'@id("p{number}")\n{effect} ({scope})\n{clauses};'

    def _condition(self, depth: int) -> str:
        if depth == 0 or self.random.random() < 0.25:
            return self.random.choice([self._fixed, self._atom, self._atom, self._atom])()
        one, two = self._condition(depth - 1), self._condition(depth - 1)
        return self.random.choice(
            [
                f"({one} && {two})",
                f"({one} || {two})",
                f"!({one})",
                f"(if {one} then {two} else {self._condition(depth - 1)})",
            ]
        )

    def _fixed(self) -> str:
        return self.random.choice(
            [
                'context.field in Mcpx::Tag::"red"',
                'context.field == Mcpx::Field::"n"',
                "context.field.verified",
                'context.field.area == "eu"',
                'context.via == "header:x-a"',
                "principal.level > 1",
                'resource.regions.contains("us")',
                'principal in Mcpx::Group::"guests"',
                "principal.level < resource.limit",
                "resource.home == context.field.area",
            ]
        )

    def _atom(self) -> str:
        kind: Callable[[], tuple[str, str]] = self.random.choice(
            [self._string, self._string, self._int, self._bool, self._list]
        )
        field, atom = kind()
        if field not in OPTIONAL:
            return atom
        return self.random.choice(
            [
                f"(context.run has {field} && {atom})",
                f"(if context.run has {field} then {atom} else {self.random.choice(['true', 'false'])})",
                f"!(context.run has {field} && {atom})",
                f"(context.run has {field})",
            ]
        )

    def _string(self) -> tuple[str, str]:
        field = self.random.choice(STRING_FIELDS)
        read, pick = f"context.run.{field}", self.random.choice
        constants = [_quoted(pick(CHOICES if field == "p" else STRINGS)) for _ in range(self.random.randint(1, 3))]
        return field, pick(
            [
                f"{read} == {constants[0]}",
                f"{constants[0]} != {read}",
                f"[{', '.join(constants)}].contains({read})",
                f'{read} like "{pick(PATTERNS)}"',
                f'{read} like "{pick(PATTERNS)}"',
                f'{read} like "{pick(PATTERNS)}"',
                f"{read} == resource.home",
                f"resource.regions.contains({read})",
                f"{read} != context.field.area",
            ]
        )

    def _int(self) -> tuple[str, str]:
        field = self.random.choice(INT_FIELDS)
        read, constant = f"context.run.{field}", str(self.random.choice(INTS))
        operator = self.random.choice(["<", "<=", ">", ">=", "==", "!="])
        return field, self.random.choice(
            [
                f"{read} {operator} {constant}",
                f"{constant} {operator} {read}",
                f"{read} {operator} resource.limit",
                f"principal.level {operator} {read}",
                f"[{constant}, 1].contains({read})",
            ]
        )

    def _bool(self) -> tuple[str, str]:
        field = self.random.choice(BOOL_FIELDS)
        read = f"context.run.{field}"
        return field, self.random.choice([read, f"!{read}", f"{read} == true", f"false != {read}"])

    def _list(self) -> tuple[str, str]:
        field = self.random.choice(LIST_FIELDS)
        read = f"context.run.{field}"
        constants = ", ".join(_quoted(self.random.choice(STRINGS)) for _ in range(self.random.randint(1, 3)))
        return field, self.random.choice(
            [
                f"{read}.contains({_quoted(self.random.choice(STRINGS))})",
                f"{read}.contains(resource.home)",
                f"{read}.containsAll([{constants}])",
                f"{read}.containsAny([{constants}])",
                f"[{constants}].containsAll({read})",
                f"resource.regions.containsAll({read})",
                f"resource.regions.containsAny({read})",
                f"{read} == [{constants}]",
                f"{read}.isEmpty()",
            ]
        )


class Runs:
    """Random runs that fit the schema, near the constants of some policies more often than not."""

    def __init__(self, random: Random, policies: str) -> None:
        self._random = random
        literals = [word for word in _STRING.findall(policies) if "\\*" not in word and "Mcpx" not in word]
        self._strings = [json.loads(word) for word in literals if not word.startswith('"header:')] or [""]
        self._ints = [int(number) for number in re.findall(r"-?\b\d+\b", policies)] or [0]
        inner = re.findall(r"\[([^\]]*)\]", policies)
        self._sets = [[json.loads(word) for word in _STRING.findall(one) if "\\*" not in word] for one in inner] or [[]]

    def one(self) -> dict[str, Any]:
        """A run; fields that may be missing sometimes are."""
        flip = self._random.random
        run: dict[str, Any] = {
            "s": self._string(),
            "a": self._string(),
            "n": self._int(),
            "m": self._int(),
            "b": flip() < 0.5,
            "c": flip() < 0.5,
            "p": self._random.choice(CHOICES),
            "l": self._items(),
            "k": self._items(),
        }
        return {name: value for name, value in run.items() if name not in OPTIONAL or flip() < 0.7}

    def _string(self) -> str:
        pick = self._random.choice
        near = pick(self._strings)
        return pick(
            [
                pick(STRINGS),
                near,
                near,
                near.swapcase(),
                near.replace("*", pick(["", "x", "ab"])) + pick(["", "", "z"]),
                pick(["", "z"]) + near.replace("?", "x"),
                "".join(pick("ab*eu?\n") for _ in range(self._random.randint(0, 5))),
            ]
        )

    def _int(self) -> int:
        pick = self._random.choice
        near = pick([pick(INTS), pick(self._ints), pick(self._ints)]) + pick([-1, 0, 0, 1])
        return min(max(near, -(2**63)), 2**63 - 1)

    def _items(self) -> list[str]:
        pick = self._random.choice
        if self._random.random() < 0.6:
            items = list(pick(self._sets))
            self._random.shuffle(items)
            return (items + items[:1])[self._random.randint(0, 1) :] + pick([[], [], ["other"]])
        return [pick([*STRINGS, "other"]) for _ in range(pick([0, 1, 1, 2, 3]))]


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
