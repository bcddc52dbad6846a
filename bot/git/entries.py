"""Single entries of a person's index: compared with trees, and replaced with all else in it left as it is."""

import os
import shlex
import stat
import time
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

from bot.core.change import readable
from bot.errors import UsageError
from bot.git.delta import ABSENT
from bot.git.disk import refusals
from bot.git.run import Git
from bot.git.shift import PATIENCE

SPARSE, ASSUMED = "skip-worktree", "assume-unchanged"
_TRIES = 5
_RAW = ("--raw", "-z", "--no-abbrev", "--no-renames", "--ignore-submodules=none")


class Entry(NamedTuple):
    """What a tree or an index has of a path."""

    mode: str
    id: str

    @property
    def absent(self) -> bool:
        """Whether it has nothing of it."""
        return self.mode == ABSENT


class Step(NamedTuple):
    """How one path changes."""

    before: Entry
    after: Entry


Steps: TypeAlias = Mapping[bytes, Step]


class Slot(NamedTuple):
    """How an index holds a path."""

    entry: Entry
    unmerged: bool = False
    flags: frozenset[str] = frozenset()
    """SPARSE where the file is not to be there, ASSUMED where git was told not to look at it."""


class Rewriting(NamedTuple):
    """Which entries of an index change, and what git was told of them, which stays."""

    steps: Steps
    flags: Mapping[bytes, Collection[str]]


class Index(NamedTuple):
    """What an index holds, as far as some paths go."""

    slots: Mapping[bytes, Slot]
    names: frozenset[bytes]
    """All paths that it holds."""
    rules: tuple[tuple[bytes, Entry], ...]
    """Its attributes files."""


def read_steps(git: Git, before: str, after: str) -> Steps:
    """List what differs between two trees. Raises GitFailed."""
    told = _parse(git.names("diff-tree", "-r", *_RAW, "--end-of-options", before, after))
    return {path: step for path, step, _ in told}


def read_index(git: Git, before: str, steps: Steps) -> Index:
    """Read how an index holds the paths that change from one tree on. Raises GitFailed."""
    listed = [entry.partition(b"\t")[::2] for entry in git.names("ls-files", "-z", "-v", "--stage")]
    flags: dict[bytes, frozenset[str]] = {}
    rules = []
    for facts, path in listed:
        tag, mode, name, stage = facts.decode("ascii").split(" ")
        if path in steps:
            told = ((SPARSE, tag in "Ss"), (ASSUMED, tag.islower()))
            flags[path] = frozenset(flag for flag, holds in told if holds)
        if stage == "0" and path.rpartition(b"/")[2] == b".gitattributes":
            rules.append((path, Entry(mode, name)))
    slots = {
        path: slot._replace(flags=flags.get(path, frozenset())) for path, slot in _slots(git, before, steps).items()
    }
    return Index(slots, frozenset(path for _, path in listed), tuple(rules))


def _slots(git: Git, before: str, steps: Steps) -> Mapping[bytes, Slot]:
    slots = {path: Slot(step.before) for path, step in steps.items()}
    # What is only meant to be added later is no part of the next commit, and so of no tree
    asked = ("diff-index", "--cached", "--ita-invisible-in-index", *_RAW, "--end-of-options", before)
    for path, step, status in _parse(git.names(*asked)):
        if path in slots:
            slots[path] = Slot(step.after, unmerged=status == "U" or slots[path].unmerged)
    return slots


def _parse(told: Sequence[bytes]) -> Iterator[tuple[bytes, Step, str]]:
    for facts, path in zip(told[::2], told[1::2], strict=True):
        old_mode, new_mode, old, new, status = facts.decode("ascii").removeprefix(":").split(" ")
        yield path, Step(Entry(old_mode, old), Entry(new_mode, new)), status


def rewrite(git: Git, index: Path, before: str, change: Rewriting, spare: Path) -> None:
    """Replace entries of an index; what it holds beside them stays as it is. Raises UsageError, GitFailed.

    The new one is made from a copy in a spare folder, so that nobody finds the index locked for longer than it takes
    to put one file in place of another.
    """
    place, copy = index.resolve(), spare / "index"
    with refusals("stage the change"):
        for _ in range(_TRIES):
            known = _copy(place, copy)
            _replace(replace(git, index=copy), before, change)
            if _install(place, known, copy):
                return
    raise UsageError("the index is changed by others all the time: nothing was changed", "try again")


def _replace(git: Git, before: str, change: Rewriting) -> None:
    steps = change.steps
    moved = [path for path, slot in _slots(git, before, steps).items() if slot != Slot(steps[path].before)]
    if moved:
        raise UsageError(f"{readable(moved[0])} was staged anew meanwhile: nothing was changed", "try again")
    git.output("update-index", "-z", "--index-info", stdin=_lines({path: step.after for path, step in steps.items()}))
    kept = [path for path, step in steps.items() if not step.after.absent]
    for flag in (SPARSE, ASSUMED):
        flagged = [path for path in kept if flag in change.flags[path]]
        if flagged:
            git.output("update-index", f"--{flag}", "-z", "--stdin", stdin=joined(flagged))
    # So that git need not read the files again to see that they are as staged
    there = joined([path for path in kept if SPARSE not in change.flags[path]])
    git.ask("add", "--refresh", "--pathspec-from-file=-", "--pathspec-file-nul", stdin=there)


def write_entries(git: Git, entries: Mapping[bytes, Entry]) -> None:
    """Put entries into an index of our own. Raises GitFailed."""
    git.output("update-index", "-z", "--index-info", stdin=_lines(entries))


def _lines(entries: Mapping[bytes, Entry]) -> bytes:
    """Write entries as git reads them; what goes away makes room first."""
    ordered = sorted(entries.items(), key=lambda item: not item[1].absent)
    return b"".join(f"{entry.mode} {entry.id}\t".encode() + path + b"\0" for path, entry in ordered)


def joined(paths: Collection[bytes]) -> bytes:
    """Write paths as git reads them."""
    return b"".join(path + b"\0" for path in paths)


def refusal(lock: Path) -> UsageError:
    """Make the error of an index that stays locked: whose lock it is, and whether they still live, is not known."""
    hint = f"when no git works here any more: rm {shlex.quote(str(lock))}"
    return UsageError("another git has locked the index: nothing was changed", hint)


def _copy(index: Path, place: Path) -> bytes:
    """Copy an index, and return what it holds. Raises UsageError."""
    try:
        with index.open("rb") as source:
            content, state = source.read(), os.fstat(source.fileno())
    except FileNotFoundError as error:
        raise UsageError("there is no index here to stage anything in", "git reset makes one") from error
    place.write_bytes(content)
    # By this git tells that a file may have changed right after it was staged
    os.utime(place, ns=(state.st_atime_ns, state.st_mtime_ns))
    return content


def _install(index: Path, known: bytes, made: Path) -> bool:
    """Put an index in place of one that is still as it is known, and say whether it is. Raises UsageError."""
    lock = index.with_name(f"{index.name}.lock")
    with _locked(lock) as descriptor, os.fdopen(descriptor, "wb") as file:
        if index.read_bytes() != known:
            lock.unlink()
            return False
        file.write(made.read_bytes())
        file.flush()
        state = made.stat()
        os.fchmod(descriptor, stat.S_IMODE(state.st_mode))
        os.utime(descriptor, ns=(state.st_atime_ns, state.st_mtime_ns))
        lock.replace(index)
    return True


@contextmanager
def _locked(lock: Path) -> Iterator[int]:
    descriptor = _take(lock)
    try:
        yield descriptor
    except BaseException:
        with suppress(OSError):
            lock.unlink()
        raise


def _take(lock: Path) -> int:
    """Make a lock as git does, as soon as whoever has it is done. Raises UsageError."""
    until = time.monotonic() + PATIENCE
    while True:
        try:
            return os.open(lock, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
        except FileExistsError as error:
            if time.monotonic() > until:
                raise refusal(lock) from error
            time.sleep(PATIENCE / 50)
