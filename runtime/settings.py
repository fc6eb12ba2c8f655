"""Settings: configuration that is no secret, read from the environment when a table is loaded."""

from __future__ import annotations

from collections.abc import Mapping

from mcpx.runtime.body import SettingSpec


def resolve(specs: Mapping[str, SettingSpec], environment: Mapping[str, str]) -> tuple[dict[str, str], tuple[str, ...]]:
    """The value of every setting, and a clause for each that has none.

    A variable that is set but empty is a fault and not a reason for the default: somebody meant to set it.

    Args:
        specs: the settings, by name.
        environment: the variables of this process.
    """
    values: dict[str, str] = {}
    faults: list[str] = []
    for name, spec in specs.items():
        value = environment.get(spec.variable, spec.default)
        fault = _fault(spec, value)
        if fault is not None:
            faults.append(f"setting `{name}`: environment variable {spec.variable} {fault}")
        elif value is not None:
            values[name] = value
    return values, tuple(faults)


def _fault(spec: SettingSpec, value: str | None) -> str | None:
    if value is None:
        return "is not set"
    if not value:
        return "is empty"
    if spec.choices and value not in spec.choices:
        return "is none of the choices"
    return None
