"""What was seen of a program while its tests ran, and what follows from it."""

from __future__ import annotations

from typing import NamedTuple

from bot.repair.worker.source import Key

NUMBERS = frozenset({"int", "float", "bool", "complex"})
SEQUENCES = frozenset({"list", "tuple", "str", "bytes"})
CONTAINERS = frozenset({"list", "tuple", "str", "bytes", "set", "frozenset", "dict", "deque"})
CALLABLES = frozenset({"function", "method", "builtin_function_or_method", "type"})
UNCOMPARED = frozenset({"function", "module", "type", "builtin_function_or_method", "method"})
NOTHING: frozenset[str] = frozenset()


class Crash(NamedTuple):
    """An exception that ended a failing test, at the last line of the project that it passed."""

    path: str
    line: int
    name: str
    message: str
    offered: tuple[str, ...] = ()
    """Names that were there in place of the missing one: attributes of an object, members of a module."""


class Facts(NamedTuple):
    """What was observed in one file."""

    types: dict[Key, set[str]]
    """Names of the types that an expression had."""
    signs: dict[Key, set[str]]
    """How the sides of a comparison stood: lt, eq, gt, or ne where there is no order."""
    truths: dict[Key, set[bool]]
    attributes: dict[Key, set[str]]
    variables: dict[int, dict[str, set[str]]]
    """For a function's first line: the types of its variables."""
    crashes: tuple[Crash, ...] = ()
    differences: tuple[tuple[object, object], ...] = ()
    """Actual and expected value of failing assertions."""
    vocabulary: tuple[object, ...] = ()
    """Numbers and strings that failing tests speak of."""
    mentioned: frozenset[str] = frozenset()
    """Names that failing tests speak of."""
    exceptions: tuple[tuple[str, str], ...] = ()
    """Those of them that are exceptions of the project, each with the module that defines it."""


NO_FACTS = Facts({}, {}, {}, {}, {})


def compatibility(one: set[str] | frozenset[str], other: set[str] | frozenset[str]) -> float:
    """Estimate whether a value of one set of types may stand where one of the other did; 0 is no."""
    if not one or not other:
        return 0.35
    if one & other:
        return 1.0
    if one & NUMBERS and other & NUMBERS:
        return 0.8
    return 0.5 if "NoneType" in one or "NoneType" in other else 0.0
