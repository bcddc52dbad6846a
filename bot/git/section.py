"""One file's part of a patch: written as git writes it, and read by a second reader before it is believed."""

import io
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeAlias

import pygit2
from pygit2.enums import DiffOption
from unidiff.errors import UnidiffParseError
from unidiff.patch import Hunk, PatchSet

from bot.core.change import readable
from bot.errors import WorkspaceError
from bot.git.delta import ABSENT, Delta

CHECK_LIMIT = 2_000_000
"""Bytes of one file's patch, or of its content, beyond which its hunks are not read a second time."""

Sides: TypeAlias = tuple[bytes, bytes]
"""A content before and after."""

_PLAIN_HEAD = "--- a/x\n+++ b/x\n"
_AS_TEXT = DiffOption.FORCE_TEXT | DiffOption.INDENT_HEURISTIC
_CONTEXT = 3
_NAMED = {7: "a", 8: "b", 9: "t", 10: "n", 11: "v", 12: "f", 13: "r", 34: '"', 92: "\\"}
_ODD = re.compile(rb'[\x00-\x1f"\\\x7f]')


def compare(old: bytes | None, new: bytes | None) -> tuple[bytes, int, int]:
    """Return the hunks between two contents and how many lines they add and remove; nothing of a repository counts."""
    made = pygit2.Patch.create_from(old, new, "x", "x", _AS_TEXT, _CONTEXT, 0)
    _, added, removed = made.line_stats
    data = made.data
    # What comes before names no path but x, and so cannot hold the beginning of a hunk
    start = data.find(b"\n@@ ")
    return (data[start + 1 :] if start >= 0 else b""), added, removed


def write(delta: Delta, hunks: Sequence[bytes]) -> bytes:
    """Write the part of a patch that tells of one path; a change of type is told as a deletion and an addition."""
    parts = []
    for (extended, sides), body in zip(_heads(delta), hunks, strict=True):
        parts.append(extended + (b"--- %b\n+++ %b\n" % sides if body else b"") + body)
    return b"".join(parts)


def note(delta: Delta, text: str) -> str:
    """Write that a path differs without showing how."""
    heads = "".join(extended.decode("utf-8", "backslashreplace") for extended, _ in _heads(delta))
    return f"{heads}{text}\n"


def _heads(delta: Delta) -> Iterator[tuple[bytes, tuple[bytes, bytes]]]:
    """Give the lines before the hunks, and the names of both sides."""
    if delta.status == "T":
        zero = "0" * len(delta.old)
        yield from _heads(delta._replace(status="D", new_mode=ABSENT, new=zero))
        yield from _heads(delta._replace(status="A", old_mode=ABSENT, old=zero))
        return
    old, new = quote(b"a/" + delta.path), quote(b"b/" + delta.path)
    lines = [f"diff --git {old} {new}"]
    match delta.status:
        case "A":
            lines.append(f"new file mode {delta.new_mode}")
        case "D":
            lines.append(f"deleted file mode {delta.old_mode}")
        case _ if delta.old_mode != delta.new_mode:
            lines += [f"old mode {delta.old_mode}", f"new mode {delta.new_mode}"]
        case _:
            pass
    if delta.old != delta.new:
        lines.append(f"index {delta.old}..{delta.new}" + (f" {delta.new_mode}" if _steady(delta) else ""))
    sides = "/dev/null" if delta.status == "A" else _ended(old), "/dev/null" if delta.status == "D" else _ended(new)
    yield _bytes("".join(f"{line}\n" for line in lines)), (_bytes(sides[0]), _bytes(sides[1]))


def _steady(delta: Delta) -> bool:
    return delta.status == "M" and delta.old_mode == delta.new_mode


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _ended(name: str) -> str:
    # Without it the rest of a name with a blank is taken for a date
    return f"{name}\t" if " " in name else name


def quote(name: bytes) -> str:
    """Write a name as git does on a line of its own; bytes that are no text stand as lone surrogates."""
    if not _ODD.search(name):
        return name.decode("utf-8", "surrogateescape")
    escaped = _ODD.sub(lambda odd: b"\\" + _NAMED.get(odd[0][0], f"{odd[0][0]:03o}").encode(), name)
    return f'"{escaped.decode("utf-8", "surrogateescape")}"'


def confirm(path: bytes, hunks: Sequence[bytes], counted: tuple[int, int], sides: Sequence[Sides]) -> None:
    """Read hunks again: they must count the same, and make the new content of the old. Raises WorkspaceError.

    Where the contents are not at hand there are no sides. What the second reader cannot read, it says nothing of.
    """
    read = [read_hunks(body) for body in hunks]
    whole = [file for file in read if file is not None]
    if len(whole) < len(read):
        return
    if (sum(map(_added, whole)), sum(map(_removed, whole))) != counted:
        raise WorkspaceError(f"git's counts and its patch disagree about {readable(path)}")
    for file, (old, new) in zip(whole, sides, strict=False):
        if max(len(old), len(new)) <= CHECK_LIMIT and replay(old, file) != new:
            raise WorkspaceError(f"the patch of {readable(path)} does not lead to its new content")


def read_hunks(body: bytes) -> tuple[Hunk, ...] | None:
    """Let unidiff read the hunks of one file; None when it cannot."""
    if len(body) > CHECK_LIMIT:
        return None
    try:
        # Latin-1 keeps every byte; only \n ends a line, whatever else the content holds
        read = PatchSet(io.StringIO((_PLAIN_HEAD if body else "") + body.decode("latin-1"), newline="\n"))
    except UnidiffParseError:
        return None
    return tuple(hunk for file in read for hunk in file)


def replay(old: bytes, hunks: Iterable[Hunk]) -> bytes:
    """Apply hunks as they were read to a content."""
    source = [f"{line}\n" for line in old.decode("latin-1").split("\n")]
    source[-1:] = [source[-1][:-1]] if source[-1] != "\n" else []
    made: list[str] = []
    at = 0
    for hunk in hunks:
        start = hunk.source_start - (hunk.source_length > 0)
        made += source[at:start]
        at = start + hunk.source_length
        kept = False
        for line in hunk:
            if line.line_type == "\\" and kept:
                made[-1] = made[-1].removesuffix("\n")
            kept = line.line_type in (" ", "+")
            made += [line.value] if kept else []
    return "".join([*made, *source[at:]]).encode("latin-1")


def _added(hunks: Iterable[Hunk]) -> int:
    return sum(hunk.added for hunk in hunks)


def _removed(hunks: Iterable[Hunk]) -> int:
    return sum(hunk.removed for hunk in hunks)
