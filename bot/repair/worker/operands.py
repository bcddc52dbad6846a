"""Templates: both sides of an operator at once, and operands in the midst of a chain."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from bot.repair.worker.facts import CONTAINERS, NUMBERS, UNCOMPARED, compatibility
from bot.repair.worker.operators import BINARY, COMPARISONS
from bot.repair.worker.rules import cheap, heavy
from bot.repair.worker.source import Candidate
from bot.repair.worker.view import View

WRAPS: tuple[tuple[str, frozenset[str], float], ...] = (
    ("set({})", CONTAINERS - {"dict"}, 0.3), ("sorted({})", CONTAINERS, 0.3), ("len({})", CONTAINERS, 0.3),
    ("{}.lower()", frozenset({"str"}), 0.3), ("{}.strip()", frozenset({"str"}), 0.15), ("abs({})", NUMBERS, 0.25),
    ("list({})", CONTAINERS, 0.12), ("tuple({})", CONTAINERS - {"str"}, 0.12), ("str({})", NUMBERS | {"str"}, 0.12),
    ("int({})", frozenset({"str", "float"}), 0.2), ("float({})", frozenset({"str", "int"}), 0.12),
    ("type({})", frozenset(), 0.05),
)  # fmt: skip


TERMS = (ast.Name, ast.Attribute, ast.Constant, ast.Call, ast.Subscript)


def sides(node: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """Return the two operands of an expression that has exactly two."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        return node.left, node.comparators[0]
    if isinstance(node, ast.BinOp):
        return node.left, node.right
    return (node.values[0], node.values[1]) if isinstance(node, ast.BoolOp) and len(node.values) == 2 else None


def symbol(node: ast.expr) -> str:
    """Return the operator of an expression with two operands."""
    if isinstance(node, ast.Compare):
        return COMPARISONS[type(node.ops[0])]
    if isinstance(node, ast.BinOp):
        return BINARY[type(node.op)]
    return "and" if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And) else "or"


@cheap(ast.Compare, ast.BinOp)
def wrap_both(view: View, node: ast.Compare | ast.BinOp) -> Iterator[Candidate]:
    """`a == b` becomes `set(a) == set(b)`."""
    pair = sides(node)
    if pair is None or any(isinstance(side, ast.Constant) for side in pair):
        return
    one, other = (view.types(side) for side in pair)
    for pattern, kinds, prior in WRAPS:
        if not kinds or (one & kinds and other & kinds):
            left, right = (pattern.format(view.operand(s) if "{}." in pattern else view.text(s)) for s in pair)
            yield view.replace(node, view.enclose(node, f"{left} {symbol(node)} {right}"), "wrap_both", prior)


@cheap(ast.Compare)
def swap_membership(view: View, node: ast.Compare) -> Iterator[Candidate]:
    """`text in part` becomes `part in text`."""
    if len(node.ops) == 1 and isinstance(node.ops[0], (ast.In, ast.NotIn)):
        left, right = node.left, node.comparators[0]
        if compatibility(view.types(left), view.types(right)) and not isinstance(right, (ast.List, ast.Tuple)):
            text = f"{view.side(right)} {symbol(node)} {view.side(left)}"
            yield view.replace(node, view.enclose(node, text), "swap_operands", 0.65)


@cheap(ast.BinOp)
def drop_inner(view: View, node: ast.BinOp) -> Iterator[Candidate]:
    """`a ** b * c` becomes `a ** c`: an operand goes together with the operator after it."""
    if isinstance(node.left, ast.BinOp):
        text = f"{view.side(node.left.left)} {symbol(node.left)} {view.side(node.right)}"
        yield view.replace(node, view.enclose(node, text), "drop_operand", 0.35)
    if isinstance(node.right, ast.BinOp):
        text = f"{view.side(node.left)} {symbol(node)} {view.side(node.right.right)}"
        yield view.replace(node, view.enclose(node, text), "drop_operand", 0.35)


def _renamings(view: View, node: ast.expr) -> list[dict[str, str]]:
    """List the ways to exchange two of the names in a condition, and to turn three round."""
    known = {v.name: v.types for v in view.variables(node) if not v.types & UNCOMPARED}
    used = list(dict.fromkeys(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in known))
    like = [n for n in known if used and compatibility(known[n], known[used[0]]) == 1][:4]
    if not 2 <= len(like) <= 4 or not set(used) <= set(like):
        return []
    found = [{a: b, b: a} for a, b in itertools.combinations(like, 2)]
    if len(like) == 3:
        a, b, c = like
        found += [{a: b, b: c, c: a}, {a: c, c: b, b: a}]
    return found


@cheap(ast.Compare)
def mirror_condition(view: View, node: ast.Compare) -> Iterator[Candidate]:
    """`a + b == c` becomes `a + b == c or a + c == b`, up to all of its kind."""
    if isinstance(view.source.parent(node), ast.BoolOp):
        return
    old, renamings = view.text(node), _renamings(view, node)
    others = [text for text in (view.renamed(node, names) for names in renamings) if text != old]
    for other in dict.fromkeys(others):
        for word, prior in (("or", 0.2), ("and", 0.15)):
            yield view.replace(node, view.enclose(node, f"{old} {word} {other}"), "mirror_cond", prior)
    if len(renamings) == 5:
        turned = [old, *(view.renamed(node, names) for names in renamings[3:])]
        for word, prior in (("or", 0.25), ("and", 0.2)):
            yield view.replace(node, view.enclose(node, f" {word} ".join(turned)), "mirror_cond", prior)


@cheap(ast.BoolOp)
def complete_condition(view: View, node: ast.BoolOp) -> Iterator[Candidate]:
    """`a == b or b == c` becomes `a == b or b == c or a == c`."""
    word = symbol(node)
    clauses = [view.clause(value, word) for value in node.values]
    given = {ast.dump(value) for value in node.values}
    prior = 0.8 if _turned(view, node) else 0.2
    others: dict[str, str] = {}
    for value in node.values:
        if isinstance(value, ast.Compare):
            for names in _renamings(view, value):
                text = view.renamed(value, names)
                others.setdefault(_canonical(text), text)
    known = {_canonical(view.text(value)) for value in node.values} | given
    for form, text in others.items():
        if form not in known:
            yield view.replace(node, view.enclose(node, f" {word} ".join([*clauses, text])), "mirror_cond", prior)


def _turned(view: View, node: ast.BoolOp) -> bool:
    """Whether two clauses are the same condition with the names turned round."""
    forms = {_canonical(view.text(value)) for value in node.values}
    for value in node.values:
        if isinstance(value, ast.Compare) and len({n.id for n in ast.walk(value) if isinstance(n, ast.Name)}) > 1:
            others = {_canonical(view.renamed(value, names)) for names in _renamings(view, value)}
            if others & (forms - {_canonical(view.text(value))}):
                return True
    return False


def _canonical(text: str) -> str:
    """Return a form of a condition in which the order of what is added does not matter."""
    tree = ast.parse(f"({text})", mode="eval").body
    if not isinstance(tree, ast.Compare) or len(tree.ops) != 1:
        return ast.dump(tree)
    parts = [_sorted(side) for side in (tree.left, tree.comparators[0])]
    parts = sorted(parts) if isinstance(tree.ops[0], (ast.Eq, ast.NotEq)) else parts
    return f"{type(tree.ops[0]).__name__}{parts}"


def _sorted(node: ast.expr) -> str:
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mult)):
        return f"{type(node.op).__name__}{sorted((_sorted(node.left), _sorted(node.right)))}"
    return ast.dump(node)


@cheap(ast.Return)
def swap_answers(view: View, node: ast.Return) -> Iterator[Candidate]:
    """Two return statements of a function change their values."""
    function = view.source.function(node)
    if function is None or node.value is None:
        return
    for other in ast.walk(function):
        if not isinstance(other, ast.Return) or other.value is None or other.lineno <= node.lineno:
            continue
        if view.source.function(other) is function and ast.dump(other.value) != ast.dump(node.value):
            plain = isinstance(other.value, ast.Constant) and isinstance(node.value, ast.Constant)
            there = view.replace(other.value, view.text(node.value), "swap_answers", 0.45 if plain else 0.25)
            here = view.replace(node.value, view.text(other.value), "swap_answers", there.prior)
            yield here._replace(more=(there.edit,))


@heavy(ast.BinOp)
def lengthen_chain(view: View, node: ast.BinOp) -> Iterator[Candidate]:
    """`a + b` becomes `a + c + b` or `c - a + b` with something that the function also uses."""
    if not isinstance(node.op, (ast.Add, ast.Sub, ast.Mult)) or isinstance(view.source.parent(node), ast.BinOp):
        return
    left, right, sign = view.side(node.left), view.side(node.right), symbol(node)
    types = view.types(node)
    for text, other in view.material(node).expressions.items():
        if isinstance(other, TERMS) and text not in (left, right) and compatibility(types, view.types(other)):
            prior = 0.14 if isinstance(other, (ast.Constant, ast.Attribute)) else 0.1
            plain = isinstance(other, ast.Constant) and isinstance(other.value, str)
            for new in (
                f"{left} {sign} {text} {sign} {right}",
                f"{text} {sign} {left} {sign} {right}",
                f"{left} {sign} {right} {sign} {text}",
            ):
                yield view.replace(node, view.enclose(node, new), "add_term", prior)
            if not plain and sign == "-":
                yield view.replace(node, view.enclose(node, f"{text} + {left} - {right}"), "add_term", prior)
