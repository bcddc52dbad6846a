"""How the paths that a verified change touches stand: in the index, and among a person's files."""

import os
import stat
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from bot.core.change import readable
from bot.core.paths import same
from bot.errors import UsageError
from bot.git.delta import SUBMODULE
from bot.git.entries import SPARSE, Entry, Index, Slot, Step, Steps, joined, read_index, read_steps, write_entries
from bot.git.leaves import File, Peculiar, read
from bot.git.placing import Found, find
from bot.git.repository import Repository
from bot.git.run import Git
from bot.git.staged import PLAIN

State: TypeAlias = Literal["before", "after", "other"]
UNSTAGED = "has changes that are not staged"
_CHANGED = "was changed since it was judged"
_LEFT_OUT = "is not part of your checkout, and staged otherwise"
_UNKNOWN = "is in the way, and git does not know it"


class Stance(NamedTuple):
    """How one path stands."""

    path: bytes
    step: Step
    slot: Slot
    why: str
    """Why nothing can be done with it; empty where it can."""
    file: State = "other"
    found: Found | None = None
    """What is there now."""
    wanted: File | None = None
    """What is to be there."""

    @property
    def entry(self) -> State:
        """How its entry in the index stands; another one is left alone where the file is what was judged."""
        if self.slot.entry == self.step.before:
            return "before"
        return "after" if self.slot.entry == self.step.after else "other"

    @property
    def sparse(self) -> bool:
        """Whether git takes the file for one that is not to be there."""
        return SPARSE in self.slot.flags

    @property
    def stages(self) -> bool:
        """Whether its entry is to change."""
        return not self.why and self.entry == "before"

    @property
    def writes(self) -> bool:
        """Whether its file is to change."""
        return not self.why and not self.sparse and self.file == "before"


def look(repository: Repository, index: Path, before: str, after: str, folder: Path) -> tuple[Stance, ...]:
    """Look at each path that differs between two trees; `folder` is empty, and nobody else's. Raises GitFailed."""
    git = replace(repository.git, index=index)
    steps = read_steps(git, before, after)
    if not steps:
        return ()
    held = read_index(git, before, steps)
    return tuple(_Look(repository, steps, held, folder).stances())


@dataclass(frozen=True, slots=True)
class _Look:
    repository: Repository
    steps: Steps
    held: Index
    folder: Path

    def stances(self) -> Iterator[Stance]:
        whys = {path: self._refuse(path) for path in self.steps}
        free = {path: step for path, step in self.steps.items() if not whys[path]}
        found, strange = self._find(free)
        # What is there is read before git compares it, and again before it is replaced
        laid = self._lay({path: step for path, step in free.items() if path not in strange})
        changed = self._differing(free)
        for path, step in self.steps.items():
            slot, why = self.held.slots[path], whys[path] or strange.get(path, "")
            stance = Stance(path, step, slot, why, found=found.get(path), wanted=laid.get(path))
            listed = path in self.held.names or not step.before.absent
            yield stance if why else _judge(stance, known=path not in changed, listed=listed)

    def _refuse(self, path: bytes) -> str:
        """Say why a path is not for us, whatever it holds."""
        step, slot = self.steps[path], self.held.slots[path]
        if SUBMODULE in (step.before.mode, step.after.mode):
            return "is a submodule"
        if path.rpartition(b"/")[2] == b".gitattributes":
            return "says how git converts other files"
        if slot.unmerged:
            return "has conflicts"
        if step.before.absent:
            return self._crowd(path)
        return ""

    def _crowd(self, path: bytes) -> str:
        """Say what else is staged where a new path would have to be."""
        gone = {name for name, step in self.steps.items() if step.after.absent}
        above = (b"/".join(path.split(b"/")[:depth]) for depth in range(1, path.count(b"/") + 1))
        below = path + b"/"
        if any(name in self.held.names and name not in gone for name in above) or any(
            name.startswith(below) and name not in gone for name in self.held.names
        ):
            return "cannot be where something else is staged"
        if self._folds():
            alike = same(os.fsdecode(path))
            if any(name != path and same(os.fsdecode(name)) == alike for name in {*self.held.names, *self.steps}):
                return "differs from another file only in upper and lower case"
        return ""

    def _folds(self) -> bool:
        return self.repository.git.ask("config", "--type=bool", "core.ignorecase").output.strip() == b"true"

    def _find(self, steps: Steps) -> tuple[Mapping[bytes, Found | None], Mapping[bytes, str]]:
        """Read what is there, and say why where it is nothing to replace."""
        found: dict[bytes, Found | None] = {}
        strange: dict[bytes, str] = {}
        filtered = self._filtered(steps)
        for path in steps:
            if SPARSE in self.held.slots[path].flags:
                continue
            why = "is stored through a filter, which is never run here" if path in filtered else ""
            why = why or _block(self.repository.root, path, steps)
            try:
                found[path] = None if why else find(self.repository.root, path)
            except (Peculiar, OSError):
                why = "is no file that could be replaced"
            if why:
                strange[path] = why
        return found, strange

    def _filtered(self, steps: Steps) -> Collection[bytes]:
        """Pick what is stored through a filter: that is a program, and we do not run it."""
        if not self.repository.filters:
            return ()
        asked = ("check-attr", "-z", "--stdin", "filter")
        told = self.repository.git.output(*asked, stdin=joined(tuple(steps))).split(b"\0")
        named = zip(told[::3], told[2::3], strict=False)
        return {path for path, value in named if os.fsdecode(value) in self.repository.filters}

    def _lay(self, steps: Steps) -> Mapping[bytes, File | None]:
        """Have git write the files that are wanted, as it would in the checkout."""
        git = self._index("after", {path: step.after for path, step in steps.items() if not step.after.absent})
        place = self.folder / "laid"
        paths = [path for path, step in steps.items() if not step.after.absent]
        if paths:
            git.output("checkout-index", "--quiet", f"--prefix={place}/", "-z", "--stdin", stdin=joined(paths))
        try:
            return {path: read(place, path) for path in paths}
        except Peculiar as error:
            raise UsageError("it holds a file that is too large to be staged from here") from error

    def _differing(self, steps: Steps) -> Collection[bytes]:
        """List the files that are not what was judged, by git's own eyes."""
        git = self._index("before", {path: step.before for path, step in steps.items() if not step.before.absent})
        git.ask("update-index", "-q", "--refresh")
        return frozenset(git.names("diff-files", "-z", "--name-only"))

    def _index(self, name: str, entries: Mapping[bytes, Entry]) -> Git:
        """Make an index of its own of some entries, with the rules for converting files."""
        git = replace(self.repository.git, index=self.folder / name, config=(*self.repository.silenced, *PLAIN))
        write_entries(git, {**dict(self.held.rules), **entries})
        return git


def _judge(stance: Stance, *, known: bool, listed: bool) -> Stance:
    """Say how a file stands to what was judged and to what is wanted."""
    if stance.sparse:
        return stance._replace(why=_LEFT_OUT) if stance.entry == "other" else stance
    there, was = stance.found, not stance.step.before.absent
    if (was and known) or (there is None and not was):
        return stance._replace(file="before")
    if (there.file if there else None) == stance.wanted:
        return stance._replace(file="after")
    if there is None:
        return stance._replace(why="is gone, which is not staged")
    if not listed:
        return stance._replace(why=_UNKNOWN)
    return stance._replace(why=_CHANGED if stance.entry == "other" else UNSTAGED)


def _block(root: Path, path: bytes, steps: Steps) -> str:
    """Say what is in the place of a file or of a folder on the way to it, unless that takes part in the change."""
    top, parts = os.fsencode(root), path.split(b"/")
    for depth in range(1, len(parts)):
        folder = b"/".join(parts[:depth])
        mode = _mode(top, folder)
        if stat.S_ISLNK(mode) and folder not in steps:
            return f"lies behind a link, {readable(folder)}"
        if not stat.S_ISDIR(mode):
            return f"is behind a file, {readable(folder)}" if mode and folder not in steps else ""
        if _mode(top, folder + b"/.git"):
            return "lies in a repository of its own"
    if not stat.S_ISDIR(_mode(top, path)):
        return ""
    gone = {name for name, step in steps.items() if step.after.absent}
    # Folders alone are nothing to git, and nobody's work
    return "" if gone >= set(_list_files(top, path)) else "is a folder"


def _list_files(top: bytes, folder: bytes) -> Iterator[bytes]:
    """List what lies below a folder and is none."""
    for where, folders, files in os.walk(os.path.join(top, folder)):  # noqa: PTH118 - a name may be no text
        links = (name for name in folders if stat.S_ISLNK(_mode(where, name)))
        yield from (os.path.relpath(os.path.join(where, name), top) for name in (*files, *links))  # noqa: PTH118


def _mode(top: bytes, path: bytes) -> int:
    try:
        return os.lstat(os.path.join(top, path)).st_mode  # noqa: PTH118 - a name may be no text
    except OSError:
        return 0
