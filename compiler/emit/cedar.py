"""What Cedar saw, for review and for Cedar's own tools: every policy, and the schema."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

import cedarpy

from mcpx.compiler.cedar import lowering, vocabulary
from mcpx.compiler.cedar.split import split
from mcpx.compiler.model import Program
from mcpx.compiler.report.text import escaped
from mcpx.compiler.source import Source, Span


def policies(program: Program, sources: Mapping[str, Source]) -> str:
    """The whole policy set as Cedar text: what rules and relations became, then the written policies as they stand.

    Args:
        program: of a project without an error.
        sources: its files by name. Before each policy a comment names the place that it comes from.
    """
    return "\n".join(f"// {_place(span, sources)}\n{text.strip()}\n" for span, text in _policies(program))


def schema(program: Program) -> str:
    """The schema that all of them are validated against, in Cedar's JSON form."""
    return json.dumps(vocabulary.schema(program), indent=2, ensure_ascii=False) + "\n"


def _policies(program: Program) -> Iterator[tuple[Span, str]]:
    generated = [
        *lowering.rules(program),
        *(one for agent in program.agents.values() for one in lowering.relations(program, agent)),
    ]
    for one in generated:
        yield one.policy.span, cedarpy.format_policies(lowering.to_text([one]))
    for text in program.cedar:
        for statement in split(text):
            yield statement.span, statement.text


def _place(span: Span, sources: Mapping[str, Source]) -> str:
    position = sources[span.file].position(span.start)
    return f"{escaped(span.file)}:{position.line}:{position.column}"
