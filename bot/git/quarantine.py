"""A throwaway repository in which a bundle from elsewhere is looked at: nothing of it is ever checked out or run."""

import os
import shutil
import stat
import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from bot.errors import GitFailed, WorkspaceError
from bot.git.bundle import HEADS, LARGEST, Handed, Header, read_header
from bot.git.disk import refusals
from bot.git.launch import environment, launch
from bot.git.mergeability import conflicts
from bot.git.objects import full
from bot.git.obstacle import find_obstacle
from bot.git.packs import Weight, weigh
from bot.git.plumbing import Plumbing
from bot.git.remote import Remote, fetch, is_cut
from bot.git.repository import Repository
from bot.git.run import Git
from bot.git.trail import PREFIX

MOST = Weight(objects=50_000, largest=32 << 20, total=256 << 20)
"""What a bundle may come to; a pack of some kilobytes can hold gigabytes."""
UNPACKING = 120.0
"""Seconds."""
DEPTHS = (1, 100, 2_000)
"""Commits of a branch that are fetched, one after the other, from a server that gives no commit by its id."""

_BROUGHT = "refs/quarantine/"
_SETTINGS = (
    ("transfer.fsckObjects", "true"),
    ("core.logAllRefUpdates", "false"),
    # A commit graph or a cache could say what it likes of commits
    ("core.commitGraph", "false"),
    # Of what the server has always had, some may not be as git would write it today
    ("fetch.fsckObjects", "false"),
)


@dataclass(frozen=True, slots=True)
class Quarantine:
    """A bare repository that holds what a remote gave, and what a bundle holds once that was checked."""

    folder: Path

    @property
    def git(self) -> Git:
        """Git on it."""
        return Git(self.folder, config=_SETTINGS, timeout=UNPACKING)

    @property
    def repository(self) -> Repository:
        """It, as the rest of us looks at repositories: objects and refs only."""
        answer = self.git.ask("rev-parse", "--verify", "--quiet", f"{_BROUGHT}0")
        obstacle = find_obstacle(self.git, self.folder)
        head = answer.output.decode("ascii").strip()
        return Repository(self.folder, self.folder, self.folder, silenced=_SETTINGS, head=head, obstacle=obstacle)

    def bring(self, remote: Remote, commits: Sequence[str], branch: str = "") -> None:
        """Bring commits of a remote, each alone where that can be had, else with what leads to them on a branch.

        Raises GitFailed where the remote does not have them.
        """
        refspecs = [f"+{full(commit)}:{_BROUGHT}{number}" for number, commit in enumerate(commits)]
        try:
            fetch(self.git, remote, refspecs, depth=1)
        except GitFailed:
            if not branch:
                raise
            self._bring_branch(remote, commits, branch)

    def _bring_branch(self, remote: Remote, commits: Sequence[str], branch: str) -> None:
        refspec = f"+{HEADS}{branch}:{_BROUGHT}branch"
        for depth in DEPTHS:
            fetch(self.git, remote, [refspec], depth=depth)
            if self._has(commits) or not is_cut(self.git):
                break
        else:
            fetch(self.git, remote, [refspec], depth=0x7FFFFFFF)
        if not self._has(commits):
            raise GitFailed(f"{branch[:80]} does not lead to {commits[0][:10]}, or not any more")
        store = Plumbing(self.git)
        for number, commit in enumerate(commits):
            store.create_ref(f"{_BROUGHT}{number}", commit)

    def receive(self, bundle: Path, *, run: str, branch: str, bases: Collection[str]) -> Handed:
        """Take in a run from a bundle on top of `bases`, under its refs and no others. Raises WorkspaceError.

        `branch` is empty where no commits are handed over.
        """
        try:
            data = _read(bundle)
            header = read_header(data)
            wanted = {PREFIX + run: "", **({HEADS + branch: ""} if branch else {})}
            self._refuse_header(header, wanted, bases)
            width = len(next(iter(header.refs))[1]) // 2
            weigh(data[header.at :], MOST, width)
            self._unpack(data[header.at :], header)
        except WorkspaceError as error:
            raise WorkspaceError(f"the bundle is refused: {error.message}") from error
        stands = dict(header.refs)
        return Handed(stands.get(HEADS + branch, ""), stands[PREFIX + run])

    def _refuse_header(self, header: Header, wanted: Collection[str], bases: Collection[str]) -> None:
        if sorted(name for name, _ in header.refs) != sorted(wanted):
            raise WorkspaceError(f"it holds other refs than {' and '.join(sorted(wanted))}"[:300])
        strange = set(header.needs) - set(bases)
        if strange or not header.needs or not self._has(header.needs):
            raise WorkspaceError("it builds on commits that the run has not begun with")
        if any(len(commit) != len(base) for _, commit in header.refs for base in bases):
            raise WorkspaceError("its ids are those of another kind of repository")

    def _unpack(self, pack: bytes, header: Header) -> None:
        """Let git check and keep the objects, and only then make the refs."""
        size = f"--max-input-size={len(pack)}"
        told = self.git.ask("index-pack", "--stdin", "--strict", "--fix-thin", "--threads=1", size, stdin=pack)
        if told.code:
            raise WorkspaceError(f"git does not take it: {told.error}")
        heads = [commit for _, commit in header.refs]
        asked = "".join(f"{commit}\n" for commit in heads).encode()
        kinds = self.git.output("cat-file", "--batch-check=%(objecttype)", stdin=asked).split()
        if kinds != [b"commit"] * len(heads):
            raise WorkspaceError("its refs stand at what is no commit in it")
        known = [f"^{commit}" for commit in header.needs]
        if self.git.ask("rev-list", "--objects", "--quiet", *heads, *known, "--").code:
            raise WorkspaceError("it lacks objects that its commits need")
        store = Plumbing(self.git)
        for name, commit in header.refs:
            store.create_ref(name, commit)

    def meet(self, remote: Remote, other: str, base: str, tip: str) -> tuple[str, ...] | None:
        """Bring what a branch went on to from `base`, and list the paths in which a tip conflicts with that.

        None where git cannot tell. Raises GitFailed where the remote does not give it.
        """
        fetch(self.git, remote, [f"+{full(other)}:{_BROUGHT}other"], depth=1)
        store = Plumbing(self.git)
        # What lies between is not here; for a merge only its two ends count
        stand_in = store.commit(store.tree(other), [base], "what the branch went on to")
        return conflicts(self.git, tip, stand_in)

    def _has(self, commits: Sequence[str]) -> bool:
        return not any(self.git.ask("cat-file", "-e", f"{full(commit)}^{{commit}}").code for commit in commits)


@contextmanager
def open_quarantine(
    folder: Path | None = None, object_format: Literal["sha1", "sha256"] = "sha1"
) -> Iterator[Quarantine]:
    """Make a repository in a folder of its own, below the usual one for temporary files where none is named.

    It is removed afterwards. Raises WorkspaceError, GitFailed.
    """
    with refusals("make a repository to look at the run in"):
        place = Path(tempfile.mkdtemp(prefix="agent-quarantine-", dir=folder)).resolve()
    try:
        inside = place / "quarantine.git"
        args = ("init", "--quiet", "--bare", "--template=", f"--object-format={object_format}", str(inside))
        made = launch(args, environment(), place, b"")
        if made.code:
            raise GitFailed(f"git init failed: {made.error}")
        yield Quarantine(inside)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _read(bundle: Path) -> bytes:
    """Read a file that is a file, and not too large. Raises WorkspaceError."""
    with refusals("read the bundle"):
        descriptor = os.open(bundle, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
        with os.fdopen(descriptor, "rb") as stream:
            state = os.fstat(stream.fileno())
            if not stat.S_ISREG(state.st_mode) or state.st_size > LARGEST:
                raise WorkspaceError(f"it is no file of at most {LARGEST:,} bytes")
            return stream.read(LARGEST)
