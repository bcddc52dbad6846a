"""A working copy of our own: filled, read back and emptied without trusting anything inside it."""

import os
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from bot.core.change import readable
from bot.errors import GitFailed
from bot.git.disk import refusals
from bot.git.disposal import delete, loosen
from bot.git.flood import refuse_flood
from bot.git.glance import Glance
from bot.git.leaf import Leaf
from bot.git.leaves import Peculiar
from bot.git.present import Present
from bot.git.recordable import is_file, joined, refuse_filtered, sort_found
from bot.git.run import Git
from bot.git.shape import RULES, Shape, read_shape
from bot.git.untouched import find_untouched
from bot.git.writes import Writes

MOST_PATHS = 200
"""Paths that git is asked about by name; more are not worth telling from all."""


class Laid(NamedTuple):
    """What a folder was filled with, for whoever goes on with it."""

    tree: str
    seal: str
    """Digest of the index that tells of its files."""
    rules: str
    """Digest of the attributes by which they were laid out."""


@dataclass(slots=True)
class Checkout:
    """A linked worktree; git is always told where its folders are, its own `.git` file is never read.

    Whoever writes files says so (`writes`), so that only those need to be looked at. The index may lag behind.
    """

    root: Path
    admin: Path
    """Its folder under the common git dir."""
    git: Git
    filters: tuple[str, ...]
    glance: Glance
    writes: Writes = field(default_factory=Writes, init=False)
    _tree: str = field(default="", init=False)
    """What the files were when they were last looked at."""
    _ahead: dict[bytes, Leaf | None] = field(default_factory=dict, init=False)
    """In what that tree differs from the index."""
    _seal: str = field(default="", init=False)
    """Digest of the index as we left it: flags in it can hide changes."""
    _laid: tuple[str, str] = field(default=("", ""), init=False)
    """The tree that was laid out last, unless attributes changed since, and their digest once it is known."""
    _shape: tuple[str, Shape] | None = field(default=None, init=False)
    """Of the tree that was asked about last."""

    @property
    def seen(self) -> str:
        """The tree that the files were when they were last looked at."""
        return self._tree

    def laid(self) -> Laid | None:
        """Say what the folder was filled with last; None when the index does not tell of just that."""
        tree, rules = self._laid[0], self._rules()
        ours = tree == self._tree and not self._ahead and self._sealed() == self._seal
        return Laid(tree, self._seal, rules) if tree and rules and ours else None

    def pick_up(self, laid: Laid) -> None:
        """Hear what the folder was filled with by somebody before, whose index lies here; no file is believed."""
        self._tree, self._seal, self._laid = laid.tree, laid.seal, (laid.tree, laid.rules)

    @refusals("fill the worktree")
    def lay(self, tree: str) -> None:
        """Make the files exactly those of a tree, whatever is there."""
        rules = self._make_room(tree) if self._tree else ""
        self._fill(tree)
        self._laid = tree, rules
        self.restore_pointer()
        self.writes.settle()

    @refusals("fill the worktree")
    def revert(self, tree: str) -> None:
        """Make the files those of a tree after a look at them: only what was written, where all of it is known."""
        if self.writes.littered:
            self.lay(tree)
            return
        stray = frozenset(self.writes.stray)
        # Half of it may be done when something fails
        self.writes.disturb()
        try:
            changes = self.glance.differences(self._tree, tree, stray)
            self.glance.lay(changes)
        except (Peculiar, GitFailed):
            self.lay(tree)
            return
        self._ahead.update(changes)
        self._tree = tree
        self.restore_pointer()
        self.writes.settle()

    @refusals("read the worktree")
    def stage(self) -> str:
        """Write the files as they stand as a tree, path by path; ignored files and nested repositories are left out."""
        try:
            self._see()
        except GitFailed:
            # Garbage collection takes what no ref holds yet, and the files still have all of it
            self._start_over()
            self._look(())
        self.writes.see()
        return self._tree

    def _see(self) -> None:
        if self.writes.disturbed or len(self.writes.unseen) > MOST_PATHS:
            self._look(())
        elif self.writes.unseen:
            self._glance(frozenset(self.writes.unseen))

    def _start_over(self) -> None:
        """Take the last commit for what was seen last: of anything later nothing may be left."""
        for name in ("index", "index.lock"):
            (self.admin / name).unlink(missing_ok=True)
        self.glance = Glance(self.root, self.git, self.glance.repository)
        self.git.output("read-tree", "HEAD")
        self._remember(self.git.line("rev-parse", "--verify", "HEAD^{tree}"))

    def accept(self, tree: str) -> None:
        """Hear that a tree was committed: to go back to it, nothing that it holds has to be laid out anew."""
        if tree == self._tree and not self.writes.unseen:
            self.writes.stray -= {path for path, leaf in self._ahead.items() if leaf is not None}

    def keeps(self, path: bytes, content: bytes) -> bool:
        """Say whether git would certainly record this content for a file that is tracked as it is."""
        return not self.writes.disturbed and self.glance.keeps(self._tree, path, content)

    def _glance(self, paths: Collection[bytes]) -> None:
        """Look at some files without git, where that comes to the same."""
        try:
            changes = self.glance.look(self._tree, paths)
            tree = self.glance.graft(self._tree, changes)
        except (Peculiar, GitFailed):
            self._look(tuple(map(os.fsdecode, sorted(paths))))
            return
        self._ahead.update(changes)
        self._tree = tree

    def _look(self, paths: tuple[str, ...]) -> None:
        """Let git look at some files, or at all of them."""
        self.catch_up()
        kinds = ("--modified", "--deleted", "--others", "--exclude-standard")
        listed = self.git.names("ls-files", "-z", *kinds, "--", *paths)
        if not listed and self._tree:
            return
        present, gone = sort_found(self.git, self.root, dict.fromkeys(listed))
        untouched = find_untouched(self.git, self.root, present)
        present = [path for path in present if path not in untouched]
        if any(path.endswith(RULES) for path in (*present, *gone)):
            self._laid = "", ""
        refuse_filtered(self.git, self.filters, present)
        refuse_flood(self.root, present)
        if gone:
            self.git.output("update-index", "--force-remove", "-z", "--stdin", stdin=joined(gone))
        if present:
            self.git.output("update-index", "--add", "--replace", "-z", "--stdin", stdin=joined(present))
        self._remember(self.git.line("write-tree"))

    def lacks(self) -> bool:
        """Say whether git's index still knows files that were gone at the last look."""
        return None in self._ahead.values()

    def catch_up(self) -> None:
        """Make the index that of the files when they were last looked at."""
        if self._sealed() != self._seal:
            (self.admin / "index").unlink(missing_ok=True)
            self.git.output("read-tree", self._tree)
            self._remember(self._tree)
        elif self._ahead:
            # Removals first: a folder may have taken the place of a file
            entries = sorted(self._ahead.items(), key=lambda entry: entry[1] is not None)
            none = (0, "0" * len(self._tree))
            lines = ("{:o} {}\t".format(*(leaf or none)).encode() + path + b"\0" for path, leaf in entries)
            self.git.output("update-index", "--replace", "-z", "--index-info", stdin=b"".join(lines))
            self._remember(self._tree)

    def files(self) -> tuple[str, ...]:
        """List the files that are tracked or could be."""
        names = self.git.names("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate")
        there = Present(os.fsencode(self.root))
        return tuple(sorted(readable(name) for name in names if there.holds(name)))

    def _shape_of(self, tree: str) -> Shape:
        if self._shape is None or self._shape[0] != tree:
            self._shape = tree, read_shape(self.git, tree)
        return self._shape[1]

    def _rules(self) -> str:
        """Return the digest of the attributes by which the files were laid out; empty when nobody can tell."""
        tree, rules = self._laid
        if tree and not rules:
            # Garbage collection takes what no ref holds
            with suppress(GitFailed):
                rules = self._shape_of(tree).rules
        return rules

    def _make_room(self, tree: str) -> str:
        """Take away what is not in a tree, or all, and return the digest of its attributes."""
        known, shape = self._rules(), self._shape_of(tree)
        # Files whose blobs are the same may have to look different
        if known == shape.rules and self._sealed() == self._seal:
            self._clear(shape)
        else:
            self._empty()
        return shape.rules

    def _clear(self, shape: Shape) -> None:
        # Before git looks: it would take files behind a link for those of the folder that was there
        left = shape.clear(self.root)
        if left:
            loosen(self.root)
            left = shape.clear(self.root)
        if left:
            raise GitFailed(f"{readable(os.fsencode(left[0]))} could not be deleted")

    def _fill(self, tree: str) -> None:
        """Make the tracked files those of a tree."""
        if self._intact(tree):
            return
        try:
            self.git.output("read-tree", "--reset", "-u", tree)
        except GitFailed:
            self._empty()
            self.git.output("read-tree", "--reset", "-u", tree)
        self._remember(tree)

    def _intact(self, tree: str) -> bool:
        """Say whether nothing happened to the tracked files since just this tree was laid out."""
        known = tree == self._tree == self._laid[0] and not self._ahead and self._sealed() == self._seal
        return known and not self.git.ask("diff-files", "--quiet", "--ignore-submodules=dirty").code

    def restore_pointer(self) -> None:
        """Put back the `.git` file, for tools that look for the repository from inside."""
        pointer = self.root / ".git"
        if not self.pointer_intact():
            if pointer.is_dir() and not pointer.is_symlink():
                delete(pointer)
            else:
                pointer.unlink(missing_ok=True)
            pointer.write_text(f"gitdir: {self.admin}\n", encoding="utf-8", errors="surrogateescape")

    def pointer_intact(self) -> bool:
        """Say whether the `.git` file still leads to where we put it."""
        pointer = self.root / ".git"
        try:
            # Who opened a pipe would wait
            return is_file(os.fsencode(pointer)) and pointer.read_bytes() == os.fsencode(f"gitdir: {self.admin}\n")
        except OSError:
            return False

    def drop(self) -> None:
        """Forget the worktree; its files may be deleted later."""
        with suppress(OSError):
            # Without this file git takes no notice of the rest, however far the deletion has come
            (self.admin / "gitdir").unlink()
        # Its owner's card goes last: killed half-way, what is left can still be told to be ours
        delete(self.admin)
        with suppress(OSError):
            # As git does; never `worktree prune`, which would also forget worktrees of the person's
            self.admin.parent.rmdir()

    def _empty(self) -> None:
        for name in ("index", "index.lock"):
            (self.admin / name).unlink(missing_ok=True)
        loosen(self.root)
        for entry in self.root.iterdir():
            if entry.is_dir() and not entry.is_symlink():
                delete(entry)
            elif entry.name != ".git":
                entry.unlink()
        self.restore_pointer()

    def _remember(self, tree: str) -> None:
        self._tree, self._seal = tree, self._sealed()
        self._ahead.clear()

    def _sealed(self) -> str:
        try:
            return blake2b((self.admin / "index").read_bytes()).hexdigest()
        except FileNotFoundError:
            return ""
