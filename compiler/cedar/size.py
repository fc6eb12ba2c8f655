"""How deep Cedar's tree of some words will be, worked out without recursion and before Cedar builds it.

Cedar's parser, validator and evaluator recurse: a few hundred parentheses end the process, and a chain of some thousand
operands makes the validator pass and the evaluator skip the policy. So a policy has to be small before Cedar sees it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mcpx.compiler.cedar.tokens import Token

MAX_NESTING = 64
"""Brackets, `if`s and member accesses inside one another."""
MAX_OPERANDS = 500
"""Operands of one chain of `||`, `&&`, `+` and `-`, or `*`."""
MAX_DEPTH = MAX_NESTING + MAX_OPERANDS
"""All of them together, along any one path through the policy."""

_LOOSEST_FIRST = (
    ("||",),
    ("&&",),
    ("==", "!=", "<", "<=", ">", ">=", "=", "in", "has", "like", "is"),
    ("+", "-"),
    ("*", "/", "%"),
    (".", "::"),
)
_STRENGTH = {operator: strength for strength, operators in enumerate(_LOOSEST_FIRST) for operator in operators}
_CLOSED_BY = {"(": ")", "[": "]", "{": "}"}
_MEMBER = len(_LOOSEST_FIRST) - 1


@dataclass(frozen=True, slots=True)
class TooLarge:
    """The word at which a policy becomes too deep, and which of the limits it breaks."""

    token: Token
    limit: int
    what: str


@dataclass(slots=True)
class _Level:
    """What stands inside one bracket: for each strength the operators so far and the deepest operand below them."""

    closed_by: str = ""
    ifs: int = 0
    deepest: int = 0
    counts: list[int] = field(default_factory=lambda: [0] * len(_LOOSEST_FIRST))
    below: list[int] = field(default_factory=lambda: [0] * len(_LOOSEST_FIRST))

    def operand(self, depth: int) -> None:
        self.below[_MEMBER] = max(self.below[_MEMBER], depth)

    def operator(self, strength: int) -> int:
        self.below[strength] = max(self.below[strength], self._fold(strength + 1))
        self.counts[strength] += 1
        return self.counts[strength]

    def separator(self, *, comma: bool) -> None:
        self.deepest = max(self.deepest, self.ifs + self._fold(0))
        if comma:
            self.ifs = 0

    def depth(self) -> int:
        self.separator(comma=True)
        return self.deepest

    def _fold(self, loosest: int) -> int:
        depth = 0
        for strength in range(_MEMBER, loosest - 1, -1):
            depth = max(depth, self.below[strength]) + self.counts[strength]
            self.counts[strength] = self.below[strength] = 0
        return depth


def too_large(tokens: Sequence[Token]) -> TooLarge | None:
    """The first word of a statement at which it is too deep for Cedar, or none.

    Args:
        tokens: the words of one statement.
    """
    levels = [_Level()]
    previous: Token | None = None
    for token in tokens:
        level = levels[-1]
        attribute = previous is not None and previous.is_symbol(".")
        previous = token
        if token.kind not in ("symbol", "name") or attribute:
            continue
        if token.is_symbol("(", "[", "{"):
            levels.append(_Level(_CLOSED_BY[token.text]))
        elif token.is_symbol(")", "]", "}"):
            if level.closed_by == token.text:
                inner = levels.pop().depth() + 1
                levels[-1].operand(inner)
                levels[-1].operator(_MEMBER)  # an index or a call is a member access of what stands before it
        elif token.is_symbol(",", "@"):
            level.separator(comma=True)
        elif token.is_name("if"):
            level.ifs += 1
        elif token.is_name("then", "else") or (len(levels) == 1 and token.is_name("when", "unless")):
            level.separator(comma=False)
        elif token.text in _STRENGTH:
            strength = _STRENGTH[token.text]
            operators = level.operator(strength)
            if strength == _MEMBER and operators > MAX_NESTING:
                return TooLarge(token, MAX_NESTING, "member accesses in a row")
            if strength != _MEMBER and operators >= MAX_OPERANDS:
                return TooLarge(token, MAX_OPERANDS, "operands in one chain")
        if len(levels) - 1 + sum(open_level.ifs for open_level in levels) > MAX_NESTING:
            return TooLarge(token, MAX_NESTING, "levels of nesting")
    while len(levels) > 1:
        unclosed = levels.pop()
        levels[-1].operand(unclosed.depth() + 1)
    return TooLarge(tokens[0], MAX_DEPTH, "levels in all") if levels[0].depth() > MAX_DEPTH else None
