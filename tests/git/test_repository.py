import os
import subprocess
from pathlib import Path

import pytest

from bot.errors import NotARepository, UsageError
from bot.git.repository import open_repository
from tests.conftest import Repo, make_repo


def listing(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_a_repository_opens_from_its_root_and_from_below(repo: Repo) -> None:
    (repo.path / "deep/er").mkdir(parents=True)
    assert open_repository(repo.path) == open_repository(repo.path / "deep/er")
    assert open_repository(repo.path).root == repo.path


def test_opening_creates_and_changes_nothing(repo: Repo) -> None:
    before, names = repo.state(), listing(repo.path)
    opened = open_repository(repo.path)
    assert not opened.dirty()
    assert opened.default_base() == repo.git("rev-parse", "HEAD")
    assert (repo.state(), listing(repo.path)) == (before, names)


def test_a_linked_worktree_shares_the_common_folder(repo: Repo, tmp_path: Path) -> None:
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    opened = open_repository(tmp_path / "side")
    assert opened.common_dir == repo.path / ".git"
    assert opened.git_dir == repo.path / ".git/worktrees/side"
    assert opened.current_branch() == "side"


def test_a_folder_outside_any_repository_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotARepository, match="not a git repository") as caught:
        open_repository(tmp_path)
    assert caught.value.hint


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotARepository, match="no such folder"):
        open_repository(tmp_path / "gone")


def test_a_bare_repository_is_refused(tmp_path: Path) -> None:
    made = make_repo(tmp_path / "bare")
    made.git("config", "core.bare", "true")
    with pytest.raises(NotARepository, match="bare"):
        open_repository(made.path)


def test_the_inside_of_a_git_folder_is_refused(repo: Repo) -> None:
    with pytest.raises(NotARepository, match="inside a git folder"):
        open_repository(repo.path / ".git/objects")


def test_a_repository_without_a_commit_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    made = make_repo(tmp_path / "young")
    made.write({"a.py": ""})
    names = listing(made.path)
    with pytest.raises(NotARepository, match="no commit yet"):
        open_repository(made.path)
    assert listing(made.path) == names


@pytest.mark.skipif(os.getuid() != 0, reason="only root can give a folder to somebody else")
def test_a_repository_of_somebody_else_is_explained(repo: Repo) -> None:
    subprocess.run(["chown", "-R", "12345", str(repo.path)], check=True)
    with pytest.raises(NotARepository, match="belongs to another user") as caught:
        open_repository(repo.path)
    assert f"safe.directory {repo.path}" in caught.value.hint


def test_a_branch_wins_over_a_tag_of_its_name(repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD")
    repo.git("tag", "main")
    second = repo.commit({"more.py": ""})
    repo.write({"main": "a file of the same name"})
    opened = open_repository(repo.path)
    assert opened.resolve("main") == second
    assert opened.resolve("refs/tags/main") == first
    assert opened.resolve("main~1") == first
    assert opened.resolve(first) == first
    assert opened.resolve("HEAD") == second


@pytest.mark.parametrize("rev", ["", "nothing", "--all", "-n1", "HEAD:calc.py", "a\nb", "a..b"])
def test_what_names_no_commit_is_a_usage_error(repo: Repo, rev: str) -> None:
    with pytest.raises(UsageError):
        open_repository(repo.path).resolve(rev)


def test_detached_head_is_told(repo: Repo) -> None:
    opened = open_repository(repo.path)
    assert opened.current_branch() == "main"
    repo.git("checkout", "-q", "--detach")
    assert opened.current_branch() is None


def test_untracked_and_changed_files_are_dirt(repo: Repo) -> None:
    opened = open_repository(repo.path)
    repo.write({"new.py": ""})
    assert opened.dirty()
    (repo.path / "new.py").unlink()
    repo.write({"calc.py": "changed"})
    assert opened.dirty()


def test_programs_in_the_configuration_are_switched_off(repo: Repo) -> None:
    repo.git("config", "filter.odd.name.clean", "evil")
    repo.git("config", "hook.sneaky.command", "evil")
    opened = open_repository(repo.path)
    assert opened.filters == ("odd.name",)
    assert opened.git.line("config", "filter.odd.name.clean") == ""
    assert opened.git.line("config", "hook.sneaky.enabled") == "false"


def test_a_partial_clone_is_left_to_the_executable(repo: Repo) -> None:
    assert open_repository(repo.path).library
    repo.git("config", "remote.origin.promisor", "true")
    assert not open_repository(repo.path).library
