"""Executors of all levels over a real repository with a linked worktree and its own virtual environment."""

import shutil
import socket
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from bot.errors import SandboxUnavailable
from bot.protocols import Command, Completed, Executor
from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.detect import CLOSED_ROOT, attempt
from bot.sandbox.landlock import LandlockExecutor
from bot.sandbox.process import ProcessExecutor
from bot.sandbox.site import Site
from tests.conftest import Repo, make_repo


@dataclass(frozen=True)
class Ground:
    """A repository as a person has it, and a tree that git agent works on."""

    repo: Repo
    tree: Path

    @property
    def bubblewrap(self) -> BubblewrapExecutor:
        """An executor for it."""
        return BubblewrapExecutor(Site(self.repo.path, self.repo.path / ".git", [Path(sys.executable)]))

    @property
    def landlock(self) -> LandlockExecutor:
        """Another one for it."""
        return LandlockExecutor(Site(self.repo.path, self.repo.path / ".git", [Path(sys.executable)]))


def make_ground(folder: Path) -> Ground:
    """Make a repository with a linked worktree in which one file was changed."""
    repo, tree = make_repo(folder / "repo"), folder / "work/tree"
    repo.commit({"pkg/__init__.py": "WHERE = 'base'\n", ".gitignore": ".venv\nnode_modules\n"}, "base")
    repo.git("-c", "tag.gpgSign=false", "tag", "-a", "v1", "-m", "v1")
    repo.git("worktree", "add", "-q", "--detach", str(tree))
    (tree / "pkg/__init__.py").write_text("WHERE = 'tree'\n")
    return Ground(repo, tree)


@pytest.fixture(scope="session")
def common(tmp_path_factory: pytest.TempPathFactory) -> Ground:
    """For tests that leave repository and tree as they were."""
    return make_ground(tmp_path_factory.mktemp("common"))


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    """For tests that change something."""
    return make_ground(tmp_path)


@pytest.fixture(scope="session")
def boxing(common: Ground) -> BubblewrapExecutor:
    """An executor that is known to work here; skips the test where none does."""
    executor = common.bubblewrap
    try:
        attempt(executor, common.repo.path)
    except SandboxUnavailable as error:
        pytest.skip(f"no bubblewrap here: {error}")
    return executor


@pytest.fixture(scope="session")
def sealing(common: Ground) -> LandlockExecutor:
    """An executor that is known to work here; skips the test where none does."""
    try:
        executor = common.landlock
        attempt(executor, common.repo.path, *CLOSED_ROOT)
    except SandboxUnavailable as error:
        pytest.skip(f"no landlock here: {error}")
    return executor


@pytest.fixture(scope="session")
def direct() -> ProcessExecutor:
    return ProcessExecutor()


@dataclass(frozen=True)
class Runner:
    """Runs commands on the tree."""

    executor: Executor
    tree: Path

    def __call__(self, *argv: str, **options: object) -> Completed:
        return self.executor.execute(replace(Command(argv, self.tree, timeout=20.0), **options))  # type: ignore[arg-type]

    def python(self, source: str, *argv: str, **options: object) -> Completed:
        return self(sys.executable, "-I", "-c", source, *argv, **options)

    def shell(self, script: str, **options: object) -> Completed:
        return self("sh", "-c", script, **options)


@pytest.fixture(params=["direct", "sealing", "boxing"])
def run(request: pytest.FixtureRequest, common: Ground) -> Runner:
    """Each test that takes this is run at all levels."""
    return Runner(request.getfixturevalue(request.param), common.tree)


@pytest.fixture
def plain(direct: ProcessExecutor, common: Ground) -> Runner:
    return Runner(direct, common.tree)


@pytest.fixture
def sealed(sealing: LandlockExecutor, common: Ground) -> Runner:
    return Runner(sealing, common.tree)


@pytest.fixture
def boxed(boxing: BubblewrapExecutor, common: Ground) -> Runner:
    return Runner(boxing, common.tree)


@pytest.fixture
def own(boxing: BubblewrapExecutor, ground: Ground) -> Runner:
    """The same over a repository that the test may change."""
    return Runner(ground.bubblewrap, ground.tree)


@pytest.fixture
def listener() -> Iterator[int]:
    """A port of this machine on which somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def alive(marker: str) -> list[str]:
    """List the processes of this machine whose command line holds a marker."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                line = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace")
            except OSError:
                continue
            if marker in line:
                found.append(line)
    return found


def eventually(condition: Callable[[], bool], seconds: float = 15.0) -> bool:
    """Wait for something to become true."""
    until = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > until:
            return False
        time.sleep(0.01)
    return True


def needs(program: str) -> None:
    """Skip where a program is missing."""
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
