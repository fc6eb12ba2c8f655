"""Header lines: whose names, which values, and what each may draw on."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.compiling import BASE, Compiled, compiled, replaced, with_lines

from mcpx.compiler.report.diagnostic import Severity

OWNED = [
    "Mcp-Session-Id",
    "Mcp-Param-Tenant",
    "MCP-Protocol-Version",
    "Last-Event-ID",
    "Host",
    "Content-Length",
    "Content-Type",
    "Transfer-Encoding",
    "Connection",
    "Accept",
    "Cookie",
    "Origin",
    "Proxy-Authorization",
    "X-Forwarded-User",
    "Forwarded",
]


def header(folder: Path, line: str, **more: str) -> Compiled:
    return compiled(folder, with_lines(crm=f"  {line}", **more))


@pytest.mark.parametrize(
    "line", ['header x-tenant-id = "acme"', 'header X_Tenant_Id = "acme"', "optional header X-TENANT-ID = run.tenant"]
)
def test_hdr_08_one_name_in_two_spellings(tmp_path: Path, line: str) -> None:
    result = header(tmp_path, line)
    assert [found.code for found in result.findings if found.severity is Severity.ERROR] == ["MX305"]
    finding = next(found for found in result.findings if found.code == "MX305")
    assert result.labels(finding) == ["X-Tenant-Id", line.split()[-3]]
    assert result.outcome.body is None


@pytest.mark.parametrize("optional", ["", "optional "])
@pytest.mark.parametrize("name", [spelling for name in OWNED for spelling in (name, name.upper(), name.swapcase())])
def test_hdr_09_names_that_belong_to_others(tmp_path: Path, name: str, optional: str) -> None:
    result = header(tmp_path, f'{optional}header {name} = "x"')
    assert (result.codes, result.places) == (["MX302"], [name])
    assert result.only.labels[0].text.startswith("belongs to ")


def test_a_name_that_folds_to_one_of_others_belongs_to_them_too(tmp_path: Path) -> None:
    assert header(tmp_path, 'header X_Forwarded_User = "x"').codes == ["MX302"]


@pytest.mark.parametrize("name", ["Txn-Token", "DPoP", "Signature", "Want-Content-Digest"])
def test_names_of_tokens_and_signatures_take_no_text(tmp_path: Path, name: str) -> None:
    assert "MX302" in header(tmp_path, f'header {name} = "x"').codes


@pytest.mark.parametrize(
    ("value", "places"),
    [
        ('"Bearer ${credential} ${run.tenant}"', ["run.tenant"]),
        ('"Bearer ${run.tenant}"', ["run.tenant"]),
        ('"Bearer abc"', ['"Bearer abc"']),
        ('"${credential}, ${secret.crm_key}"', ["secret.crm_key"]),
        ('"${setting.scheme} ${credential}"', ["setting.scheme"]),
    ],
)
def test_hdr_10_authorization_is_for_one_credential(tmp_path: Path, value: str, places: list[str]) -> None:
    text = replaced('"Bearer ${credential}"', value) + 'setting scheme = env("SCHEME")\n'
    result = compiled(tmp_path, text)
    found = [result.shown(found.primary) for found in result.findings if found.code == "MX306"]
    assert found == places
    assert result.outcome.body is None


def test_hdr_10_a_second_authorization_line_is_refused_and_one_is_right(tmp_path: Path) -> None:
    result = header(tmp_path, 'header authorization = "Bearer ${credential}"')
    assert (result.codes, result.places) == (["MX305"], ["Authorization"])
    compiled(tmp_path, BASE).clean  # noqa: B018


@pytest.mark.parametrize("name", ["X Tenant", "X:Tenant", "", "X\\u{a}Tenant", "X-Ten\\u{e4}nt"])
def test_hdr_11_names_that_are_no_names(tmp_path: Path, name: str) -> None:
    result = header(tmp_path, f'header "{name}" = "x"')
    assert (result.codes, result.places) == (["MX301"], [name])


@pytest.mark.parametrize("name", ["X_Region", '"X.Region"', '"!Region"', "traceparent", "User-Agent", "x" * 65])
def test_hdr_11_names_that_get_lost_are_a_warning(tmp_path: Path, name: str) -> None:
    result = header(tmp_path, f'header {name} = "eu"')
    assert [found.code for found in result.warnings] == ["MX312"]
    assert result.places == [name.strip('"')]


@pytest.mark.parametrize("line", ['baggage = "tenant=${run.tenant}"', 'tracestate = "acme=${run.tenant}"'])
def test_hdr_12_no_field_of_a_run_goes_into_a_trace_header(tmp_path: Path, line: str) -> None:
    result = header(tmp_path, f"header {line}")
    assert (result.codes, result.places) == (["MX311"], ["run.tenant"])


WIKI = """
server wiki {
  url = "https://wiki.example.com/mcp"
  header X-Tenant-Id = run.tenant%s
}
agent reader uses wiki
allow run.tenant -> wiki
"""


@pytest.mark.parametrize("proof", ["", "\n  optional header X-Api-Key = secret.wiki_key"])
def test_hdr_13_an_identity_that_the_server_cannot_check(tmp_path: Path, proof: str) -> None:
    result = compiled(tmp_path, BASE + 'secret wiki_key = env("WIKI_KEY")\n' * bool(proof) + WIKI % proof)
    assert (result.codes, result.places) == (["MX314"], ["X-Tenant-Id"])


def test_hdr_13_is_gone_once_the_server_has_a_credential(tmp_path: Path) -> None:
    proof = '\n  header Authorization = "Bearer ${credential}"'
    text = BASE + 'secret wiki_key = env("WIKI_KEY")\ncredential for reader to wiki = secret.wiki_key\n' + WIKI % proof
    compiled(tmp_path, text).clean  # noqa: B018


def test_lang_06_a_field_that_may_be_missing(tmp_path: Path) -> None:
    parts = {"run": "  verified user?: string", "more": "allow run.user -> crm"}
    result = header(tmp_path, "header X-User = run.user", **parts)
    assert (result.codes, result.places) == (["MX310"], ["run.user"])
    assert "optional header" in result.text
    body = header(tmp_path, "optional header X-User = run.user", **parts).clean
    assert [program.optional for program in body.programs.values() if program.name == "X-User"] == [True]


def test_lang_10_what_the_caller_claims_is_not_identity(tmp_path: Path) -> None:
    text = replaced("  verified tenant: string", "  claimed team: string")
    text = replaced("run.tenant\n}", "run.team\n}", text)
    result = compiled(tmp_path, replaced("require run.tenant", "allow run.team", text))
    assert (result.codes, result.places) == (["MX313"], ["run.team"])


@pytest.mark.parametrize("name", ["Org", "X-User-Ids", "X-TenantId", "On-Behalf-Of", "X-Impersonate", "x_role"])
def test_no_spelling_of_an_identity_takes_a_claimed_field(tmp_path: Path, name: str) -> None:
    parts = {"run": "  claimed team: string", "more": "allow run.team -> crm"}
    assert "MX313" in header(tmp_path, f"header {name} = run.team", **parts).codes


def test_lang_16_b_a_secret_that_is_written_down_in_a_header(tmp_path: Path) -> None:
    result = header(tmp_path, 'header X-Api-Key = "sk-live-51Hq7TzLk0aQm2"')
    assert (result.codes, result.places) == (["MX315"], ['"sk-live-51Hq7TzLk0aQm2"'])
    assert "51Hq7TzLk0aQm2" not in result.text


@pytest.mark.parametrize("value", ["Bearer abcdefghij", "ghp_aaaaaaaaaaaaaaaaaaaa", "a1b2c3d4e5f6g7h8i9j0k1l2"])
def test_text_with_the_form_of_a_key_is_refused_under_any_name(tmp_path: Path, value: str) -> None:
    result = header(tmp_path, f'header Crm-Note = "{value}"')
    assert result.codes == ["MX315"]
    assert value not in result.text


@pytest.mark.parametrize("value", ["", " eu", "eu ", " ", "e\\u{9}u", "\\u{e9}u", "a\\u{d}\\u{a}X-Admin: 1"])
def test_literal_text_is_what_a_header_can_hold(tmp_path: Path, value: str) -> None:
    assert header(tmp_path, f'header Crm-Region = "{value}"').codes == ["MX307"]


@pytest.mark.parametrize(
    ("field", "code"),
    [
        ('claimed f: string = ""', "MX317"),
        ('claimed f: string = "\\u{e9}"', "MX317"),
        ('claimed f: string = "en "', "MX317"),
        ('verified f: one of ["eu", "\\u{e9}"]', "MX317"),
        ('claimed f: string = "en"', None),
        ('verified f: one of ["eu", "u s"]', None),
    ],
)
def test_a_declared_value_can_be_sent_in_the_header_that_draws_on_it(
    tmp_path: Path, field: str, code: str | None
) -> None:
    result = header(tmp_path, "header Crm-F = run.f", run=f"  {field}", more="allow run.f -> crm")
    assert result.codes == ([code] if code else [])


def test_verified_and_claimed_fields_share_no_header(tmp_path: Path) -> None:
    parts = {
        "run": "  verified seats: int\n  claimed rows: int = 1",
        "more": "allow run.seats, run.rows -> crm",
    }
    result = header(tmp_path, 'header Crm-Limits = "${run.seats}/${run.rows}"', **parts)
    assert (result.codes, result.places) == (["MX308"], ["run.rows"])


@pytest.mark.parametrize(
    ("value", "right"),
    [
        ("${run.a}-${run.b}", False),
        ("${run.a}${run.b}", False),
        ("${run.n}1${run.b}", False),
        ("${run.n}-${run.b}", False),
        ("${run.n}/${run.b}", True),
        ("${run.t}r${run.b}", False),
        ("${run.t}-${run.b}", True),
        ("${run.c}u${run.b}", False),
        ("${run.c}:${run.a}", True),
        ("${run.n}${setting.sep}${run.b}", False),
        ("v-${run.a}", True),
        ("${run.n}/${run.t}/${run.c}/${run.a}", True),
        ("${run.n}/${run.a}/${run.c}", False),
    ],
)
def test_text_of_two_fields_can_be_told_apart_again(tmp_path: Path, value: str, *, right: bool) -> None:
    fields = "  verified a: string\n  verified b: string\n  verified n: int\n  verified t: bool\n"
    parts = {
        "run": fields + '  verified c: one of ["eu", "us"]',
        "more": 'allow run.a, run.b, run.n, run.t, run.c -> crm\nsetting sep = env("SEP")',
    }
    result = header(tmp_path, f'header Crm-Path = "{value}"', **parts)
    assert ("MX309" not in result.codes) is right


@pytest.mark.parametrize(
    ("bounds", "code", "severity", "place"),
    [
        ([9000], "MX318", Severity.ERROR, "Crm-F0"),
        ([5000], "MX319", Severity.WARNING, "Crm-F0"),
        ([3000, 3000, 3000], "MX321", Severity.WARNING, "crm"),
        ([300], None, None, None),
    ],
)
def test_hdr_14_too_big_to_arrive(
    tmp_path: Path, bounds: list[int], code: str | None, severity: Severity | None, place: str | None
) -> None:
    result = sized(tmp_path, bounds)
    assert result.codes == ([code] if code else [])
    if code:
        assert (result.only.severity, result.places) == (severity, [place])
    if code == "MX321":
        total = sum(len(f"Crm-F{n}: ") + bound for n, bound in enumerate(bounds))
        base = len("Authorization: Bearer ") + len("X-Tenant-Id: ") + 256
        assert f"`crm` may be {total + base} bytes" in result.text


def test_a_warning_about_long_headers_hides_no_error_about_all_of_them(tmp_path: Path) -> None:
    result = sized(tmp_path, [5000, 5000, 5000])
    assert sorted(result.codes) == ["MX319", "MX319", "MX319", "MX320"]
    assert result.outcome.body is None


@pytest.mark.parametrize(("bound", "codes"), [(8000 - len("Crm-F0: "), ["MX319"]), (8001 - len("Crm-F0: "), ["MX318"])])
def test_the_longest_header_is_the_longest_that_the_runtime_sends(tmp_path: Path, bound: int, codes: list[str]) -> None:
    result = sized(tmp_path, [bound])
    assert [code for code in result.codes if code in ("MX318", "MX319")] == codes


@pytest.mark.parametrize(("number", "codes"), [(48, []), (49, ["MX321"]), (88, ["MX321"]), (89, ["MX320"])])
def test_more_headers_than_servers_take(tmp_path: Path, number: int, codes: list[str]) -> None:
    lines = "\n".join(f'  header Crm-{index} = "x"' for index in range(number))
    assert compiled(tmp_path, with_lines(crm=lines)).codes == codes


def sized(folder: Path, bounds: list[int]) -> Compiled:
    fields = "\n".join(f"  verified f{number}: string max {bound}" for number, bound in enumerate(bounds))
    lines = "\n".join(f"  header Crm-F{number} = run.f{number}" for number in range(len(bounds)))
    rule = f"allow {', '.join(f'run.f{number}' for number in range(len(bounds)))} -> crm"
    return compiled(folder, with_lines(run=fields, crm=lines, more=rule))
