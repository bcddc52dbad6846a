"""Mends names that their owner does not have: attributes, keywords, imported names, modules."""

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

from bot.models.offline.near import nearest
from bot.models.offline.scopes import functions, members, parameters, top_names, visible
from bot.models.offline.source import Mend, column, names_in, parse, respell

Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef

DEFAULTS = (("", ""), ("None", ""), ("0", "int"), ('""', "str"), ("False", "bool"), ("1", "int"), ("True", "bool"))
"""Defaults that a lost parameter may have had, and their types."""
NEARBY = 12
"""Lines below and above the reported one in which an expression of several lines may stand."""


def mend_attribute(text: str, line: int, wanted: str, known: Iterable[str]) -> tuple[Mend, ...]:
    """Respell an attribute where it is read."""
    return _mends(text, _attribute_places(text, line, wanted), wanted, nearest(wanted, _public(wanted, known)))


def _public(wanted: str, known: Iterable[str]) -> Iterator[str]:
    return (name for name in known if name.startswith("_") == wanted.startswith("_"))


def _mends(text: str, places: Sequence[tuple[int, int, str]], wanted: str, near: Sequence[str]) -> tuple[Mend, ...]:
    if not places:
        return ()
    return tuple(Mend(respell(text, places, new), f"write `{new}` for `{wanted}`") for new in near)


def _attribute_places(text: str, line: int, wanted: str) -> list[tuple[int, int, str]]:
    """Return where an attribute is read: on the reported line, else around it, else the only place in the file."""
    found = [(row, at, name) for row, at, name, before in names_in(text) if name == wanted and before == "."]
    here = [place for place in found if place[0] == line]
    around = [place for place in found if abs(place[0] - line) <= NEARBY]
    return here or around or (found if len(found) == 1 else [])


def rename_member(text: str, owner: str, wanted: str) -> tuple[Mend, ...]:
    """Rename what a class of this file defines under a name close to the wanted one."""
    tree = parse(text)
    known = members(tree, owner) if tree else frozenset()
    return () if wanted in known else _renamed(text, wanted, nearest(wanted, _public(wanted, known)))


def rename_top(text: str, wanted: str) -> tuple[Mend, ...]:
    """Rename what this module defines under a name close to the wanted one."""
    tree = parse(text)
    known = top_names(tree) if tree else frozenset()
    return () if wanted in known else _renamed(text, wanted, nearest(wanted, _public(wanted, known)))


def _renamed(text: str, wanted: str, olds: Sequence[str]) -> tuple[Mend, ...]:
    mends: list[Mend] = []
    for old in olds:
        places = [(row, at, name) for row, at, name, _ in names_in(text) if name == old]
        if places:
            mends.append(Mend(respell(text, places, wanted), f"rename `{old}` to `{wanted}`"))
    return tuple(mends)


def mend_imported(text: str, wanted: str, known: Iterable[str]) -> tuple[Mend, ...]:
    """Respell a name that is imported, wherever this file uses it."""
    places = [(row, at, name) for row, at, name, before in names_in(text) if name == wanted and before != "."]
    return _mends(text, places, wanted, nearest(wanted, _public(wanted, known)))


def move_import(text: str, module: str, wanted: str, home: str) -> tuple[Mend, ...]:
    """Import a name from the module that has it; only where the statement imports nothing else."""
    tree = parse(text)
    for node in ast.walk(tree) if tree else ():
        alone = isinstance(node, ast.ImportFrom) and node.module == module and [i.name for i in node.names] == [wanted]
        if alone and isinstance(node, ast.ImportFrom) and not node.level:
            rows = text.split("\n")
            row = rows[node.lineno - 1]
            rows[node.lineno - 1] = row.replace(f"from {module} import", f"from {home} import", 1)
            return (Mend("\n".join(rows), f"import `{wanted}` from `{home}`"),)
    return ()


def mend_module(text: str, wanted: str, known: Iterable[str]) -> tuple[Mend, ...]:
    """Respell a module in the statements that import it, and where a plain import is used."""
    tree = parse(text)
    if tree is None:
        return ()
    mends: list[Mend] = []
    for new in nearest(wanted, known):
        rows = text.split("\n")
        plain = False
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module == wanted and not node.level:
                rows[node.lineno - 1] = rows[node.lineno - 1].replace(f"from {wanted} ", f"from {new} ", 1)
            if isinstance(node, ast.Import) and any(item.name == wanted for item in node.names):
                rows[node.lineno - 1] = rows[node.lineno - 1].replace(wanted, new, 1)
                plain = plain or any(item.name == wanted and not item.asname for item in node.names)
        changed = "\n".join(rows)
        if plain and "." not in wanted + new:
            used = [(r, at, name) for r, at, name, before in names_in(changed) if name == wanted and before != "."]
            changed = respell(changed, used, new)
        if changed != text:
            mends.append(Mend(changed, f"import `{new}` for `{wanted}`"))
    return tuple(mends)


def mend_keyword(text: str, line: int, function: str, wanted: str, known: Iterable[str]) -> tuple[Mend, ...]:
    """Respell a keyword argument in the calls near a line; without a function, in all that have it there."""
    tree = parse(text)
    if tree is None:
        return ()
    owner, _, name = function.rpartition(".")
    called = {name, owner.rpartition(".")[2]} if name == "__init__" else {name}
    rows = text.split("\n")
    places = [
        (word.lineno, column(rows[word.lineno - 1], word.col_offset), wanted)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and call.lineno - NEARBY <= line <= (call.end_lineno or call.lineno) + NEARBY
        for word in call.keywords
        if word.arg == wanted and (not function or _called(call) & (called | {"cls", "replace", "super"}))
    ]
    return _mends(text, places, wanted, nearest(wanted, known))


def _called(call: ast.Call) -> set[str]:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return {name}
        case _:
            return set()


def rename_parameter(text: str, function: str, wanted: str) -> tuple[Mend, ...]:
    """Rename a parameter that is spelt close to the keyword that callers use."""
    tree = parse(text)
    mends: list[Mend] = []
    for found in functions(tree, function) if tree else ():
        end = found.end_lineno or found.lineno
        for old in nearest(wanted, parameters(found)):
            inside = [
                (row, at, name)
                for row, at, name, before in names_in(text)
                if name == old and before != "." and found.lineno <= row <= end
            ]
            mends.append(Mend(respell(text, inside, wanted), f"rename the parameter `{old}` to `{wanted}`"))
    return tuple(mends)


def parameters_of(text: str, function: str) -> frozenset[str]:
    """Return the parameters of a function, or the fields of a class that has no constructor of its own."""
    tree = parse(text)
    if tree is None:
        return frozenset()
    known = {name for found in functions(tree, function) for name in parameters(found)}
    owner = function.removesuffix(".__init__").rpartition(".")[2]
    return frozenset(known - {"self", "cls"}) or members(tree, owner)


def add_self(text: str, owner: str, method: str) -> tuple[Mend, ...]:
    """Give a method the `self` that it lost."""
    tree = parse(text)
    rows = text.split("\n")
    for found in functions(tree, f"{owner}.{method}") if tree else ():
        if parameters(found) or found.decorator_list:
            continue
        head, opened, tail = rows[found.lineno - 1].partition("(")
        if opened and tail.startswith(")"):
            changed = [*rows[: found.lineno - 1], f"{head}(self{tail}", *rows[found.lineno :]]
            return (Mend("\n".join(changed), f"give `{method}` its `self`"),)
    return ()


def add_parameter(text: str, function: str, wanted: str = "") -> tuple[Mend, ...]:
    """Give a function the parameter that its body reads and its callers pass; place and default are guesses."""
    tree = parse(text)
    mends: dict[str, Mend] = {}
    for found in functions(tree, function) if tree else ():
        free = _free_names(tree, found) if tree else []
        name = wanted if wanted in free else free[0] if len(free) == 1 and not wanted else ""
        for new in _with_parameter(text, found, name) if name else ():
            if parse(new) is not None:
                mends[new] = Mend(new, f"take `{name}` as a parameter of `{found.name}`")
    return tuple(mends.values())


def _free_names(tree: ast.Module, function: Function) -> list[str]:
    known = visible(tree, function.body[0].lineno)
    read = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
    stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    return sorted(read - known - stored)


def _with_parameter(text: str, function: Function, name: str) -> Iterator[str]:
    """Write the parameter at every place, with every default, the likeliest first."""
    rows = text.split("\n")
    row = rows[function.lineno - 1]
    args = [*function.args.posonlyargs, *function.args.args]
    if any(arg.lineno != function.lineno for arg in args) or "(" not in row:
        return
    typed = any(arg.annotation for arg in args)
    starts = [column(row, arg.col_offset) for arg in args if arg.arg not in ("self", "cls")]
    for default, kind in DEFAULTS:
        note = f": {kind}" if typed and kind else ""
        equals = (f" = {default}" if note else f"={default}") if default else ""
        for at in [_last_place(row, function, args), *reversed(starts)]:
            new = f"{name}{note}{equals}"
            joined = f"{new}, " if at in starts else f", {new}" if args else new
            yield "\n".join([*rows[: function.lineno - 1], row[:at] + joined + row[at:], *rows[function.lineno :]])


def _last_place(row: str, function: Function, args: Sequence[ast.arg]) -> int:
    """Return the column behind the last positional parameter and its default."""
    if not args:
        return row.index("(") + 1
    ends: list[ast.expr | ast.arg] = [args[-1], *function.args.defaults[-1:]]
    return max(column(row, end.end_col_offset or 0) for end in ends)
