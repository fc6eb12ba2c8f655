"""What a run may be started with, and what it sends."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.tables import STRING, body, crm, optional, plain, router

from mcpx.runtime import HeaderRefused, NoRoute, Router, RunRefused
from mcpx.runtime.table import (
    CredentialPart,
    FieldPart,
    FieldSpec,
    Row,
    SecretPart,
    SettingPart,
    SettingSpec,
    TextPart,
)


def refused(made: Router, agent: str = "analyst", **arguments: Any) -> str:
    with pytest.raises(RunRefused) as caught:
        made.run(agent, **arguments)
    return str(caught.value)


def with_field(spec: FieldSpec) -> Router:
    """A router whose only field is `f`, which `analyst` sends to `crm`."""
    return router(crm(optional("X-F", FieldPart("f")), fields={"f": spec}))


def sent(spec: FieldSpec, value: object) -> str:
    return with_field(spec).run("analyst", verified={"f": value}).headers("crm")["X-F"]


def test_hdr_01_exactly_the_headers_of_the_row_are_sent() -> None:
    made = router(
        crm(
            plain("Authorization", TextPart("Bearer "), CredentialPart(credential=True)),
            plain("X-Tenant-Id", FieldPart("tenant")),
            plain("X-Customer", TextPart("t-"), FieldPart("tenant")),
            optional("X-Seats", FieldPart("seats")),
            optional("X-Beta", FieldPart("beta")),
            optional("X-User-Id", FieldPart("user")),
        )
    )
    run = made.run("analyst", verified={"tenant": "acme", "seats": 7, "beta": False})
    assert run.headers("crm") == {
        "Authorization": "Bearer k-123",
        "X-Tenant-Id": "acme",
        "X-Customer": "t-acme",
        "X-Seats": "7",
        "X-Beta": "false",
    }
    assert list(run.headers("crm")) == ["Authorization", "X-Tenant-Id", "X-Customer", "X-Seats", "X-Beta"]


@pytest.mark.parametrize("tenant", ["${CRM_KEY}", "${secret.crm_key}", "$CRM_KEY", "{{tenant}}", "%s{0}"])
def test_hdr_02_data_that_looks_like_a_reference_is_data(tenant: str) -> None:
    headers = router().run("analyst", verified={"tenant": tenant}).headers("crm")
    assert headers["X-Tenant-Id"] == tenant
    assert [name for name, value in headers.items() if "k-123" in value] == ["Authorization"]


@pytest.mark.parametrize(
    "tenant", ["acme\r\nX-Admin: 1", "acme\n", "ac\x00me", "ac\tme", "acme\x7f", " acme", "acme ", "", "Müller", " "]
)
def test_hdr_03_a_value_that_no_header_can_hold_refuses_the_call_and_no_other(tenant: str) -> None:
    made = router()
    good = made.run("analyst", verified={"tenant": "acme"})
    bad = made.run("analyst", verified={"tenant": tenant})
    for _ in range(2):
        with pytest.raises(HeaderRefused, match=r"`X-Tenant-Id`.*`tenant`") as caught:
            bad.headers("crm")
        assert not tenant.strip() or tenant not in str(caught.value)
        assert good.headers("crm")["X-Tenant-Id"] == "acme"


def test_hdr_03_a_bad_piece_is_refused_also_inside_text() -> None:
    made = router(crm(plain("X-Customer", TextPart("t-"), FieldPart("tenant"), TextPart("-x"))))
    for tenant in ("", " acme", "acme "):
        with pytest.raises(HeaderRefused):
            made.run("analyst", verified={"tenant": tenant}).headers("crm")


def test_a_bad_value_of_an_optional_header_is_refused_and_not_left_out() -> None:
    with pytest.raises(HeaderRefused, match="X-User-Id"):
        router().run("analyst", verified={"tenant": "acme", "user": "u\n17"}).headers("crm")


def test_a_bad_value_refuses_only_the_servers_that_would_get_it() -> None:
    run = router().run("analyst", verified={"tenant": ""})
    assert run.headers("wiki") == {"Search-Locale": "en"}


@given(st.text(max_size=5))
def test_a_header_carries_the_value_as_it_is_or_the_call_is_refused(tenant: str) -> None:
    made = router(crm(plain("X-Tenant-Id", FieldPart("tenant"))))
    try:
        assert made.run("analyst", verified={"tenant": tenant}).headers("crm") == {"X-Tenant-Id": tenant}
    except (RunRefused, HeaderRefused):
        assert not (tenant and tenant.isascii() and tenant.isprintable() and tenant == tenant.strip())


@pytest.mark.parametrize(("bound", "length"), [(8, 8), (256, 256)])
def test_hdr_04_the_longest_value_is_sent_whole_and_a_longer_one_is_refused(bound: int, length: int) -> None:
    spec = dataclasses.replace(STRING, max=bound)
    assert sent(spec, "a" * length) == "a" * length
    assert "`f` is longer than" in refused(with_field(spec), verified={"f": "a" * (length + 1)})


def test_hdr_04_length_is_in_characters() -> None:
    with_field(dataclasses.replace(STRING, max=2)).run("analyst", verified={"f": "\U0001f600é"})


@pytest.mark.parametrize("pattern", ["[a-z]+", "acme|x", "^acme$"])
def test_hdr_04_a_pattern_is_for_the_whole_value(pattern: str) -> None:
    spec = dataclasses.replace(STRING, matches=pattern)
    assert sent(spec, "acme") == "acme"
    for value in ("acme1", "acme\n", "1acme", "", "acmé"):
        assert "`f` does not match" in refused(with_field(spec), verified={"f": value})


def test_run_02_a_missing_field_is_not_found_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENANT", "environ")
    monkeypatch.setenv("tenant", "environ")
    made = router(TENANT="environ", tenant="environ")
    with made.run("analyst", verified={"tenant": "acme"}):
        assert refused(made, verified={}) == "agent `analyst`: field `tenant` is missing"


class Text(str):
    __slots__ = ()


class Number(int):
    pass


@pytest.mark.parametrize(
    ("verified", "claimed", "words"),
    [
        ({"tenant": 7}, {}, "`tenant` must be a string"),
        ({"tenant": None}, {}, "`tenant` must be a string"),
        ({"tenant": b"acme"}, {}, "`tenant` must be a string"),
        ({"tenant": Text("acme")}, {}, "`tenant` must be a string"),
        ({"tenant": "acme", "plan": "gold"}, {}, "`plan` is none of its choices"),
        ({"tenant": "acme", "plan": Text("pro")}, {}, "`plan` is none of its choices"),
        ({"tenant": "acme", "seats": True}, {}, "`seats` must be an int"),
        ({"tenant": "acme", "seats": 1.0}, {}, "`seats` must be an int"),
        ({"tenant": "acme", "seats": "1"}, {}, "`seats` must be an int"),
        ({"tenant": "acme", "seats": Number(1)}, {}, "`seats` must be an int"),
        ({"tenant": "acme", "seats": 2**63}, {}, "`seats` must be an int"),
        ({"tenant": "acme", "seats": -(2**63) - 1}, {}, "`seats` must be an int"),
        ({"tenant": "acme", "beta": 1}, {}, "`beta` must be a bool"),
        ({"tenant": "acme", "beta": None}, {}, "`beta` must be a bool"),
        ({"tenant": "acme", "user": None}, {}, "`user` must be a string"),
        ({"tenant": "acme", "roles": "admin"}, {}, "`roles` must be a list"),
        ({"tenant": "acme", "roles": {"admin"}}, {}, "`roles` must be a list"),
        ({"tenant": "acme", "roles": ["admin", 1]}, {}, "`roles` has an item that must be a string"),
        ({"tenant": "acme", "roles": ["a"] * 9}, {}, "`roles` has more than 8 items"),
        ({"tenant": "acme", "roles": ["a" * 257]}, {}, "`roles` has an item that is longer"),
        ({"tenant": "acme", "admin": True}, {}, "`admin` is no field"),
        ({"tenant": "acme", 7: True}, {}, "no field"),
        ({"tenant": "acme", "locale": "de"}, {}, "`locale` is claimed, and was given as verified"),
        ({"tenant": "acme"}, {"tenant": "acme"}, "`tenant` is verified, and was given as claimed"),
        ({"tenant": "acme"}, {"locale": None}, "`locale` must be a string"),
        ({"tenant": "a\ud800"}, {}, "`tenant` is not Unicode"),
        ({"tenant": "e\u0301"}, {}, "`tenant` is not in Unicode normalization form C"),
        ({"tenant": "acme"}, [("locale", "de")], "`claimed` must be a mapping"),
        ("tenant", {}, "`verified` must be a mapping"),
        (None, {}, "`verified` must be a mapping"),
    ],
)
def test_run_03_what_does_not_fit_the_schema_is_named(verified: Any, claimed: Any, words: str) -> None:
    text = refused(router(), verified=verified, claimed=claimed)
    assert words in text
    assert "gold" not in text


def test_everything_that_is_wrong_is_named_at_once() -> None:
    text = refused(router(), verified={"usr": "u", "seats": "x"}, claimed={"plan": "pro"})
    for words in ("`usr`", "`user`", "`seats`", "`plan` is verified", "`tenant` is missing"):
        assert words in text


def test_the_range_of_ints_is_64_bits() -> None:
    spec = dataclasses.replace(STRING, kind="int")
    assert sent(spec, 2**63 - 1) == str(2**63 - 1)
    assert sent(spec, -(2**63)) == str(-(2**63))


def test_a_claimed_field_has_its_default_and_can_be_given() -> None:
    made = router()
    assert made.run("analyst", verified={"tenant": "a"}).headers("wiki") == {"Search-Locale": "en"}
    assert made.run("analyst", verified={"tenant": "a"}, claimed={"locale": "de"}).headers("wiki") == {
        "Search-Locale": "de"
    }


def test_an_optional_header_is_left_out_where_its_field_is_missing_and_where_a_rule_says_so() -> None:
    made = router()
    assert "X-User-Id" not in made.run("analyst", verified={"tenant": "a"}).headers("crm")
    known = made.run("analyst", verified={"tenant": "a", "user": "u-17"})
    assert known.headers("crm")["X-User-Id"] == "u-17"
    assert "X-User-Id" not in known.headers("wiki")


def test_run_04_no_route_is_named_with_the_near_name() -> None:
    made = router()
    run = made.run("analyst", verified={"tenant": "acme"})
    with pytest.raises(NoRoute, match=r"^agent `analyst` does not use server `ledger`$"):
        run.headers("ledger")
    with pytest.raises(NoRoute, match=r"`crmm` \(did you mean `crm`\?\)"):
        run.headers("crmm")
    with pytest.raises(NoRoute, match=r"^there is no server `zzz`$"):
        run.headers("zzz")
    assert refused(made, "analist", verified={"tenant": "acme"}).endswith("`analist` (did you mean `analyst`?)")


def test_a_name_of_unusual_form_is_not_repeated() -> None:
    made = router()
    for name in ("x" * 1000, "a\nb", "a`b", ""):
        assert "unusual form" in refused(made, name, verified={"tenant": "acme"})
        with pytest.raises(NoRoute, match="unusual form"):
            made.endpoint(name)


def test_run_06_what_was_handed_in_cannot_be_changed_later() -> None:
    roles = ["admin"]
    fields: dict[str, object] = {"tenant": "acme", "roles": roles}
    run = router().run("analyst", verified=fields)
    fields["tenant"] = "globex"
    roles.append("root")
    headers = run.headers("crm")
    assert headers["X-Tenant-Id"] == "acme"
    assert run._facts._values["roles"] == ("admin",)
    for attempt in (
        lambda: setattr(run, "agent", "billing"),
        lambda: setattr(run, "tenant", "globex"),
        lambda: setattr(run.router, "digest", ""),
        lambda: delattr(run, "agent"),
        lambda: headers.__setitem__("X-Tenant-Id", "globex"),  # type: ignore[attr-defined]
        lambda: headers.update({}),  # type: ignore[attr-defined]
        lambda: setattr(headers, "_values", {}),
    ):
        with pytest.raises((AttributeError, TypeError)):
            attempt()
    assert run.headers("crm") == {"Authorization": "Bearer k-123", "X-Tenant-Id": "acme"}


class Fickle(Mapping[str, object]):
    """Another value each time it is read."""

    def __init__(self) -> None:
        self.reads = 0

    def __getitem__(self, name: str) -> object:
        self.reads += 1
        return "acme" if self.reads == 1 else {"not": "checked"}

    def __iter__(self) -> Iterator[str]:
        return iter(["tenant"])

    def __len__(self) -> int:
        return 1


def test_what_was_checked_is_what_is_sent() -> None:
    assert router().run("analyst", verified=Fickle()).headers("crm")["X-Tenant-Id"] == "acme"


def test_headers_are_built_once_for_each_run_and_server() -> None:
    made = router()
    run, other = (made.run("analyst", verified={"tenant": tenant}) for tenant in ("acme", "globex"))
    assert run.headers("crm") is run.headers("crm")
    assert other.headers("crm")["X-Tenant-Id"] == "globex"


def test_a_run_has_an_id_of_its_own_or_the_one_that_was_given() -> None:
    made = router()
    assert len({made.run("analyst", verified={"tenant": "a"}).id for _ in range(100)}) == 100
    assert made.run("analyst", verified={"tenant": "a"}, run_id="job-7.a_B").id == "job-7.a_B"
    for run_id in ("", "a b", "a\n", "ä", "x" * 129, 7):
        assert "`run_id`" in refused(made, verified={"tenant": "a"}, run_id=run_id)


def test_settings_and_secrets_take_part_in_headers() -> None:
    made = router(
        crm(
            plain("X-Region", TextPart("eu-"), SettingPart("zone")),
            plain("X-Api-Key", SecretPart("ledger_key")),
            settings={"zone": SettingSpec("ZONE", None, ())},
        ),
        ZONE="1",
    )
    assert made.run("analyst", verified={"tenant": "a"}).headers("crm") == {"X-Region": "eu-1", "X-Api-Key": "k-ledger"}


def test_a_field_of_more_than_8000_bytes_is_refused_whole() -> None:
    wide = {"f": dataclasses.replace(STRING, max=9_000)}
    made = router(crm(plain("X-F", FieldPart("f")), fields=wide))
    fitting = "a" * (8_000 - len("X-F: "))
    assert made.run("analyst", verified={"f": fitting}).headers("crm")["X-F"] == fitting
    with pytest.raises(HeaderRefused, match="`X-F`: its value makes a field of more than 8000 bytes"):
        made.run("analyst", verified={"f": fitting + "a"}).headers("crm")


def test_session_requests_carry_what_no_run_decides() -> None:
    made = router()
    assert made.session_headers("analyst", "crm") == {"Authorization": "Bearer k-123"}
    assert made.session_headers("billing", "ledger") == {"Authorization": "Bearer k-ledger"}
    assert made.session_headers("analyst", "wiki") == {}
    assert made.session_key("analyst", "crm") != made.session_key("billing", "ledger")
    with pytest.raises(NoRoute):
        made.session_headers("billing", "crm")
    with pytest.raises(NoRoute):
        made.session_key("billing", "crm")


def test_compiled_names_are_those_of_every_agent_also_where_left_out() -> None:
    made = router()
    assert made.compiled_names("crm") == {"authorization", "x-tenant-id", "x-user-id"}
    assert made.compiled_names("wiki") == {"search-locale", "x-user-id"}
    assert made.agents_of("crm") == ("analyst",)
    assert router(body(rows=())).agents_of("crm") == ()
    both = body(rows=(*body().rows, Row("billing", "crm", None, "p1", "f1", ("rule",))))
    for rows in (both.rows, both.rows[::-1]):
        shared = router(dataclasses.replace(both, rows=rows))
        assert shared.compiled_names("crm") == {"authorization", "x-tenant-id", "x-user-id", "search-locale"}
        assert shared.agents_of("crm") == ("analyst", "billing")
