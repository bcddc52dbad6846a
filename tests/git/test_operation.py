"""What a person is in the middle of is recognised, in whichever worktree they are."""

from pathlib import Path

import pytest

from bot.git.operation import find_operations
from bot.git.repository import open_repository
from tests.conftest import Repo


def diverge(repo: Repo) -> None:
    """Make two branches that conflict, and stand on main."""
    repo.git("checkout", "-q", "-b", "other")
    repo.commit({"calc.py": "other\n"})
    repo.commit({"calc.py": "other again\n"})
    repo.git("checkout", "-q", "main")
    repo.commit({"calc.py": "mine\n"})


STATES = {
    "merge": ("merge", "other"),
    "rebase": ("rebase", "other"),
    "cherry-pick": ("cherry-pick", "other"),
    "cherry-pick of several": ("cherry-pick", "other~1", "other"),
    "revert": ("revert", "HEAD~1"),
    "am": ("am", "--3way", "patch"),
    "bisect": ("bisect", "start", "HEAD", "HEAD~1"),
}


def begin(repo: Repo, state: str) -> None:
    """Bring a repository into the middle of something."""
    diverge(repo)
    repo.write({"patch": repo.git("format-patch", "-1", "--stdout", "other") + "\n"})
    repo.git("-c", "core.editor=true", *STATES[state], check=False)


@pytest.mark.parametrize("state", STATES)
def test_what_is_in_progress_is_named(repo: Repo, state: str) -> None:
    assert find_operations(open_repository(repo.path)) == ()
    begin(repo, state)
    assert find_operations(open_repository(repo.path)) == (state.partition(" ")[0],)


def test_another_worktree_is_not_in_the_middle_of_it(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    begin(repo, "merge")
    assert find_operations(open_repository(tmp_path / "side")) == ()
