"""Brings a verified change into a person's index and files, all of it or nothing, and touches nothing else."""

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from bot.core.change import readable
from bot.errors import UsageError
from bot.git import owner
from bot.git.disk import refusals
from bot.git.disposal import delete
from bot.git.entries import Rewriting, refusal, rewrite
from bot.git.hooked import Hooked
from bot.git.placing import placing
from bot.git.repository import Repository
from bot.git.shift import wait
from bot.git.signals import uninterrupted
from bot.git.stance import Stance, look
from bot.git.temporary import PREFIX

SHOWN = 5
_SPARE = "agent-staging-"
_DEAD = 60.0
"""Seconds after which a folder in which files are made for a moment belongs to nobody."""


class Obstacle(NamedTuple):
    """What keeps a change from being staged."""

    path: str
    """Readable."""
    why: str

    @property
    def text(self) -> str:
        """Say it."""
        return f"{self.path} {self.why}"


@dataclass(frozen=True, slots=True)
class Survey:
    """How a change stands to a person's index and files."""

    stances: tuple[Stance, ...]
    hooked: Hooked | None = None

    @property
    def paths(self) -> tuple[str, ...]:
        """All that differs, readable."""
        return tuple(readable(one.path) for one in self.stances)

    @property
    def pending(self) -> tuple[str, ...]:
        """Paths of which something is still to change."""
        return tuple(readable(one.path) for one in self.stances if one.stages or one.writes)

    @property
    def obstacles(self) -> tuple[Obstacle, ...]:
        """What keeps it from being staged."""
        if self.hooked is not None and self.hooked.form == "paths":
            why = "would not be part of a commit of named paths alone"
            return tuple(Obstacle(readable(one.path), why) for one in self.stances)
        found = tuple(Obstacle(readable(one.path), why) for one in self.stances if (why := self._why(one)))
        # What is staged stays so, whatever a person goes on to write
        done = not self.pending and all(one.entry == "after" for one in self.stances if self._why(one))
        return () if done else found

    @property
    def untouched(self) -> bool:
        """Whether nothing of it was staged, or all of it was taken back."""
        return not any(one.entry == "after" or one.file == "after" for one in self.stances)

    @property
    def loose(self) -> tuple[str, ...]:
        """Files that are as wanted, and staged otherwise: git takes them with `commit -a`, or by name."""
        found = (one for one in self.stances if not one.sparse and one.entry == "other" and one.file != "other")
        return tuple(readable(one.path) for one in found)

    def _why(self, stance: Stance) -> str:
        # The index that a hook is asked about is the one that was judged
        strange = self.hooked is not None and stance.entry == "other"
        return stance.why or "was staged otherwise meanwhile" * strange


def find_obstacles(
    repository: Repository, before: str, after: str, hooked: Hooked | None = None
) -> tuple[Obstacle, ...]:
    """Say what keeps a change from one tree to another from being staged; nothing where it can be. Raises GitFailed."""
    return survey(repository, before, after, hooked).obstacles


def survey(repository: Repository, before: str, after: str, hooked: Hooked | None = None) -> Survey:
    """Look how the paths that differ between two trees stand, and change nothing. Raises GitFailed."""
    with _folder(repository) as folder:
        return Survey(look(repository, _index(repository, hooked), before, after, folder), hooked)


def stage(repository: Repository, before: str, after: str, hooked: Hooked | None = None) -> tuple[str, ...]:
    """Bring what differs between two trees into the index and the files; return the paths, readable.

    An entry of the index changes where it is the one of the first tree, a file where it is that tree's; what was done
    already stays. Inside of a hook the index changes that git really uses. Raises UsageError, GitFailed, WorkspaceError
    when nothing was changed.
    """
    # A hook is asked by the git that holds it
    if hooked is None and not wait(repository):
        raise refusal(repository.git_dir / "index.lock")
    with uninterrupted(), refusals("stage the change"):
        seen = survey(repository, before, after, hooked)
        refuse(seen.obstacles)
        if seen.pending:
            _carry_out(repository, seen, before)
    return seen.paths


def refuse(found: Sequence[Obstacle], hint: str = "nothing was changed") -> None:
    """Stop where something is in the way. Raises UsageError."""
    if found:
        more = f" and {len(found) - SHOWN} more" if found[SHOWN:] else ""
        raise UsageError(f"{'; '.join(one.text for one in found[:SHOWN])}{more}", hint)


def _carry_out(repository: Repository, seen: Survey, before: str) -> None:
    """Replace the files first: the index follows in one step, and tells whether all was done."""
    stances = sorted(seen.stances, key=lambda one: one.wanted is not None)
    with _spare(repository) as spare, placing(repository.root, spare) as placer:
        for one in stances:
            if one.writes:
                placer.replace(one.path, one.found, one.wanted)
        _restage(repository, seen, before, spare)


def _restage(repository: Repository, seen: Survey, before: str, spare: Path) -> None:
    steps = {one.path: one.step for one in seen.stances if one.stages}
    flags = {one.path: one.slot.flags for one in seen.stances}
    if steps:
        rewrite(repository.git, _index(repository, seen.hooked), before, Rewriting(steps, flags), spare)


def _index(repository: Repository, hooked: Hooked | None) -> Path:
    return (hooked.index if hooked else None) or repository.git_dir / "index"


@contextmanager
def _folder(repository: Repository) -> Iterator[Path]:
    """Make a folder to look at things in."""
    with tempfile.TemporaryDirectory(prefix=f"{PREFIX}staging-") as folder:
        # So that it is found and removed when we are killed in the middle
        owner.write(Path(folder), owner.current(common_dir=repository.common_dir))
        yield Path(folder)


@contextmanager
def _spare(repository: Repository) -> Iterator[Path]:
    """Make a folder for new files; most often it lies where they can be moved from into the checkout in one step."""
    for left in repository.git_dir.glob(f"{_SPARE}*"):
        if time.time() - left.lstat().st_mtime > _DEAD:
            delete(left)
    with tempfile.TemporaryDirectory(prefix=_SPARE, dir=repository.git_dir) as folder:
        yield Path(folder)
