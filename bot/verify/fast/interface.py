"""Whether a module looks otherwise to those who import it, as far as types are concerned."""

import ast
from collections.abc import Iterator, Sequence
from typing import TypeVar

F = TypeVar("F", ast.FunctionDef, ast.AsyncFunctionDef)


def is_another(before: bytes | None, after: bytes | None) -> bool:
    """Tell whether importers have to be looked at again: not where only what functions do inside was changed."""
    if before is None or after is None:
        return True
    try:
        return _outline(before) != _outline(after)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True


def _outline(source: bytes) -> str:
    return ast.dump(_Hollow().visit(ast.parse(source)))


class _Hollow(ast.NodeTransformer):
    """Takes out of functions what nobody sees from outside."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        """Keep the signature, and what gives attributes and names of the module their types."""
        return _hollow(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AsyncFunctionDef:
        """Do the same."""
        return _hollow(node)


def _hollow(node: F) -> F:
    node.body = list(_seen(node.body))
    return node


def _seen(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Find the assignments in a function that tell of attributes, and all of a function that writes global names."""
    inside = [node for statement in body for node in ast.walk(statement)]
    if any(isinstance(node, ast.Global | ast.Nonlocal) for node in inside):
        yield from body
        return
    for node in inside:
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(isinstance(part, ast.Attribute) for target in targets for part in ast.walk(target)):
                yield node
        elif isinstance(node, ast.Yield | ast.YieldFrom):
            # What has no types of its own is a generator by these
            yield ast.Expr(ast.Yield())
