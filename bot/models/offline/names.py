"""Mends names that nothing defines: an import that is missing, a lost `self.`, a slip of the fingers."""

import ast
from collections.abc import Iterator, Sequence

from bot.models.offline.imports import Import, add
from bot.models.offline.near import nearest
from bot.models.offline.scopes import Scope, bound, members, parameters, visible
from bot.models.offline.source import Mend, column, enclosing, parse, respell
from bot.models.offline.vocabulary import MODULES, homes_of


def mend_name(
    text: str, name: str, lines: Sequence[int], homes: Sequence[Import] = (), hints: Sequence[str] = ()
) -> tuple[Mend, ...]:
    """Find texts in which a name is known on the given lines, the likeliest first; `homes`: where others get it."""
    tree = parse(text)
    if tree is None or not name.isidentifier():
        return ()
    places = _loads(tree, name, lines)
    if not places:
        return ()
    drafts = [
        *_imported(text, tree, name, homes),
        *_owned(text, tree, name, places),
        *_respelt(text, tree, name, places, hints),
    ]
    unique = {mend.text: mend for mend in drafts if mend.text != text and parse(mend.text) is not None}
    return tuple(unique.values())


def _loads(tree: ast.Module, name: str, lines: Sequence[int]) -> list[ast.Name]:
    """Return where a name is used: everywhere when no scope of the file binds it, else on the reported lines."""
    used = [n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load)]
    if not any(name in bound(scope) for scope in ast.walk(tree) if isinstance(scope, Scope)):
        return used
    near = [n for n in used if n.lineno in lines]
    return near or [n for n in used if any(n.lineno <= line <= (n.end_lineno or n.lineno) for line in lines)]


def _imported(text: str, tree: ast.Module, name: str, homes: Sequence[Import]) -> Iterator[Mend]:
    known = list(homes)
    known += [Import(module, name) for module in homes_of(name)]
    attributes = [n for n in ast.walk(tree) if isinstance(n, ast.Attribute)]
    if name in MODULES and any(isinstance(n.value, ast.Name) and n.value.id == name for n in attributes):
        known.insert(len(homes), Import(name))
    for wanted in known:
        new = add(text, wanted)
        if new is not None:
            yield Mend(new, f"import `{name}`")


def _owned(text: str, tree: ast.Module, name: str, places: Sequence[ast.Name]) -> Iterator[Mend]:
    """Read the name from the instance where its class has it."""
    around = enclosing(tree, places[0].lineno)
    owner = next((node for node in reversed(around) if isinstance(node, ast.ClassDef)), None)
    method = next((node for node in around if not isinstance(node, ast.ClassDef)), None)
    if owner is None or method is None or not parameters(method) or parameters(method)[0] not in ("self", "cls"):
        return
    if name in members(tree, owner.name):
        inside = [n for n in places if owner.lineno <= n.lineno <= (owner.end_lineno or n.lineno)]
        yield Mend(_replaced(text, inside, f"{parameters(method)[0]}.{name}"), f"read `{name}` from the instance")


def _respelt(
    text: str, tree: ast.Module, name: str, places: Sequence[ast.Name], hints: Sequence[str]
) -> Iterator[Mend]:
    known = visible(tree, places[0].lineno) - {name}
    proposed = [hint for hint in hints if hint in known]
    for near in proposed or nearest(name, known):
        yield Mend(_replaced(text, places, near), f"write `{near}` for `{name}`")


def _replaced(text: str, places: Sequence[ast.Name], new: str) -> str:
    lines = text.split("\n")
    return respell(text, ((n.lineno, column(lines[n.lineno - 1], n.col_offset), n.id) for n in places), new)
