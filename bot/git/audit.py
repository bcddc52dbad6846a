"""What changed between two trees, by plumbing that no attribute, driver or setting can blind."""

import io
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from unidiff.errors import UnidiffParseError
from unidiff.patch import PatchSet

from bot.core.change import ChangeSet, FileChange, Kind, readable
from bot.errors import WorkspaceError
from bot.git.objects import Store
from bot.git.repository import Repository
from bot.git.store import open_store

PATCH_LIMIT = 200_000
"""Characters of patch text that are kept."""
CHECK_LIMIT = 2_000_000
"""Bytes of one file's patch beyond which its hunks are not counted a second time."""

_KINDS: dict[str, Kind] = {"A": "added", "M": "modified", "D": "deleted", "T": "typechange"}
_ABSENT, _SUBMODULE = "000000", "160000"
_SECTION = re.compile(rb"^diff --git ", re.MULTILINE)
_SNIFFED = 8000
_ASK = ("diff-tree", "-r", "-z", "--raw", "--numstat", "--patch", "--text", "--full-index", "--no-abbrev")
_PLAIN = ("--no-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--src-prefix=a/", "--dst-prefix=b/")


class Raw(NamedTuple):
    """One line of the raw list, with what else git said of the path."""

    old_mode: str
    new_mode: str
    old: str
    new: str
    status: str
    path: bytes
    added: int | None
    """None when git takes the file for binary."""
    removed: int | None
    patch: bytes


def changes(repository: Repository, old: str, new: str) -> ChangeSet:
    """List what differs between two trees or commits. Raises WorkspaceError when git's own answers disagree."""
    store = open_store(repository)
    base, tree = store.tree(old), store.tree(new)
    if base == tree:
        return ChangeSet(base=base, tree=tree)
    output = repository.shared.output(*_ASK, *_PLAIN, "--submodule=short", base, tree)
    raws = tuple(parse(output))
    sized = [raw.new for raw in raws if raw.status != "D" and raw.new_mode != _SUBMODULE]
    sizes = dict(zip(sized, store.sizes(sized), strict=True))
    described = [_describe(raw, store, sizes.get(raw.new, 0)) for raw in raws]
    files = tuple(file for file, _ in described)
    return ChangeSet(base=base, tree=tree, files=files, patch=_shorten([text for _, text in described]))


def parse(output: bytes) -> Iterator[Raw]:
    """Read the combined raw list, counts and patch of one diff-tree. Raises WorkspaceError."""
    heads, at = [], 0
    while output[at : at + 1] == b":":
        end = output.index(b"\0", at)
        path_end = output.index(b"\0", end + 1)
        heads.append((output[at + 1 : end].decode("ascii").split(" "), output[end + 1 : path_end]))
        at = path_end + 1
    counts = []
    for _, path in heads:
        end = output.index(b"\0", at)
        added, removed, named = output[at:end].split(b"\t", 2)
        if named != path:
            raise WorkspaceError(f"git's lists of a change disagree at {readable(path)}")
        counts.append((added, removed))
        at = end + 1
    sections = _sections(output[at:].removeprefix(b"\0"))
    for (fields, path), (added, removed) in zip(heads, counts, strict=True):
        old_mode, new_mode, old, new, status = fields
        # A change of type is told as a deletion and an addition
        patch = b"".join(next(sections, b"") for _ in range(2 if status == "T" else 1))
        if not patch or status not in _KINDS:
            raise WorkspaceError(f"git's lists of a change disagree at {readable(path)}")
        yield Raw(old_mode, new_mode, old, new, status, path, _count(added), _count(removed), patch)
    if next(sections, None) is not None:
        raise WorkspaceError("git's patch names more files than its list of a change")


def _sections(patch: bytes) -> Iterator[bytes]:
    """Split a patch by file: content never begins a line with a letter, headers do."""
    starts = [found.start() for found in _SECTION.finditer(patch)]
    for start, end in pairwise([*starts, len(patch)]):
        yield patch[start:end]


def _count(field: bytes) -> int | None:
    return None if field == b"-" else int(field)


def _describe(raw: Raw, store: Store, size: int) -> tuple[FileChange, str]:
    binary = raw.added is None and _binary(raw, store)
    text = _binary_note(raw) if binary else raw.patch.decode("utf-8", "backslashreplace")
    added, removed = (0, 0) if binary else count_lines(raw)
    gone = raw.status == "D"
    file = FileChange(
        path=readable(raw.path),
        kind=_KINDS[raw.status],
        added=added,
        removed=removed,
        mode=raw.old_mode if gone else raw.new_mode,
        old_mode="" if raw.old_mode == _ABSENT else raw.old_mode,
        binary=binary,
        size=size,
    )
    return file, text


def _binary(raw: Raw, store: Store) -> bool:
    """Decide by content: that git says `binary` may be no more than an attribute, which would hide the text."""
    sides = [(raw.old_mode, raw.old), (raw.new_mode, raw.new)]
    blobs = [blob for mode, blob in sides if mode not in (_ABSENT, _SUBMODULE)]
    return any(b"\0" in store.content(blob)[:_SNIFFED] for blob in blobs)


def _binary_note(raw: Raw) -> str:
    head = raw.patch.split(b"\n@@", 1)[0].split(b"\n--- ", 1)[0].decode("utf-8", "backslashreplace")
    return f"{head.rstrip()}\nBinary file: content not shown\n"


def count_lines(raw: Raw) -> tuple[int, int]:
    """Return lines added and removed, as git counts them. Raises WorkspaceError when its hunks do not bear that out."""
    counted = _hunks(raw.patch)
    if raw.added is None or raw.removed is None:
        return counted or (0, 0)
    if counted is not None and counted != (raw.added, raw.removed):
        raise WorkspaceError(f"git's counts and its patch disagree about {readable(raw.path)}")
    return raw.added, raw.removed


def _hunks(patch: bytes) -> tuple[int, int] | None:
    """Count lines as unidiff reads the hunks; None when it cannot."""
    if len(patch) > CHECK_LIMIT:
        return None
    try:
        # Latin-1 keeps every byte; only \n ends a line, whatever else the content holds
        read = PatchSet(io.StringIO(patch.decode("latin-1"), newline="\n"))
    except UnidiffParseError:
        return None
    return sum(file.added for file in read), sum(file.removed for file in read)


def _shorten(sections: Sequence[str]) -> str:
    whole = "".join(sections)
    if len(whole) <= PATCH_LIMIT:
        return whole
    kept = whole[:PATCH_LIMIT]
    kept = kept[: kept.rfind("\n") + 1]
    return f"{kept}[patch cut: {len(whole) - len(kept)} more characters]\n"
