"""Watches over what decides an outcome: nothing in the tree has a reason to put something else in its place."""

from __future__ import annotations

import builtins
import sys
import unittest
import unittest.case
import unittest.result
import unittest.suite
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from operator import attrgetter, is_, itemgetter
from sys import gettrace
from types import BuiltinFunctionType, CodeType, FunctionType
from typing import Any, NamedTuple

from bot.verify.probe.tree import in_library, in_tree, relative

ASSERTING = tuple(
    name for name in vars(unittest.TestCase) if name.startswith(("assert", "fail", "_base", "run", "_call", "__call"))
)
"""What a unittest case says it with."""
SAYING = ("TestCase.assert", "pytest.")
"""Nobody has a reason to replace these, not even a library."""
_RAISES: Any = vars(unittest.case)["_AssertRaisesContext"]
BUILTINS = ("compile", "exec", "isinstance", "len", "any", "all", "AssertionError", "BaseException", "Exception")


code_of = attrgetter("__code__")


class Part(NamedTuple):
    """One thing, where it lies, and what it was when nobody had touched it."""

    names: Mapping[str, Any]
    name: str
    value: Any
    function: Any
    """What holds its code; the guard itself, which has none that changes, for what is no function."""
    code: CodeType | None
    owner: str


def _function_of(value: Any) -> Any:
    return getattr(value, "__func__", getattr(value, "fget", value))


def _part(owner: Any, name: str) -> Part:
    names = _PLACES.setdefault(id(owner), vars(owner))
    function = _function_of(names[name])
    known = isinstance(function, FunctionType)
    code = function.__code__ if known else None
    place = getattr(owner, "__name__", "") + "." + name
    return Part(names, name, names[name], function if known else _NONE, code, place)


_PLACES: dict[int, Mapping[str, Any]] = {}
"""What each owner holds, seen through one and the same window."""


class _None:
    __code__: CodeType | None = None


_NONE = _None()


def parts_of(owner: Any, names: Collection[str] = ()) -> Iterator[Part]:
    """List the functions of a class or a module, or those of these names."""
    wanted = [name for name in names if name in vars(owner)]
    kinds = (FunctionType, BuiltinFunctionType, classmethod, staticmethod, property, type)
    for name, value in list(vars(owner).items()):
        if name in wanted or (not names and isinstance(value, kinds) and value is not type):
            yield _part(owner, name)


def parts_in(module: Any) -> Iterator[Part]:
    """List the functions that a module defines, at its top and in its classes."""
    for part in parts_of(module):
        if getattr(part.value, "__module__", "") == module.__name__:
            yield part
            if isinstance(part.value, type):
                yield from parts_of(part.value)


def _suspicious(part: Part, now: Any) -> bool:
    """Tell whether something else than a library's plugin has put this there."""
    function = _function_of(now)
    code = getattr(function, "__code__", None)
    if code is None or part.owner.startswith(SAYING) or not in_library(code.co_filename):
        return True
    return in_tree(str(getattr(function, "__globals__", {}).get("__file__") or "<unknown>"))


class Bundle(NamedTuple):
    """Parts that lie in one place, so that they are compared without a step of ours for each."""

    names: Mapping[str, Any]
    read: Callable[[Mapping[str, Any]], tuple[Any, ...]]
    values: list[Any]
    functions: list[Any]
    codes: list[CodeType | None]


def _bundles(parts: Iterable[Part]) -> Iterator[Bundle]:
    places: dict[int, list[Part]] = {}
    for part in parts:
        places.setdefault(id(part.names), []).append(part)
    for found in places.values():
        # Given one name alone, it would not return a tuple.
        read = itemgetter(*(part.name for part in found), found[0].name)
        able = [part for part in found if part.function is not _NONE]
        values, functions = [part.value for part in found], [part.function for part in able]
        yield Bundle(found[0].names, read, values, functions, [part.code for part in able])


class Guard:
    """Compares what is there with what was there; the few that matter most at every test, all of them at times."""

    __slots__ = ("all", "asserting", "core", "found", "parts")

    def __init__(self, core: Iterable[Part], rest: Iterable[Part]) -> None:
        asserting = [*parts_of(unittest.TestCase, ASSERTING), *parts_of(_RAISES, ("__exit__",))]
        own = [*core, *parts_of(builtins, BUILTINS)]
        modules = (unittest.case, unittest.result, unittest.suite)
        self.parts = [*own, *asserting, *rest, *(part for module in modules for part in parts_in(module))]
        self.core, self.all = list(_bundles(own)), list(_bundles(self.parts))
        self.asserting = list(_bundles(asserting))
        self.found: set[str] = set()

    def glance(self, *, case: bool) -> None:
        """Look at what a test says it with, where it is a unittest case or where it is none."""
        if not _untouched(self.core) or (case and not _untouched(self.asserting)):
            self._remember()

    def look(self) -> None:
        """Look at everything."""
        if not _untouched(self.all):
            self._remember()

    def _remember(self) -> None:
        """Note what code of the tree has replaced."""
        for part in self.parts:
            now, changed = part.names.get(part.name), part.function.__code__ is not part.code
            if changed or (now is not part.value and _suspicious(part, now)):
                self.found.add(part.owner)


def _untouched(bundles: list[Bundle]) -> bool:
    try:
        for names, read, values, functions, codes in bundles:
            if not all(map(is_, read(names), values)) or not all(map(is_, map(code_of, functions), codes)):
                return False
    except KeyError:
        return False
    return True


def traced_by_tree() -> bool:
    """Tell whether a tracing function of the tree is at work; it may jump over lines."""
    trace = gettrace()
    return trace is not None and in_tree(getattr(getattr(trace, "__code__", None), "co_filename", "<>"))


def home_of(kind: type) -> str:
    """Name the file of the tree that holds code of a class; empty for a class of a library."""
    if kind not in _HOMES:
        functions = (_function_of(value) for base in kind.__mro__ for value in vars(base).values())
        files = (code.co_filename for code in (getattr(f, "__code__", None) for f in functions) if code is not None)
        _HOMES[kind] = next((relative(path) for path in files if in_tree(path)), "")
    return _HOMES[kind]


_HOMES: dict[type, str] = {}


def loaded(names: Iterable[str]) -> list[Any]:
    """Return those of these modules that have been imported."""
    return [sys.modules[name] for name in names if name in sys.modules]
