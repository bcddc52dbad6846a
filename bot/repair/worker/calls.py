"""Templates: calls and their arguments."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

from bot.repair.worker.rules import called, cheap, parameters, stored
from bot.repair.worker.source import Candidate
from bot.repair.worker.usage import index, name_of
from bot.repair.worker.view import View

KEYS = ("len", "abs", "str", "lambda x: x[1]", "lambda x: -x", "lambda x: x[0]")
WAITING = frozenset({"coroutine", "Future", "Task", "_GatheringFuture", "async_generator_asend"})
FIELD = re.compile(r"\{([^\W\d]\w*)")
SIBLINGS = 8
DEFAULTS = ("''", "[]", "{}", "0", "b''")


@cheap(ast.Call)
def change_end(view: View, node: ast.Call) -> Iterator[Candidate]:
    """`a.insert(0, b)` becomes `a.append(b)`, and back."""
    if not isinstance(node.func, ast.Attribute) or node.keywords:
        return
    owner, (positional, _) = view.operand(node.func.value), view.arguments(node)
    if node.func.attr == "insert" and len(positional) == 2 and positional[0] == "0":
        yield view.replace(node, f"{owner}.append({positional[1]})", "other_end", 0.75)
    elif node.func.attr == "append" and len(positional) == 1:
        yield view.replace(node, f"{owner}.insert(0, {positional[0]})", "other_end", 0.3)


@cheap(ast.Call)
def permute_arguments(view: View, node: ast.Call) -> Iterator[Candidate]:
    """`f(a, b)` becomes `f(b, a)`, `f(a)` or `f(b)`."""
    positional, named = view.arguments(node)
    function = view.text(node.func)
    for i in range(len(positional)):
        for j in range(i + 1, len(positional)):
            swapped = list(positional)
            swapped[i], swapped[j] = swapped[j], swapped[i]
            yield view.replace(node, f"{function}({', '.join(swapped + named)})", "swap_args", 0.75)
    for i in range(len(node.keywords)):
        for j in range(i + 1, len(node.keywords)):
            one, other = node.keywords[i], node.keywords[j]
            if one.arg and other.arg:
                swapped = list(named)
                swapped[i], swapped[j] = f"{one.arg}={view.text(other.value)}", f"{other.arg}={view.text(one.value)}"
                yield view.replace(node, f"{function}({', '.join(positional + swapped)})", "swap_args", 0.6)
    every = positional + named
    for i in range(len(every)):
        rest = every[:i] + every[i + 1 :]
        template, prior = ("drop_arg", 0.3 if i < len(positional) else 0.35)
        if every[i].endswith("=True") and i >= len(positional):
            template, prior = "drop_flag", 0.85
        yield view.replace(node, f"{function}({', '.join(rest)})", template, prior)


@cheap(ast.Call)
def unwrap_call(view: View, node: ast.Call) -> Iterator[Candidate]:
    """`f(a)` becomes `a`; `a.m()` becomes `a`; `f()` becomes `f`."""
    if isinstance(view.source.parent(node), ast.Expr):
        return
    for argument in node.args[:3]:
        if not isinstance(argument, ast.Starred):
            yield view.replace(node, view.operand(argument), "unwrap_call", 0.55)
    if isinstance(node.func, ast.Attribute):
        yield view.replace(node, view.text(node.func.value), "unwrap_call", 0.45)
    if not node.args and not node.keywords:
        yield view.replace(node, view.text(node.func), "drop_call", 0.35)


@cheap(ast.Call)
def extend_call(view: View, node: ast.Call) -> Iterator[Candidate]:
    """Well-known functions get the argument that is most often forgotten."""
    positional, named = view.arguments(node)
    function = view.text(node.func)
    for extra, prior in _usual(function, positional, named):
        yield view.replace(node, f"{function}({extra})", "add_arg", prior)


def _usual(function: str, positional: list[str], named: list[str]) -> Iterator[tuple[str, float]]:
    given = ", ".join(positional + named)
    keys = {name.split("=")[0] for name in named}
    if function == "range" and len(positional) == 1:
        yield f"1, {positional[0]}", 0.4
        yield f"1, {positional[0]} + 1", 0.4
    if function == "range" and len(positional) == 2:
        yield f"{given}, 2", 0.15
        yield f"{given}, -1", 0.15
    sorts = function == "sorted" or function.endswith(".sort")
    if sorts and "reverse" not in keys:
        yield ", ".join([*positional, *named, "reverse=True"]), 0.5
    if (sorts or function in ("max", "min")) and "key" not in keys:
        for key in KEYS:
            yield ", ".join([*positional, *named, f"key={key}"]), 0.2
    if function == "open" and "encoding" not in keys:
        yield f'{given}, encoding="utf-8"', 0.4


@cheap(ast.Call)
def insert_argument(view: View, node: ast.Call) -> Iterator[Candidate]:
    """`f(a)` becomes `f(a, b)` with a variable that is at hand."""
    positional, named = view.arguments(node)
    function = view.text(node.func)
    if function in ("len", "int", "str", "abs") or len(positional) > 4:
        return
    for name, _, _ in view.variables(node):
        for i in range(len(positional) + 1):
            given = [*positional[:i], name, *positional[i:], *named]
            yield view.replace(node, f"{function}({', '.join(given)})", "add_arg", 0.12)
    if function in ("max", "min") and len(positional) == 1:
        names = [v.name for v in view.variables(node)]
        for one in names:
            for other in names:
                if one < other:
                    yield view.replace(node, f"{function}({one}, {other})", "args2", 0.2)


@cheap(ast.Name, ast.Attribute, ast.Call, ast.Subscript)
def default_for_none(view: View, node: ast.expr) -> Iterator[Candidate]:
    """`a` becomes `(a or '')`; `a.x` becomes `getattr(a, 'x', None)` where `a` was None."""
    if stored(node) or called(view, node):
        return
    if "NoneType" in view.types(node):
        for default in DEFAULTS:
            yield view.replace(node, f"({view.text(node)} or {default})", "or_default", 0.35)
    if isinstance(node, ast.Attribute) and "NoneType" in view.types(node.value):
        yield view.replace(node, f'getattr({view.text(node.value)}, "{node.attr}", None)', "or_default", 0.35)


@cheap(ast.Return, ast.Call)
def wrap_in_list(view: View, node: ast.Return | ast.Call) -> Iterator[Candidate]:
    """`return a` becomes `return [a]`; `f(a)` becomes `f([a])`."""
    values = ([node.value] if node.value else []) if isinstance(node, ast.Return) else node.args
    for value in values:
        if not isinstance(value, (ast.GeneratorExp, ast.Lambda, ast.Starred)):
            yield view.replace(value, f"[{view.text(value)}]", "wrap_list", 0.15)


@cheap(ast.Call)
def pass_through(view: View, node: ast.Call) -> Iterator[Candidate]:
    """`load(path)` becomes `load(path, strict=strict)` where both functions have that parameter."""
    function, positional = view.source.function(node), len(node.args)
    given = {k.arg for k in node.keywords}
    if function is None or None in given or any(isinstance(a, ast.Starred) for a in node.args):
        return
    a = function.args
    ours = [x.arg for x in (*a.posonlyargs, *a.args, *a.kwonlyargs) if x.arg not in ("self", "cls")]
    name = view.text(node.func).rsplit(".", 1)[-1]
    theirs = parameters(view, "__init__" if view.text(node.func).startswith("super()") else name)
    first, named = view.arguments(node)
    for parameter in ours:
        if parameter in theirs[positional:] and parameter not in given and parameter not in first:
            text = f"{view.text(node.func)}({', '.join([*first, *named, f'{parameter}={parameter}'])})"
            yield view.replace(node, text, "pass_through", 0.5)


@cheap(ast.Call, ast.Name, ast.Attribute)
def await_it(view: View, node: ast.expr) -> Iterator[Candidate]:
    """`f()` becomes `await f()` in a coroutine where the value is one that waits, and the other way round."""
    function, parent = view.source.function(node), view.source.parent(node)
    if not isinstance(function, ast.AsyncFunctionDef) or stored(node) or called(view, node):
        return
    if isinstance(parent, ast.Await):
        yield view.replace(parent, view.text(node), "drop_await", 0.3)
    elif view.types(node) & WAITING:
        yield view.replace(node, view.enclose(node, f"await {view.text(node)}"), "add_await", 0.9)
    elif isinstance(node, ast.Call) and not view.types(node):
        yield view.replace(node, view.enclose(node, f"await {view.text(node)}"), "add_await", 0.3)


@cheap(ast.Call)
def follow_siblings(view: View, node: ast.Call) -> Iterator[Candidate]:
    """`run(a)` becomes `run(a, check=True)` where other calls of `run` say so, and `.format()` its fields."""
    if not isinstance(node.func, (ast.Name, ast.Attribute)):
        return
    positional, named = view.arguments(node)
    given = {k.arg for k in node.keywords}
    known = {v.name for v in view.scope(node)}
    others: dict[tuple[str, str], float] = {}
    if isinstance(node.func, ast.Attribute) and node.func.attr == "format":
        asked = FIELD.findall(view.text(node.func.value))
        others = {(name, name): 0.6 for name in asked if name in known}
    else:
        usual = index(view).keywords.get(name_of(node.func), Counter())
        for (name, value), _ in usual.most_common(SIBLINGS):
            others[name, value] = 0.35
            if name in known:
                others[name, name] = 0.4
    for (name, value), prior in others.items():
        if name not in given:
            text = f"{view.text(node.func)}({', '.join([*positional, *named, f'{name}={value}'])})"
            yield view.replace(node, text, "as_sibling", prior)
