"""`token`, `grant`, `audience` and `authorization_server`: what may be said, and what comes of it in the table."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.compiling import BASE, Compiled, compiled, replaced, with_lines

from mcpx.runtime.errors import ConfigurationError
from mcpx.runtime.router import Router
from mcpx.runtime.table import ClaimSpec, ClaimStep, FileSource, GrantSpec, TextPart, TokenSpec, read, write

PROOF = """token proof for crm {
  issuer = "https://app.example.com"
  key = host
  ttl = 5m
  claims {
    tenant = run.tenant
  }
}
"""
WITH_PROOF = with_lines(crm="  header X-Run-Proof = token.proof", more=PROOF)
GRANT = """grant entry {
  issuer = "https://app.example.com"
  audience = "https://gateway.example.com"
  ttl = 10m
  keys = file("/etc/mcpx/jwks.json")
}
"""
WIKI = """secret wiki_key = env("WIKI_KEY")
server wiki {
  url = "https://wiki.example.com/mcp"
  header X-Api-Key = credential
}
agent reader uses wiki
credential for reader to wiki = secret.wiki_key
"""


def token(folder: Path, *changes: tuple[str, str], base: str = WITH_PROOF, more: str = "") -> Compiled:
    text = base
    for old, new in changes:
        text = replaced(old, new, base=text)
    return compiled(folder, text + more)


def found(result: Compiled) -> list[tuple[str, str]]:
    """The codes with the texts that they point at."""
    return list(zip(result.codes, result.places, strict=True))


# --- What the table says ----------------------------------------------------------------------------------------------


def test_a_token_stands_in_the_table_with_all_that_it_will_say(tmp_path: Path) -> None:
    body = token(
        tmp_path, ("    tenant = run.tenant\n", '    tenant = run.tenant\n    plan = "pro"\n    n = -3\n')
    ).clean
    assert body.tokens == {
        "proof": TokenSpec(
            servers=("crm",),
            kind="assertion",
            issuer="https://app.example.com",
            ttl=300,
            key=None,
            client_id="https://app.example.com",
            claims=(
                ClaimSpec("tenant", "tenant", None, False),
                ClaimSpec("plan", None, "pro", False),
                ClaimSpec("n", None, -3, False),
            ),
        )
    }
    (row,) = body.rows
    steps = body.claims[row.tokens["proof"]]
    assert [step.send for step in steps] == [True, True, True]
    assert steps[0].by == ("app.mcpx:14:1",)


def test_the_client_is_the_issuer_unless_the_token_names_it(tmp_path: Path) -> None:
    assert (
        token(tmp_path, ("  key = host", '  client_id = "agents"\n  key = host')).clean.tokens["proof"].client_id
        == "agents"
    )


def test_an_audience_and_its_settings_stand_in_the_table_and_are_left_out_where_the_url_is_the_audience(
    tmp_path: Path,
) -> None:
    assert token(tmp_path).clean.servers["crm"].audience == ()
    said = token(tmp_path, ('/mcp"\n', '/mcp"\n  audience = "https://crm.example.com"\n'))
    assert said.clean.servers["crm"].audience == (TextPart("https://crm.example.com"),)


def test_a_grant_stands_in_the_table(tmp_path: Path) -> None:
    assert token(tmp_path, more=GRANT).clean.grants == {
        "entry": GrantSpec(
            "https://app.example.com", "https://gateway.example.com", 600, FileSource("/etc/mcpx/jwks.json"), None
        )
    }


@pytest.mark.parametrize(("more", "named"), [("", "token `proof`"), (GRANT, "grant `entry`")])
def test_what_the_runtime_cannot_do_is_refused_at_load_by_its_name(tmp_path: Path, more: str, named: str) -> None:
    table = read(write(token(tmp_path, more=more).clean))
    with pytest.raises(ConfigurationError, match=named):
        Router(table, {"CRM_KEY": "k-123"})


def test_a_rule_leaves_out_an_optional_claim_for_one_agent_alone(tmp_path: Path) -> None:
    optional = "    optional tenant = run.tenant\n"
    more = """agent intern uses crm
credential for intern to crm = secret.crm_key
deny run.tenant -> crm for intern as not_interns
"""
    text = replaced("    tenant = run.tenant\n", optional, base=WITH_PROOF)
    text = text.replace("  header X-Tenant-Id = run.tenant\n", "").replace("require run.tenant", "allow run.tenant")
    body = compiled(tmp_path, text + more).clean
    claims = {row.agent: body.claims[row.tokens["proof"]] for row in body.rows}
    assert claims["intern"] == (ClaimStep(send=False, by=("not_interns",)),)
    assert claims["analyst"][0].send is True


# --- Blocks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ['  issuer = "https://app.example.com"\n', "  key = host\n", "  ttl = 5m\n"])
def test_nothing_is_assumed_for_a_line_that_is_missing(tmp_path: Path, line: str) -> None:
    result = token(tmp_path, (line, ""))
    assert found(result) == [("MX801", "proof")]
    assert line.split()[0] in result.only.message


@pytest.mark.parametrize("ttl", ["20m", "901s", "0s", "1h"])
def test_run_13_a_lifetime_beyond_the_profile_is_an_error_at_it(tmp_path: Path, ttl: str) -> None:
    assert found(token(tmp_path, ("5m", ttl))) == [("MX803", ttl)]


@pytest.mark.parametrize("ttl", ["900s", "15m", "1s"])
def test_a_lifetime_within_the_profile_is_taken(tmp_path: Path, ttl: str) -> None:
    assert token(tmp_path, ("5m", ttl)).clean.tokens["proof"].ttl in (900, 1)


@pytest.mark.parametrize(
    "issuer",
    [
        "http://app.example.com",
        "https://app.example.com#a",
        "https://app.example.com?a=1",
        "https://u@app.example.com",
        "HTTPS://app.example.com",
        "https://app.example.com:443",
        "app.example.com",
        "urn:app",
        "",
    ],
)
def test_an_issuer_is_an_https_url_in_the_one_form_that_compares(tmp_path: Path, issuer: str) -> None:
    assert token(tmp_path, ("https://app.example.com", issuer)).codes == ["MX802"]
    assert compiled(tmp_path, BASE + GRANT.replace("https://app.example.com", issuer)).codes == ["MX802"]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('  alg = "none"\n', "MX207"),
        ('  kid = "1"\n', "MX207"),
        ('  audience = "https://wiki.example.com"\n', "MX207"),
        ("  ttl = 5m\n", "MX208"),
        ("  kind = session\n", "MX210"),
        ('  client_id = ""\n', "MX210"),
    ],
)
def test_a_token_has_the_lines_of_the_language_and_no_others(tmp_path: Path, line: str, code: str) -> None:
    assert token(tmp_path, ("  ttl = 5m\n", "  ttl = 5m\n" + line)).codes == [code]


@pytest.mark.parametrize("key", ['"k-123"', "run.tenant", "token.proof", "5m"])
def test_a_key_is_the_hosts_or_a_secret(tmp_path: Path, key: str) -> None:
    assert found(token(tmp_path, ("key = host", f"key = {key}"))) == [("MX210", key)]


def test_a_key_in_this_process_is_a_warning(tmp_path: Path) -> None:
    result = token(tmp_path, ("key = host", "key = secret.signing"), more='secret signing = env("SIGNING_KEY")\n')
    assert [(w.code, result.shown(w.primary)) for w in result.warnings] == [("MX620", "secret.signing")]


@pytest.mark.parametrize(
    "sent",
    ["  header X-Other = secret.signing\n", '  optional header X-Other = "a ${secret.twin}"\n'],
)
def test_a_signing_key_stands_in_no_header_under_any_name(tmp_path: Path, sent: str) -> None:
    more = 'secret signing = env("SIGNING_KEY")\n'
    if "twin" in sent:
        more += 'secret twin = env("SIGNING_KEY")\n'
    result = token(
        tmp_path,
        ("key = host", "key = secret.signing"),
        ("  header X-Run-Proof", f"{sent}  header X-Run-Proof"),
        more=more,
    )
    assert "MX810" in result.codes
    assert "MX620" not in result.codes


def test_a_signing_key_is_no_credential(tmp_path: Path) -> None:
    result = token(tmp_path, ("key = host", "key = secret.crm_key"))
    assert found(result) == [("MX810", "secret.crm_key")]


def test_the_key_of_a_grant_is_no_credential_either(tmp_path: Path) -> None:
    assert "MX810" in compiled(tmp_path, BASE + GRANT.replace("  ttl", "  key = secret.crm_key\n  ttl")).codes


def test_a_key_has_one_value_for_all_runs(tmp_path: Path) -> None:
    more = 'secret signing = provider("vault", "signing") per run.tenant\n'
    assert "MX811" in token(tmp_path, ("key = host", "key = secret.signing"), more=more).codes


# --- Claims -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["iss", "aud", "exp", "iat", "nbf", "jti", "act", "txn", "client_id", "cnf", "mcpx"])
def test_claims_of_the_runtime_cannot_be_written(tmp_path: Path, name: str) -> None:
    result = token(tmp_path, ("    tenant = run.tenant\n", f'    tenant = run.tenant\n    optional {name} = "a"\n'))
    assert found(result) == [("MX804", name)]


def test_a_claim_stands_once(tmp_path: Path) -> None:
    twice = "    tenant = run.tenant\n" * 2
    assert token(tmp_path, ("    tenant = run.tenant\n", twice)).codes == ["MX208"]


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("secret.crm_key", "MX206"),
        ("credential", "MX206"),
        ("token.proof", "MX206"),
        ('"${run.tenant}"', "MX210"),
        ("run.other", "MX201"),
    ],
)
def test_a_claim_takes_a_field_or_a_literal_and_nothing_else(tmp_path: Path, value: str, code: str) -> None:
    assert token(tmp_path, ("    tenant = run.tenant", f"    tenant = {value}")).codes[:1] == [code]


def test_a_claimed_field_is_no_claim(tmp_path: Path) -> None:
    text = with_lines(run="  claimed locale: string", base=WITH_PROOF, more="allow run.locale -> crm")
    result = compiled(tmp_path, replaced("    tenant = run.tenant", "    locale = run.locale", base=text))
    assert found(result) == [("MX805", "run.locale")]


def test_an_optional_field_needs_an_optional_claim(tmp_path: Path) -> None:
    text = with_lines(run="  verified user?: string", base=WITH_PROOF, more="allow run.user -> crm")
    plain = replaced("    tenant = run.tenant", "    user = run.user", base=text)
    assert found(compiled(tmp_path, plain)) == [("MX806", "run.user")]
    optional = replaced("    tenant = run.tenant", "    optional user = run.user", base=text)
    assert compiled(tmp_path, optional).clean.tokens["proof"].claims[0].optional


@pytest.mark.parametrize(
    ("claim", "place"), [("sub = 17", "17"), ("sub = true", "true"), ("scope = run.seats", "run.seats")]
)
def test_sub_and_scope_are_text(tmp_path: Path, claim: str, place: str) -> None:
    text = with_lines(run="  verified seats: int", base=WITH_PROOF, more="allow run.seats -> crm")
    result = compiled(tmp_path, replaced("    tenant = run.tenant", f"    tenant = run.tenant\n    {claim}", base=text))
    assert ("MX812", place) in found(result)


def test_a_literal_claim_that_looks_like_a_secret_is_refused(tmp_path: Path) -> None:
    result = token(
        tmp_path, ("    tenant = run.tenant", '    tenant = run.tenant\n    k = "ghp_0123456789abcdefABCDEF01"')
    )
    assert result.codes == ["MX315"]


# --- Flows ------------------------------------------------------------------------------------------------------------

USER = (
    with_lines(
        run="  verified user: string @pii",
        crm="  header X-Run-Proof = token.proof",
        more=PROOF.replace("tenant = run.tenant", "user = run.user"),
    )
    .replace("mcpx 1\n", "mcpx 1\ntag pii, third_party\n")
    .replace("server crm {", "server crm @third_party {")
)


def test_lang_11_a_deny_stops_a_field_in_a_claim_and_names_the_token_as_the_way(tmp_path: Path) -> None:
    rules = "allow run.user -> crm\ndeny @pii -> @third_party as no_pii_leaves\n"
    result = compiled(tmp_path, USER + rules)
    assert found(result) == [("MX401", "run.user")]
    assert "token `proof`" in result.only.message
    assert result.labels(result.only)[1].startswith("deny @pii")
    assert "no_pii_leaves" in result.only.message


def test_a_field_in_a_claim_needs_a_rule_like_any_header(tmp_path: Path) -> None:
    result = compiled(tmp_path, USER)
    assert ("MX402", "run.user") in found(result)
    assert "token `proof`" in next(f.message for f in result.findings if f.code == "MX402")


def _forbid(name: str, action: str, via: str) -> str:
    head = f'forbid (principal, action == Mcpx::Action::"{action}", resource)'
    return f'cedar """@id("{name}") {head} when {{ context.via == "{via}" }};"""\n'


def test_a_policy_sees_the_token_as_the_way(tmp_path: Path) -> None:
    """What may flow in a header may be kept out of tokens, and the other way round."""
    policy = _forbid("no_tokens", "send", "token:proof")
    result = token(tmp_path, more=policy)
    assert found(result) == [("MX401", "run.tenant")]
    assert "no_tokens" in result.only.message
    headers = policy.replace("token:proof", "header:x-tenant-id")
    text = WITH_PROOF.replace("  header X-Tenant-Id = run.tenant\n", "") + headers
    assert compiled(tmp_path, text).clean.tokens


def test_a_literal_claim_is_attached_and_may_be_forbidden(tmp_path: Path) -> None:
    policy = _forbid("bare", "attach", "token:proof")
    result = token(tmp_path, ("    tenant = run.tenant", '    plan = "pro"'), more=policy)
    assert found(result) == [("MX408", '"pro"')]


def test_a_plain_claim_carries_what_is_required(tmp_path: Path) -> None:
    """Without the header, the token of the plain header is what brings the tenant for certain."""
    text = WITH_PROOF.replace("  header X-Tenant-Id = run.tenant\n", "")
    assert compiled(tmp_path, text).clean.tokens
    optional = text.replace("header X-Run-Proof", "optional header X-Run-Proof")
    assert compiled(tmp_path, optional).codes == ["MX405"]
    claim = text.replace("    tenant = run.tenant", "    optional tenant = run.tenant")
    assert compiled(tmp_path, claim).codes == ["MX405"]


def _on_some_plans(claim: str, rule: str) -> str:
    return with_lines(
        run='  verified user: string\n  verified plan: one of ["free", "pro"]',
        crm="  header X-Run-Proof = token.proof",
        more=replaced("    tenant = run.tenant", f"    tenant = run.tenant\n    {claim}", base=PROOF) + rule,
    )


def test_a_plain_claim_is_for_every_run_and_a_condition_makes_that_untrue(tmp_path: Path) -> None:
    rule = 'allow run.user -> crm when run.plan == "pro" as pro_only\n'
    result = compiled(tmp_path, _on_some_plans("user = run.user", rule))
    assert found(result) == [("MX409", "run.user")]
    assert "token `proof`" in result.only.message
    assert "pro_only" in result.only.message


def test_an_optional_claim_gets_the_guard_of_its_rules(tmp_path: Path) -> None:
    rule = 'allow run.user -> crm when run.plan == "pro" as pro_only\n'
    body = compiled(tmp_path, _on_some_plans("optional user = run.user", rule)).clean
    (row,) = body.rows
    _, user = body.claims[row.tokens["proof"]]
    branch = body.guards[str(user.send)]
    assert (branch.field, branch.value, branch.then, branch.otherwise) == ("plan", "pro", True, False)
    assert user.by == ("pro_only",)


def test_a_require_with_a_condition_is_carried_by_a_claim_that_goes_wherever_it_holds(tmp_path: Path) -> None:
    wanted = 'require run.user -> crm when run.plan == "pro" as pro_user\n'
    assert compiled(tmp_path, _on_some_plans("optional user = run.user", wanted)).clean
    kept = wanted + 'deny run.user -> crm when run.plan == "pro" as nobody\n'
    assert "MX405" in compiled(tmp_path, _on_some_plans("optional user = run.user", kept)).codes
    elsewhere = _on_some_plans("optional user = run.user", wanted).replace(
        "header X-Run-Proof", "optional header X-Run-Proof"
    )
    assert compiled(tmp_path, elsewhere).codes == ["MX405"]


# --- Where tokens go --------------------------------------------------------------------------------------------------


def test_a_token_is_not_sent_to_another_server(tmp_path: Path) -> None:
    wiki = WIKI.replace("credential\n}", "credential\n  header X-Run-Proof = token.proof\n}")
    assert found(token(tmp_path, more=wiki)) == [("MX807", "token.proof")]


def test_a_token_is_not_sent_to_another_server_in_meta_either(tmp_path: Path) -> None:
    wiki = WIKI.replace("credential\n}", 'credential\n  meta "app.example/proof" = token.proof\n}')
    assert ("MX807", "token.proof") in found(token(tmp_path, more=wiki))


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ('  header X-Run-Proof = "Bearer ${token.proof}"', "assertion"),
        ('  header X-Run-Proof = "${token.proof}${token.proof}"', "assertion"),
        ("  header X-Run-Proof = token.proof", "access"),
        ('  header X-Run-Proof = "Bearer ${token.proof}"', "access"),
    ],
)
def test_each_kind_has_its_place(tmp_path: Path, line: str, kind: str) -> None:
    server = ('/mcp"\n', '/mcp"\n  authorization_server = "https://app.example.com"\n')
    changes = [("  header X-Run-Proof = token.proof", line), ("  ttl", f"  kind = {kind}\n  ttl")]
    if kind == "access":
        changes.append(server)
    assert "MX808" in token(tmp_path, *changes).codes


def test_an_assertion_is_no_authorization(tmp_path: Path) -> None:
    text = replaced('"Bearer ${credential}"', '"Bearer ${token.proof}"', base=WITH_PROOF)
    assert "MX808" in compiled(tmp_path, text).codes


ACCESS = """mcpx 1
run {
  verified tenant: string
}
server crm {
  url = "https://crm.example.com/mcp"
  session = per run.tenant
  authorization_server = "https://app.example.com"
  header Authorization = "Bearer ${token.proof}"
  header X-Tenant-Id = run.tenant
}
agent analyst uses crm
require run.tenant -> crm
""" + PROOF.replace("  ttl", "  kind = access\n  ttl")


def test_an_access_token_is_for_servers_that_take_its_issuer_character_by_character(tmp_path: Path) -> None:
    assert compiled(tmp_path, ACCESS).clean.servers["crm"].authorization_servers == ("https://app.example.com",)
    listed = ACCESS.replace(
        'server = "https://app.example.com"', 'server = ["https://b.example", "https://app.example.com"]'
    )
    assert compiled(tmp_path, listed).clean.tokens["proof"].kind == "access"
    for other in ("https://app.example.com/", "https://b.example"):
        wrong = replaced('server = "https://app.example.com"', f'server = "{other}"', base=ACCESS)
        assert found(compiled(tmp_path, wrong)) == [("MX809", '"https://app.example.com"')]


def test_an_access_token_proves_the_caller_of_a_server_that_gets_nothing_else(tmp_path: Path) -> None:
    """The server knows who sends `X-Tenant-Id`, since it got a token."""
    text = ACCESS.replace('  header Authorization = "Bearer ${token.proof}"\n', "")
    assert "MX314" in compiled(tmp_path, text).codes
    assert "MX314" not in compiled(tmp_path, ACCESS).codes


@pytest.mark.parametrize("name", ["Txn-Token", "DPoP", "Workload-Identity-Token", "Signature"])
def test_headers_of_other_token_schemes_are_not_for_our_tokens(tmp_path: Path, name: str) -> None:
    assert found(token(tmp_path, ("header X-Run-Proof", f"header {name}"))) == [("MX302", name)]


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ("  verified raw: string", '  header X-Upstream = "Bearer ${run.raw}"'),
        ("  verified raw: string", '  header X-Upstream = "basic  ${run.raw}"'),
        ("  verified user_token: string", "  header X-Upstream = run.user_token"),
        ("  verified jwt: string", "  header X-Upstream = run.jwt"),
        ("  verified raw: string", "  header X-Access-Token = run.raw"),
        ("  verified raw: string", "  optional header X-Api-Key = run.raw"),
    ],
)
def test_a_token_of_the_caller_is_not_passed_on(tmp_path: Path, fields: str, line: str) -> None:
    name = fields.split()[1].rstrip(":")
    result = compiled(tmp_path, with_lines(run=fields, crm=line, more=f"allow run.{name} -> crm"))
    assert ("MX813", f"run.{name}") in found(result)


def test_a_token_of_the_caller_is_not_passed_on_in_a_claim(tmp_path: Path) -> None:
    text = with_lines(run="  verified id_token: string", base=WITH_PROOF, more="allow run.id_token -> crm")
    result = compiled(tmp_path, replaced("    tenant = run.tenant", "    upstream = run.id_token", base=text))
    assert ("MX813", "run.id_token") in found(result)


def test_a_field_that_only_sounds_like_one_is_none(tmp_path: Path) -> None:
    text = with_lines(
        run="  verified tokenizer: string\n  verified authority: string",
        crm="  header X-Tokenizer = run.tokenizer\n  header X-Authority = run.authority",
        more="allow run.tokenizer, run.authority -> crm",
    )
    assert compiled(tmp_path, text).clean


# --- Audiences, and what has no effect --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("audience", "code"),
    [
        ("http://crm.example.com", "MX331"),
        ("https://u@crm.example.com", "MX332"),
        ("https://crm.example.com#a", "MX333"),
        ("https://CRM.example.com", "MX335"),
        ("crm", "MX335"),
        ("https://crm.example.com?a=b", "MX802"),
    ],
)
def test_an_audience_is_an_absolute_https_url(tmp_path: Path, audience: str, code: str) -> None:
    result = token(tmp_path, ('/mcp"\n', f'/mcp"\n  audience = "{audience}"\n'))
    assert found(result) == [(code, f'"{audience}"')]


def test_two_servers_with_one_audience_are_a_warning(tmp_path: Path) -> None:
    line = '/mcp"\n  audience = "https://example.com"\n'
    result = compiled(tmp_path, replaced('/mcp"\n', line, base=BASE) + WIKI.replace('/mcp"\n', line))
    assert [(w.code, result.shown(w.primary)) for w in result.warnings] == [("MX621", '"https://example.com"')]
    own = '/mcp"\n  audience = "https://wiki.example.com/mcp"\n'
    shared_by_default = compiled(tmp_path, replaced('/mcp"\n', own, base=BASE) + WIKI)
    assert [w.code for w in shared_by_default.warnings] == ["MX621"]


def test_a_token_that_nothing_sends_is_a_warning(tmp_path: Path) -> None:
    assert found(compiled(tmp_path, BASE + PROOF)) == [("MX622", "proof")]
    both = PROOF.replace("for crm", "for crm, wiki") + "allow run.tenant -> wiki\n" + WIKI
    text = with_lines(crm="  header X-Run-Proof = token.proof", more=both)
    assert "`wiki`" in compiled(tmp_path, text).only.message


def test_two_grants_that_cannot_be_told_apart_are_an_error(tmp_path: Path) -> None:
    assert compiled(tmp_path, BASE + GRANT + GRANT.replace("entry", "second")).codes == ["MX814"]
    other = GRANT.replace("entry", "second").replace("gateway", "other")
    assert set(compiled(tmp_path, BASE + GRANT + other).clean.grants) == {"entry", "second"}


@pytest.mark.parametrize(
    ("keys", "code"),
    [
        ('file("jwks.json")', "MX220"),
        ('file("/a/../b")', "MX220"),
        ('env("JWKS")', "MX210"),
        ('"http://app.example.com/jwks.json"', "MX802"),
    ],
)
def test_keys_are_a_file_or_an_https_address(tmp_path: Path, keys: str, code: str) -> None:
    result = compiled(tmp_path, BASE + GRANT.replace('file("/etc/mcpx/jwks.json")', keys))
    assert found(result) == [(code, keys)]


def test_a_token_counts_in_the_size_budget(tmp_path: Path) -> None:
    fields = "\n".join(f"  verified f{n}: string" for n in range(7))
    claims = "\n".join(f"    f{n} = run.f{n}" for n in range(7))
    allow = ", ".join(f"run.f{n}" for n in range(7))
    text = with_lines(run=fields, base=WITH_PROOF, more=f"allow {allow} -> crm")
    result = compiled(tmp_path, replaced("    tenant = run.tenant", claims, base=text))
    assert ("MX318", "X-Run-Proof") in found(result)
