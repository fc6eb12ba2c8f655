"""Projects in a folder, compiled in this process, and what was found shown by the text it points at."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from mcpx.compiler.pipeline import Outcome, compile_project
from mcpx.compiler.report.diagnostic import Diagnostic, Severity
from mcpx.compiler.report.text import render
from mcpx.compiler.source import Span
from mcpx.runtime.body import Body

BASE = """mcpx 1
run {
  verified tenant: string
}
secret crm_key = env("CRM_KEY")
server crm {
  url = "https://crm.example.com/mcp"
  header Authorization = "Bearer ${credential}"
  header X-Tenant-Id = run.tenant
}
agent analyst uses crm
credential for analyst to crm = secret.crm_key
require run.tenant -> crm
"""


@dataclass(frozen=True)
class Compiled:
    """What came of a project, with shorthands for tests."""

    outcome: Outcome

    @property
    def findings(self) -> tuple[Diagnostic, ...]:
        return self.outcome.diagnostics

    @property
    def codes(self) -> list[str]:
        return [finding.code for finding in self.findings]

    @property
    def only(self) -> Diagnostic:
        """The one finding."""
        [finding] = self.findings
        return finding

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """The findings, all of which are warnings: the project compiles."""
        assert self.outcome.body is not None, self.text
        assert all(finding.severity is Severity.WARNING for finding in self.findings)
        return self.findings

    @property
    def clean(self) -> Body:
        """The body of the table of a project without a finding."""
        assert self.findings == (), self.text
        assert self.outcome.body is not None
        return self.outcome.body

    @property
    def text(self) -> str:
        return render(self.findings, self.outcome.sources)

    def shown(self, span: Span) -> str:
        return self.outcome.sources[span.file].text[span.start : span.end]

    def labels(self, finding: Diagnostic) -> list[str]:
        """The texts that the labels of a finding stand on."""
        return [self.shown(label.span) for label in finding.labels]

    @property
    def places(self) -> list[str]:
        """The text that each finding points at."""
        return [self.shown(finding.primary) for finding in self.findings]


def with_lines(*, run: str = "", crm: str = "", more: str = "", base: str = BASE) -> str:
    """Base with lines added to its `run` block, to its server, and at its end."""
    text = base.replace("run {\n", f"run {{\n{run}\n" if run else "run {\n")
    text = text.replace("server crm {\n", f"server crm {{\n{crm}\n" if crm else "server crm {\n")
    return f"{text}{more}\n" if more else text


def replaced(old: str, new: str, base: str = BASE) -> str:
    """Base with one piece changed; the piece has to be there once."""
    assert base.count(old) == 1
    return base.replace(old, new)


def compiled(folder: Path, text: str, **files: str) -> Compiled:
    """Write `app.mcpx` and other files (`servers_mcpx` is `servers.mcpx`), and compile."""
    root = folder / "app.mcpx"
    root.write_text(text, encoding="utf-8")
    for name, content in files.items():
        stem, _, ending = name.rpartition("_")
        (folder / f"{stem}.{ending}").write_text(content, encoding="utf-8")
    return Compiled(compile_project(root))
