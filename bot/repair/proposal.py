"""Writes what the worker proposes as a diff, as far as it is one that may be made: its words are not taken on trust."""

from collections.abc import Iterator
from pathlib import Path

from bot.core.redact import sanitize
from bot.repair.answer import Proposed
from bot.repair.patch import is_straight, make_diff
from bot.repair.worker.tree import editable

LONGEST = 400_000
"""Characters of all new text of one candidate."""
COSTLY = 1_000_000
"""Lines that go, times lines that come in their place, of one edit: beyond it a comparison takes too long."""


def read_content(root: Path, path: str) -> bytes | None:
    """Read a file that the worker named, if it is one that may be repaired."""
    if not is_plain(path) or not editable(path) or not is_straight(root, path) or not (root / path).is_file():
        return None
    return (root / path).read_bytes()


def is_plain(path: str) -> bool:
    """Whether a name can stand in the head of a diff, and leads nowhere else than down."""
    return sanitize(path) == path and not {"\n", "\t", '"', "\\"} & {*path} and not {"", ".", ".."} & {*path.split("/")}


def write_diff(root: Path, proposed: Proposed) -> str:
    """Write a proposal as a diff; empty where it is none that may be made."""
    texts = (*(span.text for span in proposed.edits), *(text for _, text in proposed.created))
    if sum(map(len, texts)) > LONGEST:
        return ""
    try:
        return "".join((*_edited(root, proposed), *_whole_files(root, proposed)))
    except ValueError:  # what is no text, or does not fit, is no repair
        return ""


def _edited(root: Path, proposed: Proposed) -> Iterator[str]:
    for path in dict.fromkeys(span.path for span in proposed.edits):
        before = read_content(root, path)
        spans = sorted((span for span in proposed.edits if span.path == path), key=lambda span: span.start)
        bounds = [bound for span in spans for bound in (span.start, span.end)]
        if before is None or bounds != sorted(bounds) or bounds[-1] > len(before):
            raise ValueError(path)
        if sum(before.count(b"\n", s.start, s.end) * s.text.count("\n") for s in spans) > COSTLY:
            raise ValueError(path)
        after = before
        for span in reversed(spans):
            after = after[: span.start] + span.text.encode() + after[span.end :]
        yield make_diff(path, before, after)


def _whole_files(root: Path, proposed: Proposed) -> Iterator[str]:
    """Write files that come or go, as far as they may be repaired."""
    for path, text in proposed.created:
        if is_plain(path) and editable(path) and is_straight(root, path) and not (root / path).exists():
            yield make_diff(path, b"", text.encode()).replace(f"--- a/{path}\n", "--- /dev/null\n", 1)
    for path in proposed.deleted:
        before = read_content(root, path)
        if before:
            yield make_diff(path, before, b"").replace(f"+++ b/{path}\n", "+++ /dev/null\n", 1)
