"""Digests what a test function does, the same under any name and at any place."""

from __future__ import annotations

import hashlib
from types import CodeType, FunctionType
from typing import Any

from bot.verify.probe.tree import in_tree

DEEPEST = 20
PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))
SIMPLE = frozenset(PLAIN)
"""Types whose values are told apart by how they are shown."""
_INSIDE: dict[str, bool] = {}
_DIGESTS: dict[FunctionType, str] = {}


def digest(function: object, name: str) -> str:
    """Digest a function of this name; empty when what it does stands elsewhere, behind what cannot be seen."""
    function = getattr(function, "__func__", function)
    if not isinstance(function, FunctionType):
        return ""
    known = _DIGESTS.get(function)
    if known is None:
        told = _function(function, name, DEEPEST)
        known = hashlib.sha256(told.encode("utf-8", "backslashreplace")).hexdigest()[:16] if told else ""
        _DIGESTS[function] = known
    return known


def _function(function: FunctionType, name: str, depth: int) -> str:
    """Describe a function and those that it holds; empty when it holds what cannot be described."""
    code = function.__code__
    if not (function.__closure__ or function.__defaults__ or function.__kwdefaults__):
        return _code(code, function.__qualname__) if _is_own(function, name) else ""
    held = [_held(cell, depth - 1) for cell in function.__closure__ or ()]
    given = [_plain(value) for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())]
    if None in held or None in given:
        return ""
    # Under another name than its own, a function is what some decorator or factory left in the place of many.
    if not _is_own(function, name) and not any(told and told.startswith("function") for told in held):
        return ""
    return repr(("function", given, held)) + _code(code, function.__qualname__)


def _is_own(function: FunctionType, name: str) -> bool:
    path = function.__code__.co_filename
    if path not in _INSIDE:
        _INSIDE[path] = in_tree(path)
    return _INSIDE[path] and function.__code__.co_name == name


def _held(cell: Any, depth: int) -> str | None:
    try:
        value = cell.cell_contents
    except ValueError:
        return "empty"
    if isinstance(value, FunctionType):
        told = _function(value, value.__name__, depth) if depth > 0 else ""
        return "function" + told if told else None
    return _plain(value)


def _plain(value: object) -> str | None:
    return _constant(value, "") if isinstance(value, (*PLAIN, tuple, frozenset)) else None


def _code(code: CodeType, name: str) -> str:
    """Describe a code object without its names, file and lines."""
    constants: object = code.co_consts
    if not SIMPLE.issuperset(map(type, code.co_consts)):
        constants = [_constant(value, name) for value in code.co_consts]
    shape = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    return repr((shape, names, code.co_code, getattr(code, "co_exceptiontable", b""), constants))


def _constant(value: object, name: str) -> str:
    if isinstance(value, CodeType):
        return _code(value, name)
    if isinstance(value, tuple):
        return "(" + ",".join([_constant(part, name) for part in value]) + ")"
    if isinstance(value, frozenset):
        return "{" + ",".join(sorted([_constant(part, name) for part in value])) + "}"
    if isinstance(value, str) and name and value.startswith(name + ".<locals>"):
        # The full names of what is defined inside.
        value = value[len(name) :]
    return type(value).__name__ + repr(value)
