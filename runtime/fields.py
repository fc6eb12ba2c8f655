"""The schema of a run: which values its fields may have. Nothing is coerced, cut or filled in but declared defaults."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from mcpx.runtime.body import FieldSpec
from mcpx.runtime.patterns import whole
from mcpx.runtime.redacted import Facts
from mcpx.runtime.wording import meant, quoted

_SURROGATE: Final = re.compile("[\ud800-\udfff]")
_INT_RANGE: Final = range(-(2**63), 2**63)


class FieldRule:
    """What one field accepts; its pattern is compiled once."""

    def __init__(self, spec: FieldSpec) -> None:
        """Take the field's schema.

        Raises:
            ValueError: its pattern is none that runs in linear time.
        """
        self.spec = spec
        self._matches: Callable[[str], bool] | None = None if spec.matches is None else whole(spec.matches)

    def fault(self, value: object) -> str | None:
        """What is wrong with a value, as a clause that does not show it; nothing when it fits.

        Types are exact: `True` is no int, and a subclass of `str` is no string. A list is a tuple of strings.
        """
        match self.spec.kind:
            case "string":
                return self._text_fault(value)
            case "choice":
                return None if type(value) is str and value in self.spec.choices else "is none of its choices"
            case "int":
                return None if type(value) is int and value in _INT_RANGE else "must be an int of 64 bits"
            case "bool":
                return None if type(value) is bool else "must be a bool"
            case "list":
                return self._list_fault(value)

    def _list_fault(self, value: object) -> str | None:
        if type(value) is not tuple:
            return "must be a list of strings"
        if len(value) > self.spec.items:
            return f"has more than {self.spec.items} items"
        faults = (self._text_fault(item) for item in value)
        return next((f"has an item that {fault}" for fault in faults if fault), None)

    def _text_fault(self, value: object) -> str | None:
        if type(value) is not str:
            return "must be a string"
        if len(value) > self.spec.max:
            return f"is longer than {self.spec.max} characters"
        if _SURROGATE.search(value):
            return "is not Unicode text"
        if not unicodedata.is_normalized("NFC", value):
            return "is not in Unicode normalization form C"
        if self._matches is not None and not self._matches(value):
            return "does not match its pattern"
        return None


class Schema:
    """All fields of the run, with their trust."""

    def __init__(self, fields: Mapping[str, FieldSpec]) -> None:
        """Take the fields by name; raises as `FieldRule` does."""
        self._rules = {name: FieldRule(spec) for name, spec in fields.items()}

    def facts(self, verified: object, claimed: object) -> Facts | tuple[str, ...]:
        """Check and copy what a run was given.

        Args:
            verified: what the application vouches for: field names to values.
            claimed: the same for what the caller said.

        Returns:
            The facts, or a clause for everything that is wrong, with names and without values. Nothing is raised: a
            traceback through here could show values.
        """
        given: dict[bool, Mapping[object, object]] = {}
        for trust, fields in ((True, verified), (False, claimed)):
            if not isinstance(fields, Mapping):
                return (f"`{_word(verified=trust)}` must be a mapping of field names to values",)
            # Copied before it is looked at: what was checked is what is used, whatever the caller's objects do.
            given[trust] = {name: tuple(value) if type(value) is list else value for name, value in fields.items()}
        faults = (*self._unexpected(given), *self._unfit(given))
        return faults or Facts(self._complete(given))

    def _unexpected(self, given: Mapping[bool, Mapping[object, object]]) -> Iterator[str]:
        for trust, fields in given.items():
            for name in fields:
                rule = self._rules.get(name) if type(name) is str else None
                if rule is None:
                    yield f"{quoted(name)} is no field of a run{meant(name, self._rules)}"
                elif rule.spec.verified is not trust:
                    declared, handed = _word(verified=rule.spec.verified), _word(verified=trust)
                    yield f"field `{name}` is {declared}, and was given as {handed}"

    def _unfit(self, given: Mapping[bool, Mapping[object, object]]) -> Iterator[str]:
        for name, rule in self._rules.items():
            fields = given[rule.spec.verified]
            if name in fields:
                fault = rule.fault(fields[name])
                if fault is not None:
                    yield f"field `{name}` {fault}"
            elif rule.spec.default is None and not rule.spec.optional:
                yield f"field `{name}` is missing"

    def _complete(self, given: Mapping[bool, Mapping[object, object]]) -> dict[str, str | int | bool | tuple[str, ...]]:
        values: dict[str, str | int | bool | tuple[str, ...]] = {}
        for name, rule in self._rules.items():
            value = given[rule.spec.verified].get(name, rule.spec.default)
            if isinstance(value, str | int | bool | tuple):
                values[name] = value
        return values


def _word(*, verified: bool) -> str:
    return "verified" if verified else "claimed"
