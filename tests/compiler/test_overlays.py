"""Overlays: each is compiled beside the program, and one of them can be built."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.compiling import BASE, Compiled, compiled, replaced, with_lines

from mcpx.compiler.cli.main import main
from mcpx.compiler.pipeline import UnknownOverlay, compile_project
from mcpx.runtime.body import EnvSource, FileSource, SettingSpec, TextPart
from mcpx.runtime.table import load

WITH_AUDIENCE = replaced('/mcp"\n', '/mcp"\n  audience = "https://crm.example.com"\n')
TOKEN = """token proof for crm {
  issuer = "https://app.example.com"
  key = host
  ttl = 5m
  claims {
    tenant = run.tenant
  }
}
"""
GRANT = """grant entry {
  issuer = "https://app.example.com"
  audience = "https://gateway.example.com"
  ttl = 10m
  keys = "https://app.example.com/jwks.json"
}
"""


def overlay(*lines: str, name: str = "staging") -> str:
    return f"overlay {name} {{\n" + "".join(f"  {line}\n" for line in lines) + "}\n"


def found(result: Compiled) -> list[tuple[str, str]]:
    """The codes with the texts that they point at."""
    return list(zip(result.codes, result.places, strict=True))


def test_lang_17_overlays_are_checked_though_nobody_builds_them(tmp_path: Path) -> None:
    result = compiled(
        tmp_path,
        WITH_AUDIENCE
        + overlay('server.crm.url = "http://crm.staging.example.com/mcp"')
        + overlay('server.crm.url = "https://crm.eu.example.com/mcp"', name="eu")
        + overlay("server.crm.session = shared", name="open"),
    )
    assert found(result) == [
        ("MX331", '"http://crm.staging.example.com/mcp"'),
        ("MX624", '"https://crm.eu.example.com/mcp"'),
        ("MX820", "server.crm.session"),
    ]
    assert "`eu`" in result.findings[1].message
    assert main(["check", str(tmp_path / "app.mcpx")]) == 1


@pytest.mark.parametrize(
    "target",
    [
        "server.crm.session = shared",
        "server.crm.discovery = per run",
        'server.crm = "a"',
        'server.crm.header.X-Tenant-Id = "a"',
        "token.proof.key = host",
        'token.proof.issuer = "https://b.example"',
        'grant.entry.keys = "https://b.example/jwks.json"',
        'setting.place.one = "a"',
        'secret.crm_key.per = "a"',
        'run.tenant = "a"',
        'agent.analyst = "a"',
        'url = "https://b.example"',
    ],
)
def test_an_overlay_changes_places_and_nothing_else(tmp_path: Path, target: str) -> None:
    setting = 'setting place = env("PLACE", "de")\n'
    text = with_lines(
        crm="  header X-Run-Proof = token.proof\n  header X-Place = setting.place", more=TOKEN + GRANT + setting
    )
    assert found(compiled(tmp_path, text + overlay(target))) == [("MX820", target.split(" ")[0])]


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ('server.cmr.url = "https://b.example/mcp"', "cmr"),
        ("server.cmr.session = shared", "cmr"),
        ("token.prof.ttl = 1m", "prof"),
        ("grant.entri.ttl = 1m", "entri"),
        ('setting.place = env("P")', "place"),
        ('secret.crm_keys = env("P")', "crm_keys"),
    ],
)
def test_names_in_an_overlay_are_looked_up(tmp_path: Path, line: str, place: str) -> None:
    text = with_lines(crm="  header X-Run-Proof = token.proof", more=TOKEN + GRANT)
    assert found(compiled(tmp_path, text + overlay(line))) == [("MX201", place)]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("server.crm.url = 5", "MX210"),
        ("server.crm.audience = run.tenant", "MX210"),
        ('server.crm.url = "https://${secret.crm_key}.example/mcp"', "MX227"),
        ("token.proof.ttl = 20m", "MX803"),
        ("token.proof.ttl = 300", "MX210"),
        ('secret.crm_key = "k-123"', "MX218"),
        ("secret.crm_key = secret.crm_key", "MX210"),
        ('secret.crm_key = evn("X")', "MX219"),
    ],
)
def test_what_an_overlay_says_has_the_form_of_the_thing(tmp_path: Path, line: str, code: str) -> None:
    text = with_lines(crm="  header X-Run-Proof = token.proof", more=TOKEN)
    assert compiled(tmp_path, text + overlay(line)).codes == [code]


def test_an_overlay_says_a_thing_once(tmp_path: Path) -> None:
    line = 'server.crm.url = "https://b.example/mcp"'
    assert compiled(tmp_path, BASE + overlay(line, line)).codes == ["MX208"]


def test_two_overlays_have_two_names(tmp_path: Path) -> None:
    line = 'server.crm.url = "https://b.example/mcp"'
    assert compiled(tmp_path, BASE + overlay(line) + overlay(line)).codes == ["MX202"]


def test_an_empty_overlay_is_a_warning(tmp_path: Path) -> None:
    assert [w.code for w in compiled(tmp_path, BASE + overlay()).warnings] == ["MX625"]


# --- What an overlay makes of a program is checked like every program -------------------------------------------------

SECOND = """secret wiki_key = env("WIKI_KEY")
server wiki {
  url = "https://wiki.example.com/mcp"
  header X-Api-Key = credential
}
agent reader uses wiki
credential for reader to wiki = secret.wiki_key
"""


def test_one_secret_for_two_servers_is_found_in_an_overlay(tmp_path: Path) -> None:
    result = compiled(tmp_path, BASE + SECOND + overlay('secret.wiki_key = env("CRM_KEY")'))
    assert result.codes == ["MX316"]
    assert "found with the overlay `staging`" in result.only.notes


def test_a_variable_that_is_secret_and_setting_is_found_in_an_overlay(tmp_path: Path) -> None:
    text = with_lines(crm="  header X-Place = setting.place", more='setting place = env("PLACE", "de")')
    assert compiled(tmp_path, text + overlay('secret.crm_key = env("PLACE")')).codes == ["MX226"]
    assert compiled(tmp_path, text + overlay('setting.place = env("CRM_KEY")')).codes == ["MX226"]


def test_a_signing_key_that_an_overlay_makes_a_credential_is_found(tmp_path: Path) -> None:
    signed = TOKEN.replace("key = host", "key = secret.signing") + 'secret signing = env("SIGNING_KEY")\n'
    text = with_lines(crm="  header X-Run-Proof = token.proof", more=signed)
    assert compiled(tmp_path, text).codes == ["MX620"]
    assert "MX810" in compiled(tmp_path, text + overlay('secret.crm_key = env("SIGNING_KEY")')).codes


def test_two_servers_that_become_one_place_with_other_tags_are_found_in_an_overlay(tmp_path: Path) -> None:
    """A second name for the place would be a way round a `deny` on the tag."""
    text = replaced("mcpx 1\n", "mcpx 1\ntag third_party\n", base=BASE) + SECOND.replace(
        "server wiki {", "server wiki @third_party {"
    )
    assert compiled(tmp_path, text).clean
    assert compiled(tmp_path, text + overlay('server.crm.url = "https://wiki.example.com/crm"')).codes == ["MX336"]


def _when_host(name: str, head: str, host: str) -> str:
    return f'cedar """@id("{name}") {head} when {{ resource has host && resource.host == "{host}" }};"""\n'


def test_cedar_decides_each_overlay_anew(tmp_path: Path) -> None:
    """A guardrail about a host meets the overlay that moves a server there."""
    policy = _when_host("not_there", "forbid (principal, action, resource)", "evil.example")
    assert compiled(tmp_path, BASE + policy).clean
    moved = compiled(tmp_path, BASE + policy + overlay('server.crm.url = "https://evil.example/mcp"'))
    assert moved.outcome.body is None
    stopped = next(finding for finding in moved.findings if finding.code == "MX406")
    assert "not_there" in stopped.message
    assert "found with the overlay `staging`" in stopped.notes


def test_a_policy_cannot_read_the_host_that_an_overlay_leaves_open(tmp_path: Path) -> None:
    head = 'permit (principal, action == Mcpx::Action::"send", resource)'
    policy = _when_host("known", head, "crm.example.com")
    place = 'setting place = env("PLACE")\n'
    text = BASE + policy + place + overlay('server.crm.url = "https://${setting.place}/mcp"')
    result = compiled(tmp_path, text)
    assert result.codes == ["MX516"]


def test_what_the_base_says_already_is_not_said_again(tmp_path: Path) -> None:
    text = BASE + "tag spare\n" + overlay('server.crm.url = "https://b.example/mcp"')
    assert compiled(tmp_path, text).codes == ["MX601"]


def test_a_setting_that_only_an_overlay_uses_is_used_and_one_that_an_overlay_replaces_too(tmp_path: Path) -> None:
    text = replaced("https://crm.example.com/mcp", "https://${setting.here}.example.com/mcp", base=BASE)
    text += 'setting here = env("HERE")\nsetting there = env("THERE")\n'
    assert compiled(tmp_path, text + overlay('server.crm.url = "https://${setting.there}.example.com/mcp"')).clean


def test_moving_host_and_audience_together_is_right(tmp_path: Path) -> None:
    lines = (
        'server.crm.url = "https://crm.eu.example.com/mcp"',
        'server.crm.audience = "https://crm.eu.example.com"',
    )
    assert compiled(tmp_path, WITH_AUDIENCE + overlay(*lines)).clean
    assert compiled(tmp_path, WITH_AUDIENCE + overlay('server.crm.url = "https://crm.example.com/v2"')).clean
    assert compiled(tmp_path, BASE + overlay(lines[0])).clean


# --- Building ---------------------------------------------------------------------------------------------------------

EVERYTHING = with_lines(
    crm="""  authorization_server = "https://app.example.com"
  header X-Run-Proof = token.proof
  header X-Place = setting.place""",
    base=WITH_AUDIENCE,
    more=TOKEN
    + GRANT
    + 'setting place = env("PLACE", "de") one of ["de", "eu"]\n'
    + overlay(
        'server.crm.url = "https://crm.eu.example.com/mcp"',
        'server.crm.audience = "https://crm.eu.example.com"',
        'server.crm.authorization_server = ["https://app.eu.example.com"]',
        "token.proof.ttl = 1m",
        "grant.entry.ttl = 2m",
        'setting.place = env("EU_PLACE", "eu")',
        'secret.crm_key = file("/run/eu")',
        name="eu",
    ),
)


def test_the_table_of_an_overlay_holds_its_changes_and_nothing_else(tmp_path: Path) -> None:
    root = tmp_path / "app.mcpx"
    root.write_text(EVERYTHING, encoding="utf-8")
    base, eu = compile_project(root).body, compile_project(root, "eu").body
    assert base is not None
    assert eu is not None
    assert eu.servers["crm"].url == (TextPart("https://crm.eu.example.com/mcp"),)
    assert eu.servers["crm"].audience == (TextPart("https://crm.eu.example.com"),)
    assert eu.servers["crm"].authorization_servers == ("https://app.eu.example.com",)
    assert (eu.tokens["proof"].ttl, eu.grants["entry"].ttl) == (60, 120)
    assert eu.settings["place"] == SettingSpec("EU_PLACE", "eu", ("de", "eu"))
    assert eu.secrets["crm_key"] == FileSource("/run/eu")
    assert (eu.rows, eu.plans, eu.programs, eu.fields, eu.policies) == (
        base.rows,
        base.plans,
        base.programs,
        base.fields,
        base.policies,
    )
    assert base.secrets["crm_key"] == EnvSource("CRM_KEY")
    assert base.tokens["proof"].ttl == 300


def test_a_default_that_is_no_choice_of_the_setting_is_found_in_an_overlay(tmp_path: Path) -> None:
    text = EVERYTHING.replace('"EU_PLACE", "eu"', '"EU_PLACE", "us"')
    assert '"us"' in "".join(compiled(tmp_path, text).places)


def test_build_takes_the_name_of_an_overlay(tmp_path: Path) -> None:
    root, table = tmp_path / "app.mcpx", tmp_path / "app.mcpxc"
    root.write_text(BASE + overlay('server.crm.url = "https://b.example/mcp"'), encoding="utf-8")
    assert main(["build", str(root), "-o", str(table), "--overlay", "staging"]) == 0
    assert load(table).body.servers["crm"].url == (TextPart("https://b.example/mcp"),)
    assert main(["build", str(root), "-o", str(table)]) == 0
    assert load(table).body.servers["crm"].url == (TextPart("https://crm.example.com/mcp"),)


def test_an_unknown_overlay_is_named_with_the_nearest_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root, table = tmp_path / "app.mcpx", tmp_path / "app.mcpxc"
    root.write_text(BASE + overlay('server.crm.url = "https://b.example/mcp"'), encoding="utf-8")
    assert main(["build", str(root), "-o", str(table), "--overlay", "stagin"]) == 2
    assert capsys.readouterr().err == "mcpx: there is no overlay `stagin`; did you mean `staging`?\n"
    assert not table.exists()
    with pytest.raises(UnknownOverlay):
        compile_project(root, "other")


def test_no_overlay_is_built_while_another_is_at_fault(tmp_path: Path) -> None:
    root = tmp_path / "app.mcpx"
    root.write_text(
        BASE
        + overlay('server.crm.url = "https://b.example/mcp"')
        + overlay('server.crm.url = "http://b.example/mcp"', name="other"),
        encoding="utf-8",
    )
    assert compile_project(root, "staging").body is None
