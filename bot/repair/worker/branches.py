"""Templates: branches and updates that are missing."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.worker.conditions import decides
from bot.repair.worker.facts import NUMBERS, compatibility
from bot.repair.worker.operators import BINARY
from bot.repair.worker.rules import cheap, stored
from bot.repair.worker.source import Candidate
from bot.repair.worker.statements import answers, movable
from bot.repair.worker.usage import stale
from bot.repair.worker.view import View, Visible

OPPOSITES = {"+": "-", "-": "+", "*": "//", "//": "*", "|": "&", "&": "|"}
GROWING = frozenset({"list", "deque", "set"})
LOOPS = (ast.For, ast.While)


def _spread(view: View, node: ast.If) -> bool:
    """Whether an if has no else and its block stands on lines of its own."""
    return not node.orelse and node.body[0].lineno > node.lineno and view.source.alone(node.body[-1])


@cheap(ast.If)
def add_else(view: View, node: ast.If) -> Iterator[Candidate]:
    """`if a: even += 1` gets an `else: odd += 1`."""
    source = view.source
    if not _spread(view, node) or source.function(node) is None:
        return
    column = source.lines[node.lineno - 1][: node.col_offset].decode()
    inner, end = source.indent(node.body[0]), source.whole(node.body[-1])[1]
    if not column.strip() and source.content[end - 1 : end] == b"\n":
        for text, prior in dict(_mirrored(view, node)).items():
            block = f"{column}else:\n{inner}{text}\n"
            yield view.rewrite((end, end), block, "add_else", prior, node.lineno)


def _mirrored(view: View, node: ast.If) -> Iterator[tuple[str, float]]:
    """List what the other branch may do, likeliest first."""
    last = node.body[-1]
    known = stale(view, node)
    local = [v for v in view.scope(node) if v.kind == "local"]
    for name in _targets(last):
        types = next((v.types for v in local if v.name == name), set())
        for other in local:
            if other.name != name and compatibility(types, other.types) == 1:
                fresh = other.name in known
                yield view.renamed(last, {name: other.name}), 0.8 if fresh else 0.22
    if isinstance(last, ast.AugAssign):
        target, value, operator = view.text(last.target), view.text(last.value), BINARY[type(last.op)]
        if operator in OPPOSITES:
            yield f"{target} {OPPOSITES[operator]}= {value}", 0.25
        if not (isinstance(last.value, ast.Constant) and last.value.value in (0, 1)):
            yield f"{target} {operator}= 1", 0.2
        yield f"{target} = 0", 0.12
    if isinstance(last, ast.Assign) and isinstance(last.value, ast.Constant) and isinstance(last.value.value, bool):
        yield f"{view.text(last.targets[0])} = {not last.value.value}", 0.3
    if isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) and len(last.value.args) == 1:
        for name in view.material(node).names:
            yield f"{view.text(last.value.func)}({name})", 0.15
    yield from _leaving(view, node, last)


def _leaving(view: View, node: ast.If, last: ast.stmt) -> Iterator[tuple[str, float]]:
    function = view.source.function(node)
    if function is not None and isinstance(last, ast.Return):
        for answer in answers(view, function)[:8]:
            if last.value is None or answer != view.text(last.value):
                yield f"return {answer}", 0.15
    elif any(isinstance(outer, LOOPS) for outer in view.source.ancestors(node)):
        yield "break", 0.3


def _targets(node: ast.stmt) -> list[str]:
    """List the variables that a simple statement changes."""
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        return [node.target.id]
    if isinstance(node, ast.Assign):
        return [t.id for t in node.targets if isinstance(t, ast.Name)]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
        owner = node.value.func.value
        return [owner.id] if isinstance(owner, ast.Name) else []
    return []


@cheap(ast.While)
def advance_loop(view: View, node: ast.While) -> Iterator[Candidate]:
    """`while n: …` gets the `n -= 1` without which it never ends."""
    source, last = view.source, node.body[-1]
    end = source.whole(last)[1]
    if last.lineno == node.lineno or source.content[end - 1 : end] != b"\n":
        return
    changed = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and stored(n)}
    changed |= {n.value.id for n in ast.walk(node) if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)}
    asked = [v for v in view.scope(node) if v.kind == "local" and v.name in _read(node.test)]
    if any(v.name in changed for v in asked):
        return
    indent = source.indent(last)
    for visible in asked:
        for text, prior in _steps(visible, sorted(view.material(node).attributes)):
            yield view.rewrite((end, end), f"{indent}{text}\n", "advance", prior, node.lineno)


def _read(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _steps(visible: Visible, attributes: list[str]) -> Iterator[tuple[str, float]]:
    name, types, _ = visible
    if types & NUMBERS or not types:
        yield from ((f"{name} -= 1", 0.9), (f"{name} += 1", 0.9), (f"{name} //= 10", 0.3), (f"{name} //= 2", 0.4))
    if types & {"list", "deque", "set"}:
        yield f"{name}.pop()", 0.7
    if types & {"list", "str", "tuple"}:
        yield f"{name} = {name}[1:]", 0.6
    for attribute in attributes:
        yield f"{name} = {name}.{attribute}", 0.5


@cheap(ast.stmt)
def count_up(view: View, node: ast.stmt) -> Iterator[Candidate]:
    """`total = 0` that nothing changes gets its `total += x` in a loop, `seen = set()` its `seen.add(x)`."""
    known = stale(view, node)
    if not known or not movable(view, node):
        return
    looped = any(isinstance(outer, LOOPS) for outer in view.source.ancestors(node))
    indent, (start, end) = view.source.indent(node), view.source.whole(node)
    ended = view.source.content[end - 1 : end] == b"\n" and view.source.block(node)[-1] is node
    ended = ended and not isinstance(node, (ast.Return, ast.Break, ast.Continue, ast.Raise))
    local = [v for v in view.scope(node) if v.kind == "local"]
    for visible in local:
        if visible.name not in known or not (looped or visible.types & GROWING):
            continue
        for text, prior in _gains(visible, [v for v in local if v.name != visible.name]):
            for place in [start, end] if ended else [start]:
                yield view.rewrite((place, place), f"{indent}{text}\n", "count_up", prior, node.lineno)


def _gains(visible: Visible, others: list[Visible]) -> Iterator[tuple[str, float]]:
    name, types, _ = visible
    for other in others:
        if "function" in other.types:
            continue
        if types & NUMBERS and other.types & NUMBERS:
            yield from ((f"{name} += {other.name}", 0.5), (f"{name} = {other.name}", 0.3))
        elif "str" in types & other.types:
            yield f"{name} += {other.name}", 0.5
        elif types & {"list", "deque"}:
            yield f"{name}.append({other.name})", 0.8
        elif "set" in types:
            yield f"{name}.add({other.name})", 0.8
    if types & NUMBERS:
        yield from ((f"{name} += 1", 0.6), (f"{name} -= 1", 0.25))


NEAR = (-1, 1)


@cheap(ast.Compare, ast.BoolOp)
def join_sibling(view: View, node: ast.Compare | ast.BoolOp) -> Iterator[Candidate]:
    """`i % 3 != 0` becomes `i % 4 == 0 and i % 3 != 0`: a condition like the others of its function, one number off."""
    if not decides(view, node) or isinstance(view.source.parent(node), (ast.BoolOp, ast.UnaryOp)):
        return
    names = _read(node)
    for text in _siblings(view, node):
        if _read(ast.parse(text, mode="eval")) & names:
            for word, prior in (("and", 0.14), ("or", 0.12)):
                new = f"{view.clause(node, word)} {word} {text}"
                yield view.replace(node, view.enclose(node, new), f"{word}_cond", prior)


def _siblings(view: View, node: ast.expr) -> list[str]:
    """List the comparisons of a function with constants, also with these one off or the operator turned round."""
    found: dict[str, None] = {}
    for other in view.material(node).expressions.values():
        if (
            not isinstance(other, ast.Compare)
            or len(other.ops) != 1
            or not isinstance(other.ops[0], (ast.Eq, ast.NotEq))
        ):
            continue
        left, right = other.left, view.text(other.comparators[0])
        lefts = [view.text(left)]
        if isinstance(left, ast.BinOp) and isinstance(left.right, ast.Constant) and type(left.right.value) is int:
            operator, first = BINARY[type(left.op)], view.side(left.left)
            lefts += [f"{first} {operator} {left.right.value + step}" for step in NEAR if left.right.value + step > 1]
        found.update((f"{text} {sign} {right}", None) for text in lefts for sign in ("==", "!="))
    return list(found)[:24]
