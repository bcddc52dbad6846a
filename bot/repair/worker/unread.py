"""Templates: names that a function binds and never reads are most often what is missing somewhere."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.worker.conditions import decides
from bot.repair.worker.facts import CONTAINERS, SEQUENCES
from bot.repair.worker.rules import called, cheap, stored
from bot.repair.worker.source import Candidate, Definition
from bot.repair.worker.statements import answers, movable
from bot.repair.worker.usage import idle
from bot.repair.worker.view import View, Visible

SORTING = ("sorted", "min", "max")
COLLECTIONS = CONTAINERS | {"range", "dict_keys", "dict_values"}


def _functions(view: View, node: ast.AST) -> list[Visible]:
    """List functions that nobody calls: those inside of this one, and private ones of the module."""
    here = [v for v in idle(view, node) if "function" in v.types]
    text = view.source.content
    for visible in view.module_names:
        hidden = visible.kind == "function" and visible.name.startswith("_")
        if hidden and text.count(visible.name.encode()) == 1:
            here.append(visible)
    return here[:3]


@cheap(ast.expr)
def ask_function(view: View, node: ast.expr) -> Iterator[Candidate]:
    """`if n > 0` becomes `if n > 0 and check(n)` where nobody calls `check`."""
    if stored(node) or called(view, node) or isinstance(node, (ast.Constant, ast.Starred)):
        return
    free = [f for f in _functions(view, node) if not _inside(view, node, f.name)]
    names = [v.name for v in view.variables(node) if "function" not in v.types][:8] if free else []
    for function in free:
        if decides(view, node) and not isinstance(view.source.parent(node), ast.BoolOp):
            inside = {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
            for name in names:
                near = 1.0 if name in inside else 0.5
                old = view.clause(node, "and")
                yield view.replace(node, view.enclose(node, f"{old} and {function.name}({name})"), "ask", 0.9 * near)
                yield view.replace(
                    node, view.enclose(node, f"{old} and not {function.name}({name})"), "ask", 0.6 * near
                )
                yield view.replace(
                    node, view.enclose(node, f"{view.clause(node, 'or')} or {function.name}({name})"), "ask", 0.6 * near
                )
        yield view.replace(node, f"{function.name}({view.text(node)})", "ask", 0.4)


def _inside(view: View, node: ast.AST, name: str) -> bool:
    return any(getattr(outer, "name", "") == name for outer in view.source.ancestors(node))


@cheap(ast.Call)
def sort_by_table(view: View, node: ast.Call) -> Iterator[Candidate]:
    """`sorted(a)` becomes `sorted(a, key=lambda x: order[x])` where nobody reads `order`."""
    function = view.text(node.func)
    sorts = function in SORTING or function.endswith(".sort")
    if sorts and not any(k.arg == "key" for k in node.keywords):
        positional, named = view.arguments(node)
        for table in _tables(view, node):
            given = ", ".join([*positional, *named, f"key={_key(table)}"])
            yield view.replace(node, f"{function}({given})", "use_table", 0.8)


def _tables(view: View, node: ast.AST) -> list[Visible]:
    return [v for v in idle(view, node) if v.types & {"dict", "list", "tuple", "str", "function"}]


def _key(table: Visible) -> str:
    if "function" in table.types:
        return table.name
    return f"lambda x: {table.name}[x]" if "dict" in table.types else f"{table.name}.index"


@cheap(ast.expr)
def use_table(view: View, node: ast.expr) -> Iterator[Candidate]:
    """`a` becomes `names[a]`, `names.get(a, a)` or `sorted(a, key=…)` where nobody reads `names`."""
    if stored(node) or called(view, node) or isinstance(node, (ast.Starred, ast.Lambda, ast.GeneratorExp)):
        return
    text, types = view.text(node), view.types(node)
    for table in _tables(view, node):
        if table.name in text or "function" in table.types:
            continue
        if types & {"list", "tuple", "set"} and "str" not in table.types:
            yield view.replace(node, f"sorted({text}, key={_key(table)})", "use_table", 0.6)
        if "dict" in table.types and not types & {"list", "set", "dict"}:
            yield view.replace(node, f"{table.name}[{text}]", "use_table", 0.4)
            yield view.replace(node, f"{table.name}.get({text}, {text})", "use_table", 0.35)
        elif "int" in types and table.types & SEQUENCES:
            yield view.replace(node, f"{table.name}[{text}]", "use_table", 0.4)


@cheap(ast.stmt)
def refuse_strangers(view: View, node: ast.stmt) -> Iterator[Candidate]:
    """`if kind not in KINDS: return None` is added where nobody reads `KINDS`."""
    if not movable(view, node):
        return
    function = view.source.function(node)
    known = [v for v in idle(view, node) if v.types & COLLECTIONS]
    if function is None or not known:
        return
    indent, start = view.source.indent(node), view.source.whole(node)[0]
    members = list(_members(view, node))
    loop = any(isinstance(outer, (ast.For, ast.While)) for outer in view.source.ancestors(node))
    leave = [f"return {answer}" for answer in answers(view, function)[:4]] + (["continue"] if loop else [])
    for table in known:
        if _bound_at(function, table.name) >= node.lineno:
            continue
        for member, weight in members:
            for word, prior in (("not in", 0.35), ("in", 0.2)):
                for rank, line in enumerate(leave):
                    text = f"{indent}if {member} {word} {table.name}:\n{indent}    {line}\n"
                    score = prior * weight * (1 - 0.15 * rank)
                    yield view.rewrite((start, start), text, "guard_member", score, node.lineno)


def _members(view: View, node: ast.stmt) -> Iterator[tuple[str, float]]:
    """List what might be asked for in a collection: variables, and the elements of sequences."""
    free = [v for v in view.variables(node) if "function" not in v.types]
    for visible in free[:10]:
        if not visible.types & {"list", "set", "dict"}:
            yield visible.name, 1.0
        if visible.types & SEQUENCES:
            yield from ((f"{visible.name}[{i}]", 0.8) for i in ("-1", "0", "1"))


def _bound_at(function: Definition, name: str) -> int:
    """Return the line after which a name is there."""
    stores = [n.lineno for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name and stored(n)]
    return min(stores, default=function.lineno)


@cheap(ast.Constant)
def unquote(view: View, node: ast.Constant) -> Iterator[Candidate]:
    """`'text'` becomes `text` where that is a variable."""
    if not isinstance(node.value, str) or not node.value.isidentifier():
        return
    if any(v.name == node.value for v in view.scope(node)):
        for pattern, prior in (("{}", 0.6), ("{}.encode()", 0.3), ("str({})", 0.3)):
            yield view.replace(node, pattern.format(node.value), "unquote", prior)
