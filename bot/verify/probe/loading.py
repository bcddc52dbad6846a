"""Collects the cases of a unittest suite, as the runner of the standard library would."""

from __future__ import annotations

import sys
import unittest
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bot.verify.probe.tree import TREE, in_tree, relative


class Collected(NamedTuple):
    """A case of a suite."""

    id: str
    place: tuple[str, int]
    function: Any


class Loader(unittest.TestLoader):
    """Remembers what kept a module from being imported; the standard one keeps only the text."""

    def __init__(self) -> None:
        super().__init__()
        self.raised: dict[str, BaseException] = {}

    def _get_module_from_name(self, name: str) -> Any:
        try:
            __import__(name)
        except BaseException as error:
            self.raised[name] = error
            raise
        return sys.modules[name]


def flatten(suite: Any) -> Iterator[Any]:
    """Go through the cases of a suite in their order."""
    try:
        parts = iter(suite)
    except TypeError:
        yield suite
        return
    for part in parts:
        if part is not None:
            yield from flatten(part)


def describe(test: Any, start: str) -> Collected:
    """Name a case after its file, class and method."""
    kind = type(test)
    name = str(getattr(test, "_testMethodName", "") or "")
    if kind.__module__ == "unittest.loader":
        path = _file_of(name, start)
        return Collected(path, (path, 0), None)
    function = getattr(test, "_testFunc", method_of(kind, name))
    path = _home(kind, getattr(function, "__code__", None), getattr(test, "_dt_test", None))
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    line = code.co_firstlineno if code is not None and in_tree(code.co_filename) else 0
    last = name if name and name != "runTest" else str(test.id()).rpartition(".")[2]
    return Collected(path + "::" + kind.__qualname__ + "::" + last, (path, line), function)


def method_of(kind: type, name: str) -> Any:
    """Return a class's method as it was written down, so that it can be compared."""
    return next((vars(base)[name] for base in kind.__mro__ if name in vars(base)), None)


def _home(kind: type, code: Any, example: Any) -> str:
    """Name the file that a case comes from."""
    files = (
        getattr(example, "filename", None),
        getattr(sys.modules.get(kind.__module__), "__file__", None),
        getattr(code, "co_filename", None),
    )
    return next((relative(path) for path in files if isinstance(path, str) and in_tree(path)), kind.__module__)


def _file_of(module: str, start: str) -> str:
    """Name the file of a module that could not be imported."""
    inside = module.replace(".", "/")
    for folder in dict.fromkeys((TREE, start, *sys.path)):
        for path in (folder + "/" + inside + ".py", folder + "/" + inside + "/__init__.py"):
            if Path(path).is_file() and in_tree(path):
                return relative(path)
    return module
