"""Changes modules that are already imported, without running their top level again where that can be helped."""

from __future__ import annotations

import ast
import gc
import os
import sys
import types
from collections.abc import Iterator, Sequence
from typing import Any

from bot.repair.worker.source import DEFINITIONS, Edit, Source, replace_spans

Index = dict[tuple[int, str], list[types.FunctionType]]
KEPT = frozenset({"__dict__", "__weakref__", "__doc__", "__module__", "__slots__", "__qualname__"})


def fingerprint(code: types.CodeType) -> int:
    """Identify what code does, wherever it stands."""
    constants = tuple(
        fingerprint(c) if isinstance(c, types.CodeType) else (type(c).__name__, repr(c)) for c in code.co_consts
    )
    return hash((code.co_code, constants, code.co_names, code.co_varnames, code.co_freevars))


def _inner(code: types.CodeType) -> list[types.CodeType]:
    return [c for c in code.co_consts if isinstance(c, types.CodeType)]


class Module:
    """One imported file whose functions can be exchanged."""

    def __init__(self, source: Source, module: types.ModuleType) -> None:
        self.source = source
        self.module = module
        self.filename: str = module.__file__ or source.path
        self.index = _functions(self.filename)
        self.original = [(f, f.__code__, f.__defaults__, f.__kwdefaults__) for fs in self.index.values() for f in fs]
        self._before: dict[int | None, types.CodeType] = {}

    def restore(self) -> None:
        """Give every function its own code back."""
        for function, code, defaults, keywords in self.original:
            if function.__code__ is not code:
                function.__code__ = code
            if function.__defaults__ is not defaults:
                function.__defaults__ = defaults
            if function.__kwdefaults__ is not keywords:
                function.__kwdefaults__ = keywords

    def compile(self, edits: Sequence[Edit]) -> tuple[types.CodeType, types.CodeType]:
        """Compile the definition that all edits fall into, or the whole file; returns it before and after.

        Raises SyntaxError, ValueError and RecursionError.
        """
        source = self.source
        top = source.top(min(e.start for e in edits), max(e.end for e in edits))
        if top is None or "__future__" in source.content.decode():
            return self._old(None), self._code(replace_spans(source.content, edits)[source.base :])
        start, end = source.whole(top)
        moved = [edit._replace(start=edit.start - start, end=edit.end - start) for edit in edits]
        text = replace_spans(source.content[start:end], moved)
        line = top.decorator_list[0].lineno if isinstance(top, DEFINITIONS) and top.decorator_list else top.lineno
        return self._old(top), self._code(b"\n" * (line - 1) + text)

    def _old(self, top: ast.stmt | None) -> types.CodeType:
        number = None if top is None else top.lineno
        if number not in self._before:
            if top is None:
                text = self.source.content[self.source.base :]
            else:
                start, end = self.source.whole(top)
                text = (
                    b"\n" * self.source.content[self.source.base : start].count(b"\n") + self.source.content[start:end]
                )
            self._before[number] = self._code(text)
        return self._before[number]

    def _code(self, text: bytes) -> types.CodeType:
        code: types.CodeType = compile(text, self.filename, "exec", dont_inherit=True)
        return code

    def swap(self, before: types.CodeType, after: types.CodeType) -> int:
        """Exchange the code of live functions that differ; returns how many were reached."""
        old, new = _inner(before), _inner(after)
        if len(old) != len(new):
            return 0
        reached = 0
        for a, b in zip(old, new):
            if a.co_name != b.co_name or fingerprint(a) == fingerprint(b):
                continue
            for function in self.index.get((a.co_firstlineno, a.co_name), []):
                if len(function.__code__.co_freevars) == len(b.co_freevars):
                    function.__code__ = b
                    reached += 1
            reached += self.swap(a, b)
        return reached

    def swappable(self, before: types.CodeType, after: types.CodeType) -> bool:
        """Whether two versions differ only inside of functions."""
        return _shallow(before) == _shallow(after)

    def rerun_with(self, edits: Sequence[Edit]) -> None:
        """Run the module's top level anew with edits."""
        self.rerun(self._code(replace_spans(self.source.content, edits)[self.source.base :]))

    def rerun(self, code: types.CodeType) -> None:
        """Run the module's top level anew and carry what it defines over into the living objects."""
        old = vars(self.module)
        kept = ("__name__", "__file__", "__package__", "__spec__", "__loader__", "__path__", "__builtins__")
        fresh: dict[str, Any] = {name: old[name] for name in kept if name in old}
        exec(code, fresh)  # noqa: S102 - running the project's own module, in a throwaway child
        for name, value in fresh.items():
            present = old.get(name)
            if name.startswith("__") and name.endswith("__"):
                continue
            if isinstance(present, (types.FunctionType, type)) and isinstance(value, (types.FunctionType, type)):
                self._carry(present, value, self.module, name)
            elif not isinstance(value, types.ModuleType):
                setattr(self.module, name, value)

    def _carry(self, old: Any, new: Any, owner: Any, name: str) -> None:
        ours = getattr(old, "__module__", None) == self.module.__name__
        if isinstance(old, types.FunctionType) and isinstance(new, types.FunctionType) and ours:
            if len(old.__code__.co_freevars) != len(new.__code__.co_freevars):
                setattr(owner, name, new)
                return
            old.__code__, old.__defaults__, old.__kwdefaults__ = new.__code__, new.__defaults__, new.__kwdefaults__
            if hasattr(old, "__wrapped__") and hasattr(new, "__wrapped__"):
                self._carry(old.__wrapped__, new.__wrapped__, old, "__wrapped__")
        elif isinstance(old, type) and isinstance(new, type) and ours:
            self._carry_class(old, new)
        elif not ours:
            setattr(owner, name, new)

    def _carry_class(self, old: type, new: type) -> None:
        for name, value in list(vars(new).items()):
            present = vars(old).get(name)
            if name in KEPT or isinstance(value, types.MemberDescriptorType):
                continue
            if isinstance(value, (staticmethod, classmethod)) and isinstance(present, (staticmethod, classmethod)):
                self._carry(present.__func__, value.__func__, old, name)
            elif isinstance(value, types.FunctionType) and isinstance(present, types.FunctionType):
                self._carry(present, value, old, name)
            else:
                try:
                    setattr(old, name, value)
                except (AttributeError, TypeError):
                    continue


def _shallow(code: types.CodeType) -> tuple[object, ...]:
    """Identify what code does at its own level."""
    plain = tuple(repr(c) for c in code.co_consts if not isinstance(c, types.CodeType))
    return code.co_code, plain, code.co_names


def _functions(filename: str) -> Index:
    """Find every living function of a file: decorated, bound, imported by name or closed over."""
    real = os.path.realpath(filename)
    index: Index = {}
    names: dict[str, bool] = {}
    gc.unfreeze()
    for thing in gc.get_objects():
        if type(thing) is types.FunctionType:
            code = thing.__code__
            if code.co_filename not in names:
                names[code.co_filename] = os.path.realpath(code.co_filename) == real
            if names[code.co_filename]:
                index.setdefault((code.co_firstlineno, code.co_name), []).append(thing)
    return index


def imported(filename: str) -> Iterator[types.ModuleType]:
    """Find the modules that were loaded from a file."""
    real = os.path.realpath(filename)
    for module in list(sys.modules.values()):
        there = getattr(module, "__file__", None)
        if isinstance(there, str) and os.path.realpath(there) == real:
            yield module
