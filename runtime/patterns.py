"""Patterns for whole values.

They run on the regular expressions of pydantic (the Rust crate `regex`): linear in the length of the value, without
look-around and back-references, so that no value can make a check slow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from pydantic import StringConstraints, TypeAdapter
from pydantic_core import SchemaError


def whole(pattern: str) -> Callable[[str], bool]:
    """A predicate: does `pattern` match the value from the first to the last character?

    Raises:
        ValueError: the pattern is not of the linear-time subset.
    """
    try:
        _validator(pattern)  # alone first: `a)|(?:b` is a pattern only inside the brackets that make it whole
        validator = _validator(rf"\A(?:{pattern})\z")
    except SchemaError:
        raise ValueError("not a regular expression of the linear-time subset") from None
    return validator.validator.isinstance_python


def _validator(pattern: str) -> TypeAdapter[str]:
    return TypeAdapter(Annotated[str, StringConstraints(strict=True, pattern=pattern)])
