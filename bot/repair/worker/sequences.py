"""Templates: subscripts, slices, displays, comprehensions and the containers behind them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from bot.repair.worker.facts import CONTAINERS, SEQUENCES
from bot.repair.worker.rules import called, cheap, stored
from bot.repair.worker.source import Candidate
from bot.repair.worker.view import View

SLICES = (
    ("[1:]", 0.3), ("[:-1]", 0.3), ("[0]", 0.2), ("[-1]", 0.2), ("[::-1]", 0.3), ("[2:]", 0.1), ("[:1]", 0.1),
    ("[::2]", 0.08),
)  # fmt: skip
VARIABLE_SLICES = ("[{}:]", "[:{}]", "[{} + 1:]", "[:{} + 1]", "[{}]")
AGGREGATES = ("sum", "max", "min", "len", "set")
STRING_METHODS = ("lower()", "upper()", "strip()", "swapcase()", "split()", "title()")


@cheap(ast.Subscript)
def change_slice(view: View, node: ast.Subscript) -> Iterator[Candidate]:
    """`a[i:j]` gets other bounds, another step, or none."""
    if stored(node) or not isinstance(node.slice, ast.Slice):
        return
    value, part = view.text(node.value), node.slice
    low, high, step = (view.text(x) if x else "" for x in (part.lower, part.upper, part.step))
    lows = dict.fromkeys(("", "1", f"{low} + 1" if low else "1", f"{low} - 1" if low else ""))
    highs = dict.fromkeys(("", "-1", f"{high} + 1" if high else "", f"{high} - 1" if high else "-1"))
    options = [(x, high, step) for x in lows if x != low] + [(low, x, step) for x in highs if x != high]
    options += [(low, high, "")] if step else []
    options += [(low, high, "-1" if step != "-1" else "1"), (low, high, "2")]
    for a, b, c in options:
        yield view.replace(node, f"{value}[{a}:{b}{f':{c}' if c else ''}]", "slice", 0.45)
    if bool(low) != bool(high):
        yield view.replace(node, f"{value}[{high}:]" if high else f"{value}[:{low}]", "slice", 0.4)
    yield view.replace(node, value, "drop_slice", 0.4)


@cheap(ast.Subscript)
def change_index(view: View, node: ast.Subscript) -> Iterator[Candidate]:
    """`a[i]` becomes `a[i:]`, `a[-1]`, `a[0]`, `a.get(i)` or `a`."""
    if stored(node) or isinstance(node.slice, ast.Slice):
        return
    value, index = view.text(node.value), view.text(node.slice)
    if isinstance(node.slice, ast.Tuple):
        if len(node.slice.elts) == 2:
            one, other = (view.text(x) for x in node.slice.elts)
            yield view.replace(node, f"{value}[{other}, {one}]", "swap_args", 0.6)
    else:
        yield view.replace(node, f"{value}[{index}:]", "slice", 0.12)
    yield view.replace(node, value, "drop_sub", 0.25)
    if "dict" in view.types(node.value):
        yield view.replace(node, f"{value}.get({index})", "wrap_call", 0.3)
    if view.types(node.value) & {"list", "tuple"}:
        for function in AGGREGATES:
            yield view.replace(node, f"{function}({value})", "aggregate", 0.15)
    yield view.replace(node, f"{value}[-1]", "subscript", 0.3)
    yield view.replace(node, f"{value}[0]", "subscript", 0.3)


@cheap(ast.Name)
def take_element(view: View, node: ast.Name) -> Iterator[Candidate]:
    """`a` becomes `items[i]`, with a sequence and a number that are at hand."""
    if (
        stored(node)
        or called(view, node)
        or not isinstance(view.source.parent(node), (ast.Compare, ast.BinOp, ast.Call))
    ):
        return
    known = view.variables(node)
    numbers = [v.name for v in known if "int" in v.types][:5]
    for sequence in known:
        if sequence.types & SEQUENCES:
            for number in numbers:
                if number != sequence.name:
                    yield view.replace(node, f"{sequence.name}[{number}]", "take_element", 0.12)


@cheap(ast.Tuple, ast.List)
def change_display(view: View, node: ast.Tuple | ast.List) -> Iterator[Candidate]:
    """`(a, b)` becomes `(b, a)` or loses an element."""
    if stored(node) or not 2 <= len(node.elts) <= 5 or isinstance(view.source.parent(node), ast.Subscript):
        return
    text, parts = view.text(node), [view.text(e) for e in node.elts]
    left, right = (text[0], text[-1]) if text[0] in "([" and view.atomic(node) else ("", "")
    for i in range(len(parts) - 1):
        swapped = list(parts)
        swapped[i], swapped[i + 1] = swapped[i + 1], swapped[i]
        yield view.replace(node, f"{left}{', '.join(swapped)}{right}", "swap_args", 0.5)
    for i in range(len(parts)):
        rest = parts[:i] + parts[i + 1 :]
        comma = "," if len(rest) == 1 and left != "[" else ""
        yield view.replace(node, f"{left}{', '.join(rest)}{comma}{right}", "drop_elem", 0.25)


@cheap(ast.List)
def fill_list(view: View, node: ast.List) -> Iterator[Candidate]:
    """`[]` becomes `[[]]`, `[a]` or `a`."""
    if stored(node) or node.elts:
        return
    yield view.replace(node, "[[]]", "list_elem", 0.4)
    yield view.replace(node, "None", "const", 0.2)
    yield view.replace(node, "[0]", "list_elem", 0.15)
    for name, _, _ in view.variables(node):
        yield view.replace(node, f"[{name}]", "list_elem", 0.35)
        yield view.replace(node, name, "list_elem", 0.3)


@cheap(ast.expr)
def slice_sequence(view: View, node: ast.expr) -> Iterator[Candidate]:
    """`a` becomes `a[1:]`, `a[::-1]` or `a[n:]`."""
    if not _sequence(view, node):
        return
    value = view.operand(node)
    for part, prior in SLICES:
        yield view.replace(node, value + part, "add_slice", prior)
    for name, types, _ in view.variables(node):
        if "int" in types:
            for pattern in VARIABLE_SLICES:
                yield view.replace(node, value + pattern.format(name), "add_slice", 0.15)
        if types & view.types(node) & SEQUENCES and name != view.text(node):
            yield view.replace(node, view.enclose(node, f"{value} + {name}"), "add_term", 0.3)
            yield view.replace(node, view.enclose(node, f"{name} + {value}"), "add_term", 0.3)


def _sequence(view: View, node: ast.expr) -> bool:
    if stored(node) or called(view, node) or isinstance(node, (ast.Constant, ast.Starred)):
        return False
    return bool(view.types(node) & SEQUENCES) and not (isinstance(node, ast.List) and not node.elts)


@cheap(ast.expr)
def convert_container(view: View, node: ast.expr) -> Iterator[Candidate]:
    """`a` becomes `sorted(a)`, `len(a)`, `a.lower()`, `a.values()`."""
    types = view.types(node)
    if stored(node) or called(view, node) or not types & CONTAINERS or isinstance(node, (ast.Constant, ast.Starred)):
        return
    text, value = view.text(node), view.operand(node)
    wraps = [("sorted({})", 0.3), ("set({})", 0.25), ("len({})", 0.25), ("list({})", 0.1)]
    methods: list[tuple[str, float]] = []
    if "str" in types:
        methods += [(m, 0.2) for m in STRING_METHODS]
        wraps += [("int({})", 0.2), ("float({})", 0.15)]
    if "list" in types:
        methods.append(("copy()", 0.12))
        wraps += [("tuple({})", 0.12), ("''.join({})", 0.12), ("sum({})", 0.15)]
    if "dict" in types:
        methods += [(m, 0.2) for m in ("values()", "items()", "keys()")]
    for pattern, prior in wraps:
        if not text.startswith(pattern.partition("{")[0]):
            yield view.replace(node, pattern.format(text), "wrap_call", prior)
    for method, prior in methods:
        yield view.replace(node, f"{value}.{method}", "wrap_method", prior)


@cheap(ast.ListComp, ast.SetComp, ast.GeneratorExp)
def filter_comprehension(view: View, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Iterator[Candidate]:
    """A comprehension gets a condition, or loses the one that it has."""
    if len(node.generators) != 1:
        return
    generator, text = node.generators[0], view.text(node)
    left, right = (text[0], text[-1]) if text[0] in "[{(" else ("", "")
    target = view.text(generator.target)
    core = f"{left}{view.text(node.elt)} for {target} in {view.text(generator.iter)}"
    if generator.ifs:
        yield view.replace(node, f"{core}{right}", "drop_filter", 0.3)
    elif isinstance(generator.target, ast.Name):
        for condition in (target, f"{target} > 0", f"{target} != 0", f"{target} is not None", f"not {target}"):
            yield view.replace(node, f"{core} if {condition}{right}", "add_filter", 0.15)
