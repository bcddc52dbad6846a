"""What may follow the last statement of a test without touching what was asked before it."""

import ast
from collections.abc import Iterator, Sequence

from bot.verify.guard.harm import harm
from bot.verify.guard.normal import FUNCTIONS, Function, parameters

_LATER = frozenset({"addCleanup", "addClassCleanup", "addfinalizer", "enterContext", "callback", "push", "register"})
"""What lets code run when the test is over, and look at what has become of its variables."""
_HOLDING = (*FUNCTIONS, ast.ClassDef, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.withitem, ast.NamedExpr)


class Ending:
    """Tells which statements at the end of a test only act on what the test made for itself."""

    def __init__(self, before: Function, after: Function, imported: frozenset[str]) -> None:
        given = {each.arg for each in parameters(before)}
        bound = set(_bound(before))
        read = {node.id for node in ast.walk(before) if isinstance(node, ast.Name)}
        self._free = frozenset(read - bound)
        self._lent = frozenset(_tainted(before.body, given))
        self._own = frozenset({*_bound(after)} - self._free - self._lent)
        names = {getattr(node, "attr", getattr(node, "id", "")) for node in ast.walk(before)}
        foreign = any(
            isinstance(node, (ast.Global, ast.Nonlocal, ast.Yield, ast.YieldFrom)) for node in ast.walk(after)
        )
        self._closed = foreign or bool(names & _LATER) or bool(harm(after, imported))

    def allows(self, statement: ast.stmt) -> bool:
        """Tell whether a statement may follow all that was there."""
        if self._closed or not _is_plain(statement) or {*_bound(statement)} & (self._free | self._lent):
            return False
        return not any(self._reaches(part) for part in ast.walk(statement))

    def _reaches(self, node: ast.AST) -> bool:
        """Tell whether something may change what the test was given, such as a fixture that is looked at afterwards."""
        if isinstance(node, (ast.Attribute, ast.Subscript)) and not isinstance(node.ctx, ast.Load):
            return bool(_names(node) & self._lent)
        if not isinstance(node, ast.Call) or _is_asking(node):
            return False
        used = {name for part in (node.func, *node.args, *node.keywords) for name in _names(part)}
        # What a module holds may be looked at when the test is over, as what the test was given may
        inner = node.func.value if isinstance(node.func, ast.Attribute) else None
        return bool(used & self._lent or (isinstance(inner, ast.Attribute) and used - self._own))


def _is_plain(statement: ast.stmt) -> bool:
    match statement:
        case ast.Assert() | ast.Expr(value=ast.Call()) | ast.Assign() | ast.AugAssign():
            return True
        case ast.With(body=body) | ast.For(body=body, orelse=[]) | ast.If(body=body, orelse=[]):
            return all(map(_is_plain, body))
        case _:
            return False


def _is_asking(call: ast.Call) -> bool:
    return getattr(call.func, "attr", "").startswith("assert") or getattr(call.func, "attr", "") == "subTest"


def _bound(node: ast.AST) -> Iterator[str]:
    return (part.id for part in ast.walk(node) if isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load))


def _names(node: ast.AST) -> set[str]:
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def _tainted(statements: Sequence[ast.stmt], given: set[str]) -> set[str]:
    """Name the variables that may hold something that the test was given."""
    parts = [part for statement in statements for part in ast.walk(statement) if isinstance(part, _HOLDING)]
    known = set(given)
    while True:
        fresh = {name for part in parts if _names(part) & known for name in _made(part)} - known
        if not fresh:
            return known
        known |= fresh


def _made(part: ast.AST) -> Iterator[str]:
    yield from [part.name] if isinstance(part, (*FUNCTIONS, ast.ClassDef)) else _bound(part)
