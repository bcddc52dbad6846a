"""The register of templates; each is a function from a node to the edits that it proposes there."""

from __future__ import annotations

import ast
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


def stored(node: ast.AST) -> bool:
    """Whether an expression is written to."""
    return isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del))


def called(view: View, node: ast.AST) -> bool:
    """Whether an expression is what a call calls."""
    return isinstance(view.source.parent(node), ast.Call) and view.source.field(node) == "func"
