"""Makes in a clean tree what its checks need and no commit holds."""

import os
import shlex
import shutil
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from bot.core.check import Check, CheckResult
from bot.errors import Unprepared
from bot.protocols import Cleaner, Command, Executor
from bot.verify.place import errored, one_line

LONGEST = 600.0
"""Seconds for all commands of one preparation."""
MOST_KEPT = 50_000
"""Files that are kept to be laid into the same tree again; beyond it the commands are run anew."""
LARGEST_KEPT = 2 << 30
"""Bytes, in the same way."""
TOLD = 250
"""Characters of a failed command's output that are told."""


class State(NamedTuple):
    """What changes with every write to a file."""

    changed: int
    size: int


@dataclass(slots=True)
class Made:
    """What the commands made of one tree."""

    tree: str
    failure: str = ""
    paths: tuple[str, ...] | None = None
    """What was not there before, outermost; None when it was not kept."""


@dataclass(slots=True, eq=False)
class Preparation:
    """The commands of one project, and what they made last."""

    executor: Executor
    commands: Sequence[Sequence[str]] = ()
    network: bool = False
    seconds: float = LONGEST
    _made: dict[Path, Made] = field(default_factory=dict, init=False)
    """By folder."""

    def around(self, cleaner: Cleaner) -> Cleaner:
        """Return a cleaner whose folders are ready for checks; the same one when there is nothing to do."""
        return Prepared(cleaner, self) if self.commands else cleaner

    def fill(self, root: Path, cleaner: Cleaner, tree: str) -> None:
        """Make a folder that holds exactly a tree ready. Raises Unprepared."""
        made = self._made.get(root)
        if made is None or made.tree != tree or (made.paths is None and not made.failure):
            made = self._made[root] = self._make(root, cleaner, tree)
        elif made.paths is not None:
            self._restore(root, made.paths)
        if made.failure:
            raise Unprepared(made.failure)

    def _restore(self, root: Path, paths: Sequence[str]) -> None:
        try:
            for path in paths:
                _copy(_shelf(root) / path, root / path)
        except (OSError, shutil.Error) as error:
            del self._made[root]
            raise Unprepared(f"what was made before cannot be laid in again: {error}") from error

    def _make(self, root: Path, cleaner: Cleaner, tree: str) -> Made:
        before = _look(root)
        failure = self._run(root)
        after = _look(root)
        changed = sorted(path for path, state in before.items() if after.get(path) != state)
        changed = [path for path in changed if _content(root / path) != cleaner.read(tree, path)]
        if changed and not failure:
            failure = f"the preparation changed what is committed: {', '.join(changed[:5])}"
        return Made(tree, failure, None if failure else _keep(root, before, after))

    def _run(self, root: Path) -> str:
        """Run the commands; say which one failed and how, empty when none did."""
        until = time.monotonic() + self.seconds
        for argv in self.commands:
            left = until - time.monotonic()
            if left <= 0:
                return f"there was no time left for {shlex.join(argv)} (in all {self.seconds:g} s)"
            done = self.executor.execute(Command(argv, root, timeout=left, network=self.network, writable=True))
            if done.returncode or done.ended != "exited":
                how = f"exit code {done.returncode}" if done.ended == "exited" else done.ended.replace("_", " ")
                said = one_line(done.output, len(done.output) + 1)
                end = f"…{said[1 - TOLD :]}" if len(said) > TOLD else said
                return f"{shlex.join(argv)}: {how}{': ' if end else ''}{end}"
        return ""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A cleaner whose folders are made ready; see protocols.Cleaner."""

    cleaner: Cleaner
    preparation: Preparation

    @contextmanager
    def clean(self, tree: str, /) -> Iterator[Path]:
        """Give a folder that holds this tree and what the commands made of it. Raises Unprepared."""
        with self.cleaner.clean(tree) as root:
            self.preparation.fill(root, self.cleaner, tree)
            yield root

    def compose(self, tree: str, source: str, paths: Sequence[str], /) -> str:
        """Return the id of a tree with these paths as they are in another."""
        return self.cleaner.compose(tree, source, paths)

    def read(self, tree: str, path: str, /) -> bytes | None:
        """Return a file's content in a tree."""
        return self.cleaner.read(tree, path)


def unprepared(checks: Sequence[Check], error: Unprepared, *, base: bool) -> tuple[CheckResult, ...]:
    """Say of every check why it could not be carried out."""
    reason = f"the {'base' if base else 'tree'} cannot be prepared: {error.message}"
    return tuple(errored(check, reason) for check in checks)


def _shelf(root: Path) -> Path:
    """Return where the things made for a folder are kept: beside it, where a sandbox shows nothing."""
    return root.with_name(f"{root.name}-prepared")


def _look(root: Path) -> Mapping[str, State]:
    """Tell the state of every file of a tree, and of every folder that is empty."""
    found: dict[str, State] = {}
    waiting = [""]
    while waiting:
        folder = waiting.pop()
        with os.scandir(root / folder) as entries:
            listed = [entry for entry in entries if folder or entry.name != ".git"]
        waiting += [folder + entry.name + "/" for entry in listed if entry.is_dir(follow_symlinks=False)]
        for entry in listed:
            if not entry.is_dir(follow_symlinks=False):
                told = entry.stat(follow_symlinks=False)
                found[folder + entry.name] = State(told.st_ctime_ns, told.st_size)
        if folder and not listed:
            found[folder] = State(0, 0)
    return found


def _keep(root: Path, before: Mapping[str, State], after: Mapping[str, State]) -> tuple[str, ...] | None:
    """Copy what is new to where no check can reach it; None when it is too much, or of a kind that cannot be copied."""
    shelf = _shelf(root)
    _delete(shelf)
    fresh = {path: state for path, state in after.items() if path not in before}
    if len(fresh) > MOST_KEPT or sum(state.size for state in fresh.values()) > LARGEST_KEPT:
        return None
    known = {parent for path in before for parent in _parents(path)}
    outermost = (next((parent for parent in _parents(path) if parent not in known), path) for path in sorted(fresh))
    paths = tuple(dict.fromkeys(outermost))
    try:
        for path in paths:
            _copy(root / path, shelf / path)
    except (OSError, shutil.Error):
        _delete(shelf)
        return None
    return paths


def _parents(path: str) -> Iterator[str]:
    """List the folders that a path lies in, outermost first, each with a slash behind it."""
    return (path[: at + 1] for at, letter in enumerate(path) if letter == "/")


def _copy(source: Path, target: Path) -> None:
    if source.is_dir() and not source.is_symlink():
        shutil.copytree(source, target, symlinks=True)
        return
    if not stat.S_ISREG(source.lstat().st_mode) and not source.is_symlink():
        raise shutil.SpecialFileError(str(source))
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy2(source, target, follow_symlinks=False)


def _delete(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _content(path: Path) -> bytes | None:
    with suppress(OSError):
        if not path.is_symlink():
            return path.read_bytes()
    return None
