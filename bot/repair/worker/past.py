"""What changed lately: which lines that makes more suspicious, and what stood there before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bot.repair.worker.cold import Patch
from bot.repair.worker.source import FUNCTIONS, Edit, Source, replace_spans
from bot.repair.worker.spectra import Line
from bot.repair.worker.tree import Tree

CHANGED = 2.0
NEAR = 1.3
"""How much more suspicious lines are that changed lately, and the others of their functions."""


class Past:
    """The edits that would take back what changed lately, block by block."""

    def __init__(self, tree: Tree, asked: dict[str, Any]) -> None:
        self.tree = tree
        self.created: list[tuple[str, str]] = [(path, text) for path, text in asked.get("created", ())]
        self.deleted: list[str] = list(asked.get("deleted", ()))
        self.edits: dict[str, list[Edit]] = {}
        for path, start, end, text in asked.get("edits", ()):
            self.edits.setdefault(path, []).append(Edit(path, start, end, text))
        self.scores: dict[Line, float] = {}
        """How suspicious lines turned out to be."""
        self._sources: dict[str, tuple[Source, Source] | None] = {}

    def __bool__(self) -> bool:
        return bool(self.edits or self.created or self.deleted)

    def units(self) -> list[Patch]:
        """List the smallest parts that can be taken back by themselves."""
        found = [Patch((edit,)) for edits in self.edits.values() for edit in edits]
        found += [Patch(created=(pair,)) for pair in self.created]
        return found + [Patch(deleted=(path,)) for path in self.deleted]

    def read(self, path: str) -> Source | None:
        """Return a file as it is, parsed; None where it cannot be."""
        try:
            return Source(path, self.tree.read(path))
        except (OSError, SyntaxError, ValueError, RecursionError):
            return None

    def versions(self, path: str) -> tuple[Source, Source] | None:
        """Return a file as it is and as it was, parsed; None where one of the two cannot be."""
        if path not in self._sources:
            try:
                content = self.tree.read(path)
                before = replace_spans(content, self.edits.get(path, []))
                self._sources[path] = Source(path, content), Source(path, before)
            except (OSError, SyntaxError, ValueError, RecursionError):
                self._sources[path] = None
        return self._sources[path]

    def boost(self, scores: dict[Line, float]) -> dict[Line, float]:
        """Make lines that changed lately more suspicious, and a little those of the same functions."""
        factors: dict[Line, float] = {}
        for path in {path for path, _ in scores} & set(self.edits):
            versions = self.versions(path)
            if versions is not None:
                factors.update({(path, line): factor for line, factor in self._factors(versions[0])})
        self.scores = {line: score * factors.get(line, 1.0) for line, score in scores.items()}
        return self.scores

    def _factors(self, source: Source) -> Iterator[tuple[int, float]]:
        changed = {line for edit in self.edits[source.path] for line in changed_lines(source.content, edit)}
        for statement in source.statements:
            body = range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)
            if isinstance(statement, FUNCTIONS) and not changed.isdisjoint(body):
                yield from ((line, NEAR) for line in body)
        yield from ((line, CHANGED) for line in changed)


def changed_lines(content: bytes, edit: Edit) -> range:
    """Return the lines that an edit takes away; where it only adds, those on both sides of the place."""
    first = content.count(b"\n", 0, edit.start) + 1
    count = content.count(b"\n", edit.start, edit.end)
    return range(first, first + count) if edit.end > edit.start else range(max(1, first - 1), first + 1)
