"""Templates: statements that are superfluous, missing, or in the wrong place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.worker.conditions import base_cases
from bot.repair.worker.definitions import exceptions
from bot.repair.worker.facts import NUMBERS, SEQUENCES, compatibility
from bot.repair.worker.rules import cheap, heavy
from bot.repair.worker.source import DEFINITIONS, FUNCTIONS, Candidate
from bot.repair.worker.view import View, Visible

LEAVING = (ast.Return, ast.Break, ast.Continue, ast.Raise)
PLAIN = (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)
COMPOUND = (ast.For, ast.While, ast.If, ast.With)
ANSWERS = ("None", "False", "True", "0", "[]", "''", "1", "-1")
GROWN = {"list": "append", "deque": "append", "set": "add"}


def movable(view: View, node: ast.stmt) -> bool:
    """Whether a statement is one of a function's own, with its lines to itself."""
    if isinstance(node, (*DEFINITIONS, ast.Global, ast.Nonlocal, ast.Import, ast.ImportFrom, ast.ExceptHandler)):
        return False
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return False
    source = view.source
    chained = isinstance(node, ast.If) and source.content[source.span(node)[0] :].startswith(b"elif")
    return not chained and source.alone(node) and source.function(node) is not None


@cheap(ast.stmt)
def delete_statement(view: View, node: ast.stmt) -> Iterator[Candidate]:
    """A statement goes."""
    if movable(view, node) and not isinstance(node, ast.Pass):
        text = "" if len(view.source.block(node)) > 1 else f"{view.source.indent(node)}pass\n"
        yield view.rewrite(
            view.source.whole(node), text, "del_stmt", 0.3 if isinstance(node, ast.Return) else 0.4, node.lineno
        )


@cheap(ast.Break, ast.Continue)
def change_flow(view: View, node: ast.Break | ast.Continue) -> Iterator[Candidate]:
    """`break` becomes `continue`, `return` or nothing."""
    other = "continue" if isinstance(node, ast.Break) else "break"
    for text, prior in ((other, 0.5), ("pass", 0.4), ("return", 0.3)):
        yield view.rewrite(view.source.span(node), text, "flow", prior, node.lineno)


@cheap(ast.Assign)
def change_assignment(view: View, node: ast.Assign) -> Iterator[Candidate]:
    """`a = b` becomes `a += b`, `a = max(a, b)` or `return b`."""
    if len(node.targets) != 1 or not isinstance(node.targets[0], (ast.Name, ast.Subscript, ast.Attribute)):
        return
    target, value, span = view.text(node.targets[0]), view.text(node.value), view.source.span(node)
    for operator, prior in (("+=", 0.35), ("-=", 0.2), ("*=", 0.1), ("|=", 0.05)):
        yield view.rewrite(span, f"{target} {operator} {value}", "aug_assign", prior, node.lineno)
    for function in ("max", "min"):
        yield view.rewrite(span, f"{target} = {function}({target}, {value})", "minmax", 0.3, node.lineno)
    if view.source.function(node) is not None:
        yield view.rewrite(span, f"return {value}", "assign_to_return", 0.12, node.lineno)


@cheap(ast.Expr)
def change_effect(view: View, node: ast.Expr) -> Iterator[Candidate]:
    """A value that is dropped is returned; `a.append(b)` becomes `a = b`."""
    if isinstance(node.value, ast.Constant) or view.source.function(node) is None:
        return
    span, call = view.source.span(node), node.value
    if not isinstance(call, (ast.Yield, ast.YieldFrom)):
        yield view.rewrite(span, f"return {view.text(call)}", "add_return", 0.3, node.lineno)
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        base = view.text(call.func.value)
        yield view.rewrite(span, f"{base} = {view.text(call)}", "call_to_assign", 0.15, node.lineno)
        if len(call.args) == 1:
            yield view.rewrite(span, f"{base} = {view.text(call.args[0])}", "call_to_assign", 0.12, node.lineno)


@cheap(ast.stmt)
def move_statement(view: View, node: ast.stmt) -> Iterator[Candidate]:
    """A statement changes places with the next, leaves its block, or enters the one before."""
    if not movable(view, node):
        return
    source, block, parent = view.source, view.source.block(node), view.source.parent(node)
    index, span = block.index(node), view.source.whole(node)
    after = block[index + 1] if index + 1 < len(block) else None
    if after is not None and movable(view, after):
        start, end = source.whole(after)
        text = source.block_text([after]) + source.content[span[1] : start].decode() + source.block_text([node])
        yield view.rewrite((span[0], end), text, "swap_stmts", 0.3, node.lineno)
    if isinstance(parent, COMPOUND) and after is None and len(block) > 1:
        yield view.rewrite(span, source.reindent([node], source.indent(parent)), "dedent", 0.35, node.lineno)
    before = block[index - 1] if index else None
    if isinstance(before, (ast.For, ast.While, ast.If)) and isinstance(node, (*PLAIN, ast.If)):
        inner = (before.orelse or before.body)[0]
        if inner.lineno > before.lineno:
            yield view.rewrite(span, source.reindent([node], source.indent(inner)), "indent", 0.35, node.lineno)


def places(view: View, node: ast.stmt) -> list[int]:
    """List the offsets before a statement and, at the end of a block, after it."""
    start, end = view.source.whole(node)
    last = view.source.block(node)[-1] is node and not isinstance(node, LEAVING)
    ended = view.source.content[end - 1 : end] == b"\n"
    return [start, end] if last and ended else [start]


@heavy(ast.stmt)
def insert_statement(view: View, node: ast.stmt) -> Iterator[Candidate]:
    """A simple statement over the variables at hand is added, or one of the function is repeated."""
    if not movable(view, node):
        return
    indent, function = view.source.indent(node), view.source.function(node)
    assert function is not None
    lines = list(_simple([v for v in view.scope(node) if v.kind == "local"]))
    for other in ast.walk(function):
        single = isinstance(other, PLAIN) and other is not node and other.lineno == other.end_lineno
        if single and not (isinstance(other, ast.Expr) and isinstance(other.value, ast.Constant)):
            lines.append((view.text(other), "copy_stmt", 0.15))
    lines += _growth(view, node)
    for place in places(view, node):
        for text, template, prior in lines:
            yield view.rewrite((place, place), f"{indent}{text}\n", template, prior, node.lineno)


def _simple(names: list[Visible]) -> Iterator[tuple[str, str, float]]:
    for one in names:
        a, types = one.name, one.types
        others = [v for v in names if v.name != a and "function" not in v.types]
        for method in [GROWN[kind] for kind in GROWN if kind in types]:
            yield from ((f"{a}.{method}({other.name})", "ins_call", 0.2) for other in others)
        for other in names:
            if (
                other.name != a
                and compatibility(types, other.types)
                and not (types | other.types) & {"function", "type"}
            ):
                yield f"{a} = {other.name}", "ins_assign", 0.12
        if types & NUMBERS:
            yield from (
                (f"{a} += 1", "ins_assign", 0.15),
                (f"{a} -= 1", "ins_assign", 0.12),
                (f"{a} = 0", "ins_assign", 0.1),
            )
        if "list" in types:
            yield from ((f"{a} = []", "ins_assign", 0.06), (f"{a}.pop()", "ins_call", 0.1))
            yield from ((f"{a}.sort()", "ins_call", 0.06), (f"{a}.reverse()", "ins_call", 0.05))
        if "str" in types:
            yield from ((f"{a} = {a}.lower()", "ins_assign", 0.06), (f'{a} = ""', "ins_assign", 0.06))


def _growth(view: View, node: ast.stmt) -> Iterator[tuple[str, str, float]]:
    """Add expressions of the function to its collections."""
    local = [v for v in view.scope(node) if v.kind == "local"]
    parts = (ast.Subscript, ast.Call, ast.BinOp, ast.Constant, ast.Tuple, ast.List)
    known = view.material(node).expressions.items()
    values = [text for text, part in known if isinstance(part, parts) and len(text) < 40]
    values += [f"{v.name}[{i}]" for v in local if v.types & SEQUENCES for i in (-1, 0)]
    for name, types, _ in local:
        for kind, method in GROWN.items():
            if kind in types:
                for value in dict.fromkeys(values):
                    if not value.startswith(f"{name}."):
                        yield f"{name}.{method}({value})", "ins_call_expr", 0.07


@heavy(ast.stmt)
def leave_early(view: View, node: ast.stmt) -> Iterator[Candidate]:
    """A missing base case: return, go on or stop under a simple condition."""
    if not movable(view, node):
        return
    source, function, indent = view.source, view.source.function(node), view.source.indent(node)
    assert function is not None
    local = [v for v in view.scope(node) if v.kind == "local"]
    first = source.parent(node) is function and source.block(node)[0] is node
    loop = any(isinstance(outer, (ast.For, ast.While)) for outer in source.ancestors(node))
    known, raised = answers(view, function), exceptions(view, node)
    start = source.whole(node)[0]
    for condition, weight in base_cases(local):
        for rank, answer in enumerate(known):
            prior = 0.2 * weight * (1 if first else 0.5) * (1 if rank < 6 else 0.6)
            text = f"{indent}if {condition}:\n{indent}    return {answer}\n"
            yield view.rewrite((start, start), text, "guard_ret", prior, node.lineno)
        for name in raised:
            text = f"{indent}if {condition}:\n{indent}    raise {name}\n"
            yield view.rewrite((start, start), text, "guard_raise", 0.3 * weight, node.lineno)
        for word in ("continue", "break") if loop else ():
            text = f"{indent}if {condition}:\n{indent}    {word}\n"
            yield view.rewrite((start, start), text, "guard_flow", 0.2 * weight, node.lineno)


def answers(view: View, function: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """List what a function may return: what it returns elsewhere, plain values, its arguments."""
    returns = [n.value for n in ast.walk(function) if isinstance(n, ast.Return) and n.value is not None]
    texts = [view.text(value) for value in returns if value.lineno == value.end_lineno]
    plain = [view.spell("") if answer == "''" else answer for answer in ANSWERS if fits(view, function, answer)]
    return list(dict.fromkeys([*texts, *plain, *(a.arg for a in function.args.args)]))


def fits(view: View, function: ast.AST, answer: str) -> bool:
    """Whether a function may return a plain value: one that returns numbers returns no truths."""
    returns = [n.value for n in ast.walk(function) if isinstance(n, ast.Return) and n.value is not None]
    types = set().union(*(view.types(value) for value in returns))
    return answer not in ("False", "True") or not types or not types <= NUMBERS - {"bool"}


@heavy(ast.stmt)
def end_block(view: View, node: ast.stmt) -> Iterator[Candidate]:
    """A function that ends without an answer gets one; a loop is left after its first round."""
    if not movable(view, node) or len(places(view, node)) < 2:
        return
    source, indent = view.source, view.source.indent(node)
    function, end = source.function(node), source.whole(node)[1]
    assert function is not None
    if isinstance(source.parent(node), FUNCTIONS):
        for answer in [*answers(view, function), *view.material(node).names]:
            yield view.rewrite((end, end), f"{indent}return {answer}\n", "add_return", 0.3, node.lineno)
    elif any(isinstance(outer, (ast.For, ast.While)) for outer in source.ancestors(node)):
        yield view.rewrite((end, end), f"{indent}break\n", "flow", 0.2, node.lineno)
