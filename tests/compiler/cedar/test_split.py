"""The splitter and the lexer against Cedar's own parser."""

from __future__ import annotations

import json

import cedarpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mcpx.compiler.cedar import parsed
from mcpx.compiler.cedar.split import split
from mcpx.compiler.cedar.tokens import entity_literals, tokenize, unescape
from mcpx.compiler.model import CedarText
from mcpx.compiler.source import Span

_BLANKS = st.sampled_from(
    ["", " ", "\n", "\r\n", "\t", ' // ; forbid "\n', "//\n", "// permit(principal,action,resource);\n", "//;\r\n"]
)
_PIECES = [*"ab;(){}/*@é\n", "\\\\", '\\"', "\\n", "\\u{3b}", "//", "when"]
_STRINGS = st.lists(st.sampled_from(_PIECES), max_size=6).map(lambda pieces: f'"{"".join(pieces)}"')


@st.composite
def _policies(draw: st.DrawFn) -> list[str]:
    """The words of one policy, between which blanks may stand."""
    words = []
    for number in range(draw(st.integers(0, 2))):
        words += ["@", f"note{number}", "(", draw(_STRINGS), ")"]
    words += [draw(st.sampled_from(["permit", "forbid"])), "(", "principal", ",", "action", ",", "resource", ")"]
    for _ in range(draw(st.integers(0, 3))):
        operand = draw(_STRINGS)
        words += [draw(st.sampled_from(["when", "unless"])), "{", operand, "==", draw(_STRINGS)]
        words += ["||", "principal", "==", "A", "::", "B", "::", draw(_STRINGS), "}"]
    return [*words, ";"]


@given(st.lists(_policies(), max_size=5), st.data())
def test_statement_n_is_what_cedar_calls_policy_n(policies: list[list[str]], data: st.DataObject) -> None:
    text = data.draw(_BLANKS)
    for words in policies:
        for word in words:
            # Two words may only touch where one of them is a symbol.
            blank = data.draw(_BLANKS)
            text += (blank or " ") + word if text[-1:].isalnum() and word[0].isalnum() else blank + word
    text += data.draw(_BLANKS)
    whole = json.loads(cedarpy.policies_to_json_str(text))["staticPolicies"]
    statements = split(CedarText(text, Span("org.cedar", 0, len(text))))
    alone = [json.loads(cedarpy.policies_to_json_str(one.text))["staticPolicies"]["policy0"] for one in statements]
    assert alone == [whole[f"policy{number}"] for number in range(len(policies))]
    assert len(statements) == len(policies)
    assert [len(list(one.clauses())) for one in statements] == [len(one["conditions"]) for one in alone]


@given(st.text(st.sampled_from(list("ab1 \n\r\t\"\\/;:=!<>&|?@(){}[].,+-*%#é'")), max_size=60))
def test_words_and_blanks_cover_every_text(text: str) -> None:
    end = 0
    for token in tokenize(text):
        assert text[token.start : token.end] == token.text != ""
        assert all(line.strip() == "" or line.strip().startswith("//") for line in text[end : token.start].splitlines())
        end = token.end
    assert all(line.strip() == "" or line.strip().startswith("//") for line in text[end:].splitlines())


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=8))
def test_a_string_has_the_value_that_cedar_gives_it(value: str) -> None:
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\0": "\\0"}
    written = "".join(escapes.get(one, one if one.isascii() else f"\\u{{{ord(one):x}}}") for one in value)
    text = f'permit (principal == A::"{written}", action, resource);'
    [(kind, name)] = parsed.parse(text).entities()
    [literal] = entity_literals(tokenize(text))
    assert (literal.type, literal.id) == (kind, name) == ("A", value)


@pytest.mark.parametrize("escape", ["\\n", "\\r", "\\t", "\\0", "\\\\", '\\"', "\\'", "\\x41", "\\u{1F600}", "\\u{a}"])
def test_each_escape_means_what_it_means_to_cedar(escape: str) -> None:
    [(_, name)] = parsed.parse(f'permit (principal == A::"{escape}", action, resource);').entities()
    [token] = tokenize(f'"{escape}"')
    assert unescape(token) == name


@pytest.mark.parametrize("operands", [1, 40, 500])
def test_what_cedar_parsed_is_read_to_any_depth(operands: int) -> None:
    chain = " && ".join(['principal == A::"x"'] * (operands - 1) + ["context.run.deep"])
    policy = parsed.parse(f"forbid (principal, action, resource) when {{ {chain} }};")
    assert policy.context_beyond(frozenset({"field"}))
    assert not policy.context_beyond(frozenset({"run"}))
    assert len(list(policy.entities())) == operands - 1


def test_reading_agrees_with_the_json_module() -> None:
    conditions = r'when { {"k\"": [-1, true, "é\\"], b: {}} == 1 } unless { false }'
    text = f'forbid (principal, action in [Action::"b"], resource) {conditions};'
    policy = parsed.parse(text)
    expected = json.loads(cedarpy.policies_to_json_str(text))["staticPolicies"]["policy0"]
    assert list(policy.clauses) == [condition["body"] for condition in expected["conditions"]]
    assert list(policy.scope) == [expected["principal"], expected["action"], expected["resource"]]
