"""Remembers what modules of the project hold, and gives it back: no candidate may find what another left."""

from __future__ import annotations

import functools
import gc
import os
import sys
import types
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Callable

from bot.repair.worker.tree import Tree

MOST = 30_000
"""Values that are remembered."""
DEEPEST = 4
CONTAINERS = (dict, list, set, deque, bytearray)
CACHED = type(functools.lru_cache()(lambda: None))
PROTECTED = frozenset({"__builtins__", "__annotations__", "__dict__", "__weakref__", "__doc__"})


class State:
    """What can be changed from outside: variables of modules, attributes, contents of containers, caches, settings."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.modules = [module for module in list(sys.modules.values()) if self._own(module)]
        self.names = frozenset(module.__name__ for module in self.modules)
        self.kept: list[tuple[Any, Any]] = []
        """Each container with a copy of what it held."""
        self.attributes: list[tuple[type, int, dict[str, Any]]] = []
        self._seen: set[int] = set()
        self._room = MOST
        for module in self.modules:
            self._keep_namespace(vars(module))
        self.caches = list(self._caches())
        self.folder = str(Path.cwd())
        self.environment = dict(os.environ)
        self._keep(sys.path, 0)

    def _own(self, module: Any) -> bool:
        file = getattr(module, "__file__", None)
        return isinstance(module, types.ModuleType) and isinstance(file, str) and self.tree.holds(file)

    def _keep_namespace(self, namespace: dict[str, Any]) -> None:
        if self._remember(namespace):
            for name, value in list(namespace.items()):
                if name not in PROTECTED:
                    self._keep(value, 0)

    def _remember(self, container: Any) -> bool:
        """Keep the contents of a container, once; False where there is nothing new or no room."""
        if id(container) in self._seen or self._room < len(container):
            return False
        self._seen.add(id(container))
        self._room -= len(container) + 1
        self.kept.append((container, COPIES[_kind(container)](container)))
        return True

    def _keep(self, value: Any, depth: int) -> None:
        kind = type(value)
        if isinstance(value, CONTAINERS):
            if self._remember(value) and depth < DEEPEST and not isinstance(value, (bytearray, set)):
                for inner in list(value.values() if isinstance(value, dict) else value):
                    self._keep(inner, depth + 1)
        elif kind is tuple and depth < DEEPEST:
            for inner in value:
                self._keep(inner, depth + 1)
        elif kind is types.FunctionType:
            self._keep_function(value, depth)
        elif isinstance(value, type):
            self._keep_class(value)
        elif getattr(kind, "__module__", None) in self.names:
            own = getattr(value, "__dict__", None)
            if type(own) is dict and depth < DEEPEST:
                self._keep(own, depth + 1)

    def _keep_function(self, function: types.FunctionType, depth: int) -> None:
        """Keep what default arguments and the function itself hold on to."""
        if function.__module__ in self.names and depth < DEEPEST:
            for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
                self._keep(value, depth + 1)
            for cell in function.__closure__ or ():
                self._keep(content_of(cell), depth + 1)

    def _keep_class(self, owner: type) -> None:
        if owner.__module__ in self.names and id(owner) not in self._seen:
            self._seen.add(id(owner))
            values = {name: value for name, value in vars(owner).items() if name not in PROTECTED}
            self._room -= len(values)
            self.attributes.append((owner, len(vars(owner)), values))
            for value in values.values():
                self._keep(getattr(value, "__func__", value), 1)

    def _caches(self) -> Iterator[Callable[[], None]]:
        """Find the caches of functions, wherever they are kept."""
        for thing in gc.get_objects():
            if type(thing) is CACHED:
                inner = getattr(thing, "__wrapped__", None)
                if getattr(inner, "__module__", None) in self.names:
                    yield thing.cache_clear

    def restore(self) -> None:
        """Bring everything back that differs."""
        for container, copy in self.kept:
            if not SAMES[_kind(container)](container, copy):
                FILLS[_kind(container)](container, copy)
        for owner, size, values in self.attributes:
            now = vars(owner)
            if len(now) != size or any(now.get(name) is not value for name, value in values.items()):
                _reset(owner, values)
        for clear in self.caches:
            clear()
        os.chdir(self.folder)
        if dict(os.environ) != self.environment:
            os.environ.clear()
            os.environ.update(self.environment)


def content_of(cell: types.CellType) -> object:
    """Return what a variable of an outer function holds; None where that is not known yet."""
    try:
        content: object = cell.cell_contents
    except ValueError:
        return None
    return content


def _kind(container: Any) -> type:
    return next(kind for kind in CONTAINERS if isinstance(container, kind))


def _reset(owner: type, values: dict[str, Any]) -> None:
    for name in [name for name in vars(owner) if name not in values and name not in PROTECTED]:
        _try(delattr, owner, name)
    for name, value in values.items():
        if vars(owner).get(name) is not value:
            _try(setattr, owner, name, value)


def _try(change: Callable[..., None], *given: Any) -> None:
    try:
        change(*given)
    except (AttributeError, TypeError):  # what cannot be set was not changed either
        return


def _same_dict(container: dict[Any, Any], copy: dict[Any, Any]) -> bool:
    if len(container) != len(copy):
        return False
    return all(a is b and x is y for (a, x), (b, y) in zip(dict.items(container), copy.items()))


def _same_items(container: Any, copy: Any) -> bool:
    return len(container) == len(copy) and all(a is b for a, b in zip(container, copy))


def _same_set(container: set[Any], copy: set[Any]) -> bool:
    return len(container) == len(copy) and {id(one) for one in container} == {id(one) for one in copy}


def _fill_dict(container: dict[Any, Any], copy: dict[Any, Any]) -> None:
    dict.clear(container)
    dict.update(container, copy)


def _fill_list(container: list[Any], copy: list[Any]) -> None:
    list.__setitem__(container, slice(None), copy)


def _fill_set(container: set[Any], copy: set[Any]) -> None:
    set.clear(container)
    set.update(container, copy)


def _fill_deque(container: deque[Any], copy: list[Any]) -> None:
    deque.clear(container)
    deque.extend(container, copy)


def _fill_bytes(container: bytearray, copy: bytes) -> None:
    container[:] = copy


def _items(container: Any) -> dict[Any, Any]:
    return dict(dict.items(container))


COPIES: dict[type, Callable[[Any], Any]] = {
    dict: _items, list: list, set: set, deque: list, bytearray: bytes,
}  # fmt: skip
SAMES: dict[type, Callable[[Any, Any], bool]] = {
    dict: _same_dict, list: _same_items, set: _same_set, deque: _same_items, bytearray: lambda a, b: bytes(a) == b,
}  # fmt: skip
FILLS: dict[type, Callable[[Any, Any], None]] = {
    dict: _fill_dict, list: _fill_list, set: _fill_set, deque: _fill_deque, bytearray: _fill_bytes,
}  # fmt: skip
