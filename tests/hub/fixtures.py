"""Fixtures for every room that speaks to the stand-in: `from tests.hub.fixtures import hub  # noqa: F401`."""

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.conftest import Repo, make_repo
from tests.hub.standin import Standin


@pytest.fixture
def hub(tmp_path: Path, templates: Path) -> Iterator[Standin]:
    """A stand-in with a small project on `main`; at the end all that was asked and answered must have been allowed."""
    with Standin(tmp_path / "hub") as made:
        fill(made, templates)
        yield made
        if made.violations or made.lies:
            raise AssertionError("\n".join(["GitHub's description forbids:", *made.violations, *made.lies]))


def fill(hub: Standin, templates: Path) -> None:
    """Put a small project on `main`."""
    shutil.copytree(_project(templates).path / ".git/objects", hub.git_folder / "objects", dirs_exist_ok=True)
    hub.git.git("update-ref", "refs/heads/main", _project(templates).git("rev-parse", "HEAD"))
    hub.world.settle()


@cache
def _project(folder: Path) -> Repo:
    made = make_repo(folder / "hub-project")
    made.commit(
        {
            "calc.py": "def add(a, b):\n    return a - b\n",
            "test_calc.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
        },
        "a small project",
    )
    return made
