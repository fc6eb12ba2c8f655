"""Whose a header name is, and what a value may hold."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpx.runtime import names

OTHERS = [
    "Host",
    "Content-Length",
    "Content-Type",
    "Content-Anything",
    "Transfer-Encoding",
    "TE",
    "Trailer",
    "Connection",
    "Keep-Alive",
    "Proxy-Connection",
    "Upgrade",
    "HTTP2-Settings",
    "Expect",
    "Max-Forwards",
    "Via",
    "Date",
    ":authority",
    "Accept",
    "Mcp-Session-Id",
    "Mcp-Param-Tenant",
    "Mcp-Method",
    "Mcp-Name",
    "MCP-Protocol-Version",
    "Last-Event-ID",
    "Cookie",
    "Cookie2",
    "Set-Cookie",
    "Set-Cookie2",
    "Origin",
    "Referer",
    "Sec-Fetch-Mode",
    "Access-Control-Request-Method",
    "DNT",
    "Proxy-Authorization",
    "X-HTTP-Method",
    "X-HTTP-Method-Override",
    "X-Method-Override",
    "X-Original-URL",
    "X-Rewrite-URL",
    "Forwarded",
    "X-Forwarded-User",
    "X-Real-IP",
    "X-Client-IP",
    "X-Cluster-Client-IP",
    "True-Client-IP",
    "CF-Connecting-IP",
    "Fastly-Client-IP",
    "X-Envoy-Original-Path",
    "Client-Cert",
    "Client-Cert-Chain",
    "SSL-Client-Verify",
    "X-SSL-Client-Cert",
    "X-ARR-ClientCert",
    "Remote-User",
    "X-Remote-User",
    "X-Remote-Group",
    "X-Remote-Extra-Scopes",
    "X-Auth-Request-Email",
    "X-Amzn-Oidc-Data",
    "X-Amzn-Mtls-Clientcert",
    "X-Goog-Authenticated-User-Email",
    "X-Goog-IAP-JWT-Assertion",
    "X-MS-CLIENT-PRINCIPAL",
    "X-MS-CLIENT-PRINCIPAL-ID",
    "X-MS-TOKEN-AAD-ID-TOKEN",
    "Cf-Access-Jwt-Assertion",
    "Impersonate-User",
    "Impersonate-Group",
    "Impersonate-Uid",
    "Impersonate-Extra-Scopes",
]
FREE = [
    "X-Tenant-Id",
    "Search-Locale",
    "X-Api-Key",
    "Contents",
    "Hostname",
    "Viator",
    "Accept-Language",
    "X-Forward",
    "Origins",
    "Mcpx",
    "Sector",
]


@pytest.mark.parametrize("name", OTHERS)
def test_hdr_09_a_name_of_others_is_known_in_any_spelling(name: str) -> None:
    for spelling in (name, name.lower(), name.upper(), name.replace("-", "_")):
        assert names.forbidden(spelling)


@pytest.mark.parametrize("name", FREE)
def test_a_name_that_only_begins_like_one_of_others_is_free(name: str) -> None:
    assert names.forbidden(name) is None


def test_authorization_and_its_like_are_for_typed_constructs_and_not_forbidden() -> None:
    for name in ("Authorization", "authorization", "Txn-Token", "DPoP", "Signature-Input", "Want-Repr-Digest"):
        assert names.only_typed(name)
        assert names.forbidden(name) is None
    assert not names.only_typed("X-Authorization")


def test_hdr_11_a_name_is_a_token() -> None:
    assert all(map(names.is_token, ("X", "x-y", "X_Region", "X.Region", "!#$%&'*+-.^_`|~0")))
    assert not any(map(names.is_token, ("", "X Tenant", "X:Tenant", "X\n", "X\r\nY", "Ä", "X(", 'X"')))


def test_hdr_11_names_that_get_lost_are_warned_of_and_x_names_are_not() -> None:
    for name in ("X_Region", "X.Region", "1st", "a" * 65, "User-Agent", "If-Match", "traceparent", "baggage"):
        assert names.warned(name)
    for name in ("X-Region", "Region", "Authorization", "a" * 64):
        assert names.warned(name) is None


def test_hdr_08_two_spellings_fold_to_one() -> None:
    assert len({names.fold(name) for name in ("X-Tenant-Id", "x-tenant-id", "X_Tenant_Id", "X-TENANT-ID")}) == 1


def test_identity_is_found_in_words_and_not_in_pieces_of_words() -> None:
    identities = (
        "X-Tenant-Id",
        "tenantId",
        "TENANT_ID",
        "XTenantID",
        "x.user",
        "X-Roles",
        "On-Behalf-Of",
        "Impersonates",
    )
    assert all(map(names.identity_words, identities))
    others = ("X-Restaurant", "Organic", "Search-Locale", "X-Behalf", "Userland", "Microscope")
    assert not any(map(names.identity_words, others))


def test_secrets_are_found_in_words() -> None:
    assert all(
        map(names.secret_words, ("X-Api-Key", "apiKey", "X-APIKEY", "X-Auth-Token", "client_secret", "passwords"))
    )
    assert not any(map(names.secret_words, ("X-Key", "Author", "X-Secretary", "Api-Version")))


def test_trace_names_are_known() -> None:
    assert names.traces("Baggage")
    assert names.traces("tracestate")
    assert not names.traces("X-Trace")


@given(st.text(max_size=6))
def test_a_value_is_visible_ascii_with_blanks_inside_only(value: str) -> None:
    good = value != "" and all(" " <= character <= "~" for character in value) and value.strip(" ") == value
    assert (names.value_fault(value) is None) is good


@given(st.text(alphabet=st.characters(max_codepoint=0x100), max_size=4))
def test_unreserved_is_rfc_3986(text: str) -> None:
    good = text != "" and all(c.isascii() and (c.isalnum() or c in "-._~") for c in text)
    assert names.unreserved(text) is good
