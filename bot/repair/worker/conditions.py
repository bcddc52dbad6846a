"""Templates: conditions that are too weak, too strong, or missing."""

from __future__ import annotations

import ast
import itertools
from collections import Counter
from collections.abc import Iterator

from bot.repair.worker.facts import CONTAINERS, NUMBERS, SEQUENCES, UNCOMPARED, compatibility
from bot.repair.worker.rules import cheap, heavy, stored
from bot.repair.worker.source import Candidate, key
from bot.repair.worker.usage import index
from bot.repair.worker.view import View, Visible

SIGNS = ("> 0", "== 0", "< 0", "!= 0", "> 1", "== 1")
ATTRIBUTES, KINDS, SEEN = 6, 5, 200
PREDICATES = ("isdigit", "isalpha", "isalnum", "isspace", "isupper")
PAIRS = 9
"""Variables that are compared with each other."""


def decides(view: View, node: ast.expr) -> bool:
    """Whether a branch is taken by the value of an expression."""
    parent, name = view.source.parents[node]
    if isinstance(parent, (ast.If, ast.While, ast.IfExp, ast.Assert)):
        return name == "test"
    if isinstance(parent, ast.comprehension):
        return name == "ifs"
    if isinstance(parent, ast.Return):
        return view.types(node) == {"bool"}
    return isinstance(parent, ast.BoolOp) or (isinstance(parent, ast.UnaryOp) and isinstance(parent.op, ast.Not))


def negated(node: ast.expr) -> bool:
    """Whether an expression is the opposite of another one."""
    return isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)


@cheap(ast.expr)
def negate(view: View, node: ast.expr) -> Iterator[Candidate]:
    """A condition becomes its opposite, or is always or never true."""
    if stored(node) or not decides(view, node):
        return
    single = isinstance(node, ast.Compare) and len(node.ops) == 1
    if not negated(node) and not single and not isinstance(node, ast.Constant):
        # What gets lost is mostly a `not` before one clause
        prior = 0.5 if isinstance(node, ast.BoolOp) else 0.6
        yield view.replace(node, view.enclose(node, f"not {view.operand(node)}"), "not", prior)
    if not isinstance(node, ast.Constant):
        seen = view.facts.truths.get(key(node), {True, False})
        for value in seen - {True}:
            yield view.replace(node, str(not value), "cond_const", 0.15)
        for value in seen - {False}:
            yield view.replace(node, str(not value), "cond_const", 0.15)


@cheap(ast.expr)
def name_condition(view: View, node: ast.expr) -> Iterator[Candidate]:
    """`while True` becomes `while queue`."""
    if decides(view, node) and (isinstance(view.source.parent(node), ast.While) or isinstance(node, ast.Constant)):
        for visible in view.variables(node):
            yield view.replace(node, visible.name, "cond_name", 0.35)


@heavy(ast.expr)
def extend_condition(view: View, node: ast.expr) -> Iterator[Candidate]:
    """`a` becomes `b or a` or `b and a`, with any simple condition for b."""
    if stored(node) or isinstance(view.source.parent(node), (ast.BoolOp, ast.UnaryOp)):
        return
    if not decides(view, node) and not isinstance(node, (ast.Compare, ast.BoolOp)) and not negated(node):
        return
    seen = view.facts.truths.get(key(node))
    for atom, weight in atoms(view, node):
        for word, useful in (("or", seen is None or False in seen), ("and", seen is None or True in seen)):
            if useful:
                old = view.clause(node, word)
                yield view.replace(node, view.enclose(node, f"{atom} {word} {old}"), f"{word}_cond", 0.22 * weight)
                yield view.replace(node, view.enclose(node, f"{old} {word} {atom}"), f"{word}_cond", 0.2 * weight)


@heavy(ast.Return)
def compute_answer(view: View, node: ast.Return) -> Iterator[Candidate]:
    """`return True` becomes `return not a` or `return n == 0`."""
    value = node.value
    if not isinstance(value, ast.Constant) or not isinstance(value.value, bool):
        return
    for name, types, kind in view.scope(value):
        if kind == "local":
            yield view.replace(value, f"not {name}", "ret_bool", 0.3)
            yield view.replace(value, f"bool({name})", "ret_bool", 0.15)
            for sign in (*SIGNS, ">= 0") if types & NUMBERS else ():
                yield view.replace(value, f"{name} {sign}", "ret_bool", 0.25)


def atoms(view: View, node: ast.AST) -> Iterator[tuple[str, float]]:
    """List simple conditions over the variables at a place, with how likely each is to be the missing one."""
    inside = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
    names = [v for v in view.variables(node) if not v.types & UNCOMPARED]
    for visible in names:
        near = 1.0 if visible.name in inside else 0.7
        for atom, weight in _single(visible):
            yield atom, near * weight
    for one, other in itertools.permutations(names[:PAIRS], 2):
        near = 1.0 if one.name in inside or other.name in inside else 0.6
        for atom, weight in _pair(one, other):
            yield atom, near * weight
    for part in ast.walk(node):
        if isinstance(part, ast.Attribute) and isinstance(part.ctx, ast.Load):
            text = view.text(part)
            yield from ((f"{text} is None", 0.6), (f"{text} is not None", 0.6), (f"not {text}", 0.5))
    yield from _of_objects(view, names, inside)
    yield from _seen(view, node, inside)


def _of_objects(view: View, names: list[Visible], inside: set[str]) -> Iterator[tuple[str, float]]:
    """Ask objects for what the file asks of things of the same name elsewhere."""
    known = index(view)
    for visible in names:
        near = 1.0 if visible.name in inside else 0.5
        usual = known.attributes.get(visible.name, Counter())
        for attribute, _ in usual.most_common(ATTRIBUTES):
            text = f"{visible.name}.{attribute}"
            yield from ((text, 0.5 * near), (f"not {text}", 0.5 * near), (f"{text} is not None", 0.3 * near))
        if visible.name in inside:
            for kind, _ in known.kinds.most_common(KINDS):
                call = f"isinstance({visible.name}, {kind})"
                yield from ((call, 0.4), (f"not {call}", 0.4))
            if "str" in visible.types:
                yield from ((f"{visible.name}.{predicate}()", 0.3) for predicate in PREDICATES)


def _seen(view: View, node: ast.AST, inside: set[str]) -> Iterator[tuple[str, float]]:
    """Repeat conditions of the same function."""
    own = view.text(node)
    for text, other in list(view.material(node).expressions.items())[:SEEN]:
        if (isinstance(other, ast.Compare) or negated(other)) and text not in own:
            common = inside & {n.id for n in ast.walk(other) if isinstance(n, ast.Name)}
            yield text, 0.6 if common else 0.3


def _single(visible: Visible) -> Iterator[tuple[str, float]]:
    name, types, _ = visible
    if "NoneType" in types or not types & NUMBERS:
        weight = 1.0 if "NoneType" in types else 0.4
        yield f"{name} is None", weight
        yield f"{name} is not None", weight
    # An object that is no number and no container is there, or it is not
    plain = bool(types - {"NoneType"}) and not types & (NUMBERS | CONTAINERS)
    yield f"not {name}", 0.4 if plain else 0.9
    yield name, 0.4 if plain else 0.8
    if types & NUMBERS:
        for sign in SIGNS:
            yield f"{name} {sign}", 0.5
        if "int" in types:
            yield from ((f"{name} % 2 == 0", 0.45), (f"{name} % 2 == 1", 0.45), (f"{name} % 2 != 0", 0.4))
    if types & CONTAINERS:
        yield f"len({name}) == 1", 0.3
        yield f"len({name}) > 1", 0.3


def _pair(one: Visible, other: Visible) -> Iterator[tuple[str, float]]:
    a, b = one.name, other.name
    if compatibility(one.types, other.types) >= 0.8:
        if a < b:
            yield f"{a} == {b}", 0.4
            yield f"{a} != {b}", 0.4
        if one.types & NUMBERS:
            yield f"{a} < {b}", 0.3
            yield f"{a} <= {b}", 0.25
    if other.types & CONTAINERS and not one.types & {"list", "dict", "set"}:
        yield f"{a} in {b}", 0.35
        yield f"{a} not in {b}", 0.35


@cheap(ast.If)
def rebranch(view: View, node: ast.If) -> Iterator[Candidate]:
    """`if` becomes `elif` or `while`, or the condition goes."""
    source, indent = view.source, view.source.indent(node)
    if not source.alone(node) or node.body[0].lineno == node.lineno:
        return
    start = source.offsets[node.lineno - 1] + len(indent)
    if source.content[start : start + 4] == b"elif":
        yield view.rewrite((start, start + 4), "if", "elif_if", 0.35, node.lineno)
        return
    block = source.block(node)
    before = block[block.index(node) - 1] if block.index(node) else None
    if isinstance(before, ast.If) and not before.orelse:
        yield view.rewrite((start, start + 2), "elif", "elif_if", 0.35, node.lineno)
    yield view.rewrite((start, start + 2), "while", "if_while", 0.2, node.lineno)
    if not node.orelse:
        yield view.rewrite(source.whole(node), source.reindent(node.body, indent), "unwrap_if", 0.3, node.lineno)


@cheap(ast.If)
def swap_branches(view: View, node: ast.If) -> Iterator[Candidate]:
    """The two branches of an `if` or `elif` change places; a chain of `elif` goes below an `if` of its own."""
    source = view.source
    if not node.orelse or node.body[0].lineno == node.lineno or not source.alone(node.orelse[-1]):
        return
    first, last = source.whole(node.body[0])[0], source.whole(node.body[-1])[1]
    third, fourth = source.whole(node.orelse[0])[0], source.whole(node.orelse[-1])[1]
    if source.content[third:].lstrip().startswith(b"elif"):
        outer, inner = source.indent(node), source.indent(node.body[0])
        chain = source.reindent(node.orelse, inner).replace(f"{inner}elif", f"{inner}if", 1)
        text = f"{chain}{outer}else:\n{source.block_text(node.body)}"
    else:
        text = source.block_text(node.orelse) + source.content[last:third].decode() + source.block_text(node.body)
    yield view.rewrite((first, fourth), text, "swap_branches", 0.45, node.lineno)


@cheap(ast.While)
def loop_once(view: View, node: ast.While) -> Iterator[Candidate]:
    """`while` becomes `if`."""
    if view.source.alone(node) and not node.orelse:
        start = view.source.span(node)[0]
        yield view.rewrite((start, start + 5), "if", "if_while", 0.2, node.lineno)


@heavy(ast.Assign, ast.AugAssign, ast.Expr, ast.Return)
def guard_statement(view: View, node: ast.Assign | ast.AugAssign | ast.Expr | ast.Return) -> Iterator[Candidate]:
    """A statement is carried out only under a simple condition."""
    source, indent = view.source, view.source.indent(node)
    if not source.alone(node) or source.function(node) is None or isinstance(node.value, (ast.Yield, ast.Constant)):
        return
    inner = source.reindent([node], indent + "    ")
    for atom, weight in atoms(view, node.value or node):
        yield view.rewrite(source.whole(node), f"{indent}if {atom}:\n{inner}", "wrap_if", 0.13 * weight, node.lineno)


COUNTED = (("{} < 0", 0.5), ("{} == 1", 0.5), ("{} == 0", 0.3), ("{} <= 1", 0.4), ("{} < 2", 0.3), ("{} == 2", 0.2))


def base_cases(names: list[Visible]) -> Iterator[tuple[str, float]]:
    """List conditions under which a function may want to leave early."""
    for name, types, _ in names:
        if types & UNCOMPARED:
            continue
        yield f"not {name}", 1.0
        if "NoneType" in types:
            yield f"{name} is None", 1.0
        for pattern, weight in COUNTED if types & NUMBERS else ():
            yield pattern.format(name), weight
        if types & (SEQUENCES | {"set", "dict", "deque"}):
            yield f"len({name}) == 1", 0.4
            yield f"len({name}) <= 1", 0.3
    for one, other in itertools.combinations(names[:PAIRS], 2):
        if compatibility(one.types, other.types) == 1 and not one.types & UNCOMPARED:
            yield f"{one.name} == {other.name}", 0.4
            yield f"{one.name} > {other.name}", 0.2
            yield f"{one.name} < {other.name}", 0.2
