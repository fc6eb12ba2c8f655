"""Properties: declared once, set by blocks, exact in type, read by policies; and what is deprecated."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.compiling import BASE, Compiled, compiled, replaced, with_lines

REGION = 'property server.region: one of ["eu", "us"]'
EU_ONLY = 'cedar """\n@id("eu_only") forbid (principal, action, resource) unless { resource.region == "eu" };\n"""\n'


def with_property(folder: Path, declared: str, line: str = "", policy: str = "", base: str = BASE) -> Compiled:
    """Base with a property, a line of the server's block, and a Cedar text that the property is for."""
    text = with_lines(crm=f"  {line}", more=policy, base=base) if line else f"{base}{policy}"
    return compiled(folder, f"{text}{declared}\n")


def test_a_policy_reads_the_property_that_a_server_sets(tmp_path: Path) -> None:
    with_property(tmp_path, REGION, 'region = "eu"', EU_ONLY).clean  # noqa: B018
    refused = with_property(tmp_path, REGION, 'region = "us"', EU_ONLY)
    assert refused.outcome.body is None
    assert "eu_only" in refused.text


def test_policies_read_properties_of_agents_and_fields_and_of_every_type(tmp_path: Path) -> None:
    text = BASE.replace("verified tenant: string", "verified tenant: string { kept = true }")
    text = text.replace("agent analyst uses crm", 'agent analyst uses crm { level = 3\n teams = ["a", "b"] }')
    declared = "property agent.level: int\nproperty agent.teams: list of string\nproperty field.kept?: bool\n"

    def policy(condition: str) -> str:
        return (
            f'{text}{declared}cedar """\n@id("p") forbid (principal, action, resource) when {{ {condition} }};\n"""\n'
        )

    exact = 'principal.level == 3 && principal.teams == ["a", "b"]'
    assert compiled(tmp_path, policy(f"!({exact})")).outcome.body is not None
    assert compiled(tmp_path, policy(exact)).outcome.body is None
    sends = policy("context.field has kept && context.field.kept").replace("action,", 'action == Mcpx::Action::"send",')
    assert compiled(tmp_path, sends).outcome.body is None
    assert compiled(tmp_path, sends.replace("kept = true", "kept = false")).outcome.body is not None


def test_an_optional_property_may_be_left_out_and_an_unconditional_one_may_not(tmp_path: Path) -> None:
    policy = EU_ONLY.replace("{ resource.region", "{ !(resource has region) || resource.region")
    guarded = 'cedar """\n@id("p") forbid (principal, action, resource) when { resource has region };\n"""\n'
    assert with_property(tmp_path, REGION.replace("region:", "region?:"), policy=guarded).codes == []
    missing = with_property(tmp_path, REGION, policy=policy)
    assert (missing.codes, missing.labels(missing.only)) == (["MX262"], ["crm", "region"])


@pytest.mark.parametrize(
    ("declared", "code", "place"),
    [
        ("property servers.region?: string", "MX260", "servers"),
        ("property tenant.region?: string", "MX260", "tenant"),
        *((f"property {owner}.{name}?: string", "MX261", name) for owner, name in [
            ("server", "host"), ("agent", "scheme"), ("field", "verified"), ("server", "holders"), ("agent", "per"),
            ("server", "url"), ("server", "session"), ("server", "header"), ("server", "optional"), ("server", "meta"),
        ]),
        ("property server.region?: string\nproperty server.region?: int", "MX202", "region"),
        ("property server.region?: int max 3", "MX213", "3"),
    ],
)  # fmt: skip
def test_a_property_has_an_owner_and_a_name_of_its_own(tmp_path: Path, declared: str, code: str, place: str) -> None:
    result = with_property(tmp_path, declared)
    assert (code, place) in list(zip(result.codes, result.places, strict=True))
    assert result.outcome.body is None


def test_an_agent_may_have_a_property_that_is_a_word_of_servers(tmp_path: Path) -> None:
    guarded = 'cedar """\n@id("p") forbid (principal, action, resource) when { principal has url };\n"""\n'
    assert with_property(tmp_path, "property agent.url?: string", policy=guarded).codes == []


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ('one of ["eu", "us"]', '"apac"'),
        ("string", "3"),
        ("string max 2", '"abc"'),
        ('string matches "[a-z]+"', '"A"'),
        ("string", '"e\\u{301}"'),
        ("int", '"3"'),
        ("int", "true"),
        ("bool", "1"),
        ("list of string", '"a"'),
        ("list of string", "[1]"),
        ("list of string items 1", '["a", "b"]'),
        ("list of string", "[true]"),
        ("string", "run.tenant"),
        ("string", '"${run.tenant}"'),
        ("int", "5m"),
    ],
)
def test_a_value_is_of_the_declared_type_and_nothing_is_converted(tmp_path: Path, kind: str, value: str) -> None:
    result = with_property(tmp_path, f"property server.p: {kind}", f"p = {value}")
    assert (result.codes, result.places) == (["MX263"], [value])


def test_what_no_property_is_called_suggests_the_near_name(tmp_path: Path) -> None:
    result = with_property(tmp_path, REGION, 'regoin = "eu"')
    assert sorted(result.codes) == ["MX207", "MX262"]
    assert "did you mean `region`?" in result.text
    agent = compiled(tmp_path, BASE.replace("uses crm", "uses crm { levl = 1 }") + "property agent.level?: int\n")
    assert ("MX207", "levl") in list(zip(agent.codes, agent.places, strict=True))


def test_a_property_is_set_once_in_a_block(tmp_path: Path) -> None:
    result = with_property(tmp_path, REGION, 'region = "eu"\n  region = "us"')
    assert result.codes == ["MX208"]


def test_a_property_that_no_policy_reads_is_a_warning(tmp_path: Path) -> None:
    result = with_property(tmp_path, REGION, 'region = "eu"')
    assert [(f.code, f.message) for f in result.warnings] == [("MX609", "the property `server.region` is never used")]
    quoted = EU_ONLY.replace("resource.region", 'resource["region"]')
    assert with_property(tmp_path, REGION, 'region = "eu"', quoted).codes == []


@pytest.mark.parametrize(
    ("old", "new", "places"),
    [
        ("agent analyst uses", 'agent analyst @deprecated("use scout") uses', ["analyst"]),
        ("server crm {", 'server crm @deprecated("use ledger") {', ["crm", "crm", "crm"]),
        ("tenant: string", 'tenant: string @deprecated("use org")', ["tenant", "tenant"]),
    ],
)
def test_each_use_of_what_is_deprecated_is_a_warning_with_its_text(
    tmp_path: Path, old: str, new: str, places: list[str]
) -> None:
    result = compiled(tmp_path, replaced(old, new))
    assert [result.shown(found.primary) for found in result.warnings] == places
    assert {found.code for found in result.warnings} == {"MX610"}
    text = new.split('"')[1]
    assert all(found.labels[0].text == text for found in result.warnings)
