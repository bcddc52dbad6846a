"""Which names a line of Python can see."""

import ast
from collections.abc import Iterator

from bot.models.offline.source import enclosing
from bot.models.offline.vocabulary import BUILTINS

Scope = ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def visible(tree: ast.Module, line: int) -> frozenset[str]:
    """Return the names that code on a line can use, builtins among them."""
    around = [scope for scope in enclosing(tree, line) if not isinstance(scope, ast.ClassDef)]
    return frozenset(BUILTINS.union(*(set(bound(scope)) for scope in (tree, *around))))


def bound(scope: Scope) -> Iterator[str]:
    """Give the names that a scope binds itself."""
    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
        yield from parameters(scope)
    for node in own(scope):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.ExceptHandler(name=str(name)):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Import(names=names) | ast.ImportFrom(names=names):
                yield from (item.asname or item.name.partition(".")[0] for item in names)
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                yield from names
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
                yield name
            case _:
                pass


def own(scope: Scope) -> Iterator[ast.AST]:
    """Walk a scope without going into the definitions inside it."""
    waiting: list[ast.AST] = list(scope.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting.extend(ast.iter_child_nodes(node))


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[str, ...]:
    """Return the names of a function's parameters."""
    args = function.args
    rest = [arg for arg in (args.vararg, args.kwarg) if arg]
    return tuple(arg.arg for arg in (*args.posonlyargs, *args.args, *args.kwonlyargs, *rest))


def members(tree: ast.Module, owner: str) -> frozenset[str]:
    """Return the attributes of a class of this module and of its bases here; empty when it has no such class."""
    classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    seen: set[str] = set()
    found: set[str] = set()
    waiting = [owner.rpartition(".")[2]]
    while waiting:
        name = waiting.pop()
        if name in seen or name not in classes:
            continue
        seen.add(name)
        found |= set(bound(classes[name])) | set(_assigned_to_self(classes[name]))
        waiting += [base.id for base in classes[name].bases if isinstance(base, ast.Name)]
    return frozenset(found)


def _assigned_to_self(scope: ast.ClassDef) -> Iterator[str]:
    for node in ast.walk(scope):
        match node:
            case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name, ctx=ast.Store()):
                yield name
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case _:
                pass


def top_names(tree: ast.Module) -> frozenset[str]:
    """Return what another module can import from this one."""
    return frozenset(bound(tree))


def functions(tree: ast.Module, qualified: str) -> tuple[ast.FunctionDef | ast.AsyncFunctionDef, ...]:
    """Return the functions that `f`, `Class.f` or `Class` (its constructor) can mean here."""
    owner, _, name = qualified.replace(".<locals>", "").rpartition(".")
    owner = owner.rpartition(".")[2]
    found: list[ast.FunctionDef | ast.AsyncFunctionDef] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef):
            continue
        if node.name not in (owner, name) if isinstance(node, ast.ClassDef) else owner:
            continue
        wanted = "__init__" if isinstance(node, ast.ClassDef) and node.name == name else name
        found += [f for f in node.body if isinstance(f, ast.FunctionDef | ast.AsyncFunctionDef) and f.name == wanted]
    return tuple(found)
