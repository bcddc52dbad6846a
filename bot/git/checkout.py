"""A working copy of our own: filled, read back and emptied without trusting anything inside it."""

import os
import shutil
import stat
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from bot.core.change import readable
from bot.errors import GitFailed, RepositoryChanged, WorkspaceError
from bot.git import owner
from bot.git.disk import refusals
from bot.git.repository import Repository
from bot.git.run import Git
from bot.git.signals import uninterrupted

# A worktree of ours holds the whole tree, whatever the person's own checkout leaves out
_WHOLE = (
    ("core.sparseCheckout", "false"),
    ("core.splitIndex", "false"),
    ("core.untrackedCache", "false"),
    ("index.sparse", "false"),
)

_PAUSES = (0.05, 0.1, 0.2, 0.4)
"""Seconds between tries to make a worktree: git stumbles over one that somebody makes or drops at that moment."""


@dataclass(slots=True)
class Checkout:
    """A linked worktree; git is always told where its folders are, its own `.git` file is never read."""

    root: Path
    admin: Path
    """Its folder under the common git dir."""
    git: Git
    filters: tuple[str, ...]
    _tree: str = field(default="", init=False)
    """The tree that the index stands for."""
    _seal: str = field(default="", init=False)
    """Digest of the index as we left it: flags in it can hide changes."""

    @refusals("fill the worktree")
    def fill(self, tree: str) -> None:
        """Make the tracked files those of a tree, whatever is in their way."""
        if self._sealed() != self._seal or self._attributes_differ(tree):
            self._empty()
        try:
            self.git.output("read-tree", "--reset", "-u", tree)
        except GitFailed:
            self._empty()
            self.git.output("read-tree", "--reset", "-u", tree)
        self._remember(tree)

    @refusals("clean the worktree")
    def purge(self) -> None:
        """Delete every file that is not tracked, ignored ones and nested repositories too."""
        if self.git.ask("clean", "-ffdxq").code:
            _loosen(self.root)
            self.git.output("clean", "-ffdxq")
        self.restore_pointer()

    @refusals("read the worktree")
    def stage(self) -> str:
        """Write the files as they stand as a tree, path by path; ignored files and nested repositories are left out."""
        if self._sealed() != self._seal:
            (self.admin / "index").unlink(missing_ok=True)
            self.git.output("read-tree", self._tree)
        listed = self.git.names("ls-files", "-z", "--modified", "--deleted", "--others", "--exclude-standard")
        if not listed and self._tree:
            return self._tree
        present, gone = self._sort(dict.fromkeys(listed))
        self._refuse_filtered(present)
        if gone:
            self.git.output("update-index", "--force-remove", "-z", "--stdin", stdin=_joined(gone))
        if present:
            self.git.output("update-index", "--add", "--replace", "-z", "--stdin", stdin=_joined(present))
        self._remember(self.git.line("write-tree"))
        return self._tree

    def files(self) -> tuple[str, ...]:
        """List the files that are tracked or could be."""
        names = self.git.names("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
        top = os.fsencode(self.root)
        return tuple(sorted(readable(name) for name in names if _is_file(os.path.join(top, name))))  # noqa: PTH118

    def restore_pointer(self) -> None:
        """Put back the `.git` file, for tools that look for the repository from inside."""
        pointer = self.root / ".git"
        if not self.pointer_intact():
            if pointer.is_dir() and not pointer.is_symlink():
                shutil.rmtree(pointer)
            else:
                pointer.unlink(missing_ok=True)
            pointer.write_text(f"gitdir: {self.admin}\n", encoding="utf-8", errors="surrogateescape")

    def pointer_intact(self) -> bool:
        """Say whether the `.git` file still leads to where we put it."""
        pointer = self.root / ".git"
        try:
            return not pointer.is_symlink() and pointer.read_bytes() == os.fsencode(f"gitdir: {self.admin}\n")
        except OSError:
            return False

    def drop(self) -> None:
        """Forget the worktree; its files may be deleted later."""
        with suppress(OSError):
            # Without this file git takes no notice of the rest, however far the deletion has come
            (self.admin / "gitdir").unlink()
        shutil.rmtree(self.admin, ignore_errors=True)
        with suppress(OSError):
            # As git does; never `worktree prune`, which would also forget worktrees of the person's
            self.admin.parent.rmdir()

    def _sort(self, listed: Iterable[bytes]) -> tuple[list[bytes], list[bytes]]:
        """Tell paths to record from paths that are no longer files; nested repositories and submodules are neither."""
        named = [path for path in listed if not path.endswith(b"/")]
        present = [path for path in named if self._recordable(path)]
        absent = set(named).difference(present)
        return present, sorted(absent - self._submodules() if absent else absent)

    def _recordable(self, path: bytes) -> bool:
        top = os.fsencode(self.root)
        parts = path.split(b"/")
        parents = (os.path.join(top, *parts[:depth]) for depth in range(1, len(parts)))  # noqa: PTH118
        return not any(map(os.path.islink, parents)) and _is_file(os.path.join(top, path))  # noqa: PTH118

    def _submodules(self) -> set[bytes]:
        entries = self.git.names("ls-files", "-z", "--stage")
        return {entry.partition(b"\t")[2] for entry in entries if entry.startswith(b"160000 ")}

    def _refuse_filtered(self, paths: list[bytes]) -> None:
        """Refuse to record what the project stores through a filter: that is a program, and we do not run it."""
        if not self.filters or not paths:
            return
        told = self.git.output("check-attr", "-z", "--stdin", "filter", stdin=_joined(paths)).split(b"\0")
        for path, value in zip(told[::3], told[2::3], strict=False):
            if os.fsdecode(value) in self.filters:
                raise WorkspaceError(
                    f"{readable(path)} is stored through the filter {readable(value)}, which is never run here",
                    hint="keep the task away from such files (Git LFS and the like)",
                )

    def _attributes_differ(self, tree: str) -> bool:
        """Say whether files whose blobs are the same may have to look different."""
        if not self._tree or tree == self._tree:
            return False
        names = self.git.names("diff-tree", "-r", "-z", "--name-only", "--no-renames", self._tree, tree)
        return any(name == b".gitattributes" or name.endswith(b"/.gitattributes") for name in names)

    def _empty(self) -> None:
        for name in ("index", "index.lock"):
            (self.admin / name).unlink(missing_ok=True)
        _loosen(self.root)
        for entry in self.root.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                shutil.rmtree(entry)
            elif entry.name != ".git":
                entry.unlink()
        self.restore_pointer()

    def _remember(self, tree: str) -> None:
        self._tree, self._seal = tree, self._sealed()

    def _sealed(self) -> str:
        try:
            return blake2b((self.admin / "index").read_bytes()).hexdigest()
        except FileNotFoundError:
            return ""


def link(repository: Repository, root: Path, *where: str) -> Checkout:
    """Make an empty linked worktree; `where` is what `git worktree add` wants to know besides the folder.

    An owner's card beside the folder is left at git's entry too, which may outlive the folder.
    """
    with uninterrupted():
        _add(repository, root, where)
    # Nobody but us was in this folder yet: this once its pointer can be believed
    admin = Path(os.fsdecode((root / ".git").read_bytes()).removeprefix("gitdir: ").removesuffix("\n"))
    if admin.parent != repository.common_dir / "worktrees":
        raise RepositoryChanged("git made the worktree somewhere else than asked for")
    card = root.parent / owner.NAME
    if card.exists():
        shutil.copy(card, admin)
    git = Git(admin, root, config=(*repository.silenced, *_WHOLE))
    return Checkout(root=root, admin=admin, git=git, filters=repository.filters)


def _add(repository: Repository, root: Path, where: tuple[str, ...]) -> None:
    command = ("worktree", "add", "--quiet", "--no-checkout", *where[:-1], str(root), where[-1])
    for pause in (*_PAUSES, 0):
        answer = repository.shared.ask(*command)
        if not answer.code:
            return
        if not pause or "/worktrees" not in answer.error:
            with suppress(OSError):
                (repository.common_dir / "worktrees").rmdir()
            raise GitFailed(f"git worktree failed: {answer.error}")
        time.sleep(pause)


def _is_file(path: bytes) -> bool:
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return False
    return stat.S_ISREG(mode) or stat.S_ISLNK(mode)


def _joined(paths: Iterable[bytes]) -> bytes:
    return b"".join(path + b"\0" for path in paths)


def _loosen(root: Path) -> None:
    """Let folders be emptied that somebody made read-only."""
    for where, folders, _ in os.walk(root):
        for folder in folders:
            path = Path(where, folder)
            if not path.is_symlink():
                path.chmod(0o700)


def delete(folder: Path) -> None:
    """Delete a folder of ours as far as it can be done."""
    with suppress(OSError):
        _loosen(folder)
    shutil.rmtree(folder, ignore_errors=True)
