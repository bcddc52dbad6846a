"""The throwaway worktree and branch of one run."""

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import RLock

from bot.core.change import ChangeSet
from bot.errors import GitFailed, RepositoryChanged
from bot.git import owner, search
from bot.git.audit import changes
from bot.git.checkout import Checkout
from bot.git.compose import compose
from bot.git.disk import refusals
from bot.git.disposal import discard
from bot.git.filling import Filling
from bot.git.fingerprint import Watch, watch
from bot.git.leftovers import remove_leftovers
from bot.git.names import choose_branch, claim, drop_empty
from bot.git.objects import AGENT, Identity, Store
from bot.git.repository import Repository
from bot.git.revision import list_names
from bot.git.signals import uninterrupted
from bot.git.signing import Signer
from bot.git.storage import Storage
from bot.git.store import open_store
from bot.git.temporary import PREFIX
from bot.git.worktree import link
from bot.protocols import Match, Rejected

__all__ = ["GitWorkspace", "choose_branch", "open_workspace"]

KEPT = 3
"""Differences that are kept; a long run makes many, and each holds its text."""


@dataclass(slots=True)
class GitWorkspace:
    """A worktree on a branch of its own, beside the person's; see protocols.Workspace."""

    repository: Repository
    store: Store
    checkout: Checkout
    base: str
    run: str
    branch: str
    """Empty where the commits need no name of their own."""
    head: str
    """The last verified commit, or the base."""
    temp: Path
    """Private folder around everything; only ever ours."""
    signer: Signer | None = None
    """Who signs the commits on the branch; nobody by default."""
    _verification: Checkout | None = field(default=None, init=False)
    _filling: Filling | None = field(default=None, init=False)
    """What goes on in that folder beside other work."""
    _storage: Storage | None = field(default=None, init=False)
    _watch: Watch | None = field(default=None, init=False)
    _compared: dict[tuple[str, str], ChangeSet] = field(default_factory=dict, init=False)
    """The last differences, by what was compared."""
    # Tools that only read run side by side, and some of them want the tree
    _lock: RLock = field(default_factory=RLock, init=False)
    _verifying: RLock = field(default_factory=RLock, init=False)

    @property
    def root(self) -> Path:
        """The worktree that tools read and write."""
        return self.checkout.root

    def tree(self) -> str:
        """Write the files as they stand as a tree object and return its id."""
        with self._lock:
            self._guard_settings()
            return self.checkout.stage()

    def diff(self, since: str = "") -> ChangeSet:
        """Return what changed since a commit, the last verified one when none is named."""
        ends = since or self.head, self.tree()
        # Asked more than once on the way to a commit, and to compare two trees takes as long as they differ
        if ends not in self._compared:
            kept = list(self._compared.items())[1 - KEPT :]
            self._compared = {**dict(kept), ends: changes(self.repository, *ends)}
        return self._compared[ends]

    def commit(self, tree: str, message: str) -> str:
        """Commit a tree onto the branch; the message is taken whole. Raises GitFailed when the branch moved."""
        ref = f"refs/heads/{self.branch}" if self.branch else None
        if self.signer is None:
            self.head = self.store.commit(tree, (self.head,), message, ref=ref)
        else:
            # The configuration names the program that signs
            self._guard_settings()
            made = self.signer.commit(tree, (self.head,), message)
            if ref is not None:
                self.store.move_ref(ref, made, self.head)
            self.head = made
        with self._lock:
            self.checkout.accept(tree)
        return self.head

    def rollback(self) -> Rejected:
        """Go back to the last verified commit; the rejected tree is kept in a commit that no ref holds yet."""
        with self._lock:
            tree, good = self.tree(), self.store.tree(self.head)
            message = f"rejected: not verified\n\nAgent-Run: {self.run}\n"
            kept = self.store.commit(tree, (self.head,), message) if tree != good else ""
            self.checkout.revert(good)
            return Rejected(to=self.head, kept=kept)

    def restore(self, tree: str) -> None:
        """Make the files those of a tree that was recorded; see protocols.Workspace."""
        with self._lock:
            self._guard_settings()
            self.checkout.lay(self.store.tree(tree))

    def refuse_write(self, path: str, data: bytes, source: str = "") -> str | None:
        """Say why a commit would not hold exactly this content; see protocols.Workspace."""
        with self._lock:
            if not source and self.checkout.keeps(os.fsencode(path), data):
                return None
            self._storage = self._storage or Storage(self.checkout.git, self.store)
            return self._storage.refuse(self.checkout.seen, path, data, source)

    def touch(self, path: str) -> None:
        """Hear that a tool is about to write a file; see protocols.Workspace."""
        with self._lock:
            self.checkout.writes.touch(os.fsencode(path))

    def disturb(self) -> None:
        """Hear that a command may have written any file; see protocols.Workspace."""
        with self._lock:
            self.checkout.writes.disturb()

    def holds(self, path: Path) -> bool:
        """Say whether a path lies in the worktree or where it comes from; see protocols.Workspace."""
        real = path.resolve()
        places = (self.temp, self.repository.root, self.repository.common_dir)
        return any(real.is_relative_to(place.resolve()) for place in places)

    def expect(self, tree: str) -> None:
        """Begin to lay out the folder that `clean` gives for a tree, beside what is done until then."""
        with self._verifying, self._lock:
            folder = self._ready_folder()
            self._settle_folder()
            self._filling = Filling(folder, self.store.tree(tree))

    @contextmanager
    def clean(self, tree: str) -> Iterator[Path]:
        """Give a separate folder that holds exactly this tree and nothing else; one folder per run, used again."""
        with self._verifying:
            with self._lock:
                folder, wanted = self._ready_folder(), self.store.tree(tree)
                if not self._settle_folder(wanted):
                    folder.lay(wanted)
            yield folder.root

    def _ready_folder(self) -> Checkout:
        self._guard_settings()
        return self._verification or self._make_verification()

    def _settle_folder(self, tree: str = "") -> bool:
        """Wait for what goes on in the folder; say whether it holds a tree, and nobody was given it since."""
        filling, self._filling = self._filling, None
        return filling is not None and filling.holds(tree)

    def compose(self, tree: str, source: str, paths: Sequence[str]) -> str:
        """Return the id of a tree with these paths as they are in another; see protocols.Cleaner."""
        return compose(self.repository, tree, source, paths)

    def read(self, tree: str, path: str) -> bytes | None:
        """Return a file's content in a tree; see protocols.Cleaner."""
        return self.store.blob(tree, path)

    def _make_verification(self) -> Checkout:
        with uninterrupted():
            made = link(self.repository, self.temp / f"agent-{self.run}-clean", "--detach", self.base)
            self._verification = made
        if self._watch is not None:
            self._watch = self._watch.include(made.admin)
        return made

    def files(self) -> tuple[str, ...]:
        """List the files that are tracked or could be: ignore rules respected, names readable."""
        self._settle_index()
        return self.checkout.files()

    def search(
        self, pattern: str, *, glob: str = "", regex: bool = False, limit: int = 200, scope: Sequence[str] = ()
    ) -> tuple[Match, ...]:
        """Find lines in those files; see protocols.Workspace. Raises BadArguments."""
        self._settle_index()
        return search.search(self.checkout.git, pattern, glob=glob, regex=regex, limit=limit, scope=scope)

    def history(self, path: str, limit: int) -> str:
        """Tell the last commits that touched a path (all when empty), newest first, no later than the base."""
        return search.history(self.repository.shared, self.base, path, limit)

    def names(self, revision: str) -> tuple[str, ...] | None:
        """List the files of a revision; see protocols.Workspace."""
        return list_names(self.checkout.git, revision)

    def _settle_index(self) -> None:
        """Let git know of files that were seen before the rules changed by which it leaves new ones out.

        One that went and came again is a new one, too.
        """
        with self._lock:
            if self.checkout.writes.disturbed or self.checkout.lacks():
                self.checkout.catch_up()

    def guard(self) -> None:
        """Look whether anybody changed what git obeys since the workspace was opened. Raises RepositoryChanged."""
        self._guard_settings()
        for checkout in filter(None, (self.checkout, self._verification)):
            if not checkout.pointer_intact():
                raise RepositoryChanged(f"the .git file of {checkout.root} was rewritten during the run")

    def _guard_settings(self) -> None:
        # Before git touches files, not only after commands: a filter that was planted would run right here
        if self._watch is not None:
            self._watch = self._watch.check()

    def watch(self) -> None:
        """Take what git obeys now for the state that guard() compares with."""
        self._watch = watch(self.repository, *self._admins())

    def close(self) -> None:
        """Forget the worktrees; branch and files are not touched."""
        self._settle_folder()
        for checkout in filter(None, (self._verification, self.checkout)):
            checkout.drop()

    def _admins(self) -> tuple[Path, ...]:
        return tuple(checkout.admin for checkout in (self.checkout, self._verification) if checkout is not None)


@contextmanager
def open_workspace(
    repository: Repository, *, base: str, run: str, branch: str, at: str = "", identity: Identity = AGENT
) -> Iterator[GitWorkspace]:
    """Make the branch and its worktree at `base`; take the worktree away afterwards, and the branch if still empty.

    `at` continues a run: the branch stands at that commit, or is made there when it is gone. Without a branch the
    commits are made all the same, and the caller gives them a name.
    Raises UsageError, WorkspaceError.
    """
    with suppress(GitFailed):
        remove_leftovers(repository, later=True)
    store = open_store(repository, identity)
    undo = ExitStack()
    try:
        # Whatever is made must be known to be ours before a signal can end us
        with uninterrupted(), refusals("make a worktree"):
            # A link in the path of the temporary folder would make git and us disagree about names
            temp = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{run}-")).resolve()
            undo.callback(discard, temp)
            owner.write(temp, owner.current(common_dir=repository.common_dir, branch=branch, base=base))
            if branch:
                claim(repository, store, branch, base, at)
                undo.callback(drop_empty, repository, store, branch, base)
            where = (branch,) if branch else ("--detach", at or base)
            checkout = link(repository, temp / f"agent-{run}", *where)
            undo.callback(checkout.drop)
        workspace = GitWorkspace(repository, store, checkout, base, run, branch, at or base, temp)
        undo.callback(workspace.close)
        checkout.lay(store.tree(workspace.head))
        workspace.watch()
        yield workspace
    finally:
        with uninterrupted():
            undo.close()


def bring_back(workspace: GitWorkspace, draft: str) -> bool:
    """Bring back edits that no commit held; say whether they were still to be had."""
    if draft:
        try:
            workspace.restore(draft)
        except GitFailed:
            workspace.restore(workspace.store.tree(workspace.head))
            return False
    return True
