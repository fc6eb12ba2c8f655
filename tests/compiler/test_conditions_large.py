"""Conditions that are long or deep: compiled as what they mean, or refused with a sentence, never a fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.compiling import compiled, replaced

CONDITION = 'run.tenant == "{}"'


def project(*conditions: str) -> str:
    text = replaced("  verified tenant: string\n", "  verified tenant: string\n  verified user: string\n")
    text = text.replace("header X-Tenant-Id", "optional header X-User = run.user\n  header X-Tenant-Id")
    return text + "".join(f"allow run.user -> crm when {one} as r{number}\n" for number, one in enumerate(conditions))


def chain(length: int, word: str = "||", start: int = 0) -> str:
    return f" {word} ".join(CONDITION.format(number) for number in range(start, start + length))


def nested(depth: int, width: int = 1) -> str:
    inner = CONDITION.format("x")
    for level in range(depth):
        inner = f"({chain(width, '||', level * width)} {'&&' if level % 2 else '||'} {inner})"
    return inner


@pytest.mark.parametrize("length", [2, 130, 390])
def test_a_long_chain_is_a_condition_like_any_other(length: int, tmp_path: Path) -> None:
    outcome = compiled(tmp_path, project(chain(length)))
    assert outcome.findings == ()


@pytest.mark.parametrize(
    ("conditions", "codes"),
    [
        ((chain(450),), {"MX518"}),
        ((chain(200), chain(200, start=200), chain(200, start=400)), {"MX518"}),
        ((nested(62),), {"MX501"}),
        ((nested(40, 4),), {"MX501"}),
        ((nested(70),), {"MX127"}),
    ],
    ids=["one too long", "together too long", "too deep", "deep and wide", "deeper than a file may be"],
)
def test_what_is_too_large_is_told(conditions: tuple[str, ...], codes: set[str], tmp_path: Path) -> None:
    outcome = compiled(tmp_path, project(*conditions))
    assert {found.code for found in outcome.findings} == codes
    assert outcome.outcome.body is None
