"""Templates: names and attributes that stand for others."""

from __future__ import annotations

import ast
import difflib
from collections import Counter
from collections.abc import Iterator

from bot.repair.worker.facts import CALLABLES, CONTAINERS, NUMBERS, compatibility
from bot.repair.worker.rules import called, cheap, heavy, stored
from bot.repair.worker.source import FUNCTIONS, Candidate, key
from bot.repair.worker.usage import index
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
FEW = 8
"""Functions of a file, any of which may be meant; of more only those of like names."""
USUAL = 12
"""Attributes of the same object elsewhere in the file."""
REPEATED = 0.4
"""For a variable that then stands on both sides of an operator."""
UNFITTING = 0.15
"""What a variable of another type is worth: the wrong one may be what is wrong."""
PLAIN = NUMBERS | CONTAINERS
SWAPPED = ("min", "max", "any", "all")


@cheap(ast.Name)
def replace_variable(view: View, node: ast.Name) -> Iterator[Candidate]:
    """A variable becomes another one of a fitting type."""
    if called(view, node):
        return
    parent = view.source.parent(node)
    sides = ast.iter_child_nodes(parent) if isinstance(parent, (ast.BinOp, ast.Compare)) else ()
    twins = {view.text(n) for n in sides if isinstance(n, ast.expr)}
    for name, types, kind in view.scope(node):
        if name == node.id:
            continue
        if kind in ("local", "comprehension", "lambda"):
            least = 0.5 if isinstance(parent, ast.Return) else UNFITTING
            fit = 0.5 if stored(node) else max(least, compatibility(view.types(node), types))
            same = REPEATED if name in twins else 1
            yield view.replace(node, name, "var_replace", 0.8 * fit * (0.8 if stored(node) else 1) * same)
        elif kind == "constant" and not stored(node):
            yield view.replace(node, name, "var_replace", 0.3)


@cheap(ast.Name)
def replace_function(view: View, node: ast.Name) -> Iterator[Candidate]:
    """`min(…)` becomes `max(…)`; a call becomes one of another function that is at hand."""
    if not called(view, node):
        return
    for twin in FUNCTION_TWINS.get(node.id, ()):
        yield view.replace(node, twin, "call_swap", 0.7 if twin in SWAPPED else 0.4)
    others = [
        v for v in view.scope(node) if v.kind == "function" or v.types & CALLABLES or (v.near and not v.types & PLAIN)
    ]
    near = set(difflib.get_close_matches(node.id, [v.name for v in others], 6, 0.6)) if len(others) > FEW else None
    for name, _, kind in others:
        if name != node.id:
            close = near is None or name in near or kind in ("local", "comprehension")
            yield view.replace(node, name, "call_swap", 0.4 if close else 0.1)


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
    usual = index(view).attributes.get(base, Counter()) if isinstance(node.value, ast.Name) else Counter[str]()
    for name in sorted(view.material(node).attributes | known):
        if name != node.attr and (not known or name in known or not call):
            yield view.replace(node, f"{base}.{name}", "attr_replace", 0.15 if call else 0.6)
    for name, _ in usual.most_common(USUAL):
        if name != node.attr and name not in view.material(node).attributes and name not in known:
            yield view.replace(node, f"{base}.{name}", "attr_replace", 0.2)
    if not call and not stored(node):
        yield view.replace(node, base, "drop_attr", 0.25)


@cheap(ast.Name, ast.Attribute)
def change_owner(view: View, node: ast.Name | ast.Attribute) -> Iterator[Candidate]:
    """`size` becomes `self.size` where the object has that, and the other way round."""
    known = {v.name for v in view.scope(node)}
    if isinstance(node, ast.Attribute):
        owned = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
        if owned and node.attr in known:
            yield view.replace(node, node.attr, "change_owner", 0.5)
    elif "self" in known and node.id in index(view).attributes.get("self", ()) and node.id != "self":
        yield view.replace(node, f"self.{node.id}", "change_owner", 0.5)


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
    for place, one in enumerate(known):
        for other in known[place + 1 :]:
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
