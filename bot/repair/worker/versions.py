"""Which statements of two versions of a file belong together, and how their texts are carried over."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator, Sequence

from bot.repair.worker.source import Source

ALIKE = 0.5
"""Part of a body that has to be the same for the two to be versions of one."""
LOOKED_AT = 400
"""Characters of a statement that are held against another."""


def pair_up(came: Sequence[ast.stmt], gone: Sequence[ast.stmt]) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    """Find which of the new statements are versions of old ones: by name, else by their kind and order."""
    left = list(gone)
    for now in came:
        name = getattr(now, "name", None)
        fitting = [then for then in left if type(then) is type(now) and getattr(then, "name", None) == name]
        if len(fitting) > 1:
            fitting.sort(key=lambda then: -likeness(now, then))
        if fitting:
            yield now, fitting[0]
            # In order, so that none is held against what stood before its neighbour
            left = left[left.index(fitting[0]) + 1 :] if name is None else [x for x in left if x is not fitting[0]]


def body_of(node: ast.stmt) -> list[ast.stmt]:
    """Return the statements of a compound statement; none for a simple one."""
    found: list[ast.stmt] = getattr(node, "body", [])
    return found


def match(one: list[str], other: list[str]) -> difflib.SequenceMatcher[str]:
    """Hold two lists of texts against each other."""
    return difflib.SequenceMatcher(a=one, b=other, autojunk=False)


def likeness(one: ast.AST, other: ast.AST) -> float:
    """Estimate how alike two nodes are; 1 is the same."""
    texts = [list(ast.dump(node)[:LOOKED_AT]) for node in (one, other)]
    return match(*texts).quick_ratio()


def find_similar(inner: Sequence[ast.stmt], run: Sequence[ast.stmt]) -> Sequence[ast.stmt]:
    """Return the part of a run that is much like a body: from the first that both have to the last."""
    labels = [[ast.dump(node) for node in side] for side in (inner, run)]
    blocks = [block for block in match(*labels).get_matching_blocks() if block.size]
    same = sum(block.size for block in blocks)
    if not blocks or same < ALIKE * len(inner):
        # A single statement that changed within
        pair = len(inner) == len(run) == 1 and type(inner[0]) is type(run[0])
        return run if pair and likeness(inner[0], run[0]) > ALIKE else ()
    return run[
        max(0, blocks[0].b - blocks[0].a) : blocks[-1].b + blocks[-1].size + len(inner) - blocks[-1].a - blocks[-1].size
    ]


def find_head(source: Source, node: ast.stmt) -> tuple[int, int] | None:
    """Return the lines of a compound statement before its body; None where they are on one line."""
    body = body_of(node)
    if not body or body[0].lineno == node.lineno:
        return None
    first = body[0]
    start = source.whole(node)[0]
    above = source.whole(first)[0] if source.alone(first) else None
    return (start, above) if above is not None else None


def shift(text: str, old: str, new: str) -> str:
    """Bring lines from one depth to another."""
    lines = text.splitlines(keepends=True)
    return "".join(new + line[len(old) :] if line.startswith(old) and line.strip() else line for line in lines)
