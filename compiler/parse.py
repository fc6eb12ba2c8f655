"""Text to the tree as written, with everything that is wrong with the text.

The edition is looked at first: a file of a later edition may look quite different, so nothing else is said about it.
"""

from __future__ import annotations

import re

from mcpx.compiler import syntax
from mcpx.compiler.build_tree import Edition, build_tree
from mcpx.compiler.comments import doc_comments
from mcpx.compiler.recovery import parse_with_recovery
from mcpx.compiler.report import parse_errors
from mcpx.compiler.report.diagnostic import Diagnostic
from mcpx.compiler.report.suggest import nearest
from mcpx.compiler.source import Source, Span

NEWEST_EDITION = 1

_START = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\r?\n)*[ \t]*(?P<first>[A-Za-z_][A-Za-z0-9_-]*|[^\s#])?")
_EDITION = re.compile(r"mcpx[ \t]+(?P<number>-?[0-9]+)(?![0-9A-Za-z_.])")


def parse(source: Source) -> tuple[syntax.File, tuple[Diagnostic, ...]]:
    """Reads one `.mcpx` file.

    Args:
        source: its text, as `read` let it through.

    Returns:
        The statements that could be read, and what is wrong with the others, in no order. Never raises, whatever the
        text; a tree that comes with an error is for editors and must not be compiled.
    """
    first = _START.match(source.text)
    start, end = first.span("first") if first and first["first"] else (0, 0)
    edition = _EDITION.match(source.text, start)
    if edition and not _known(edition["number"]):
        span = Span(source.name, *edition.span("number"))
        return syntax.File(source.name, None, ()), (
            parse_errors.edition_unknown(span, edition["number"], NEWEST_EDITION),
        )

    parsed = parse_with_recovery(source)
    above, loose = doc_comments(source, parsed.occupied)
    built = build_tree(source, parsed.tree, above)
    found = [*parsed.found, *built.found]
    word = source.text[start:end]
    if word != "mcpx" and "mcpx" not in nearest(word, ("mcpx",)):
        found.append(_edition_missing(source, Span(source.name, start, end)))
    editions = [statement for statement in built.statements if isinstance(statement, Edition)]
    found.extend(parse_errors.edition_again(again.span) for again in editions if again.span.start != start)
    if not found:
        found.extend(parse_errors.loose_doc(comment.span) for comment in (*loose, *built.loose))
    statements = tuple(statement for statement in built.statements if not isinstance(statement, Edition))
    number = editions[0].number if editions and editions[0].span.start == start else None
    return syntax.File(source.name, number, statements), tuple(found)


def _known(number: str) -> bool:
    return len(number) <= 9 and 1 <= int(number) <= NEWEST_EDITION


def _edition_missing(source: Source, first: Span) -> Diagnostic:
    line_end = "\r\n" if "\r\n" in source.text else "\n"
    return parse_errors.edition_missing(first, Span(source.name, 0, 0), NEWEST_EDITION, line_end)
