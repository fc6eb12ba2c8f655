"""Addresses: canonical https, nothing secret in them, and one place has one set of tags."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.compiling import BASE, compiled, replaced, with_lines

from mcpx.compiler.report.diagnostic import Severity

URL = '"https://crm.example.com/mcp"'


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("http://crm.example.com/mcp", "MX331"),
        ("https://svc:hunter2@crm.example.com/mcp", "MX332"),
        ("https://crm.example.com/mcp#top", "MX333"),
        ("https://crm.example.com/mcp?key=${secret.crm_key}", "MX227"),
    ],
)
def test_lang_15_addresses_that_are_refused(tmp_path: Path, url: str, code: str) -> None:
    text = replaced(URL, f'"{url}"')
    result = compiled(tmp_path, text)
    assert result.codes == [code]
    start = text.index(url)
    assert start - 1 <= result.only.primary.start < result.only.primary.end <= start + len(url) + 1
    assert "hunter2" not in result.text


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8931/mcp",
        "http://localhost:8931/mcp",
        "http://[::1]:8931/mcp",
        "https://crm.example.com",
        "https://crm.example.com:8443/mcp",
        "https://[2001:db8::1]/mcp",
        "https://crm.example.com//mcp/",
        "https://crm.example.com/mcp?region=eu",
        "https://crm.example.com/m%20cp@x",
        "https://crm.example.com?@evil.example",
    ],
)
def test_lang_15_addresses_that_are_right(tmp_path: Path, url: str) -> None:
    compiled(tmp_path, replaced(URL, f'"{url}"')).clean  # noqa: B018


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("", "MX335"),
        ("crm.example.com/mcp", "MX335"),
        ("//crm.example.com/mcp", "MX335"),
        ("https:/crm.example.com/mcp", "MX335"),
        ("https:///mcp", "MX335"),
        ("https://", "MX335"),
        ("HTTPS://crm.example.com/mcp", "MX335"),
        ("https://CRM.example.com/mcp", "MX335"),
        ("https://crm.example.com:443/mcp", "MX335"),
        ("http://127.0.0.1:80/mcp", "MX335"),
        ("https://crm.example.com:/mcp", "MX335"),
        ("https://crm.example.com:0/mcp", "MX335"),
        ("https://crm.example.com:65536/mcp", "MX335"),
        ("https://crm.example.com:08443/mcp", "MX335"),
        ("https://crm.example.com./mcp", "MX335"),
        ("https://crm..example.com/mcp", "MX335"),
        ("https://crm_x.example.com/mcp", "MX335"),
        ("https://crm.example.com\\\\@evil.example/mcp", "MX332"),
        ("https://crm.example.com\\\\.evil.example/mcp", "MX335"),
        ("https://crm.example.com/a/../mcp", "MX335"),
        ("https://crm.example.com/./mcp", "MX335"),
        ("https://crm.example.com/%6dcp", "MX335"),
        ("https://crm.example.com/%2e%2e/mcp", "MX335"),
        ("https://crm.example.com/%2f", "MX335"),
        ("https://crm.example.com/m cp", "MX335"),
        (" https://crm.example.com/mcp", "MX335"),
        ("https://crm.example.com/mcp ", "MX335"),
        ("https://crm.example.com/mcp\\u{a}", "MX335"),
        ("https://crm.ex\\u{e4}mple.com/mcp", "MX335"),
        ("https://crm.example.com/m\\u{e9}p", "MX335"),
        ("https://0x7f.1/mcp", "MX335"),
        ("https://2130706433/mcp", "MX335"),
        ("http://127.1/mcp", "MX335"),
        ("https://[::1/mcp", "MX335"),
        ("https://[0:0:0:0:0:0:0:1]/mcp", "MX335"),
        ("https://a@crm.example.com/mcp", "MX332"),
        ("https://@crm.example.com/mcp", "MX332"),
        ("https://crm.example.com@evil.example/mcp", "MX332"),
        ("https://crm.example.com#@evil.example/mcp", "MX333"),
        ("https://crm.example.com/mcp#", "MX333"),
        ("http://127.0.0.1.evil.example/mcp", "MX331"),
        ("http://localhost.evil.example/mcp", "MX331"),
        ("http://10.0.0.1/mcp", "MX331"),
        ("ftp://crm.example.com/mcp", "MX331"),
        ("javascript://crm.example.com/mcp", "MX331"),
        ("https://crm.example.com/mcp?api_key=x", "MX334"),
        ("https://crm.example.com/mcp?a=b&access-token=x", "MX334"),
        ("https://crm.example.com/mcp?key=x", "MX334"),
        ("https://crm.example.com/mcp?sig=x", "MX334"),
        ("https://crm.example.com/mcp?a=1;password=x", "MX334"),
        ("https://crm.example.com/mcp?session=a1b2c3d4e5f6g7h8i9j0k1l2", "MX334"),
        ("https://crm.example.com/mcp?key=${setting.host}", "MX334"),
        ("https://${setting.host}@crm.example.com/mcp", "MX332"),
        ("https://crm.example.com:${setting.host}@evil.example/mcp", "MX332"),
        ("http://${setting.host}/mcp", "MX331"),
        ("http://127.0.0.${setting.host}/mcp", "MX331"),
        ("https://${setting.host}:443/mcp", "MX335"),
        ("https://crm.example.com/%${setting.host}", "MX335"),
        ("${setting.host}@crm.example.com/mcp", "MX332"),
        ("${setting.host}#top", "MX333"),
        ("ht${setting.host}://crm.example.com/mcp", "MX331"),
    ],
)
def test_no_trick_passes_for_an_address(tmp_path: Path, url: str, code: str) -> None:
    text = replaced(URL, f'"{url}"') + ('setting host = env("HOST")\n' if "${" in url else "")
    result = compiled(tmp_path, text)
    assert code in result.codes
    assert all(place == f'"{url}"' for place in result.places)
    assert result.outcome.body is None


@pytest.mark.parametrize(
    "url",
    [
        "${setting.host}",
        "${setting.host}/mcp",
        "${setting.host}.example.com/mcp",
        "${setting.host}:8443/mcp",
        "${setting.host}://crm.example.com/mcp",
        "https://${setting.host}/mcp",
        "https://${setting.host}.example.com:8443/mcp",
        "https://crm.example.com:${setting.host}/mcp",
        "https://crm.example.com:84${setting.host}/mcp",
        "https://crm.example.com/${setting.host}/mcp?region=${setting.host}",
        "http://127.0.0.1:${setting.host}/mcp",
    ],
)
def test_a_setting_may_stand_anywhere_in_an_address(tmp_path: Path, url: str) -> None:
    compiled(tmp_path, replaced(URL, f'"{url}"') + 'setting host = env("HOST")\n').clean  # noqa: B018


@pytest.mark.parametrize(
    ("url", "default", "code"),
    [
        ("${setting.host}/mcp", "https://crm.example.com", None),
        ("${setting.host}/mcp", "http://crm.example.com", "MX331"),
        ("${setting.host}/mcp", "https://svc:hunter2@crm.example.com", "MX332"),
        ("${setting.host}/mcp", "crm.example.com", "MX335"),
        ("${setting.host}", "https://crm.example.com/?token=hunter2", "MX334"),
        ("https://${setting.host}/mcp", "crm.example.com", None),
        ("https://${setting.host}/mcp", "crm.example.com/x", "MX335"),
        ("https://${setting.host}/mcp", "CRM.example.com", "MX335"),
        ("https://crm.example.com:${setting.host}/mcp", "https", "MX335"),
    ],
)
def test_the_default_of_a_setting_makes_an_address_that_loads(
    tmp_path: Path, url: str, default: str, code: str | None
) -> None:
    result = compiled(tmp_path, replaced(URL, f'"{url}"') + f'setting host = env("HOST", "{default}")\n')
    assert result.codes == ([code] if code else [])
    assert "hunter2" not in result.text


def two_places(first: str, second: str, *, tagged: bool) -> str:
    return replaced(URL, f'"{first}"') + (
        f'tag third_party\nsetting host = env("HOST")\nsetting other = env("OTHER")\n'
        f'server crm_tools{" @third_party" * tagged} {{\n  url = "{second}"\n'
        f'  header Crm-Hosts = "${{setting.host}}/${{setting.other}}"\n}}\n'
        "agent reader uses crm_tools\ndeny run.tenant -> @third_party\n"
    )


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("https://crm.example.com/mcp", "https://crm.example.com/tools"),
        ("https://crm.example.com", "https://crm.example.com?a=b"),
        ("https://${setting.host}/mcp", "https://${setting.host}/tools"),
        ("${setting.host}/mcp", "${setting.host}"),
    ],
)
def test_a_second_name_without_the_tag_is_no_way_around_a_deny(tmp_path: Path, first: str, second: str) -> None:
    result = compiled(tmp_path, two_places(first, second, tagged=True))
    assert result.codes == ["MX336"]
    assert result.labels(result.only) == ["crm_tools", "crm"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("https://crm.example.com/mcp", "https://crm.example.com:8443/mcp"),
        ("https://crm.example.com/mcp", "https://crm.example.net/mcp"),
        ("https://${setting.host}/mcp", "https://${setting.other}/mcp"),
    ],
)
def test_other_places_may_have_other_tags(tmp_path: Path, first: str, second: str) -> None:
    compiled(tmp_path, two_places(first, second, tagged=True)).clean  # noqa: B018


@pytest.mark.parametrize("value", ["run.tenant", '"https://${run.tenant}.example.com/mcp"', "credential"])
def test_an_address_is_the_same_for_every_run(tmp_path: Path, value: str) -> None:
    result = compiled(tmp_path, replaced(URL, value))
    assert result.codes in (["MX206"], ["MX210"])
    assert result.only.severity is Severity.ERROR


def test_a_setting_of_an_address_counts_as_used(tmp_path: Path) -> None:
    text = with_lines(more='setting spare = env("SPARE")', base=BASE.replace("crm.example.com", "${setting.spare}"))
    compiled(tmp_path, text).clean  # noqa: B018
