"""Sentences of the phase `decide`: Cedar text, its names and types, and its evaluation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import partial

from mcpx.compiler.cedar.decision import Policy
from mcpx.compiler.report.diagnostic import Diagnostic, Edit, Fix, Label, Severity, Stage, finding, listed
from mcpx.compiler.report.suggest import nearest
from mcpx.compiler.source import Span

WARNING = Severity.WARNING
_ABOUT_POLICY = re.compile(r"^for policy `[^`]*`, ")
_OPTIONAL = re.compile(r"optional attribute `(?:\w+\.)*(?P<name>\w+)`")
_PLAIN_WORDS = (
    ("Set<__cedar::internal::AnyEntity>", "a set of entities"),
    ("__cedar::internal::AnyEntity", "an entity"),
    ("Set<__cedar::internal::Any>", "a set"),
    ("__cedar::internal::", ""),
    ("__cedar::", ""),
)


_error = partial(finding, Stage.DECIDE)


_warning = partial(finding, Stage.DECIDE, severity=WARNING)


def _meant(close: tuple[str, ...], otherwise: str) -> str:
    return f"did you mean {listed(close)}?" if close else otherwise


def _in_words(cedar: str) -> str:
    """What Cedar says, on one line, without its names for its own insides."""
    text = _ABOUT_POLICY.sub("", " ".join(cedar.split()))
    for inside, plain in _PLAIN_WORDS:
        text = text.replace(inside, plain)
    return _shown(text)


def _shown(text: str) -> str:
    """Text from a file with what a terminal could take for a command written out."""
    return "".join(one if one.isprintable() else f"\\u{{{ord(one):x}}}" for one in text)


# --- Text -------------------------------------------------------------------------------------------------------------


def too_large(span: Span, limit: int, what: str) -> Diagnostic:
    """A policy that Cedar could not evaluate."""
    return _error(
        "MX501",
        f"this policy has more than {limit} {what}",
        Label(span, "too large to be evaluated"),
        notes=("Cedar skips a policy that is too deep to evaluate, and a guardrail that is skipped guards nothing",),
        helps=("compare with a set, as in `[…].contains(x)`, or make several policies of it",),
    )


def rule_too_deep(span: Span, rule: str) -> Diagnostic:
    """A rule whose condition nests deeper than Cedar can read."""
    return _error(
        "MX501",
        f"the condition of `{rule}` nests too deep",
        Label(span, "too deep to be evaluated"),
        helps=("compare with a list, as in `run.f in […]`, or make several rules of it",),
    )


def not_cedar(span: Span, cedar: str) -> Diagnostic:
    """Text that Cedar cannot parse."""
    return _error("MX502", f"this is not a Cedar policy: {_in_words(cedar)}", Label(span, "Cedar stops here"))


# --- Identity of policies ---------------------------------------------------------------------------------------------


def no_id(head: Span, start: Span, name: str) -> Diagnostic:
    """A policy that no message, table or review could name."""
    return _error(
        "MX503",
        "this policy has no `@id`",
        Label(head, "needs a name"),
        notes=("the table and every message name the policies that decided",),
        helps=(f'put `@id("{name}")`, or a better name, before it',),
        fixes=(Fix("give it an `@id`", (Edit(Span(start.file, start.start, start.start), f'@id("{name}")\n'),)),),
    )


def no_name(span: Span) -> Diagnostic:
    """`@id("")`, `@id` alone, or an id that cannot be shown."""
    return _error("MX504", "the `@id` of this policy is no name", Label(span, "empty, blank or not printable"))


def id_taken(span: Span, name: str, first: Span) -> Diagnostic:
    """Two policies, or a policy and a rule, of one name."""
    return _error(
        "MX505",
        f"two policies have the id `{name}`",
        Label(span, "second one here"),
        Label(first, f"`{name}` is first used here"),
        helps=("give each policy a name of its own",),
    )


# --- Text that would guard nothing ------------------------------------------------------------------------------------


def template(span: Span) -> Diagnostic:
    """A policy with a slot, which does nothing until somebody links it."""
    return _error(
        "MX506",
        "a template decides nothing",
        Label(span, "nothing fills this slot"),
        helps=("name the agent, group, server or tag that is meant",),
    )


def unknown_call(span: Span) -> Diagnostic:
    """`unknown(…)`: it validates, and then fails whenever it is evaluated."""
    return _error(
        "MX507",
        "`unknown` has no value at build time",
        Label(span, "fails in every evaluation"),
        notes=("Cedar skips a policy that fails, and a guardrail that is skipped guards nothing",),
    )


def undeclared(span: Span, literal: Span, kind: str, name: str, known: Iterable[str]) -> Diagnostic:
    """An entity that no declaration stands behind."""
    close = nearest(name, known)
    noun = kind.rpartition("::")[2].lower()
    noun = "secret" if noun == "credential" else noun
    return _error(
        "MX508",
        f"no {noun} is called `{_shown(name)}`",
        Label(span, f"not declared{', ' + _meant(close, '') if close else ''}"),
        notes=("a policy about something that does not exist guards nothing",),
        helps=() if close else (f"name {'an' if noun[0] in 'aeiou' else 'a'} {noun} that is declared",),
        fixes=tuple(Fix(f"replace by `{other}`", (Edit(literal, f'{kind}::"{other}"'),)) for other in close),
    )


def unknown_type(span: Span, name: str, known: Iterable[str]) -> Diagnostic:
    """An entity type outside the vocabulary."""
    types = sorted(known)
    same = tuple(one for one in types if one.rpartition("::")[2] == name.rpartition("::")[2])
    close = same or nearest(name, types)
    return _error(
        "MX509",
        f"`{name}` is no entity type of the vocabulary",
        Label(span, _meant(close, "unknown type")),
        helps=() if close else (f"the types are {listed(types)}",),
    )


# --- Words and types --------------------------------------------------------------------------------------------------


def does_not_validate(span: Span, policy: str, complaints: Iterable[str]) -> Diagnostic:
    """A policy that does not fit the vocabulary; `complaints` are Cedar's own, about one place."""
    first, *others = sorted({_in_words(complaint) for complaint in complaints})
    optional = _OPTIONAL.search(first)
    return _error(
        "MX510",
        f"the policy `{policy}` does not fit the vocabulary: {first}",
        Label(span, "found here"),
        notes=tuple(others),
        helps=(f"ask first whether it is there: `… has {optional['name']} && …`",) if optional else (),
    )


def no_such_item(span: Span, policy: str, item: str, actions: Iterable[str], having: Iterable[str]) -> Diagnostic:
    """A read of an item of the context in a policy whose scope covers actions without it."""
    without, with_item = sorted(actions), sorted(having)
    helps: tuple[str, ...] = ()
    if with_item:
        (scope,) = with_item if len(with_item) == 1 else ("",)
        narrowed = f'`action == Mcpx::Action::"{scope}"`' if scope else f"an action of {listed(with_item)}"
        helps = (f"narrow the policy to {narrowed}, or ask first: `context has {item} && …`",)
    kinds = "the action" if len(without) == 1 else "the actions"
    have = "has" if len(without) == 1 else "have"
    return _error(
        "MX511",
        f"{kinds} {listed(without)} {have} no `context.{item}`",
        Label(span, f"read by `{policy}`, whose scope covers {'it' if len(without) == 1 else 'them'}"),
        helps=helps,
    )


def context_whole(span: Span) -> Diagnostic:
    """The context, or the run, used for anything but to read what is in it."""
    return _error(
        "MX512",
        "the context and the run can only be read item by item",
        Label(span, "used as a whole"),
        notes=("what of it a decision hangs on could not be told",),
        helps=("read the item that is meant, as in `context.via` or `context.run.tenant`",),
    )


def claim_widens(span: Span, policy: str, field: str) -> Diagnostic:
    """A `permit` that hangs on what the caller says."""
    return _error(
        "MX519",
        f"the permit `{policy}` hangs on `run.{field}`, which the caller claims",
        Label(span, "nobody vouches for this value"),
        notes=("a caller could say whatever opens the way",),
        helps=("read a verified field, or forbid instead of permitting",),
    )


def claim_narrows(span: Span, policy: str, field: str) -> Diagnostic:
    """A `forbid` that hangs on what the caller says."""
    return _warning(
        "MX520",
        f"the caller can choose to escape `{policy}`: it hangs on `run.{field}`, which the caller claims",
        Label(span, "nobody vouches for this value"),
        helps=("read a verified field if this has to hold",),
    )


def not_normalized(span: Span) -> Diagnostic:
    """A string that is not in Unicode Normalization Form C (UAX #15)."""
    return _error(
        "MX513",
        "this string is not in Unicode normal form C",
        Label(span, "equals no text that looks the same"),
        notes=("Cedar compares strings by code point",),
    )


def out_of_range(span: Span) -> Diagnostic:
    """A number that has no 64-bit form."""
    return _error(
        "MX514",
        "this number does not fit into 64 bits",
        Label(span, "numbers go from -9223372036854775808 to 9223372036854775807"),
    )


# --- Evaluation -------------------------------------------------------------------------------------------------------


def fails(span: Span, policy: str, case: str, cedar: str) -> Diagnostic:
    """A policy that Cedar would skip, because its evaluation fails for a case that is decided."""
    reason = _in_words(cedar).partition(": ")[2] or _in_words(cedar)
    return _error(
        "MX515",
        f"the policy `{policy}` cannot be evaluated: {reason}",
        Label(span, f"fails for {case}"),
        notes=("Cedar skips a policy that fails, and a guardrail that is skipped guards nothing",),
    )


def undecidable(span: Span, policy: str, why: str) -> Diagnostic:
    """A condition on the run that is no combination of comparisons with constants."""
    return _error(
        "MX517",
        f"the policy `{policy}` cannot be decided before the run is known: {why}",
        Label(span, "read here"),
        notes=("policies are decided when the project is built, for every run at once",),
        helps=("compare one value of the run with constants or properties, and join comparisons by `&&` and `||`",),
    )


def too_many_regions(span: Span, policy: str, budget: int) -> Diagnostic:
    """A condition that tells too many runs apart."""
    return _error(
        "MX518",
        f"the conditions of `{policy}` tell more than {budget} kinds of runs apart",
        Label(span, "too many to decide each"),
        helps=("make several policies of it, each about fewer fields or values",),
    )


def too_many_regions_together(policies: Sequence[Policy], budget: int) -> Diagnostic:
    """Conditions that are each small enough, but that one decision depends on together."""
    first, *others = policies
    return _error(
        "MX518",
        f"the conditions of {listed(policy.id for policy in policies[:5])} together ask more than {budget} questions",
        Label(first.span, "too many to decide each combination"),
        *(Label(other.span, "together with this one") for other in others[:2]),
        helps=("make their conditions about fewer fields or values",),
    )


def address_is_open(
    span: Span, policy: str, server: str, url: Span, attributes: Iterable[str], case: str
) -> Diagnostic:
    """A policy that reads an attribute of a server which a setting decides when the table is loaded."""
    names = sorted(attributes)
    return _error(
        "MX516",
        f"the policy `{policy}` reads `{'` and `'.join(names)}`, which a setting decides for the server `{server}`",
        Label(span, f"cannot be decided for {case}"),
        Label(url, f"the {' and '.join(names)} of `{server}` is open until the table is loaded"),
        helps=("write that part of the address out, or let the policy speak of a tag",),
    )
