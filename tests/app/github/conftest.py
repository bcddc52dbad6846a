"""A stand-in with a small project, a runner before it, and an order that was worked on once for many tests."""

import shutil
from functools import cache
from pathlib import Path

import pytest

from tests.app.github.jobs import SMALL, Runner, work_once
from tests.conftest import Repo, make_repo
from tests.hub.fixtures import hub
from tests.hub.standin import Standin

__all__ = ["hub"]


def lay(hub: Standin, templates: Path) -> None:
    """Put the small project on `main`, in place of what is there."""
    shutil.copytree(_small(templates).path / ".git/objects", hub.git_folder / "objects", dirs_exist_ok=True)
    hub.git.git("update-ref", "refs/heads/main", _small(templates).git("rev-parse", "HEAD"))
    hub.world.settle()


@cache
def _small(folder: Path) -> Repo:
    made = make_repo(folder / "door-project")
    made.commit(SMALL, "small")
    return made


@pytest.fixture
def runner(hub: Standin, tmp_path: Path, templates: Path) -> Runner:
    """A runner before the small project."""
    lay(hub, templates)
    return Runner(hub, tmp_path / "rooms")


@pytest.fixture(scope="session")
def worked(templates: Path) -> Path:
    """The room of a job that worked on the first order."""
    with Standin(templates / "hub-of-first-order") as made:
        lay(made, templates)
        return work_once(made, templates / "first-order")
