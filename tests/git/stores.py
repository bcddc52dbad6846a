"""Both back ends on one repository, with the same identity and the same clock."""

from collections.abc import Callable
from pathlib import Path

import pytest

from bot.git.library import Library
from bot.git.objects import Identity, Store
from bot.git.plumbing import Plumbing
from bot.git.repository import open_repository
from tests.conftest import Repo

WHO = Identity("A Bot", "bot@example.invalid")
MISSING = "1" * 40


def noon() -> float:
    """Stand in for the clock."""
    return 1_800_000_000.75


def through_library(path: Path, who: Identity = WHO, now: Callable[[], float] = noon) -> Store:
    """Open a repository with libgit2."""
    return Library(open_repository(path).shared, who, now)


def through_executable(path: Path, who: Identity = WHO, now: Callable[[], float] = noon) -> Store:
    """Open a repository with the git executable."""
    return Plumbing(open_repository(path).shared, who, now)


BOTH = (through_library, through_executable)


@pytest.fixture(params=BOTH)
def store(request: pytest.FixtureRequest, repo: Repo) -> Store:
    """Give each back end in turn."""
    opened: Store = request.param(repo.path)
    return opened
