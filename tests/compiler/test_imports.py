"""Imports: inside the project, each file once, and nothing but regular files of the two kinds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.compiling import BASE, Compiled, compiled

from mcpx.compiler import project
from mcpx.compiler.pipeline import compile_project

DOCS = 'mcpx 1\nserver docs {\n  url = "https://docs.example.com/mcp"\n}\nagent reader uses docs\n'
GUARD = '@id("guard")\nforbid (principal, action, resource == Mcpx::Server::"docs");\n'


def importing(*paths: str) -> str:
    return "mcpx 1\n" + "".join(f'import "{path}"\n' for path in paths)


def test_lang_18_names_are_global_and_a_duplicate_names_both_files(tmp_path: Path) -> None:
    crm = 'mcpx 1\nserver crm {\n  url = "https://crm.example.net/mcp"\n}\n'
    result = compiled(tmp_path, BASE.replace("mcpx 1\n", importing("b.mcpx")), b_mcpx=crm)
    assert result.codes == ["MX202"]
    assert [label.span.file for label in result.only.labels] == ["b.mcpx", "app.mcpx"]
    assert "b.mcpx:2:8" in result.text
    assert "app.mcpx:7:8" in result.text


@pytest.mark.parametrize(
    "path", ["../outside.mcpx", "sub/../../outside.mcpx", "/etc/outside.mcpx", "..\\\\outside.mcpx"]
)
def test_lang_18_an_import_stays_inside_the_project(tmp_path: Path, path: str) -> None:
    (tmp_path / "outside.mcpx").write_text("mcpx 1\n")
    (tmp_path / "in").mkdir()
    result = compiled(tmp_path / "in", importing(path))
    assert (result.codes, result.places) == (["MX222"], [f'"{path}"'])


def test_lang_18_files_that_import_each_other_are_both_named(tmp_path: Path) -> None:
    result = compiled(tmp_path, importing("a.mcpx"), a_mcpx=importing("b.mcpx"), b_mcpx=importing("a.mcpx"))
    assert result.codes == ["MX223"]
    assert "`a.mcpx` imports `b.mcpx` imports `a.mcpx`" in result.text


def test_a_file_that_imports_itself_is_a_circle(tmp_path: Path) -> None:
    assert compiled(tmp_path, importing("app.mcpx")).codes == ["MX223"]


def test_lang_18_a_file_that_two_others_import_is_read_once(tmp_path: Path) -> None:
    result = compiled(
        tmp_path, importing("a.mcpx", "b.mcpx"), a_mcpx=importing("c.mcpx"), b_mcpx=importing("c.mcpx"), c_mcpx=DOCS
    )
    assert list(result.clean.servers) == ["docs"]
    assert list(result.outcome.sources) == ["app.mcpx", "a.mcpx", "c.mcpx", "b.mcpx"]


def test_one_file_under_two_spellings_is_one_file(tmp_path: Path) -> None:
    result = compiled(tmp_path, importing("docs.mcpx", "./docs.mcpx"), docs_mcpx=DOCS)
    assert result.codes == ["MX225"]
    assert result.labels(result.only) == ['"./docs.mcpx"', '"docs.mcpx"']


def test_paths_are_relative_to_the_file_that_imports(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.mcpx").write_text(importing("b.mcpx", "../top.mcpx"))
    (tmp_path / "sub" / "b.mcpx").write_text(DOCS)
    result = compiled(tmp_path, importing("sub/a.mcpx"), top_mcpx="mcpx 1\n")
    assert [digest.name for digest in result.clean.sources] == ["app.mcpx", "sub/a.mcpx", "sub/b.mcpx", "top.mcpx"]


def test_a_link_is_followed_before_the_project_is_asked(tmp_path: Path) -> None:
    (tmp_path / "outside.mcpx").write_text(DOCS)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "docs.mcpx").symlink_to(tmp_path / "outside.mcpx")
    assert compiled(tmp_path / "in", importing("docs.mcpx")).codes == ["MX222"]


def test_a_link_inside_the_project_is_the_file_it_leads_to(tmp_path: Path) -> None:
    (tmp_path / "alias.mcpx").symlink_to("docs.mcpx")
    assert compiled(tmp_path, importing("docs.mcpx", "alias.mcpx"), docs_mcpx=DOCS).codes == ["MX225"]


@pytest.mark.parametrize(("link", "target"), [("x.cedar", "docs.mcpx"), ("x.mcpx", "guard.cedar"), ("x.mcpx", "x.txt")])
def test_no_link_makes_a_file_of_another_kind(tmp_path: Path, link: str, target: str) -> None:
    (tmp_path / "x.txt").write_text(DOCS)
    (tmp_path / link).symlink_to(target)
    assert compiled(tmp_path, importing(link), docs_mcpx=DOCS, guard_cedar=GUARD).codes == ["MX224"]


def test_links_in_a_circle_are_no_file(tmp_path: Path) -> None:
    (tmp_path / "a.mcpx").symlink_to("b.mcpx")
    (tmp_path / "b.mcpx").symlink_to("a.mcpx")
    assert compiled(tmp_path, importing("a.mcpx")).codes in (["MX221"], ["MX225"])


@pytest.mark.parametrize("name", ["", ".", "docs.MCPX", "docs", "docs.mcpx.txt"])
def test_only_the_two_endings_are_imported(tmp_path: Path, name: str) -> None:
    assert compiled(tmp_path, importing(name)).codes == ["MX224"]


@pytest.mark.parametrize("name", ["DOCS.mcpx", "docs.mcpx/", "x" * 300 + ".mcpx", "a\\u{0}b.mcpx", "docs.mcpx/a.mcpx"])
def test_what_is_no_file_of_this_name_is_not_found(tmp_path: Path, name: str) -> None:
    result = compiled(tmp_path, importing(name), docs_mcpx=DOCS)
    assert result.codes in (["MX221"], ["MX224"])
    assert result.outcome.body is None


@pytest.mark.parametrize("kind", ["folder", "pipe", "large", "device"])
def test_only_regular_files_of_a_sensible_size_are_read(tmp_path: Path, kind: str) -> None:
    odd = tmp_path / "odd.mcpx"
    match kind:
        case "folder":
            odd.mkdir()
        case "pipe":
            os.mkfifo(odd)
        case "large":
            odd.write_bytes(b"#" * (project.MAX_BYTES + 1))
        case _:
            odd.symlink_to("/dev/zero")
    result = compiled(tmp_path, importing("odd.mcpx"))
    assert result.codes == ["MX222" if kind == "device" else "MX221"]
    with pytest.raises(project.Unreadable, match="cannot read"):
        compile_project(odd)


def test_a_long_chain_of_imports_is_followed_to_its_end(tmp_path: Path) -> None:
    last = 1_500
    for number in range(last):
        (tmp_path / f"f{number}.mcpx").write_text(importing(f"f{number + 1}.mcpx"))
    (tmp_path / f"f{last}.mcpx").write_text(DOCS)
    outcome = compile_project(tmp_path / "f0.mcpx")
    assert Compiled(outcome).clean.servers.keys() == {"docs"}


def test_an_imported_guardrail_decides(tmp_path: Path) -> None:
    text = DOCS.replace("mcpx 1\n", importing("guard.cedar"))
    result = compiled(tmp_path, text, guard_cedar=GUARD)
    assert result.codes == ["MX406"]
    assert [label.span.file for label in result.only.labels] == ["app.mcpx", "guard.cedar"]


def test_findings_of_all_files_come_in_one_run(tmp_path: Path) -> None:
    result = compiled(
        tmp_path,
        importing("a.mcpx", "b.mcpx") + "agent x uses none\n",
        a_mcpx=DOCS + "agent y uses dosc\n",
        b_mcpx="mcpx 1\ngroup g, g\n",
    )
    assert [(found.primary.file, found.code) for found in result.findings] == [
        ("app.mcpx", "MX201"),
        ("a.mcpx", "MX201"),
        ("b.mcpx", "MX202"),
    ]


def test_a_bad_byte_in_an_imported_file_hides_no_other_finding(tmp_path: Path) -> None:
    (tmp_path / "a.mcpx").write_bytes(b"mcpx 1\n# \xff\n")
    result = compiled(tmp_path, importing("a.mcpx", "missing.mcpx"))
    assert [found.primary.file for found in result.findings] == ["app.mcpx", "a.mcpx"]
