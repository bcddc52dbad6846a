"""Takes names out of import statements, and leaves the rest as it is written."""

import ast
from collections.abc import Collection, Iterator, Sequence
from typing import TypeAlias

from bot.models.offline.edits import Edit, Ruler, parents
from bot.models.offline.source import indent_of

Statement: TypeAlias = ast.Import | ast.ImportFrom


def drop(ruler: Ruler, tree: ast.Module, node: Statement, gone: Collection[ast.alias]) -> tuple[Edit, ...]:
    """Make the edits that take some names out of a statement; none when its form is unusual."""
    kept = [item for item in node.names if item not in gone]
    if not kept:
        return _drop_all(ruler, tree, node)
    return tuple(_dropped(ruler, node.names, gone))


def _dropped(ruler: Ruler, items: Sequence[ast.alias], gone: Collection[ast.alias]) -> Iterator[Edit]:
    last_kept = max(number for number, item in enumerate(items) if item not in gone)
    for number, item in enumerate(items[:last_kept]):
        if item in gone:
            yield Edit(ruler.span(item)[0], ruler.span(items[number + 1])[0], "")
    if last_kept < len(items) - 1:
        yield Edit(ruler.span(items[last_kept])[1], ruler.span(items[-1])[1], "")


def _drop_all(ruler: Ruler, tree: ast.Module, node: Statement) -> tuple[Edit, ...]:
    first, last = ruler.lines[node.lineno - 1], ruler.lines[(node.end_lineno or node.lineno) - 1]
    start, end = ruler.span(node)
    begins = ruler.starts[node.lineno - 1]
    ends = ruler.starts[node.end_lineno or node.lineno]
    rest = ruler.text[end : ends - 1].strip()
    if first[: start - begins].strip() or (rest and not rest.startswith("#")) or last.rstrip().endswith("\\"):
        return ()
    if _alone(tree, node):
        return (Edit(begins, ends, f"{indent_of(first)}pass\n"),)
    return (Edit(begins, _after(ruler, node), ""),)


def _after(ruler: Ruler, node: Statement) -> int:
    """Return where a statement's lines end, with the blank lines that only it would have kept apart."""
    last = node.end_lineno or node.lineno
    above = ruler.lines[node.lineno - 2].strip() if node.lineno > 1 else ""
    while not above and last < len(ruler.lines) - 1 and not ruler.lines[last].strip():
        last += 1
    return min(ruler.starts[last], len(ruler.text))


def _alone(tree: ast.Module, node: Statement) -> bool:
    """Whether a block would be empty without a statement."""
    outer = parents(tree).get(node)
    blocks = [getattr(outer, name, None) for name in ("body", "orelse", "finalbody")]
    return not isinstance(outer, ast.Module) and any(block == [node] for block in blocks)
