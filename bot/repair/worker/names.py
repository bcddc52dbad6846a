"""Templates: names and attributes that stand for others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.worker.facts import CALLABLES, compatibility
from bot.repair.worker.rules import called, cheap, heavy, stored
from bot.repair.worker.source import FUNCTIONS, Candidate, key
from bot.repair.worker.view import View

FUNCTION_TWINS: dict[str, tuple[str, ...]] = {
    "min": ("max", "sum"), "max": ("min", "sum", "len"), "any": ("all",), "all": ("any",), "float": ("int",),
    "int": ("float", "round", "str", "abs"), "str": ("repr", "int"), "list": ("tuple", "set", "sorted"),
    "tuple": ("list",), "set": ("list", "sorted"), "sorted": ("reversed", "list", "set"),
    "reversed": ("sorted", "list"),
    "len": ("sum", "max", "min"), "sum": ("max", "min", "len"), "ceil": ("floor", "round"), "floor": ("ceil", "round"),
    "round": ("int", "floor", "ceil"), "ord": ("chr",), "chr": ("ord",), "abs": ("int",), "filter": ("map",),
    "isinstance": ("issubclass",), "getattr": ("hasattr",),
}  # fmt: skip
METHOD_TWINS: dict[str, tuple[str, ...]] = {
    "append": ("extend", "insert", "remove", "add"), "extend": ("append",), "add": ("update", "discard", "append"),
    "update": ("add",), "pop": ("popleft", "get", "remove"), "popleft": ("pop",), "appendleft": ("append",),
    "remove": ("append", "discard"), "discard": ("remove", "add"),
    "upper": ("lower", "capitalize", "title", "swapcase"),
    "lower": ("upper", "casefold", "swapcase"), "title": ("capitalize",), "capitalize": ("title",),
    "isupper": ("islower", "isalpha"), "islower": ("isupper", "isalpha"), "isalpha": ("isalnum", "isdigit"),
    "isdigit": ("isalpha", "isnumeric", "isalnum"), "isalnum": ("isalpha",), "startswith": ("endswith",),
    "endswith": ("startswith",), "find": ("rfind", "index"), "rfind": ("find",), "index": ("rindex", "find"),
    "rindex": ("index",), "strip": ("lstrip", "rstrip"), "lstrip": ("strip", "rstrip"), "rstrip": ("strip", "lstrip"),
    "split": ("rsplit", "splitlines", "partition"), "rsplit": ("split",), "partition": ("rpartition",),
    "rpartition": ("partition",), "keys": ("values", "items"), "values": ("keys", "items"), "items": ("keys", "values"),
    "union": ("intersection", "difference", "symmetric_difference"), "intersection": ("union", "difference"),
    "difference": ("union", "intersection"), "issubset": ("issuperset",), "issuperset": ("issubset",),
    "get": ("pop", "setdefault"), "setdefault": ("get",), "match": ("search", "fullmatch"),
    "swapcase": ("upper", "lower"),
    "search": ("match", "fullmatch"), "fullmatch": ("match", "search"), "ljust": ("rjust",), "rjust": ("ljust",),
    "bisect_left": ("bisect_right",), "bisect_right": ("bisect_left",), "encode": ("decode",), "decode": ("encode",),
    "sort": ("reverse",), "reverse": ("sort",),
}  # fmt: skip
SWAPPED = ("min", "max", "any", "all")


@cheap(ast.Name)
def replace_variable(view: View, node: ast.Name) -> Iterator[Candidate]:
    """A variable becomes another one of a fitting type."""
    if called(view, node):
        return
    for name, types, kind in view.scope(node):
        if name == node.id:
            continue
        if kind in ("local", "comprehension", "lambda"):
            fit = 0.5 if stored(node) else compatibility(view.types(node), types)
            if fit:
                yield view.replace(node, name, "var_replace", 0.8 * fit * (0.8 if stored(node) else 1))
        elif kind == "constant" and not stored(node):
            yield view.replace(node, name, "var_replace", 0.3)


@cheap(ast.Name)
def replace_function(view: View, node: ast.Name) -> Iterator[Candidate]:
    """`min(…)` becomes `max(…)`; a call becomes one of another function that is at hand."""
    if not called(view, node):
        return
    for twin in FUNCTION_TWINS.get(node.id, ()):
        yield view.replace(node, twin, "call_swap", 0.7 if twin in SWAPPED else 0.4)
    for name, types, kind in view.scope(node):
        if name != node.id and (kind == "function" or types & {"function", "method"}):
            yield view.replace(node, name, "call_swap", 0.4)


@cheap(ast.Attribute)
def replace_attribute(view: View, node: ast.Attribute) -> Iterator[Candidate]:
    """`a.x` becomes `a.y` or `a`; `a.append(…)` becomes `a.extend(…)`."""
    base, call = view.text(node.value), called(view, node)
    if call:
        for twin in METHOD_TWINS.get(node.attr, ()):
            yield view.replace(node, f"{base}.{twin}", "method_swap", 0.5)
        for twin in FUNCTION_TWINS.get(node.attr, ()):
            yield view.replace(node, f"{base}.{twin}", "method_swap", 0.4)
    known = view.facts.attributes.get(key(node.value), set())
    for name in sorted(view.material(node).attributes | known):
        if name != node.attr and (not known or name in known or not call):
            yield view.replace(node, f"{base}.{name}", "attr_replace", 0.15 if call else 0.6)
    if not call and not stored(node):
        yield view.replace(node, base, "drop_attr", 0.25)


@cheap(ast.Subscript, ast.Tuple)
def replace_target(view: View, node: ast.expr) -> Iterator[Candidate]:
    """What is assigned to becomes another place, or two of them change sides."""
    if not stored(node):
        return
    if isinstance(node, ast.Tuple) and len(node.elts) == 2:
        yield view.replace(node, f"{view.text(node.elts[1])}, {view.text(node.elts[0])}", "swap_args", 0.4)
    if isinstance(node, ast.Subscript) and isinstance(view.source.parent(node), (ast.Assign, ast.AugAssign)):
        for text, other in view.material(node).expressions.items():
            if isinstance(other, ast.Subscript):
                yield view.replace(node, text, "target_replace", 0.25)
        for name in view.material(node).names:
            yield view.replace(node, name, "target_replace", 0.1)


@cheap(ast.stmt)
def swap_names(view: View, node: ast.stmt) -> Iterator[Candidate]:
    """Two names change places everywhere in a statement."""
    if isinstance(node, (*FUNCTIONS, ast.ClassDef)):
        return
    names = [n for n in view.source.expressions(node) if isinstance(n, ast.Name)]
    known = list(dict.fromkeys(n.id for n in names))
    if not 2 <= len(known) <= 8:
        return
    names.sort(key=view.source.span)
    start, end = view.source.span(names[0])[0], view.source.span(names[-1])[1]
    for index, one in enumerate(known):
        for other in known[index + 1 :]:
            text, position = b"", start
            for name in names:
                first, last = view.source.span(name)
                new = {one: other, other: one}.get(name.id, name.id)
                text += view.source.content[position:first] + new.encode()
                position = last
            yield view.rewrite((start, end), text.decode(), "swap_names", 0.3, node.lineno)


@cheap(ast.Name, ast.Attribute)
def call_it(view: View, node: ast.expr) -> Iterator[Candidate]:
    """A function that is only named is called."""
    if called(view, node) or stored(node) or not view.types(node) & (CALLABLES - {"type"}):
        return
    text, names = view.text(node), [v.name for v in view.scope(node) if v.near or v.kind == "lambda"][:6]
    yield view.replace(node, f"{text}()", "add_call", 0.4)
    for name in names:
        yield view.replace(node, f"{text}({name})", "add_call", 0.25)
        for other in names:
            if other != name:
                yield view.replace(node, f"{text}({name}, {other})", "add_call", 0.12)


UNFIT = (ast.Starred, ast.Lambda, ast.GeneratorExp, ast.Slice, ast.JoinedStr, ast.Yield, ast.YieldFrom, ast.Await)


@heavy(ast.expr)
def reuse_expression(view: View, node: ast.expr) -> Iterator[Candidate]:
    """An expression becomes another one of the same function with a fitting type."""
    if isinstance(node, UNFIT) or called(view, node) or stored(node):
        return
    types, parent = view.types(node), view.source.parent(node)
    for text, other in view.material(node).expressions.items():
        if (
            isinstance(other, UNFIT)
            or called(view, other)
            or (isinstance(other, ast.Name) and isinstance(node, ast.Name))
        ):
            continue
        fit = compatibility(types, view.types(other))
        if fit >= 0.5:
            prior = 0.3 if isinstance(other, ast.Name) else 0.22 if isinstance(parent, ast.Return) else 0.12
            new = text if view.atomic(other) else view.enclose(node, text)
            yield view.replace(node, new, "ingredient", prior * fit)
    if isinstance(node, (ast.Call, ast.Subscript, ast.BinOp)):
        for name, seen, _ in view.variables(node):
            if types & seen:
                yield view.replace(node, name, "expr_to_name", 0.35)
