"""What a checkpoint, a rollback, and a worktree's beginning and end cost, beside the bare git executable and pygit2.

    python benchmarks/git.py [FOLDER] [--files 20,7000,40000] [--repeat 7]

Everything happens in repositories made for the purpose: one of made-up files for each size, and one that holds the
files of FOLDER. Nothing is registered anywhere else, however this ends. Times are medians in milliseconds; behind each
of the others stands what ours takes of it.
"""

import argparse
import os
import random
import shutil
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Protocol

import pygit2

from bot.git.disposal import sweep
from bot.git.repository import Repository, open_repository
from bot.git.workspace import GitWorkspace, open_workspace

EDITED = "pkg0/part0/f0.py"
BASE = "refs/heads/main"
WHO = pygit2.Signature("Bench", "bench@example.invalid", 1_700_000_000, 0)
ENVIRONMENT = {
    **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
    **dict.fromkeys(("GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"), "Bench"),
    **dict.fromkeys(("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"), "bench@example.invalid"),
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
}
OPERATIONS = ("create", "checkpoint", "rollback", "drop", "delete")


class Contender(Protocol):
    """One way to do all of it; what is timed is what each method does."""

    @property
    def root(self) -> Path:
        """Where the files are."""
        ...

    def create(self) -> None: ...
    def edit(self, text: str) -> None: ...
    def checkpoint(self) -> None: ...
    def rollback(self) -> None: ...
    def drop(self) -> None: ...
    def delete(self) -> None: ...


@dataclass
class Ours:
    """The workspace that a run works in."""

    repository: Repository
    stack: ExitStack = field(default_factory=ExitStack)
    workspace: GitWorkspace | None = None

    @property
    def open(self) -> GitWorkspace:
        assert self.workspace is not None
        return self.workspace

    @property
    def root(self) -> Path:
        return self.open.root

    def create(self) -> None:
        base = self.repository.resolve(BASE)
        opened = open_workspace(self.repository, base=base, run=f"bench{os.getpid()}", branch="")
        self.workspace = self.stack.enter_context(opened)

    def edit(self, text: str) -> None:
        self.open.touch(EDITED)
        replace(self.root / EDITED, text)

    def checkpoint(self) -> None:
        self.open.commit(self.open.tree(), "a step")

    def rollback(self) -> None:
        self.open.rollback()

    def drop(self) -> None:
        self.stack.close()

    def delete(self) -> None:
        while not sweep(60):
            pass


@dataclass
class Executable:
    """The git executable, the way a script uses it."""

    repository: Path
    root: Path

    def create(self) -> None:
        git(self.repository, "worktree", "add", "-q", "--detach", str(self.root), BASE)

    def edit(self, text: str) -> None:
        replace(self.root / EDITED, text)

    def checkpoint(self) -> None:
        git(self.root, "add", "--", EDITED)
        git(self.root, "commit", "-q", "-m", "a step")

    def rollback(self) -> None:
        git(self.root, "reset", "-q", "--hard")
        git(self.root, "clean", "-q", "-f", "-d", "-x")

    def drop(self) -> None:
        git(self.repository, "worktree", "remove", "--force", str(self.root))

    def delete(self) -> None:
        """Everything is gone already."""


@dataclass
class Library:
    """pygit2, by its shortest ways: blob and tree builders for a commit, a hard reset to go back."""

    repository: Path
    root: Path
    head: str = ""

    def create(self) -> None:
        repo = pygit2.Repository(str(self.repository))
        self.head = str(repo.references[BASE].target)
        repo.add_worktree(self.root.name, str(self.root))

    def edit(self, text: str) -> None:
        replace(self.root / EDITED, text)

    def checkpoint(self) -> None:
        repo = pygit2.Repository(str(self.root))
        blob = repo.create_blob((self.root / EDITED).read_bytes())
        tree = self._grow(repo, repo[self.head].peel(pygit2.Tree), EDITED.split("/"), blob)
        self.head = str(repo.create_commit("HEAD", WHO, WHO, "a step", tree, [self.head]))

    def _grow(self, repo: pygit2.Repository, tree: pygit2.Tree, parts: Sequence[str], blob: pygit2.Oid) -> pygit2.Oid:
        name, *below = parts
        builder = repo.TreeBuilder(tree)
        if below:
            inner = tree[name]
            assert isinstance(inner, pygit2.Tree)
            builder.insert(name, self._grow(repo, inner, below, blob), pygit2.enums.FileMode.TREE)
        else:
            builder.insert(name, blob, pygit2.enums.FileMode.BLOB)
        return builder.write()

    def rollback(self) -> None:
        pygit2.Repository(str(self.root)).reset(pygit2.Oid(hex=self.head), pygit2.enums.ResetMode.HARD)

    def drop(self) -> None:
        repo = pygit2.Repository(str(self.repository))
        shutil.rmtree(self.root)
        repo.lookup_worktree(self.root.name).prune()
        repo.references.delete(f"refs/heads/{self.root.name}")

    def delete(self) -> None:
        """Everything is gone already."""


def git(folder: Path, *args: str) -> None:
    """Run git as a script would."""
    subprocess.run(["git", *args], cwd=folder, env=ENVIRONMENT, check=True, stdout=subprocess.DEVNULL)


def replace(path: Path, text: str) -> None:
    """Write a file as our tools do: a new one in place of the old."""
    fresh = path.with_name(".fresh")
    fresh.write_text(text)
    fresh.rename(path)


def clock(action: Callable[[], None]) -> float:
    """Return the milliseconds that something takes."""
    since = time.perf_counter()
    action()
    return (time.perf_counter() - since) * 1000


def invent(folder: Path, count: int) -> None:
    """Make up source files in a tree of packages."""
    chance = random.Random(count)
    words = [f"word{number}" for number in range(3000)]
    for number in range(count):
        path = folder / f"pkg{number % 40}" / f"part{number // 40 % 20}" / f"f{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(" ".join(chance.choices(words, k=9)) for _ in range(50)) + "\n")


def build(folder: Path, source: Path | None, count: int) -> None:
    """Make a repository of a folder's files, or of invented ones, all in one pack as in a clone."""
    if source is None:
        invent(folder, count)
    else:
        shutil.copytree(source, folder, symlinks=True, ignore=shutil.ignore_patterns(".git"))
    (folder / EDITED).parent.mkdir(parents=True, exist_ok=True)
    (folder / EDITED).write_text("x = 0\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "-q", "-m", "all of it")
    git(folder, "repack", "-a", "-d", "-q")


def measure(contender: Contender, times: dict[str, list[float]], repeat: int, name: str) -> None:
    """Go once through a worktree's life."""
    times["create"].append(clock(contender.create))
    for number in range(repeat):
        contender.edit(f"x = {number}  # {name}{time.time()}\n")
        times["checkpoint"].append(clock(contender.checkpoint))
        contender.edit("worse\n")
        times["rollback"].append(clock(contender.rollback))
        assert (contender.root / EDITED).read_text() != "worse\n"
    times["drop"].append(clock(contender.drop))
    times["delete"].append(clock(contender.delete))


def compare(repository: Path, repeat: int, lives: int) -> dict[str, dict[str, float]]:
    """Measure all three side by side, in turns."""
    found: dict[str, dict[str, list[float]]] = {
        name: {operation: [] for operation in OPERATIONS} for name in ("ours", "git", "pygit2")
    }
    for number in range(lives):
        contenders: dict[str, Contender] = {
            "ours": Ours(open_repository(repository)),
            "git": Executable(repository, repository.parent / f"git{number}"),
            "pygit2": Library(repository, repository.parent / f"library{number}"),
        }
        for name, contender in contenders.items():
            with ExitStack() as undo:
                if isinstance(contender, Ours):
                    undo.enter_context(contender.stack)
                measure(contender, found[name], repeat, name)
    return {name: {key: statistics.median(values) for key, values in times.items()} for name, times in found.items()}


def tell(label: str, found: dict[str, dict[str, float]]) -> Iterator[str]:
    """Write the rows of one repository."""
    for operation in OPERATIONS:
        ours, *others = (found[name][operation] for name in ("ours", "git", "pygit2"))
        cells = (f"{other:10.1f} {ours / other:6.2f}" if other >= 0.1 else f"{'-':>10} {'':6}" for other in others)
        yield f"{label:<16}{operation:<12}{ours:10.1f}" + "".join(f"   {cell}" for cell in cells)


@contextmanager
def stoppable() -> Iterator[None]:
    """Let every signal that ends us come as Ctrl-C does, so that what is open is closed."""

    def stop(number: int, _: FrameType | None) -> None:
        raise KeyboardInterrupt(signal.Signals(number).name)

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    yield


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--files", default="20,7000,40000", help="sizes of the repositories of made-up files")
    parser.add_argument("--repeat", type=int, default=7, help="checkpoints and rollbacks in each worktree")
    parser.add_argument("--lives", type=int, default=3, help="worktrees of each kind")
    given = parser.parse_args()
    sources: list[tuple[str, Path | None, int]] = [(f"{n} files", None, int(n)) for n in given.files.split(",") if n]
    if given.folder is not None:
        sources.append((given.folder.resolve().name[:15], given.folder.resolve(), 0))
    print(f"{'':<28}{'ours':>10}   {'git':>10} {'ratio':>6}   {'pygit2':>10} {'ratio':>6}")
    with stoppable(), tempfile.TemporaryDirectory(prefix="git-agent-bench-") as place:
        for label, source, count in sources:
            repository = Path(place, f"r{count}") / "repository"
            build(repository, source, count)
            for row in tell(label, compare(repository, given.repeat, given.lives)):
                print(row, flush=True)
            shutil.rmtree(repository.parent)
    return 0


if __name__ == "__main__":
    try:
        raise SystemExit(main())
    except KeyboardInterrupt:
        raise SystemExit(130) from None
