"""A run's branch goes back to where its record says that it stands, and only from one place."""

import pytest

from bot.errors import UsageError
from bot.git.reconcile import reconcile
from bot.git.repository import open_repository
from tests.conftest import Repo

BRANCH = "agent/x-r1"


def step(repo: Repo, run: str, number: int) -> str:
    """Put a commit with a run's trailers on its branch."""
    tree = repo.git("rev-parse", "HEAD^{tree}")
    parent = repo.git("rev-parse", f"refs/heads/{BRANCH}")
    message = f"fix it\n\nAgent-Run: {run}\nAgent-Step: {number}\n"
    made = repo.git("commit-tree", tree, "-p", parent, "-m", message)
    repo.git("update-ref", f"refs/heads/{BRANCH}", made)
    return made


@pytest.fixture
def head(repo: Repo) -> str:
    """Make the branch at the base."""
    repo.git("branch", BRANCH)
    return repo.git("rev-parse", "HEAD")


def test_a_commit_that_the_record_does_not_know_is_taken_off(repo: Repo, head: str) -> None:
    step(repo, "r1", 1)
    reconcile(open_repository(repo.path), BRANCH, "r1", head, 1)
    assert repo.git("rev-parse", BRANCH) == head


def test_a_branch_that_stands_right_or_is_gone_is_left_alone(repo: Repo, head: str) -> None:
    repository = open_repository(repo.path)
    reconcile(repository, BRANCH, "r1", head, 1)
    assert repo.git("rev-parse", BRANCH) == head
    repo.git("branch", "-D", BRANCH)
    reconcile(repository, BRANCH, "r1", head, 1)
    assert repo.git("branch", "--list", BRANCH) == ""


@pytest.mark.parametrize(("run", "number", "times"), [("r2", 1, 1), ("r1", 2, 1), ("r1", 1, 2)])
def test_commits_of_anybody_else_stay(repo: Repo, head: str, run: str, number: int, times: int) -> None:
    tip = [step(repo, run, number) for _ in range(times)][-1]
    with pytest.raises(UsageError, match="stands at"):
        reconcile(open_repository(repo.path), BRANCH, "r1", head, 1)
    assert repo.git("rev-parse", BRANCH) == tip


def test_a_branch_that_somebody_has_checked_out_is_not_moved(repo: Repo, head: str) -> None:
    tip = step(repo, "r1", 1)
    repo.git("switch", "-q", BRANCH)
    with pytest.raises(UsageError, match="checked out"):
        reconcile(open_repository(repo.path), BRANCH, "r1", head, 1)
    assert repo.git("rev-parse", BRANCH) == tip
