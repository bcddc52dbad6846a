"""From which commit a base came, and what changed from there."""

import subprocess
from pathlib import Path

import pytest

from bot.core.past import NO_PAST
from bot.errors import UsageError
from bot.git.repository import open_repository
from bot.git.since import find_since, read_changes, resolve_since
from tests.conftest import Repo, make_repo


@pytest.fixture
def line(tmp_path: Path) -> tuple[Repo, list[str]]:
    """Make a repository with three commits on `main`."""
    repo = make_repo(tmp_path / "line")
    texts = ("a = 1\n", "a = 2\n", "a = 2\nb = 3\n")
    return repo, [repo.commit({"m.py": text, "test_m.py": text, "data.txt": text}) for text in texts]


def test_what_is_on_trial_begins_where_the_base_left_its_upstream_else_the_default_branch_else_with_its_last_commit(
    line: tuple[Repo, list[str]],
) -> None:
    repo, (first, second, third) = line
    repository = open_repository(repo.path)
    assert find_since(repository, third) == second
    assert find_since(repository, first) == ""
    repo.git("switch", "-q", "-c", "work", first)
    repo.commit({"m.py": "a = 7\n"})
    head = repo.commit({"m.py": "a = 8\n"})
    assert find_since(repository, head) == first
    parent = repo.git("rev-parse", "HEAD^")
    repo.git("branch", "-q", "pushed", parent)
    repo.git("branch", "-q", "--set-upstream-to", "pushed")
    assert find_since(repository, head) == parent


@pytest.mark.parametrize("hint", ["HEAD", "f" * 40, "--all", "../x", "main", "0" * 40, ""])
def test_a_hint_that_is_no_commit_of_the_history_counts_for_nothing(line: tuple[Repo, list[str]], hint: str) -> None:
    repo, (_, second, third) = line
    assert find_since(open_repository(repo.path), third, hint) == second


def test_a_hint_leads_to_where_the_histories_meet(line: tuple[Repo, list[str]]) -> None:
    repo, (first, _, third) = line
    repo.git("switch", "-q", "-c", "other", first)
    other = repo.commit({"n.py": ""})
    assert find_since(open_repository(repo.path), third, other) == first


def test_a_revision_that_a_person_names_has_to_be_an_ancestor(line: tuple[Repo, list[str]]) -> None:
    repo, (first, _, third) = line
    repository = open_repository(repo.path)
    assert resolve_since(repository, third, "HEAD~2") == first
    for asked in ("main", "nowhere", third):
        with pytest.raises(UsageError):
            resolve_since(repository, third, asked)
    with pytest.raises(UsageError, match="is not a commit that the base"):
        resolve_since(repository, first, third)


def test_changes_are_those_of_code_with_the_commits_that_made_them(line: tuple[Repo, list[str]]) -> None:
    repo, (first, second, third) = line
    past = read_changes(open_repository(repo.path), first, third)
    assert past.since == first
    assert "+a = 2\n+b = 3\n" in past.patch
    assert "test_m.py" not in past.patch
    assert [touch.commit for touch in past.touches] == [third, second]
    assert set(past.touches[0].paths) == {"m.py", "test_m.py", "data.txt"}
    assert past.blame(["m.py"]) == f"{third[:10]}, {second[:10]}"
    for ends in (("", third), (first, "HEAD"), ("f" * 40, third), (third, third)):
        assert read_changes(open_repository(repo.path), *ends) == NO_PAST


def test_a_shallow_clone_knows_of_no_range(line: tuple[Repo, list[str]], tmp_path: Path) -> None:
    repo, (_, second, third) = line
    clone = tmp_path / "clone"
    subprocess.run(["git", "clone", "-q", "--depth=1", f"file://{repo.path}", clone], check=True, capture_output=True)
    repository = open_repository(clone)
    assert find_since(repository, third) == ""
    assert read_changes(repository, second, third) == NO_PAST
