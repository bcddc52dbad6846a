"""Which functions an edit changes, so that they can be called with and without it."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator, Sequence

from bot.repair.worker.live import Module
from bot.repair.worker.source import FUNCTIONS, Edit, Source

MOST = 6
"""Functions that are watched for one edit outside of any."""


def functions_of(module: Module, edits: Sequence[Edit]) -> Iterator[types.FunctionType]:
    """Find the living functions that edits fall into, or that use what they define."""
    for edit in edits:
        node = _around(module.source, edit)
        if node is not None:
            yield from _living(module, node)[:1]
        else:
            yield from _users(module, _defined(module.source, edit))


def _around(source: Source, edit: Edit) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """Find the outermost function around an edit; what is put in right behind one belongs to it."""
    for statement in source.statements:
        if not isinstance(statement, FUNCTIONS) or source.function(statement) is not None:
            continue
        first, last = source.whole(statement)
        if first <= edit.start < last or first < edit.start == edit.end == last:
            return statement
    return None


def _living(module: Module, node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[types.FunctionType]:
    first = node.decorator_list[0].lineno if node.decorator_list else node.lineno
    found = module.index.get((first, node.name), [])
    return sorted(found, key=lambda function: "<locals>" in function.__qualname__)


def _defined(source: Source, edit: Edit) -> set[str]:
    """Name what the statements around an edit outside of functions define."""
    names: set[str] = set()
    for statement in source.statements:
        first, last = source.span(statement)
        if first <= edit.start <= last and not isinstance(statement, (ast.ClassDef, ast.If, ast.Try, ast.With)):
            names |= {node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and _stored(node)}
            names |= {(node.asname or node.name) for node in ast.walk(statement) if isinstance(node, ast.alias)}
    return names


def _stored(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Store)


def _users(module: Module, names: set[str]) -> Iterator[types.FunctionType]:
    every = [function for same in module.index.values() for function in same[:1]]
    using = [f for f in every if "<" not in f.__qualname__ and names & _mentioned(f.__code__)]
    yield from sorted(using, key=lambda function: function.__code__.co_firstlineno)[:MOST]


def _mentioned(code: types.CodeType) -> set[str]:
    inner = (_mentioned(part) for part in code.co_consts if isinstance(part, types.CodeType))
    return set(code.co_names).union(*inner)
