"""What an overlay may change, and what it must not forget. The program that it makes is checked like every other."""

from __future__ import annotations

from collections.abc import Iterator

from mcpx.compiler import model
from mcpx.compiler.cedar.addresses import address_of
from mcpx.compiler.report import overlay_errors as say
from mcpx.compiler.report.diagnostic import Diagnostic


def check_overlays(program: model.Program) -> Iterator[Diagnostic]:
    """Every overlay, by itself."""
    for overlay in program.overlays.values():
        yield from (say.not_changeable(overlay, line) for line in overlay.refused)
        if not overlay.changes and not overlay.refused:
            yield say.changes_nothing(overlay)
        yield from _moved(overlay, program)


def _moved(overlay: model.Overlay, program: model.Program) -> Iterator[Diagnostic]:
    """An audience that is not said follows the address."""
    changes = [change for change in overlay.changes if isinstance(change, model.ServerChange)]
    told = {change.server for change in changes if change.key == "audience"}
    for change in changes:
        server = program.servers[change.server]
        if change.key == "url" and server.audience is not None and server.name not in told:
            now, before = address_of(change.value), address_of(server.url)
            if now.host != before.host and now.scheme != "http":
                yield say.audience_stays(overlay, server, change)
