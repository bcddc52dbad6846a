"""Templates: operators and operands."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from bot.repair.worker.facts import NUMBERS
from bot.repair.worker.rules import cheap
from bot.repair.worker.source import Candidate, key
from bot.repair.worker.view import View

COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
ORDERED = {"<": ("lt",), "<=": ("lt", "eq"), ">": ("gt",), ">=": ("gt", "eq"), "==": ("eq",), "!=": ("lt", "gt")}
# A comparison turned into its opposite passes many a suite by chance, so it comes after the one turned round.
OTHER_COMPARISONS: dict[str, tuple[tuple[str, float], ...]] = {
    "<": (("<=", 1), (">", 0.85), (">=", 0.6), ("==", 0.4), ("!=", 0.3)),
    "<=": (("<", 1), (">=", 0.85), (">", 0.6), ("==", 0.4)),
    ">": ((">=", 1), ("<", 0.85), ("<=", 0.6), ("!=", 0.3), ("==", 0.4)),
    ">=": ((">", 1), ("<=", 0.85), ("<", 0.6), ("==", 0.4)),
    "==": (("!=", 0.9), ("<=", 0.4), (">=", 0.4), ("is", 0.2), ("<", 0.45), (">", 0.45), ("in", 0.15)),
    "!=": (("==", 0.9), ("<", 0.3), (">", 0.3), ("is not", 0.2)),
    "is": (("is not", 0.9), ("==", 0.5)),
    "is not": (("is", 0.9), ("!=", 0.5)),
    "in": (("not in", 0.9), ("==", 0.2)),
    "not in": (("in", 0.9),),
}
BINARY: dict[type[ast.operator], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.LShift: "<<", ast.RShift: ">>", ast.MatMult: "@",
}  # fmt: skip
BINDING = {
    "|": 1, "^": 2, "&": 3, "<<": 4, ">>": 4, "+": 5, "-": 5, "*": 6, "/": 6, "//": 6, "%": 6, "@": 6, "**": 7,
}  # fmt: skip
"""How tightly operators bind."""
OTHER_BINARY: dict[str, tuple[tuple[str, float], ...]] = {
    "+": (("-", 0.8), ("*", 0.65), ("//", 0.3), ("/", 0.25), ("%", 0.25), ("**", 0.15), ("|", 0.1)),
    "-": (("+", 0.8), ("*", 0.6), ("%", 0.4), ("//", 0.35), ("/", 0.3), ("**", 0.12)),
    "*": (("+", 0.75), ("/", 0.7), ("**", 0.6), ("//", 0.5), ("-", 0.4), ("%", 0.3)),
    "/": (("//", 0.8), ("*", 0.7), ("%", 0.5), ("-", 0.35), ("+", 0.25), ("**", 0.1)),
    "//": (("/", 0.8), ("%", 0.7), ("*", 0.55), ("-", 0.4), ("+", 0.3)),
    "%": (("//", 0.8), ("/", 0.65), ("*", 0.5), ("-", 0.4), ("+", 0.35)),
    "**": (("*", 0.7), ("//", 0.2), ("+", 0.15), ("-", 0.12), ("/", 0.15), ("%", 0.12)),
    "&": (("|", 0.8), ("^", 0.65), ("-", 0.5), ("+", 0.15)), "|": (("&", 0.8), ("^", 0.65), ("-", 0.5), ("+", 0.15)),
    "^": (("&", 0.8), ("|", 0.7), ("**", 0.5), ("+", 0.15)), "<<": ((">>", 0.8), ("*", 0.5)),
    ">>": (("<<", 0.8), ("//", 0.5)), "@": (("*", 0.6),),
}  # fmt: skip


NAMED = {
    "add": "+", "plus": "+", "sum": "+", "sub": "-", "subtract": "-", "minus": "-", "difference": "-",
    "mul": "*", "multiply": "*", "times": "*", "product": "*", "area": "*", "volume": "*",
    "div": "/", "divide": "/", "ratio": "/", "average": "/", "mean": "/",
    "mod": "%", "modulo": "%", "remainder": "%", "pow": "**", "power": "**", "square": "**",
}  # fmt: skip
"""Words for operators."""


UNORDERED = frozenset({"str", "bytes", "bool", "NoneType"})
"""Types whose values are told apart and seldom put in order."""
UNLIKELY = 0.15


def changes_nothing(old: str, new: str, signs: set[str]) -> bool:
    """Whether two comparisons agree on every pair of values that was seen."""
    if old not in ORDERED or new not in ORDERED or not signs or "ne" in signs:
        return False
    return all((sign in ORDERED[old]) == (sign in ORDERED[new]) for sign in signs)


@cheap(ast.Compare)
def change_comparison(view: View, node: ast.Compare) -> Iterator[Candidate]:
    """`a < b` becomes `a <= b`, also inside `a < b < c`."""
    signs = view.facts.signs.get(key(node), set())
    sides = [view.text(side) for side in (node.left, *node.comparators)]
    unordered = any(view.types(side) & UNORDERED for side in (node.left, *node.comparators))
    for index, operator in enumerate(node.ops):
        old = COMPARISONS[type(operator)]
        for new, prior in OTHER_COMPARISONS[old]:
            if len(node.ops) > 1 or not changes_nothing(old, new, signs):
                words = [COMPARISONS[type(o)] for o in node.ops]
                words[index] = new
                text = sides[0] + "".join(f" {word} {side}" for word, side in zip(words, sides[1:]))
                far = unordered and old in ("==", "!=") and new[0] in "<>"
                # Of what stands after a `not` it is that which is wrong
                turned = isinstance(view.source.parent(node), ast.UnaryOp)
                yield view.replace(node, text, "cmp_op", prior * (UNLIKELY if far else 0.6 if turned else 1.0))


@cheap(ast.Compare)
def shift_comparison(view: View, node: ast.Compare) -> Iterator[Candidate]:
    """`a < 0` becomes `a <= 1`; `a < b` becomes `b < a`."""
    if len(node.ops) != 1:
        return
    operator, left, right = COMPARISONS[type(node.ops[0])], view.text(node.left), node.comparators[0]
    if isinstance(right, ast.Constant) and type(right.value) is int:
        for new in ORDERED:
            if new != operator:
                for step in (-1, 1):
                    yield view.replace(node, f"{left} {new} {right.value + step}", "cmp_op_const", 0.3)
    if operator in ("<", "<=", ">", ">="):
        yield view.replace(node, f"{view.text(right)} {operator} {left}", "swap_operands", 0.4)


@cheap(ast.Compare)
def change_membership(view: View, node: ast.Compare) -> Iterator[Candidate]:
    """`part in text` becomes `text.startswith(part)` and the like."""
    if len(node.ops) == 1 and isinstance(node.ops[0], ast.In) and "str" in view.types(node.comparators[0]):
        part, text = view.text(node.left), view.operand(node.comparators[0])
        for new, prior in (
            (f"{text}.startswith({part})", 0.3), (f"{text}.endswith({part})", 0.25), (f"{text} == {part}", 0.2),
            (f"{part} in {text}.split()", 0.2), (f"{part} in {text}.lower()", 0.25),
        ):  # fmt: skip
            yield view.replace(node, new, "in_to_method", prior)


def _meant(view: View, node: ast.BinOp) -> str:
    """Return the operators that the name and the first line of a function speak of."""
    function = view.source.function(node)
    if function is None:
        return ""
    told = f"{function.name} {(ast.get_docstring(function) or '').partition(chr(10))[0]}"
    words = re.findall(r"[a-z]+", told.lower())
    return " ".join(NAMED[word] for word in words if word in NAMED)


def _beside(view: View, side: ast.expr, operator: str, *, first: bool) -> str:
    """Return one side of an operator, in parentheses where it had them or needs them."""
    if not isinstance(side, ast.BinOp) or view.content_around(side) == "()":
        return view.side(side)
    inner, outer = BINDING[BINARY[type(side.op)]], BINDING[operator]
    loose = inner < outer or (inner == outer and (not first or operator == "**"))
    return f"({view.text(side)})" if loose else view.text(side)


@cheap(ast.BinOp)
def change_operator(view: View, node: ast.BinOp) -> Iterator[Candidate]:
    """`a + b` becomes `a - b`, `b + a`, `a` or `b`."""
    operator, left, right = BINARY[type(node.op)], view.side(node.left), view.side(node.right)
    meant = _meant(view, node).split()
    for new, usual in OTHER_BINARY.get(operator, ()):
        prior = max(usual, 0.95) if new in meant and operator not in meant else usual
        sides = (_beside(view, node.left, new, first=True), _beside(view, node.right, new, first=False))
        yield view.replace(node, view.enclose(node, f" {new} ".join(sides)), "bin_op", prior)
    types = view.types(node)
    if operator not in "+*" or not types or types - NUMBERS:
        yield view.replace(node, view.enclose(node, f"{right} {operator} {left}"), "swap_operands", 0.6)
    yield view.replace(node, left, "drop_operand", 0.5)
    yield view.replace(node, right, "drop_operand", 0.5)


@cheap(ast.BinOp)
def regroup(view: View, node: ast.BinOp) -> Iterator[Candidate]:
    """`a + b // c` becomes `(a + b) // c`, and back."""
    operator = BINARY[type(node.op)]
    if isinstance(node.left, ast.BinOp):
        a, b, inner = view.side(node.left.left), view.side(node.left.right), BINARY[type(node.left.op)]
        yield view.replace(
            node, view.enclose(node, f"{a} {inner} ({b} {operator} {view.side(node.right)})"), "reassoc", 0.4
        )
    if isinstance(node.right, ast.BinOp):
        b, c, inner = view.side(node.right.left), view.side(node.right.right), BINARY[type(node.right.op)]
        yield view.replace(
            node, view.enclose(node, f"({view.side(node.left)} {operator} {b}) {inner} {c}"), "reassoc", 0.4
        )


@cheap(ast.BoolOp)
def change_junction(view: View, node: ast.BoolOp) -> Iterator[Candidate]:
    """`a and b` becomes `a or b`, `b and a`, `a` or `b`."""
    word, other = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
    yield view.replace(
        node, view.enclose(node, f" {other} ".join(view.clause(v, other) for v in node.values)), "bool_op", 0.7
    )
    clauses = [view.clause(v, word) for v in node.values]
    for index, value in enumerate(node.values):
        rest = clauses[:index] + clauses[index + 1 :]
        if view.facts.truths.get(key(value)) == {word == "and"}:
            continue
        yield view.replace(node, view.enclose(node, f" {word} ".join(rest)), "drop_cond", 0.55)
    yield view.replace(node, view.enclose(node, f" {word} ".join(reversed(clauses))), "swap_operands", 0.3)


@cheap(ast.UnaryOp)
def drop_unary(view: View, node: ast.UnaryOp) -> Iterator[Candidate]:
    """`not a` becomes `a`, `-a` becomes `a`."""
    if isinstance(node.op, ast.Not):
        yield view.replace(node, view.operand(node.operand), "not", 0.8)
    else:
        yield view.replace(node, view.operand(node.operand), "neg", 0.6)


@cheap(ast.IfExp)
def change_choice(view: View, node: ast.IfExp) -> Iterator[Candidate]:
    """`a if c else b` becomes `b if c else a`, `a` or `b`."""
    yes, no = view.text(node.body), view.text(node.orelse)
    yield view.replace(node, view.enclose(node, f"{no} if {view.text(node.test)} else {yes}"), "swap_branches", 0.5)
    yield view.replace(node, view.enclose(node, yes), "drop_branch", 0.3)
    yield view.replace(node, view.enclose(node, no), "drop_branch", 0.3)


@cheap(ast.Yield, ast.YieldFrom)
def change_yield(view: View, node: ast.Yield | ast.YieldFrom) -> Iterator[Candidate]:
    """`yield a` becomes `yield from a`, and back."""
    if node.value is not None:
        word = "yield from" if isinstance(node, ast.Yield) else "yield"
        yield view.replace(node, f"{word} {view.text(node.value)}", "yield_from", 0.5)


@cheap(ast.AugAssign)
def change_update(view: View, node: ast.AugAssign) -> Iterator[Candidate]:
    """`a += b` becomes `a -= b`, `a = b` or `a = b + a`."""
    target, value, operator = view.text(node.target), view.text(node.value), BINARY[type(node.op)]
    span = view.source.span(node)
    for new, prior in OTHER_BINARY.get(operator, ()):
        yield view.rewrite(span, f"{target} {new}= {value}", "bin_op", 0.75 * prior, node.lineno)
    yield view.rewrite(span, f"{target} = {value}", "aug_assign", 0.35, node.lineno)
    yield view.rewrite(
        span, f"{target} = {view.operand(node.value)} {operator} {target}", "swap_operands", 0.35, node.lineno
    )
