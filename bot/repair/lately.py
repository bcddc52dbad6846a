"""What changed lately, fitted to the files as they stand: the edits that would take it back."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from bot.core.past import Block, read_blocks
from bot.repair.patch import Hunk, Span, find_place, split_lines
from bot.repair.subject import Subject
from bot.repair.worker.tree import editable

MOST = 400
"""Blocks beyond which nothing is fitted: as much as that is no change that somebody could look through."""
TELLING = 12
"""Characters of new lines that are known again without what stands around them."""


@dataclass(frozen=True, slots=True)
class Reversals:
    """How each block would be taken back, as seen from the package."""

    edits: tuple[Span, ...] = ()
    created: tuple[tuple[str, str], ...] = ()
    """Files that went."""
    deleted: tuple[str, ...] = ()
    """Files that came."""

    def job(self) -> dict[str, object]:
        """Write them as the worker takes them."""
        edits = [[span.path, span.start, span.end, span.text] for span in self.edits]
        return {"edits": edits, "created": [list(pair) for pair in self.created], "deleted": list(self.deleted)}


def reverse_past(subject: Subject) -> Reversals:
    """Fit what changed lately to the present files; what was changed again since is left out."""
    blocks = [block for block in read_blocks(subject.past.patch) if _ours(subject, block.path)]
    if len(blocks) > MOST:
        return Reversals()
    edits: list[Span] = []
    created: list[tuple[str, str]] = []
    deleted: list[str] = []
    for path, group in groupby(blocks, key=lambda block: block.path):
        mine, inside = tuple(group), subject.below(path) or path
        present = _read(subject.root, path)
        if mine[0].whole:
            before, after = "".join(mine[0].before), "".join(mine[0].after)
            if present is None and before:
                created.append((inside, before))
            elif present == after and after:
                deleted.append(inside)
        elif present is not None:
            edits += fit_blocks(inside, present, mine)
    return Reversals(tuple(edits), tuple(created), tuple(deleted))


def _ours(subject: Subject, path: str) -> bool:
    return editable(path) and subject.below(path) is not None


def _read(root: Path, path: str) -> str | None:
    target = root / path
    if not target.resolve().is_relative_to(root.resolve()):
        return None
    try:
        return target.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def fit_blocks(path: str, text: str, blocks: Sequence[Block]) -> Iterator[Span]:
    """Find where each block stands in a text, and yield the edit that takes it back; those that do not fit are dropped.

    Spans are in bytes, in order, and do not overlap.
    """
    lines = split_lines(text)
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line.encode()))
    earliest = 0
    for block in blocks:
        place = _find(lines, block, earliest)
        if place is None:
            continue
        earliest = place + len(block.after)
        back = "".join(block.before)
        crlf = bool(lines) and lines[0].endswith("\r\n") and "\r\n" not in back
        yield Span(path, offsets[place], offsets[earliest], back.replace("\n", "\r\n") if crlf else back)


def _find(lines: Sequence[str], block: Block, earliest: int) -> int | None:
    """Find the new lines of a block between what stood around them, or on one side where the other has changed."""
    told = len("".join(block.after).strip()) >= TELLING
    for lead, trail in ((block.lead, block.trail), (block.lead, ()), ((), block.trail), ((), ())):
        enough = (lead, trail) == (block.lead, block.trail) or told or len(lead) + len(trail) > 1
        if not enough or not (lead or trail or block.after):
            continue
        hunk = Hunk(block.start - len(lead), (*lead, *block.after, *trail), ())
        place = find_place(lines, hunk, max(0, earliest - len(lead)))
        if place is not None and place + len(lead) >= earliest:
            return place + len(lead)
    return None
