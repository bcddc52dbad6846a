"""What tests speak of: the constants, names and exceptions in their code, and their parameters."""

from __future__ import annotations

import types
from collections.abc import Iterable, Iterator

import pytest

LONGEST = 80
MOST = 60


def spoken(
    items: Iterable[pytest.Item],
) -> tuple[tuple[object, ...], frozenset[str], tuple[tuple[str, str], ...]]:
    """Return the numbers and strings in some tests, the names that they use, and which of these are exceptions."""
    values: dict[tuple[type, object], None] = {}
    names: set[str] = set()
    raised: set[tuple[str, str]] = set()
    for item in items:
        function = getattr(item, "function", None)
        code = getattr(getattr(function, "__func__", function), "__code__", None)
        callspec = getattr(item, "callspec", None)
        for value in [*_parts(getattr(callspec, "params", {})), *(_constants(code) if code else ())]:
            values[type(value), value] = None
        used = set(_names(code)) if code else set()
        names |= used
        raised |= set(_exceptions(getattr(getattr(function, "__func__", function), "__globals__", {}), used))
    return tuple(value for _, value in list(values)[:MOST]), frozenset(names), tuple(sorted(raised))


def _exceptions(known: dict[str, object], names: set[str]) -> Iterator[tuple[str, str]]:
    """Find the exceptions behind names, of a test's module or of a module that it names."""
    modules = [value for name in names if isinstance(value := known.get(name), types.ModuleType)]
    for name in names:
        for value in (known.get(name), *(vars(module).get(name) for module in modules)):
            if isinstance(value, type) and issubclass(value, Exception) and value.__module__ != "builtins":
                yield value.__name__, value.__module__


def _constants(code: types.CodeType) -> Iterator[object]:
    """Walk the constants of a function, without those that pytest put into its assertions."""
    for constant in code.co_consts[1:]:
        if isinstance(constant, types.CodeType):
            yield from _constants(constant)
        else:
            yield from (part for part in _parts(constant) if not (isinstance(part, str) and "%(" in part))


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names(constant)


def _parts(value: object, depth: int = 3) -> Iterator[object]:
    """List the plain values that a value is made of."""
    if isinstance(value, str):
        if 0 < len(value) <= LONGEST:
            yield value
    elif type(value) in (int, float):
        yield value
    elif depth and isinstance(value, (list, tuple, set, frozenset)):
        for part in value:
            yield from _parts(part, depth - 1)
    elif depth and isinstance(value, dict):
        for name, part in value.items():
            yield from _parts(name, depth - 1)
            yield from _parts(part, depth - 1)
