"""What keeps values out of text: the base of every object that holds a value of a secret or of a run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NoReturn, Self

Value = str | int | bool | tuple[str, ...]
"""What a field of a run may hold."""


class Redacted:
    """An immutable object without a textual form: no `repr`, `format`, `vars`, pickle or state shows what it holds.

    A copy of it is the object itself. Subclasses declare `__slots__` and fill them with `_hold`.
    """

    __slots__ = ()

    def _hold(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}>"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"a {type(self).__name__} cannot be changed")

    def __getstate__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} does not leave its process")

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} does not leave its process")

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} does not leave its process")


class Secret(Redacted):
    """The value of a secret. Two secrets are equal when they are the same object."""

    __slots__ = ("_value",)
    _value: str

    def __init__(self, value: str) -> None:
        self._hold(_value=value)

    def reveal(self) -> str:
        """The value itself."""
        return self._value


class Headers(Redacted, Mapping[str, str]):
    """The headers of one call, by name as written in the sources. Reads like a mapping; its text shows names alone."""

    __slots__ = ("_values",)
    _values: dict[str, str]

    def __init__(self, values: Mapping[str, str]) -> None:
        self._hold(_values=dict(values))

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"<Headers {', '.join(self._values)}>"


class Facts(Redacted):
    """The fields of one run, checked and copied."""

    __slots__ = ("_values",)
    _values: dict[str, Value]

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._hold(_values=dict(values))

    def value(self, field: str) -> str | int | bool | tuple[str, ...] | None:
        """The field as it was given; nothing for one that is missing."""
        return self._values.get(field)

    def text(self, field: str) -> str | None:
        """The field as a header carries it: text as it is, numbers in decimal, `true` or `false`.

        Returns:
            Nothing for a field that is missing, and for a list, which has no form of its own.
        """
        match self._values.get(field):
            case bool(value):
                return "true" if value else "false"
            case int(value):
                return str(value)
            case str(value):
                return value
            case _:
                return None

    def only(self, fields: Iterable[str]) -> Facts:
        """These fields alone, as far as they are there."""
        return Facts({name: self._values[name] for name in fields if name in self._values})

    def content(self) -> frozenset[tuple[str, Value]]:
        """Names and values, for comparing; two fields of one name have one type."""
        return frozenset(self._values.items())
