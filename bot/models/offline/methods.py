"""Writes what objects have now in the place of what they had once: attributes, methods, keyword arguments."""

import ast
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence

from bot.models.offline.bindings import Names
from bot.models.offline.edits import Edit, Ruler, is_loose, splice, tight
from bot.models.offline.imports import Import
from bot.models.offline.leftovers import settle
from bot.models.offline.outdated import Row, methods
from bot.models.offline.renames import fill, named
from bot.models.offline.source import Mend, parse


def owners(owner: str) -> tuple[str, ...]:
    """Return the names under which the tables may know an owner."""
    return tuple(dict.fromkeys((owner, owner.rpartition(".")[2], "*")))


def renamed(owner: str, wanted: str) -> str:
    """Return what an attribute is called now; empty when the tables do not know it."""
    known = methods().names
    return next((known[key] for one in owners(owner) if (key := f"{one}.{wanted}") in known), "")


def rows(owner: str, wanted: str) -> tuple[Row, ...]:
    """Return the expressions that stand in the place of a method."""
    known = methods().calls
    return next((known[key] for one in owners(owner) if (key := f"{one}.{wanted}") in known), ())


def advice_on(owner: str, wanted: str) -> str:
    """Return why nothing is done about an attribute; empty when nothing is known."""
    known = methods().advice
    return next((known[key] for one in owners(owner) if (key := f"{one}.{wanted}") in known), "")


def replace_method(text: str, lines: Collection[int], owner: str, wanted: str, new: str = "") -> Mend | None:
    """Write what stands in the place of an attribute, on some lines, or all over the file when none are given."""
    tree = parse(text)
    name = new or renamed(owner, wanted)
    known = () if new else rows(owner, wanted)
    if tree is None or not (name or known):
        return None
    names, ruler = Names(tree), Ruler(text)
    edits: list[Edit] = []
    needed: list[Import] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute) or node.attr != wanted or not _on(node, lines) or names.excused(node):
            continue
        if name:
            end = ruler.span(node)[1]
            edits.append(Edit(end - len(wanted), end, name))
        elif (written := _call(node, known, names, ruler)) is not None:
            edits.append(written[0])
            needed += written[1]
    changed = settle(splice(text, edits), needed, ()) if edits else text
    what = f".{name}" if name else named(known[0].new)
    return Mend(changed, f"use `{what}` for `.{wanted}`") if changed != text else None


def _on(node: ast.expr, lines: Collection[int]) -> bool:
    return not lines or any(node.lineno <= line <= (node.end_lineno or line) for line in lines)


def _call(node: ast.Attribute, known: Sequence[Row], names: Names, ruler: Ruler) -> tuple[Edit, list[Import]] | None:
    call = names.around.get(node)
    if not isinstance(call, ast.Call) or call.func is not node or call.keywords:
        return None
    if any(isinstance(arg, ast.Starred) for arg in call.args):
        return None
    around = names.around.get(call)
    given = {"self": ruler.source(node.value)}
    given.update((str(number), ruler.source(arg)) for number, arg in enumerate(call.args))
    for row in known:
        if row.arguments != len(call.args) or (row.sort == "steps" and not isinstance(around, ast.Expr)):
            continue
        negated = isinstance(around, ast.UnaryOp) and isinstance(around.op, ast.Not) and " in " in row.new
        written = fill(row.new.replace(" in ", " not in ") if negated else row.new, given, names, short=False)
        if written is None:
            return None
        text, imports = written
        if isinstance(around, ast.UnaryOp) and negated:
            return ruler.put(around, text), imports
        return ruler.put(call, f"({text})" if tight(call, around) and is_loose(text) else text), imports
    return None


def replace_keyword(text: str, lines: Collection[int], wanted: str) -> Mend | None:
    """Leave out or rename a keyword argument that a function takes no longer."""
    return _keywords(text, lines, wanted, lambda call, names: methods().keywords.get(_known(call, names, wanted)))


def _known(call: ast.Call, names: Names, wanted: str) -> str:
    known: Mapping[str, str] = methods().keywords
    full = names.dotted(call.func)
    plain = [call.func.id] if isinstance(call.func, ast.Name) else []
    last = [f"*.{call.func.attr}"] if isinstance(call.func, ast.Attribute) else []
    return next((key for one in (full, *plain, *last) if (key := f"{one}.{wanted}") in known), "")


def rename_keyword(text: str, lines: Collection[int], wanted: str, new: str) -> Mend | None:
    """Rename a keyword argument as a message says."""
    return _keywords(text, lines, wanted, lambda _call, _names: f"{new}={{value}}")


def _keywords(
    text: str, lines: Collection[int], wanted: str, template: Callable[[ast.Call, Names], str | None]
) -> Mend | None:
    tree = parse(text)
    if tree is None:
        return None
    names, ruler = Names(tree), Ruler(text)
    edits: list[Edit] = []
    needed: list[Import] = []
    done: list[str] = []
    for call in [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _on(node, lines)]:
        for word in (word for word in call.keywords if word.arg == wanted):
            new = template(call, names)
            if new is None:
                continue
            if not new:
                edits += _without(call, word, ruler)
                continue
            written = fill(new, {"value": ruler.source(word.value)}, names, short=True)
            if written is not None:
                edits.append(ruler.put(word, written[0]))
                done.append(written[0])
                needed += written[1]
    changed = settle(splice(text, edits), needed, ()) if edits else text
    told = f"pass `{done[-1].partition('=')[0]}` for `{wanted}`" if done else f"leave out the argument `{wanted}`"
    return Mend(changed, told) if changed != text and parse(changed) else None


def _without(call: ast.Call, word: ast.keyword, ruler: Ruler) -> Iterator[Edit]:
    """Leave a keyword argument out, with the comma before or behind it."""
    parts: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    others = sorted(ruler.span(one) for one in parts if one is not word)
    start, end = ruler.span(word)
    before = [span for span in others if span[1] <= start]
    behind = [span for span in others if span[0] >= end]
    if before:
        yield Edit(before[-1][1], end, "")
    elif behind:
        yield Edit(start, behind[0][0], "")
    else:
        opened = ruler.text.rindex("(", 0, start)
        yield Edit(opened + 1, ruler.span(call)[1] - 1, "")
