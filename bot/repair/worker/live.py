"""Changes modules that are already imported, without running their top level again where that can be helped."""

from __future__ import annotations

import ast
import gc
import os
import sys
import types
from collections.abc import Iterator, Sequence
from typing import Any

from bot.repair.worker.graft import Graft, Index, carry
from bot.repair.worker.source import DEFINITIONS, Edit, Source, replace_spans


def fingerprint(code: types.CodeType) -> int:
    """Identify what code does, wherever it stands."""
    constants = tuple(
        fingerprint(c) if isinstance(c, types.CodeType) else (type(c).__name__, repr(c)) for c in code.co_consts
    )
    # Where code is protected by try stands beside it since 3.11
    table = getattr(code, "co_exceptiontable", b"")
    shape = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags, code.co_cellvars)
    return hash((code.co_code, table, shape, constants, code.co_names, code.co_varnames, code.co_freevars))


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
        self.own_code = {id(function): code for function, code, *_ in self.original}
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
            for function in self._living(a):
                if len(function.__code__.co_freevars) == len(b.co_freevars):
                    function.__code__ = b
                    reached += 1
            reached += self.swap(a, b)
        return reached

    def _living(self, code: types.CodeType) -> list[types.FunctionType]:
        """Find the functions that run some code; several of one name may stand in one line."""
        found = self.index.get((code.co_firstlineno, code.co_name), [])
        prints = {fingerprint(one) for one in {self.own_code[id(function)] for function in found}}
        if len(prints) < 2:
            return found
        wanted = fingerprint(code)
        return [function for function in found if fingerprint(self.own_code[id(function)]) == wanted]

    def swappable(self, before: types.CodeType, after: types.CodeType) -> bool:
        """Whether two versions differ only inside of functions."""
        return _shallow(before) == _shallow(after)

    def rerun_with(self, edits: Sequence[Edit]) -> None:
        """Run anew what edits change of the module's top level. Raises what the module's code does."""
        text = replace_spans(self.source.content, edits)[self.source.base :]
        if not Graft(self.module, self.filename, self.index).apply(self.source.tree, ast.parse(text)):
            self.rerun(self._code(text))

    def rerun(self, code: types.CodeType) -> None:
        """Run the module's top level anew and carry what it defines over into the living objects."""
        old = vars(self.module)
        kept = ("__name__", "__file__", "__package__", "__spec__", "__loader__", "__path__", "__builtins__")
        fresh: dict[str, Any] = {name: old[name] for name in kept if name in old}
        exec(code, fresh)  # noqa: S102 - running the project's own module, in a throwaway child
        for name, value in fresh.items():
            present = old.get(name)
            dunder = name.startswith("__") and name.endswith("__")
            if dunder or isinstance(value, types.ModuleType):
                continue
            ours = getattr(present, "__module__", None) == self.module.__name__
            if not (ours and isinstance(present, (types.FunctionType, type)) and carry(present, value)):
                old[name] = value


def _shallow(code: types.CodeType) -> tuple[object, ...]:
    """Identify what code does at its own level."""
    plain = tuple(repr(c) for c in code.co_consts if not isinstance(c, types.CodeType))
    return code.co_code, plain, code.co_names


class _Living:
    """All functions of this process, by the file that they come from; looked up again when more was imported."""

    modules = 0
    files: dict[str, Index] = {}  # noqa: RUF012 - one for the process


def _functions(filename: str) -> Index:
    """Find every living function of a file: decorated, bound, imported by name or closed over."""
    real = os.path.realpath(filename)
    if _Living.modules != len(sys.modules) or real not in _Living.files:
        gc.unfreeze()
        names: dict[str, str] = {}
        _Living.files = {}
        for thing in gc.get_objects():
            if type(thing) is types.FunctionType:
                code = thing.__code__
                if code.co_filename not in names:
                    names[code.co_filename] = os.path.realpath(code.co_filename)
                index = _Living.files.setdefault(names[code.co_filename], {})
                index.setdefault((code.co_firstlineno, code.co_name), []).append(thing)
        _Living.modules = len(sys.modules)
    return _Living.files.get(real, {})


def imported(filename: str) -> Iterator[types.ModuleType]:
    """Find the modules that were loaded from a file."""
    real = os.path.realpath(filename)
    for module in list(sys.modules.values()):
        there = getattr(module, "__file__", None)
        if isinstance(there, str) and os.path.realpath(there) == real:
            yield module
