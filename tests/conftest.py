"""Real repositories with a fixed identity and fixed dates, and no network."""

import compileall
import gc
import itertools
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings

from bot.sandbox.process import ProcessExecutor
from tests.untouched import print_of

IDENTITY = {
    "GIT_AUTHOR_NAME": "Test Person",
    "GIT_AUTHOR_EMAIL": "person@example.invalid",
    "GIT_AUTHOR_DATE": "2024-01-01T00:00:00+00:00",
    "GIT_COMMITTER_NAME": "Test Person",
    "GIT_COMMITTER_EMAIL": "person@example.invalid",
    "GIT_COMMITTER_DATE": "2024-01-01T00:00:00+00:00",
    "GIT_CONFIG_NOSYSTEM": "1",
}

# How long an example takes says more about the machine than about the code.
settings.register_profile("calm", deadline=None, max_examples=40)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "calm"))


ROOT = Path(__file__).parents[1]
_NUMBERS = itertools.count()


@dataclass(frozen=True)
class Repo:
    """A repository on disk, spoken to as a person would."""

    path: Path

    def git(self, *args: str, check: bool = True) -> str:
        """Run git here and return what it printed."""
        env = {**{k: v for k, v in os.environ.items() if not k.startswith("GIT_")}, **IDENTITY}
        done = subprocess.run(["git", *args], cwd=self.path, env=env, capture_output=True, text=True, check=False)
        if check and done.returncode:
            raise AssertionError(f"git {' '.join(args)}: {done.stderr}")
        return done.stdout.rstrip("\n")

    def write(self, files: Mapping[str, str | bytes]) -> None:
        """Write files below the root, making folders."""
        for name, content in files.items():
            target = self.path / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, files: Mapping[str, str | bytes], message: str = "change") -> str:
        """Write files, commit everything, return the commit id."""
        self.write(files)
        self.git("add", "--all")
        # Otherwise a further process looks each time whether there is something to tidy
        self.git("-c", "maintenance.auto=false", "commit", "-q", "--allow-empty", "--no-gpg-sign", "-m", message)
        return self.head()

    def head(self) -> str:
        """Return the id of the commit that is checked out, without a process where the files say it."""
        folder = self.path / ".git"
        with suppress(OSError):
            told = (folder / "HEAD").read_text()
            if told.startswith("ref: "):
                told = (folder / told[5:].strip()).read_text()
            if not told.startswith("ref: "):
                return told.strip()
        return self.git("rev-parse", "HEAD")

    def state(self) -> tuple[str, ...]:
        """Return everything that a run must leave byte-identical."""
        # Without this a look at the state would already change it: git brings the index up to date
        looking = ("--no-optional-locks", "-c", "core.fsmonitor=false")
        return (
            self.git(*looking, "status", "--porcelain=v2", "--ignored"),
            self.git(*looking, "diff"),
            self.git(*looking, "diff", "--cached"),
            self.head(),
            self.git("stash", "list"),
            *(f"{name} {told}" for name, told in sorted(print_of(self.path).items())),
        )


@cache
def executor() -> ProcessExecutor:
    """Return an executor for all who ask nothing of their own: each has a process to start, which lives as long."""
    return ProcessExecutor()


def make_repo(path: Path) -> Repo:
    """Make an empty repository with a branch `main`."""
    path.mkdir(parents=True)
    made = Repo(path)
    made.git("init", "-q", "-b", "main", "--template=")
    return made


def pytest_configure() -> None:
    """Have what runs in the interpreters of projects compiled, as pip leaves it; they write nothing beside it."""
    for folder in ("verify/probe", "repair/worker"):
        compileall.compile_dir(ROOT / "bot" / folder, quiet=2)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int | None:
    """Have a worker more than processors: each waits for a sixth of its time, for limits, locks and other processes."""
    if "PYTEST_XDIST_AUTO_NUM_WORKERS" in os.environ or not hasattr(os, "sched_getaffinity"):
        return None
    return len(os.sched_getaffinity(0)) + 1


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Let the collector of garbage leave alone what stays until the end: modules, their data and thousands of tests."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for the homes of all tests; pytest itself looks through all folders of a session to make one more."""
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, homes: Path) -> None:
    """Give each test its own home and none of the caller's settings."""
    for name in list(os.environ):
        if name.startswith(("GIT_", "PYTEST_ADDOPTS", "VIRTUAL_ENV", "OPENAI_", "ANTHROPIC_")):
            monkeypatch.delenv(name)
    home = homes / str(next(_NUMBERS))
    home.mkdir(mode=0o700)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def _refuse_the_world(event: str, arguments: tuple[object, ...]) -> None:
    """Refuse every connection that leaves this machine; an audit hook, since it cannot be undone by a test."""
    if event != "socket.connect":
        return
    address = arguments[1]
    if isinstance(address, tuple) and str(address[0]) not in ("127.0.0.1", "::1", "localhost"):
        raise AssertionError(f"a test tried to reach {address}")


sys.addaudithook(_refuse_the_world)

# A shell starts what runs in the background deaf to these, and children inherit it
for _number, _handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(_number) is signal.SIG_IGN:
        signal.signal(_number, _handler)


@pytest.fixture(scope="session")
def templates(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for what is made once and copied by many tests."""
    return tmp_path_factory.mktemp("templates")


@pytest.fixture
def repo(tmp_path: Path, templates: Path) -> Repo:
    """A small project with one failing test."""
    shutil.copytree(_small_project(templates).path, tmp_path / "repo", symlinks=True)
    made = Repo(tmp_path / "repo")
    # The index remembers the files that were copied
    made.git("update-index", "-q", "--refresh")
    return made


@cache
def _small_project(folder: Path) -> Repo:
    made = make_repo(folder / "small")
    made.commit(
        {
            "calc.py": "def add(a, b):\n    return a - b\n",
            "test_calc.py": (
                "from calc import add\n\n\n"
                "def test_add():\n    assert add(1, 2) == 3\n\n\n"
                "def test_zero():\n    assert add(0, 0) == 0\n"
            ),
        },
        "a small project",
    )
    return made
