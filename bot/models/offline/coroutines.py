"""Turns generators that were decorated to be coroutines into coroutines."""

import ast
from collections.abc import Iterator

from bot.models.offline.bindings import Names
from bot.models.offline.edits import Edit, Ruler, splice
from bot.models.offline.leftovers import settle
from bot.models.offline.scopes import own
from bot.models.offline.source import Mend, parse

OLD = "asyncio.coroutine"


def without_decorator(text: str) -> Mend | None:
    """Write `async def` and `await` for `@asyncio.coroutine` and `yield from`, where a function yields nothing else."""
    tree = parse(text)
    if tree is None:
        return None
    names, ruler = Names(tree), Ruler(text)
    edits: list[Edit] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            marks = [mark for mark in node.decorator_list if names.dotted(mark) == OLD]
            if marks and not any(isinstance(one, ast.Yield) for one in own(node)):
                edits += _rewritten(node, marks[0], ruler)
    new = settle(splice(text, edits), (), {"asyncio", "coroutine"}) if edits else text
    return Mend(new, "define coroutines with `async def` and `await`") if new != text and parse(new) else None


def _rewritten(node: ast.FunctionDef, mark: ast.expr, ruler: Ruler) -> Iterator[Edit]:
    first = ruler.starts[mark.lineno - 1]
    yield Edit(first, ruler.starts[mark.end_lineno or mark.lineno], "")
    start = ruler.at(node.lineno, node.col_offset)
    yield Edit(start, start, "async ")
    for one in own(node):
        if isinstance(one, ast.YieldFrom):
            begin = ruler.span(one)[0]
            yield Edit(begin, ruler.span(one.value)[0], "await " if ruler.text[begin:].startswith("yield") else "")
