"""The wheel, installed as a person would, runs ours even where somebody has a `bot` package of their own."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import click
import pytest

from bot import __version__
from bot.samples.project import revisions
from tests.conftest import Repo

ROOT = Path(__file__).parents[2]
OURS = f"git-agent {__version__}\n"
THEIRS = "print('theirs')\n"
DEPENDENCIES = Path(click.__file__).parents[1]


def run(*argv: str, cwd: Path, **variables: str) -> str:
    environment = {**os.environ, **variables}
    return subprocess.run(argv, cwd=cwd, env=environment, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling", reason="building the wheel needs hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=ROOT)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def launcher(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the wheel into an environment of its own, which borrows our dependencies."""
    place = tmp_path_factory.mktemp("apart") / "a folder"
    run(sys.executable, "-m", "venv", "--without-pip", str(place), cwd=ROOT)
    pip = (sys.executable, "-m", "pip", "--python", str(place / "bin/python"), "--disable-pip-version-check")
    run(*pip, "install", "--quiet", "--no-deps", "--no-index", str(wheel), cwd=ROOT)
    packages = next(place.glob("lib/python*/site-packages"))
    (packages / "dependencies.pth").write_text(f"{DEPENDENCIES}\n")
    return place / "bin/git-agent"


@pytest.fixture
def rival(repo: Repo) -> Repo:
    """A project that has everything by the names that we use."""
    names = ("bot/__init__.py", "bot/__main__.py", "bot/entry/cli.py", "click.py", "pydantic.py", "sitecustomize.py")
    repo.commit(dict.fromkeys(names, THEIRS), "a bot of their own")
    return repo


def test_rival_package_wins_where_python_is_not_isolated(rival: Repo) -> None:
    assert "theirs" in run(sys.executable, "-m", "bot", "--version", cwd=rival.path, PYTHONPATH=".")


def test_launcher_runs_ours(launcher: Path, rival: Repo) -> None:
    assert run(str(launcher), "--version", cwd=rival.path, PYTHONPATH=".") == OURS


def test_launcher_runs_ours_when_everything_is_imported(launcher: Path, rival: Repo) -> None:
    shown = run(str(launcher), "-h", cwd=rival.path, PYTHONPATH=".", PYTHONSTARTUP="click.py")
    assert "theirs" not in shown
    assert "fix" in shown


def test_launcher_runs_ours_through_a_link(launcher: Path, rival: Repo, tmp_path: Path) -> None:
    link = tmp_path / "git-agent"
    link.symlink_to(launcher)
    assert run(str(link), "--version", cwd=rival.path, PYTHONPATH=".") == OURS


def test_git_finds_the_launcher_as_a_command(launcher: Path, rival: Repo) -> None:
    path = f"{launcher.parent}{os.pathsep}{os.environ['PATH']}"
    assert run("git", "agent", "--version", cwd=rival.path, PYTHONPATH=".", PATH=path) == OURS


def test_launcher_hands_arguments_on_as_they_are(launcher: Path, rival: Repo) -> None:
    done = subprocess.run(
        [str(launcher), "no such command; $(id)"], cwd=rival.path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "no such command; $(id)" in done.stderr


def test_wheel_holds_the_sample_project_the_man_page_and_the_licence(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    samples = [name for name in names if name.startswith("bot/samples/stockroom/") and name.endswith(".txt")]
    assert len(samples) == sum(len(revision.files) for revision in revisions())
    assert [name for name in names if name.endswith("share/man/man1/git-agent.1")]
    assert [name for name in names if name.endswith("licenses/LICENSE")]


def test_wheel_has_no_second_way_to_start_us(wheel: Path) -> None:
    assert [name for name in zipfile.ZipFile(wheel).namelist() if name.endswith("entry_points.txt")] == []


def test_nothing_that_we_ship_starts_us_without_isolation() -> None:
    shipped = [
        *ROOT.glob("*.md"),
        *ROOT.glob("docs/*.md"),
        *(path for path in ROOT.glob("scripts/**/*") if path.is_file()),
        *ROOT.glob(".github/workflows/*"),
    ]
    shipped += [ROOT / "Makefile", ROOT / ".ci/run", ROOT / "man/git-agent.1"]
    calls = [line for path in shipped for line in path.read_text().splitlines() if "-m bot" in line]
    assert calls
    assert [line for line in calls if "-I -m bot" not in line] == []
