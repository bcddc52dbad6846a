"""The register of templates; each is a function from a node to the edits that it proposes there."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from typing import Any, Callable, NamedTuple, TypeVar

from bot.repair.worker.source import Candidate
from bot.repair.worker.view import View

Template = Callable[[View, Any], Iterator[Candidate]]
T = TypeVar("T", bound=Template)


class Rule(NamedTuple):
    """A template and the kinds of nodes that it is for."""

    kinds: tuple[type[ast.AST], ...]
    propose: Template


CHEAP: list[Rule] = []
HEAVY: list[Rule] = []
"""Templates that combine everything with everything; only the worst lines are worth it."""
HEADS: list[Rule] = []
"""Templates for what stands around the body of a function or class."""


def cheap(*kinds: type[ast.AST]) -> Callable[[T], T]:
    """Register a template that every suspicious line gets."""

    def register(propose: T) -> T:
        CHEAP.append(Rule(kinds, propose))
        return propose

    return register


def heavy(*kinds: type[ast.AST]) -> Callable[[T], T]:
    """Register a template that only the most suspicious lines get."""

    def register(propose: T) -> T:
        HEAVY.append(Rule(kinds, propose))
        return propose

    return register


def head(*kinds: type[ast.AST]) -> Callable[[T], T]:
    """Register a template for definitions with suspicious lines."""

    def register(propose: T) -> T:
        HEADS.append(Rule(kinds, propose))
        return propose

    return register


def stored(node: ast.AST) -> bool:
    """Whether an expression is written to."""
    return isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))


def called(view: View, node: ast.AST) -> bool:
    """Whether an expression is what a call calls."""
    return isinstance(view.source.parent(node), ast.Call) and view.source.field(node) == "func"


def parameters(view: View, function: str) -> list[str]:
    """List parameter names that a call of this name may take, from this file and what is imported."""
    name = function.rsplit(".", 1)[-1]
    found: list[str] = []
    for node in ast.walk(view.source.tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and name in (node.name, "__init__"):
            found += [a.arg for a in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
    for module in list(sys.modules.values()):
        known = getattr(module, "__dict__", {})
        kinds = [kind for kind in list(known.values()) if isinstance(kind, type)] if name not in known else []
        for value in (known.get(name), *(vars(kind).get(name) for kind in kinds)):
            code = getattr(value, "__code__", None)
            if code is not None:
                found += code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return list(dict.fromkeys(found))


def import_line(view: View, text: str, template: str, prior: float, line: int) -> Candidate:
    """Put an import after the docstring and the imports that come first."""
    after, gap = 0, ""
    for statement in view.source.tree.body:
        documented = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant) and after == 0
        if not documented and not isinstance(statement, (ast.Import, ast.ImportFrom)):
            break
        after, gap = statement.end_lineno or statement.lineno, "\n" if documented else ""
    place = view.source.offsets[after]
    return view.rewrite((place, place), f"{gap}{text}\n", template, prior, line)


def import_member(view: View, module: str, name: str, template: str, prior: float) -> Candidate:
    """Import a name of a module, on the line that imports from it already where there is one."""
    for statement in view.source.tree.body:
        if isinstance(statement, ast.ImportFrom) and _same(statement, module):
            names = [alias.name for alias in statement.names]
            plain = not any(alias.asname for alias in statement.names) and "*" not in names
            if plain and view.text(statement).endswith(f" import {', '.join(names)}"):
                more = sorted([*names, name]) if names == sorted(names) else [*names, name]
                end = view.source.span(statement)[1]
                span = (end - len(", ".join(names).encode()), end)
                return view.rewrite(span, ", ".join(more), template, prior, statement.lineno)
    return import_line(view, f"from {module} import {name}", template, prior, 1)


def _same(statement: ast.ImportFrom, module: str) -> bool:
    """Whether a statement imports from a module, as far as a relative one tells."""
    named = statement.module or ""
    return module.endswith(f".{named}") if statement.level else named == module
