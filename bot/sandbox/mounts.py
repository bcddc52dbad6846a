"""What a command sees of the file system, as options of bubblewrap."""

import os
import pwd
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from bot.protocols import Mount
from bot.sandbox.gitview import INSIDE, GitView
from bot.sandbox.prefixes import prefixes
from bot.sandbox.scratch import Scratch
from bot.sandbox.site import Site
from bot.sandbox.system import covered, process_mounts, resolver_mounts, system_mounts

HOME = "/home/agent"
TEMPORARY = "/tmp"  # noqa: S108 - the sandbox's own
PACKAGE = Path(__file__).resolve().parents[1]
"""Git agent's own code: the probe and the repair worker are run from here by the project's interpreter."""
PACKAGE_INSIDE = f"/run/git-agent/{PACKAGE.name}"
LENT_INSIDE = "/run/git-agent/lent"
_BIND = ("--ro-bind", "--bind")
PARTS = ("bin", "lib", "lib64", "include", "share", "pyvenv.cfg")


@dataclass(frozen=True, slots=True)
class Layout:
    """Where things are, the same for every command of one repository."""

    repository: Path
    readable: tuple[Path, ...]
    """Folders outside that every command may read: interpreters, tools, what the caller adds."""

    def within(self, path: Path) -> bool:
        """Say whether a path is hidden by the tree that is mounted over the repository."""
        return path.is_relative_to(self.repository)


class Loan(NamedTuple):
    """A folder of ours that one command may use."""

    path: Path
    inside: str
    writable: bool


@dataclass(frozen=True, slots=True)
class Tree:
    """What one command works on."""

    root: Path
    writable: bool
    network: bool
    git: GitView | None
    carried: Sequence[tuple[Path, Path]]
    """Things of the person's checkout, each with its place relative to the root."""
    folder: str = ""
    """Where below the root the command starts."""
    lent: Sequence[Loan] = ()


def interpreter_folders(interpreters: Sequence[Path], repository: Path) -> tuple[Path, ...]:
    """List what the interpreters need, without ever showing a whole home or the repository for it."""
    private = [repository, *homes()]
    found: list[Path] = []
    for prefix in (prefix for interpreter in interpreters for prefix in prefixes(interpreter)):
        if any(place.is_relative_to(prefix) for place in private):
            found += [prefix / part for part in PARTS if (prefix / part).exists()]
        else:
            found.append(prefix)
    return tuple(dict.fromkeys(found))


def lay_out(site: Site) -> Layout:
    """Find what commands may read outside the repository: the interpreters, git agent's own among them, and more."""
    repository = site.repository.resolve()
    folders = interpreter_folders([*site.interpreters, Path(sys.executable)], repository)
    return Layout(repository, (*folders, *(path.absolute() for path in site.readable)))


def homes() -> tuple[Path, ...]:
    """List the folders that the person calls home."""
    named = [os.environ.get("HOME", ""), passwd_home()]
    return tuple(Path(home) for home in dict.fromkeys(named) if home.startswith("/") and home != "/")


def passwd_home() -> str:
    """Return this user's home according to the system; empty for a user without an entry."""
    try:
        return pwd.getpwuid(os.getuid()).pw_dir
    except KeyError:
        return ""


def options(layout: Layout, tree: Tree, scratch: Scratch) -> list[str]:
    """Write everything down; later mounts lie over earlier ones."""
    return [
        *("--unshare-all", "--die-with-parent", "--new-session", "--hostname", "sandbox"),
        # Root keeps them otherwise, and with them makes writable again what is mounted read-only
        *("--cap-drop", "ALL"),
        *(("--share-net", *resolver_mounts()) if tree.network else ()),
        *system_mounts(),
        *(option for home in homes() if covered(home) for option in ("--tmpfs", str(home))),
        *process_mounts(),
        *("--dev", "/dev"),
        # Not a link, below which a repository could not be mounted
        *(word for place in (TEMPORARY, "/var/tmp") for word in ("--bind", str(scratch.temporary), place)),  # noqa: S108
        *("--bind", str(scratch.home), HOME),
        *outside_mounts(layout),
        *(_BIND[tree.writable], str(tree.root), str(layout.repository)),
        *inside_mounts(layout, tree, scratch),
        *(word for loan in tree.lent for word in (_BIND[loan.writable], str(loan.path), loan.inside)),
        *("--remount-ro", "/", "--chdir", str(layout.repository / tree.folder)),
    ]


def lend(layout: Layout, mounts: Sequence[Mount]) -> tuple[Loan, ...]:
    """Place folders of ours: under their own path, or elsewhere when the tree lies over it."""
    return tuple(
        Loan(mount.path, f"{LENT_INSIDE}/{number}" if layout.within(mount.path) else str(mount.path), mount.writable)
        for number, mount in enumerate(mounts)
    )


def outside_mounts(layout: Layout) -> Iterator[str]:
    """Show what is readable outside the repository, and git agent's own code wherever it is installed."""
    for path in layout.readable:
        if not layout.within(path) and not covered(path):
            yield from ("--ro-bind", str(path), str(path))
    if layout.within(PACKAGE):
        yield from ("--ro-bind", str(PACKAGE), PACKAGE_INSIDE)
    elif not covered(PACKAGE):
        yield from ("--ro-bind", str(PACKAGE), str(PACKAGE))


def inside_mounts(layout: Layout, tree: Tree, scratch: Scratch) -> Iterator[str]:
    """Show what lies over the tree: carried things, and git's own state, which no command may write."""
    for source, place in tree.carried:
        yield from ("--ro-bind", str(source), str(layout.repository / place))
    git = layout.repository / ".git"
    if tree.git is None:
        if os.path.lexists(tree.root / ".git") and not (tree.root / ".git").is_symlink():
            yield from ("--ro-bind", str(tree.root / ".git"), str(git))
        return
    inside = INSIDE if tree.git.pointer else str(git)
    yield from ("--ro-bind", str(tree.git.common), inside)
    for number, (name, shown) in enumerate(tree.git.masked):
        yield from ("--ro-bind", str(written(scratch.root / f"settings-{number}", shown)), f"{inside}/{name}")
    for store in tree.git.alternates:
        yield from ("--ro-bind", str(store), str(store))
    if tree.git.pointer:
        yield from ("--ro-bind", str(written(scratch.root / "pointer", tree.git.pointer)), str(git))


def written(path: Path, text: str) -> Path:
    """Write a file to be mounted."""
    path.write_text(text, "utf-8", "surrogateescape")
    return path
