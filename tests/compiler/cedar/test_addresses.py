"""What policies may know of a server's address, and what happens where a setting decides it."""

from __future__ import annotations

import pytest
from support.cedar_projects import BASE, decided

from mcpx.compiler.cedar.addresses import address_of
from mcpx.compiler.model import SettingPart, TextPart, Url
from mcpx.compiler.source import Span

HERE = Span("app.mcpx", 0, 0)
OPEN = BASE.replace("secret crm_key", 'setting crm_host = env("CRM_HOST")\nsecret crm_key').replace(
    "https://crm.example.com/mcp", "https://${setting.crm_host}/mcp"
)


@pytest.mark.parametrize(
    ("parts", "scheme", "host"),
    [
        (["https://CRM.example.com:8443/mcp"], "https", "crm.example.com"),
        (["http://[::1]:80/mcp"], "http", "::1"),
        (["https://", None, "/mcp"], "https", None),
        (["https://", None, ".example.com/mcp"], "https", None),
        (["https://crm.example.com", None, "/mcp"], "https", None),
        (["https://crm.example.com:", None, "/mcp"], "https", "crm.example.com"),
        (["https://crm.example.com/", None, "/mcp"], "https", "crm.example.com"),
        (["https://crm.example.com/mcp?tenant=", None], "https", "crm.example.com"),
        (["http", None, "://crm.example.com/mcp"], None, None),
        ([None, "/mcp"], None, None),
        ([None, "://crm.example.com/mcp"], None, None),
        ([None], None, None),
    ],
)
def test_scheme_and_host_are_known_where_no_setting_can_change_them(
    parts: list[str | None], scheme: str | None, host: str | None
) -> None:
    url = Url(tuple(SettingPart("s", HERE) if part is None else TextPart(part, HERE) for part in parts), HERE)
    address = address_of(url)
    assert (address.scheme, address.host) == (scheme, host)


def forbid(condition: str) -> str:
    return f'@id("p") forbid (principal, action == Mcpx::Action::"send", resource) {condition};'


@pytest.mark.parametrize("host", ["crm.example.com", "elsewhere.example.com"])
def test_an_address_that_is_written_out_decides(host: str) -> None:
    decisions = decided(forbid(f'when {{ resource has host && resource.host == "{host}" }}')).sound
    assert decisions.send["analyst", "crm", "user", "header:x-user"].permitted == (host != "crm.example.com")


@pytest.mark.parametrize(
    "policy",
    [
        forbid('when { resource has host && resource.host == "evil.example.com" }'),
        forbid('unless { resource has host && resource.host != "evil.example.com" || context.field.verified }'),
        forbid("when { resource has host }"),
        forbid('when { resource has "host" }'),
        forbid('when { {a: resource}.a has host && {a: resource}.a.host like "*" }'),
        forbid('when { Mcpx::Server::"crm" has host }'),
        '@id("p") permit (principal, action, resource) when { resource has host && resource.host == "a" };',
        '@id("p") permit (principal, action, resource) unless { resource has host && resource.host == "a" };',
    ],
)
def test_a_policy_whose_answer_hangs_on_an_open_address_is_refused_and_names_the_server(policy: str) -> None:
    outcome = decided(policy, OPEN)
    assert outcome.codes == ["MX516"]
    assert "`p`" in outcome.findings[0].message
    assert "`crm`" in outcome.findings[0].message
    assert outcome.shown(outcome.findings[0].labels[1].span) == '"https://${setting.crm_host}/mcp"'


@pytest.mark.parametrize(
    ("policy", "forbidden"),
    [
        (forbid('unless { resource has host && resource.host == "crm.example.com" }'), True),
        (
            forbid(
                'when { context.field == Mcpx::Field::"user" }'
                ' unless { resource has host && resource.host == "crm.example.com" }'
            ),
            True,
        ),
        (forbid('when { context.field == Mcpx::Field::"region" } when { resource has host }'), None),
        (forbid('when { resource has scheme && resource.scheme == "http" }'), False),
        (forbid("when { resource has host }").replace("resource)", 'resource == Mcpx::Server::"search")'), False),
        (forbid("when { {host: true}.host }"), True),
    ],
)
def test_an_open_address_may_be_read_where_not_knowing_it_forbids_or_nothing_hangs_on_it(
    policy: str, forbidden: bool | None
) -> None:
    outcome = decided(policy, OPEN)
    if forbidden is None:
        # Refused without need: the reading clause is not taken apart, which errs on the closed side.
        assert outcome.codes == ["MX516"]
    else:
        assert outcome.sound.send["analyst", "crm", "user", "header:x-user"].permitted == (not forbidden)
