"""Small projects that are decided in memory: one `.mcpx` file and one `.cedar` file."""

from __future__ import annotations

from dataclasses import dataclass

from mcpx.compiler import model
from mcpx.compiler.cedar.decide import decide
from mcpx.compiler.cedar.decision import Decisions
from mcpx.compiler.parse import parse
from mcpx.compiler.read import read
from mcpx.compiler.report.diagnostic import Diagnostic, Severity
from mcpx.compiler.resolve import resolve
from mcpx.compiler.source import Source, Span

BASE = """mcpx 1
tag pii, third_party
run {
  verified tenant: string
  verified user: string @pii
  verified region?: string
  verified seats: int
}
secret crm_key = env("CRM_KEY")
secret search_key = env("SEARCH_KEY")
server crm {
  url = "https://crm.example.com/mcp"
  header Authorization = "Bearer ${credential}"
  header X-Tenant-Id = run.tenant
  optional header X-User = run.user
}
server search @third_party {
  url = "https://search.example.net/mcp"
  header X-Api-Key = credential
  header X-Source = "app"
}
group research
agent analyst in research uses crm, search
credential for analyst to crm = secret.crm_key
credential for analyst to search = secret.search_key
require run.tenant -> crm
allow run.user -> crm
"""


@dataclass(frozen=True)
class Decided:
    """What came of a project: decisions, or findings and the texts that they point into."""

    decisions: Decisions | None
    findings: tuple[Diagnostic, ...]
    sources: dict[str, Source]

    @property
    def codes(self) -> list[str]:
        return [finding.code for finding in self.findings]

    @property
    def sound(self) -> Decisions:
        assert self.decisions is not None, self.findings
        assert self.findings == ()
        return self.decisions

    def shown(self, span: Span) -> str:
        return self.sources[span.file].text[span.start : span.end]

    @property
    def places(self) -> list[str]:
        """The text that each finding points at."""
        return [self.shown(finding.primary) for finding in self.findings]


def program_of(mcpx: str, cedar: str = "") -> tuple[model.Program, dict[str, Source]]:
    """The program of `app.mcpx` and `org.cedar`, which must be without findings up to here."""
    sources = {}
    for name, text in (("app.mcpx", mcpx), ("org.cedar", cedar)):
        sources[name], found = read(name, text.encode())
        assert found == ()
    file, found = parse(sources["app.mcpx"])
    assert found == ()
    texts = [model.CedarText(cedar, Span("org.cedar", 0, len(cedar)))] if cedar else []
    program, found = resolve([file], texts, sources)
    assert found == ()
    return program, sources


def decided(cedar: str = "", mcpx: str = BASE) -> Decided:
    """Decide about `mcpx` together with an imported `org.cedar`."""
    program, sources = program_of(mcpx, cedar)
    decisions, findings = decide(program)
    assert (decisions is None) == any(finding.severity is not Severity.WARNING for finding in findings)
    return Decided(decisions, findings, sources)
