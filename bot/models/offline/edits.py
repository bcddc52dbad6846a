"""Changes of a text at places that ast names."""

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from bot.models.offline.source import column


class Edit(NamedTuple):
    """Characters `start` to `end`, the last not included, become a new text."""

    start: int
    end: int
    text: str


Placed: TypeAlias = ast.expr | ast.stmt | ast.keyword | ast.alias | ast.arg
"""A node that knows where it stands."""


@dataclass(slots=True)
class Ruler:
    """Turns the lines and columns of a text into characters counted from its start."""

    text: str
    lines: Sequence[str] = field(init=False)
    starts: Sequence[int] = field(init=False)

    def __post_init__(self) -> None:
        self.lines = self.text.split("\n")
        self.starts = [0, *accumulate(len(line) + 1 for line in self.lines)]

    def span(self, node: Placed) -> tuple[int, int]:
        """Return where a node starts and ends."""
        return self.at(node.lineno, node.col_offset), self.at(
            node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        )

    def at(self, line: int, offset: int) -> int:
        """Return the place of a column in UTF-8 bytes of a line."""
        return self.starts[line - 1] + column(self.lines[line - 1], offset)

    def source(self, node: Placed) -> str:
        """Return the text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def put(self, node: Placed, new: str) -> Edit:
        """Make the edit that writes something else for a node."""
        return Edit(*self.span(node), new)


def splice(text: str, edits: Iterable[Edit]) -> str:
    """Make edits; of those that overlap only the one that starts first, and of these the longest."""
    kept: list[Edit] = []
    for edit in sorted(set(edits), key=lambda edit: (edit.start, -edit.end, edit.text)):
        if not kept or edit.start >= kept[-1].end:
            kept.append(edit)
    for edit in reversed(kept):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text


def parents(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    """Map each node to the one that it is part of."""
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


LOOSE = (ast.BinOp, ast.BoolOp, ast.Compare, ast.UnaryOp, ast.IfExp, ast.Lambda, ast.Await, ast.NamedExpr, ast.Starred)
"""Expressions that need brackets beside an operator or a dot."""


def is_loose(text: str) -> bool:
    """Whether an expression needs brackets where something binds more tightly."""
    try:
        return isinstance(ast.parse(text, mode="eval").body, LOOSE)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True


def tight(node: ast.AST, around: ast.AST | None) -> bool:
    """Whether a node stands where an operator or a dot binds more tightly than in a place of its own."""
    match around:
        case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.BoolOp() | ast.Await() | ast.Starred():
            return True
        case ast.Attribute(value=value) | ast.Subscript(value=value) | ast.Call(func=value):
            return value is node
        case _:
            return False
