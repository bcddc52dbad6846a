"""A folder that holds exactly one tree at a time and outlives the process: the next tree is laid out by difference."""

import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from bot.errors import AgentError
from bot.git import owner
from bot.git.checkout import Checkout
from bot.git.filling import Filling
from bot.git.repository import Repository
from bot.git.signals import uninterrupted
from bot.git.snapshot import Snapshots, open_snapshots
from bot.git.stands import Berth, find_berth, hold, make_card
from bot.git.store import open_store
from bot.git.worktree import link


@dataclass(slots=True)
class Stand:
    """A worktree without a branch that is filled again and again, also by processes to come; see protocols.Cleaner."""

    repository: Repository
    kept: Path | None
    """A folder for what checks keep from one process to the next; None where nothing can be kept."""
    _snapshots: Snapshots
    _undo: ExitStack
    _filling: Filling | None = None

    def expect(self, rev: str) -> None:
        """Begin to lay out a tree beside what is done until `clean` gives it."""
        self.settle()
        self._filling = Filling(self._snapshots.checkout, open_store(self.repository).tree(rev))

    def settle(self, tree: str = "") -> bool:
        """Wait for what goes on in the folder; say whether it holds a tree, and nobody was given it since."""
        filling, self._filling = self._filling, None
        return filling is not None and filling.holds(tree)

    @contextmanager
    def clean(self, rev: str) -> Iterator[Path]:
        """Give a folder that holds exactly the tree of a commit, or a tree, and nothing else."""
        with ExitStack() as given:
            yield self._give(given, rev)

    def compose(self, tree: str, source: str, paths: Sequence[str]) -> str:
        """Return the id of a tree with these paths as they are in another; see protocols.Cleaner."""
        return self._snapshots.compose(tree, source, paths)

    def read(self, tree: str, path: str) -> bytes | None:
        """Return a file's content in a tree; see protocols.Cleaner."""
        return self._snapshots.read(tree, path)

    def _give(self, given: ExitStack, rev: str) -> Path:
        if self.settle(open_store(self.repository).tree(rev)):
            return self._snapshots.checkout.root
        try:
            return given.enter_context(self._snapshots.clean(rev))
        except AgentError:
            if self.kept is None:
                raise
        # The disk may be full there, or something stand in the way that we cannot delete
        self.kept = None
        self._snapshots = self._undo.enter_context(open_snapshots(self.repository))
        return given.enter_context(self._snapshots.clean(rev))


@contextmanager
def open_stand(repository: Repository) -> Iterator[Stand]:
    """Take the kept folder of a working copy, or a throwaway where there is none or somebody else uses it.

    Raises WorkspaceError.
    """
    undo = ExitStack()
    try:
        with uninterrupted():
            stand = _open_kept(repository, undo)
            if stand is None:
                stand = Stand(repository, None, undo.enter_context(open_snapshots(repository)), undo)
        try:
            yield stand
        finally:
            stand.settle()
    finally:
        with uninterrupted():
            undo.close()


def _open_kept(repository: Repository, undo: ExitStack) -> Stand | None:
    berth = find_berth(repository)
    if berth is None:
        return None
    with suppress(AgentError, OSError), ExitStack() as attempt:
        snapshots = Snapshots(repository, _move_in(repository, berth, attempt))
        undo.enter_context(attempt.pop_all())
        return Stand(repository, berth.kept, snapshots, undo)
    return None


def _move_in(repository: Repository, berth: Berth, undo: ExitStack) -> Checkout:
    """Make the worktree around what lies there. Raises OSError, UsageError, WorkspaceError."""
    card = owner.current(common_dir=repository.common_dir)
    undo.callback(os.close, hold(berth, card))
    root = berth.tidy(repository)
    checkout = link(repository, root, "--detach", repository.head)
    undo.callback(checkout.drop)
    wanted = make_card(repository, checkout.git, root.name)
    laid = berth.holds(wanted)
    if laid is None:
        berth.write(wanted)
        berth.clear()
    else:
        (root / ".git").unlink()
        berth.files.rename(root)
        checkout.restore_pointer()
        shutil.copy2(berth.index, checkout.admin / "index")
        checkout.pick_up(laid)
    undo.callback(berth.settle, checkout, wanted)
    return checkout
