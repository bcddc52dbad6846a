"""A folder that holds exactly one tree at a time, for judging commits that no run of ours is working on."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bot.git import owner
from bot.git.checkout import Checkout
from bot.git.compose import compose
from bot.git.disk import refusals
from bot.git.disposal import LATER, delete
from bot.git.repository import Repository
from bot.git.signals import uninterrupted
from bot.git.store import open_store
from bot.git.temporary import PREFIX
from bot.git.worktree import link


@dataclass(frozen=True, slots=True)
class Snapshots:
    """One throwaway worktree without a branch, filled again and again."""

    repository: Repository
    checkout: Checkout

    @contextmanager
    def clean(self, rev: str) -> Iterator[Path]:
        """Give a folder that holds exactly the tree of a commit, or a tree, and nothing else."""
        self.checkout.lay(open_store(self.repository).tree(rev))
        yield self.checkout.root

    def compose(self, tree: str, source: str, paths: Sequence[str]) -> str:
        """Return the id of a tree with these paths as they are in another; see protocols.Cleaner."""
        return compose(self.repository, tree, source, paths)

    def read(self, tree: str, path: str) -> bytes | None:
        """Return a file's content in a tree; see protocols.Cleaner."""
        return open_store(self.repository).blob(tree, path)


@contextmanager
def open_snapshots(repository: Repository) -> Iterator[Snapshots]:
    """Make the worktree and take it away afterwards. Raises WorkspaceError."""
    undo = ExitStack()
    try:
        with uninterrupted(), refusals("make a worktree"):
            temp = Path(tempfile.mkdtemp(prefix=f"{PREFIX}proof-")).resolve()
            undo.callback(delete, temp, LATER)
            head = repository.head
            card = owner.current(common_dir=repository.common_dir, branch="", base=head)
            owner.write(temp, card)
            # Its folder must be unique among the worktrees of the repository: git names the entry after it
            checkout = link(repository, temp / f"agent-{temp.name.removeprefix(PREFIX)}", "--detach", head)
            undo.callback(checkout.drop)
        yield Snapshots(repository, checkout)
    finally:
        with uninterrupted():
            undo.close()
