"""`setting n = … one of [..]`: the values that a setting may have."""

from __future__ import annotations

from mcpx.compiler import syntax
from mcpx.compiler.report import name_errors, value_errors
from mcpx.compiler.report.diagnostic import Diagnostic


def setting_choices(setting: syntax.SettingDecl, findings: list[Diagnostic]) -> tuple[str, ...]:
    """The choices that are declared: texts as an environment variable may hold them, the default among them."""
    if setting.choices is None:
        return ()
    if not setting.choices.items:
        findings.append(name_errors.choices_empty(setting.choices.span))
    first: dict[str, syntax.StringLiteral] = {}
    for choice in setting.choices.items:
        if not isinstance(choice, syntax.StringLiteral):
            findings.append(value_errors.setting_choice(choice.span, "a variable holds text: write it as a string"))
        elif not choice.value:
            findings.append(value_errors.setting_choice(choice.span, "an empty variable stops the load"))
        elif choice.value in first:
            findings.append(name_errors.choice_repeated(choice.span, first[choice.value].span))
        else:
            first[choice.value] = choice
    default = setting.source.arguments[1:2] if isinstance(setting.source, syntax.Call) else ()
    findings.extend(
        value_errors.setting_choice(given.span, "the default is none of the choices")
        for given in default
        if given.value not in first
    )
    return tuple(first)
