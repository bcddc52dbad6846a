"""Templates: the heads of functions and classes, and what their first lines forget."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from bot.repair.worker.rules import cheap, head, import_member
from bot.repair.worker.source import FUNCTIONS, Candidate, Definition
from bot.repair.worker.usage import index
from bot.repair.worker.view import View

KINDS = ("staticmethod", "classmethod", "property")
EMPTIES = (ast.List, ast.Dict, ast.Set)
RELATED = ("ValueError", "TypeError", "KeyError", "IndexError", "AttributeError", "RuntimeError", "NotImplementedError")


@head(ast.FunctionDef, ast.AsyncFunctionDef)
def change_decorators(view: View, node: Definition) -> Iterator[Candidate]:
    """A method gets `@staticmethod`, `@classmethod` or `@property`, or loses a decorator."""
    source = view.source
    for decorator in node.decorator_list:
        line = decorator.lineno
        span = (source.offsets[line - 1], source.offsets[decorator.end_lineno or line])
        if source.lines[line - 1].lstrip().startswith(b"@"):
            yield view.rewrite(span, "", "drop_decorator", 0.3, node.lineno)
    owner = source.parent(node)
    if not isinstance(owner, ast.ClassDef) or not isinstance(node, FUNCTIONS):
        return
    start, indent = source.whole(node)[0], source.indent(node)
    used = {view.text(d) for d in node.decorator_list}
    for kind, prior in _fitting(view, owner, node):
        if kind not in used and not used & set(KINDS):
            yield view.rewrite((start, start), f"{indent}@{kind}\n", "add_decorator", prior, node.lineno)


def _fitting(
    view: View, owner: ast.ClassDef, node: ast.FunctionDef | ast.AsyncFunctionDef
) -> Iterator[tuple[str, float]]:
    names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    if not names or names[0] not in ("self", "cls"):
        yield "staticmethod", 0.8
    if names and names[0] == "cls":
        yield "classmethod", 0.9
    if names == ["self"] and not node.name.startswith("_"):
        yield "property", 0.35
    for sibling in owner.body:
        if isinstance(sibling, FUNCTIONS) and sibling is not node:
            for decorator in sibling.decorator_list:
                if view.text(decorator) not in KINDS:
                    yield view.text(decorator), 0.2


@head(ast.FunctionDef, ast.AsyncFunctionDef)
def add_parameter(view: View, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Candidate]:
    """`def f(a): return a + b` becomes `def f(a, b)`; a method gets its `self`."""
    source, place = view.source, view.source.span(node)[0]
    opening = re.compile(rb"def\s+\w+\s*\(\s*").search(source.content, place)
    if opening is None:
        return
    a = node.args
    positional = [*a.posonlyargs, *a.args]
    given = [*positional, *a.kwonlyargs, *(x for x in (a.vararg, a.kwarg) if x)]
    after = ", " if given else ""
    method = isinstance(source.parent(node), ast.ClassDef) and not node.decorator_list
    if method and (not positional or positional[0].arg not in ("self", "cls")):
        yield view.rewrite((opening.end(), opening.end()), f"self{after}", "add_parameter", 0.7, node.lineno)
    for name in unbound(view, node)[:3]:
        if positional and not a.defaults:
            end = source.span(positional[-1])[1]
            yield view.rewrite((end, end), f", {name}", "add_parameter", 0.8, node.lineno)
            yield view.rewrite((end, end), f", {name}=None", "add_parameter", 0.5, node.lineno)
        elif positional:
            end = source.span(a.defaults[-1])[1]
            yield view.rewrite((end, end), f", {name}=None", "add_parameter", 0.6, node.lineno)
        if not positional or positional[0].arg not in ("self", "cls"):
            yield view.rewrite((opening.end(), opening.end()), f"{name}{after}", "add_parameter", 0.6, node.lineno)
        elif len(positional) > 1:
            start = source.span(positional[1])[0]
            yield view.rewrite((start, start), f"{name}, ", "add_parameter", 0.6, node.lineno)


def unbound(view: View, node: ast.FunctionDef | ast.AsyncFunctionDef) -> list[str]:
    """List the names that a function reads and that nothing binds."""
    known = {v.name for v in view.scope(node.body[0])} | index(view).bound | set(dir(builtins))
    known |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    known |= {a.arg for a in ast.walk(node) if isinstance(a, ast.arg)}
    read = [n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    missing = dict.fromkeys(n for n in read if n not in known)
    return [n for n in missing if not n.startswith("__")]


@head(ast.FunctionDef, ast.AsyncFunctionDef)
def free_default(view: View, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[Candidate]:
    """`def f(a=[])` becomes `def f(a=None)`, and `a` a new list in each call."""
    source = view.source
    positional = [*node.args.posonlyargs, *node.args.args]
    pairs = list(zip(positional[len(positional) - len(node.args.defaults) :], node.args.defaults))
    pairs += [(a, d) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults) if d is not None]
    first = _first(node)
    if first is None or first.lineno == node.lineno:
        return
    for argument, default in pairs:
        if isinstance(default, EMPTIES) or view.text(default) in ("list()", "dict()", "set()"):
            indent, start = source.indent(first), source.whole(first)[0]
            made = f"{indent}if {argument.arg} is None:\n{indent}    {argument.arg} = {view.text(default)}\n"
            there = view.rewrite((start, start), made, "free_default", 0.6, node.lineno)
            yield view.replace(default, "None", "free_default", 0.6)._replace(more=(there.edit,))


def _first(node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.stmt | None:
    """Return the first statement of a function after its docstring."""
    documented = isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)
    rest = node.body[1:] if documented else node.body
    return rest[0] if rest else None


@head(ast.FunctionDef)
def call_parent(view: View, node: ast.FunctionDef) -> Iterator[Candidate]:
    """`__init__` of a class with bases gets its `super().__init__()`."""
    owner, first = view.source.parent(node), _first(node)
    if not isinstance(owner, ast.ClassDef) or first is None or first.lineno == node.lineno:
        return
    magic = node.name.startswith("__") and node.name not in ("__init__", "__enter__", "__exit__")
    if not owner.bases or "super()" in view.text(node) or magic:
        return
    a = node.args
    names = [x.arg for x in (*a.posonlyargs, *a.args)][1:]
    starred = [f"*{a.vararg.arg}"] if a.vararg else []
    starred += [f"{k.arg}={k.arg}" for k in a.kwonlyargs] + ([f"**{a.kwarg.arg}"] if a.kwarg else [])
    indent, (start, _), end = view.source.indent(first), view.source.whole(first), view.source.whole(node)[1]
    choices = [names + starred, [], names, starred, names[:1]]
    for rank, given in enumerate(dict.fromkeys(tuple(choice) for choice in choices)):
        text = f"{indent}super().{node.name}({', '.join(given)})\n"
        prior = (0.7 if node.name == "__init__" else 0.25) * (1 - 0.1 * rank)
        yield view.rewrite((start, start), text, "call_super", prior, node.lineno)
        if view.source.content[end - 1 : end] == b"\n":
            yield view.rewrite((end, end), text, "call_super", prior * 0.6, node.lineno)


def exceptions(view: View, node: ast.AST) -> list[str]:
    """List the exceptions that failing tests speak of and that are known at a place."""
    visible = {v.name for v in view.scope(node) if v.kind in ("class", "import")}
    known = {name for name, _ in view.facts.exceptions}
    found = []
    for name in sorted(view.facts.mentioned):
        builtin = getattr(builtins, name, None)
        ours = name in visible and (name in known or name.endswith(("Error", "Exception", "Warning")))
        if ours or (isinstance(builtin, type) and issubclass(builtin, Exception)):
            found.append(name)
    return found


@cheap(ast.Raise)
def raise_other(view: View, node: ast.Raise) -> Iterator[Candidate]:
    """`raise ValueError` becomes `raise KeyError` where tests speak of the latter."""
    raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
    if not isinstance(raised, (ast.Name, ast.Attribute)):
        return
    asked = exceptions(view, node)
    for name in asked:
        yield view.replace(raised, name, "raise_other", 0.9)
    for name, module in view.facts.exceptions:
        if name not in {v.name for v in view.scope(node)}:
            there = import_member(view, module, name, "raise_other", 0.7)
            yield view.replace(raised, name, "raise_other", 0.7)._replace(more=(there.edit,))
    for name in RELATED:
        if name not in asked:
            yield view.replace(raised, name, "raise_other", 0.2)
