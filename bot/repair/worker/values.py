"""Templates: constants, and small arithmetic on values."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from bot.repair.worker.facts import NUMBERS
from bot.repair.worker.patterns import pattern_of
from bot.repair.worker.rules import called, cheap, stored
from bot.repair.worker.source import Candidate
from bot.repair.worker.view import View

ROOMY = (ast.Compare, ast.Call, ast.Subscript, ast.Slice, ast.Return, ast.Tuple)
BITWISE = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
ARITHMETIC = (
    ("{} ** 2", 0.15), ("{} * 2", 0.12), ("{} // 2", 0.12), ("{} / 2", 0.12), ("{} % 2", 0.12), ("{} ** 0.5", 0.06),
)  # fmt: skip
KNOWN = ("{} ** {}", "{} * {}", "{} // {}", "{} % {}", "{} + {}", "{} - {}")
TERMS = (("-", 0.3), ("+", 0.3), ("*", 0.12), ("//", 0.07), ("%", 0.07))
SEPARATORS = {":": "os.pathsep", "/": "os.sep", "\n": "os.linesep"}


@cheap(ast.Constant)
def change_constant(view: View, node: ast.Constant) -> Iterator[Candidate]:
    """A constant becomes a neighbour of it, or one that the function also uses."""
    if isinstance(view.source.parent(node), ast.Expr) or stored(node):
        return
    if isinstance(node.value, bool):
        yield view.replace(node, str(not node.value), "const", 0.8)
    elif isinstance(node.value, int):
        found = _integers(view, node, node.value)
        yield from (c._replace(prior=c.prior / 4) for c in found) if _inserts(view, node) else found
    elif isinstance(node.value, float):
        v = node.value
        for new in (v + 1, v - 1, 0.0, 1.0, -v, v * 10, v / 10, v * 2, v / 2):
            yield view.replace(node, view.enclose(node, repr(new)) if new < 0 else repr(new), "const", 0.35)
    elif isinstance(node.value, str):
        yield from _strings(view, node, node.value)
    elif node.value is None:
        for text in ("0", "[]", "''", "False", "True", "{}"):
            yield view.replace(node, text, "const", 0.3)


def _inserts(view: View, node: ast.Constant) -> bool:
    """Whether a number is the place at which something is inserted: in short lists any number passes for another."""
    parent = view.source.parent(node)
    called = parent.func if isinstance(parent, ast.Call) and node in parent.args[:1] else None
    return isinstance(called, ast.Attribute) and called.attr == "insert"


def _integers(view: View, node: ast.Constant, v: int) -> Iterator[Candidate]:
    near = (
        (v + 1, 0.8),
        (v - 1, 0.8 if v > 0 else 0.4),
        (0, 0.5),
        (1, 0.5),
        (-v, 0.5),
        (2, 0.35),
        (-1, 0.35),
        (v * 10, 0.15),
        (v * 2, 0.15),
    )
    far = ((v - 2, 0.2), (v + 2, 0.2)) if abs(v) > 9 else ()
    for new, prior in (*near, *far):
        if new != v:
            yield view.replace(node, view.enclose(node, str(new)) if new < 0 else str(new), "const", prior)
    for other in sorted(view.material(node).numbers):
        if other != v:
            yield view.replace(node, repr(other), "const_other", 0.3)


def _strings(view: View, node: ast.Constant, v: str) -> Iterator[Candidate]:
    prior = 0.05 if pattern_of(view, node) is not None else 0.35
    for other in sorted(view.material(node).strings - {v}):
        yield view.replace(node, view.spell(other), "const_str", prior)
    if len(v) < 30:
        for new in dict.fromkeys(("", " ", v.lower(), v.upper(), v.strip(), v + " ", v[:-1], v[1:])):
            yield view.replace(node, view.spell(new), "const_str", 0.2)
    if v in SEPARATORS and any(name.name == "os" for name in view.module_names):
        yield view.replace(node, SEPARATORS[v], "os_const", 0.5)


def _numeric(view: View, node: ast.expr) -> bool:
    return bool(view.types(node) & {"int", "float"}) and not isinstance(node, ast.Constant) and not stored(node)


@cheap(ast.expr)
def shift_by_one(view: View, node: ast.expr) -> Iterator[Candidate]:
    """`n` becomes `n - 1` or `n + 1`."""
    parent = view.source.parent(node)
    if not _numeric(view, node) or called(view, node):
        return
    if (
        isinstance(parent, ast.BinOp)
        and isinstance(parent.op, (ast.Add, ast.Sub))
        and isinstance(parent.right, ast.Constant)
    ):
        return
    prior = 0.7 if isinstance(parent, ROOMY) else 0.45
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)) and isinstance(node.right, ast.Constant):
        prior /= 2
    for step in (-1, 1):
        text = _shifted(view, node, step)
        yield view.replace(node, view.enclose(node, text), "off_by_one", prior)


def _shifted(view: View, node: ast.expr, step: int) -> str:
    """Return the source of an expression and a step; `n - 1` and one more is `n`."""
    left, by = _term(view, node), step
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)) and isinstance(node.right, ast.Constant):
        value = node.right.value
        if type(value) is int:
            left, by = view.side(node.left), step + (value if isinstance(node.op, ast.Add) else -value)
    return f"{left} {'-' if by < 0 else '+'} {abs(by)}" if by else left


def _term(view: View, node: ast.expr) -> str:
    """Return source that can stand beside a plus or a minus."""
    loose = isinstance(node, ast.BinOp) and not isinstance(node.op, BITWISE)
    return view.text(node) if loose else view.operand(node)


@cheap(ast.expr)
def adjust_number(view: View, node: ast.expr) -> Iterator[Candidate]:
    """`n` becomes `-n`, `abs(n)`, `n // 2`, `max(0, n)`."""
    if not _numeric(view, node) or called(view, node):
        return
    text = view.text(node)
    yield view.replace(node, view.enclose(node, f"-{view.operand(node)}"), "neg", 0.3)
    yield view.replace(node, f"abs({text})", "wrap_call", 0.4)
    for pattern, prior in ARITHMETIC:
        yield view.replace(node, view.enclose(node, pattern.format(view.operand(node))), "arith_const", prior)
    numbers = sorted(n for n in view.material(node).numbers if n not in (0, 1, 2))[:4]
    plain = isinstance(node, (ast.Name, ast.Attribute, ast.Subscript, ast.Call))
    for pattern, number in itertools.product(KNOWN, numbers) if plain else ():
        new = pattern.format(view.operand(node), number)
        yield view.replace(node, view.enclose(node, new), "arith_const", 0.08)
    yield view.replace(node, f"max(0, {text})", "minmax", 0.3)
    yield view.replace(node, f"round({text})", "wrap_call", 0.12)
    if "float" in view.types(node):
        yield view.replace(node, f"int({text})", "wrap_call", 0.25)
    yield view.replace(node, f"str({text})", "wrap_call", 0.2)


@cheap(ast.expr)
def add_term(view: View, node: ast.expr) -> Iterator[Candidate]:
    """`n` becomes `n - m` or `min(m, n)` with another variable."""
    if not _numeric(view, node) or called(view, node):
        return
    text = view.text(node)
    for name, types, _ in view.variables(node):
        if not types & NUMBERS or name == text:
            continue
        for operator, prior in TERMS:
            left = _term(view, node) if operator in "+-" else view.operand(node)
            yield view.replace(node, view.enclose(node, f"{left} {operator} {name}"), "add_term", prior)
        yield view.replace(node, view.enclose(node, f"{name} - {view.operand(node)}"), "add_term", 0.15)
        yield view.replace(node, f"max({name}, {text})", "minmax", 0.15)
        yield view.replace(node, f"min({name}, {text})", "minmax", 0.15)
