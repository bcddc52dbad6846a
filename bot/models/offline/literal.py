"""Tells the type of an expression where it is plain to see."""

import ast
from collections.abc import Iterator, Mapping

from bot.models.offline.scopes import own
from bot.models.offline.source import Mend, enclosing, parse

Function = ast.FunctionDef | ast.AsyncFunctionDef
GIVES: Mapping[str, str] = {
    "str": "str", "repr": "str", "chr": "str", "hex": "str", "ascii": "str", "int": "int", "len": "int", "ord": "int",
    "hash": "int", "id": "int", "float": "float", "bool": "bool", "isinstance": "bool", "callable": "bool",
    "bytes": "bytes", "any": "bool", "all": "bool",
}  # fmt: skip
ADDING = frozenset({"append", "add", "appendleft"})
EMPTY: Mapping[str, str] = {"list": "list", "dict": "dict", "set": "set"}


def type_of(node: ast.expr, known: Mapping[str, str] = GIVES) -> str:
    """Return the type of an expression; empty when it is not plain. `known`: types of names."""
    kind = ""
    match node:
        case ast.Constant(value=bool() | int() | float() | str() | bytes() as value):
            kind = type(value).__name__
        case ast.JoinedStr():
            kind = "str"
        case ast.UnaryOp(op=ast.Not()):
            kind = "bool"
        case ast.Compare(ops=ops) if all(isinstance(op, ast.Is | ast.IsNot | ast.In | ast.NotIn) for op in ops):
            kind = "bool"
        case ast.Name(id=name) if known is not GIVES:
            kind = known.get(name, "")
        case ast.Call(func=ast.Name(id=name)):
            kind = GIVES.get(name, "")
        case ast.Tuple(elts=parts) if parts:
            types = [type_of(part, known) for part in parts]
            kind = f"tuple[{', '.join(types)}]" if all(types) else ""
        case _:
            pass
    return kind


def returned(function: Function) -> str:
    """Return the type that a function gives back, where each of its ends says so in plain words."""
    ends = [node for node in own(function) if isinstance(node, ast.Return)]
    if not isinstance(function.body[-1], ast.Return) or any(
        isinstance(node, ast.Yield | ast.YieldFrom) for node in own(function)
    ):
        return ""
    types = {type_of(end.value) if end.value is not None else "" for end in ends}
    return types.pop() if len(types) == 1 else ""


def annotate_variable(text: str, line: int, name: str) -> Mend | None:
    """Annotate an empty collection with the type of what is put into it, where that is plain."""
    tree = parse(text)
    if tree is None:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and node.lineno == line and len(node.targets) == 1:
            kind, target = _empty(node.value), node.targets[0]
            if kind and name in (getattr(target, "id", ""), getattr(target, "attr", "")) and target.end_lineno == line:
                note = _filled(tree, kind, target, line)
                return _annotated(text, target, f"{kind}[{note}]") if note else None
    return None


def _annotated(text: str, target: ast.expr, note: str) -> Mend:
    rows = text.split("\n")
    row = rows[target.lineno - 1]
    end = len(row.encode()[: target.end_col_offset].decode())
    rows[target.lineno - 1] = f"{row[:end]}: {note}{row[end:]}"
    return Mend("\n".join(rows), f"annotate `{ast.unparse(target)}`")


def _empty(value: ast.expr) -> str:
    match value:
        case ast.List(elts=[]):
            return "list"
        case ast.Dict(keys=[]):
            return "dict"
        case ast.Call(func=ast.Name(id=name), args=[], keywords=[]):
            return EMPTY.get(name, "")
        case _:
            return ""


def _filled(tree: ast.Module, kind: str, target: ast.expr, line: int) -> str:
    """Return what stands in the brackets of the annotation; empty when something that is put in is not plain."""
    written = ast.unparse(target)
    around = enclosing(tree, line)
    functions = [node for node in around if not isinstance(node, ast.ClassDef)]
    classes = [node for node in around if isinstance(node, ast.ClassDef)]
    holders = classes if isinstance(target, ast.Attribute) else functions
    scope: ast.AST = holders[-1] if holders else tree
    put = [_pairs(node, written, kind, _parameters(tree, getattr(node, "lineno", line))) for node in ast.walk(scope)]
    types = list(dict.fromkeys(each for found in put for each in found))
    return types[0] if len(types) == 1 else ""


def _parameters(tree: ast.Module, line: int) -> dict[str, str]:
    """Return the types of parameters that are annotated with a plain name."""
    known: dict[str, str] = {}
    for function in enclosing(tree, line):
        if isinstance(function, Function):
            args = (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)
            known |= {arg.arg: arg.annotation.id for arg in args if isinstance(arg.annotation, ast.Name)}
            stored = {node.id for node in ast.walk(function) if isinstance(node, ast.Name) and _is_stored(node)}
            known = {name: note for name, note in known.items() if name not in stored}
    return known


def _is_stored(node: ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _pairs(node: ast.AST, written: str, kind: str, known: Mapping[str, str]) -> Iterator[str]:
    """Give the type of what a statement puts in; empty for what is not plain."""
    match node:
        case ast.Call(func=ast.Attribute(value=holder, attr=way), args=[value]) if way in ADDING:
            if ast.unparse(holder) == written and kind != "dict":
                yield type_of(value, known)
        case ast.Call(func=ast.Attribute(value=holder, attr="extend" | "update" | "setdefault" | "insert")):
            if ast.unparse(holder) == written:
                yield ""
        case ast.Assign(targets=[ast.Subscript(value=holder, slice=key)], value=value):
            if ast.unparse(holder) == written:
                yield _both(key, value, known) if kind == "dict" else ""
        case ast.AugAssign(target=holder):
            if ast.unparse(holder).partition("[")[0] == written:
                yield ""
        case _:
            pass


def _both(key: ast.expr, value: ast.expr, known: Mapping[str, str]) -> str:
    types = type_of(key, known), type_of(value, known)
    return ", ".join(types) if all(types) else ""
