"""Says of imports in the `__init__.py` of a package that they are there for others."""

import ast
import re
from collections.abc import Sequence

from bot.models.offline.briefing import Finding
from bot.models.offline.dialogue import Change, Talk
from bot.models.offline.edits import Edit, Ruler, splice
from bot.models.offline.problems import Option, Problem
from bot.models.offline.source import module_of, parse
from bot.models.offline.workshop import Workshop

WHAT = "mark what is imported for others"
UNUSED = re.compile(r"[`'](?P<name>\.{0,3}[\w.]{1,200})(?: as \w+)?[`'] imported but unused")


def reexport(shop: Workshop, check: str, found: Sequence[Finding]) -> Talk[bool]:
    """Mark what a package imports from its own modules and does not use: others take it from there."""
    mine = [
        one for one in found if one.path.endswith("__init__.py") and UNUSED.search(one.message) and not one.evidence
    ]
    texts = yield from shop.talk.read(one.path for one in mine)
    problems: list[Problem] = []
    for path, text in texts.items():
        about = tuple(one for one in mine if one.path == path)
        names = [found[0] for one in about if (found := UNUSED.findall(one.message))]
        new = dict.fromkeys(mark(text, module_of(path), names, listing=listing) for listing in (False, True))
        choices = tuple(Option((Change(path, text, each),), WHAT) for each in new if each != text)
        problems += [Problem(about, choices)] if choices else []
    return (yield from shop.settle(check, problems, "style: mark what packages import for others"))


def mark(text: str, package: str, names: Sequence[str], *, listing: bool = False) -> str:
    """Add the package's own names to `__all__`; where there is none import them `as` themselves, or begin one."""
    tree = parse(text)
    if tree is None:
        return text
    ruler = Ruler(text)
    wanted = {name.rpartition(".")[2] for name in names}
    own = [
        item
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and (node.level or f"{node.module}.".startswith(f"{package}."))
        for item in node.names
        if not item.asname and item.name in wanted
    ]
    listed = _listed(tree)
    if listed is None and listing:
        names = sorted({item.name for item in own})
        return _begin(text, tree, names) if names else text
    if listed is None:
        return splice(text, [ruler.put(item, f"{item.name} as {item.name}") for item in own])
    return splice(text, _add(ruler, listed, [item.name for item in own]))


def _begin(text: str, tree: ast.Module, names: Sequence[str]) -> str:
    """Begin a list of what the package offers below its imports."""
    last = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)][-1]
    rows = text.split("\n")
    at = last.end_lineno or last.lineno
    written = ", ".join(f'"{name}"' for name in names)
    return "\n".join([*rows[:at], "", f"__all__ = [{written}]", *rows[at:]])


def _listed(tree: ast.Module) -> ast.List | ast.Tuple | None:
    for node in tree.body:
        match node:
            case ast.Assign(targets=[ast.Name(id="__all__")], value=ast.List() | ast.Tuple() as value):
                return value
            case _:
                pass
    return None


def _add(ruler: Ruler, listed: ast.List | ast.Tuple, names: Sequence[str]) -> list[Edit]:
    """Add names to a list behind the last one, written as those are."""
    known = {one.value for one in listed.elts if isinstance(one, ast.Constant)}
    fresh = [name for name in names if name not in known]
    if not fresh or not listed.elts:
        start = ruler.span(listed)[0]
        return [Edit(start + 1, start + 1, ", ".join(f'"{name}"' for name in fresh))] if fresh else []
    start, end = ruler.span(listed.elts[-1])
    quote = ruler.text[start : start + 1]
    rows = ruler.lines[listed.elts[-1].lineno - 1]
    apart = listed.elts[-1].lineno != (listed.elts[-2] if len(listed.elts) > 1 else listed).lineno
    gap = f",\n{rows[: len(rows) - len(rows.lstrip())]}" if apart else ", "
    return [Edit(end, end, "".join(f"{gap}{quote}{name}{quote}" for name in fresh))]
