"""A shelf in the git dir: results come back as they were, or not at all."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.git.repository import Repository, open_repository
from bot.git.results import GitShelf
from tests.conftest import Repo


@pytest.fixture
def shelf(repo: Repo) -> GitShelf:
    return GitShelf(open_repository(repo.path))


def test_what_was_put_comes_back_and_another_key_does_not(shelf: GitShelf) -> None:
    assert shelf.get("a") is None
    shelf.put("a", b"said")
    assert shelf.get("a") == b"said"
    assert shelf.get("b") is None
    shelf.put("a", b"said anew")
    assert shelf.get("a") == b"said anew"


def test_no_status_shows_it_and_no_worktree_has_its_own(repo: Repo, shelf: GitShelf) -> None:
    before = repo.state()
    shelf.put("a", b"said")
    assert repo.state() == before
    assert "git-agent" not in repo.git("status", "--porcelain", "--ignored", "--untracked-files=all")
    repo.git("worktree", "add", "-q", "--detach", str(repo.path.parent / "other"))
    assert GitShelf(open_repository(repo.path.parent / "other")).get("a") == b"said"


def test_the_oldest_go_first_by_number_and_by_size(shelf: GitShelf) -> None:
    few, small = GitShelf(shelf.repository, most=3), GitShelf(shelf.repository, altogether=250)
    for number in range(5):
        few.put(str(number), b"x" * 100)
        os.utime(few._path(str(number)), (number, number))
    few.put("5", b"x" * 100)
    assert [number for number in range(6) if few.get(str(number)) is not None] == [3, 4, 5]
    small.put("6", b"y" * 100)
    assert [number for number in range(7) if few.get(str(number)) is not None] == [5, 6]
    small.put("7", b"z" * 300)
    assert small.get("7") is None


def test_what_cannot_be_read_is_absent(shelf: GitShelf, tmp_path: Path) -> None:
    shelf.put("a", b"said")
    path = shelf._path("a")
    path.unlink()
    secret = tmp_path / "secret"
    secret.write_text("secret")
    path.symlink_to(secret)
    assert shelf.get("a") is None
    path.unlink()
    path.mkdir()
    assert shelf.get("a") is None
    shelf.put("a", b"said")
    assert shelf.get("a") is None
    assert not [path for path in shelf.folder.iterdir() if path.name.startswith(".")]
    path.rmdir()
    os.mkfifo(path)
    assert shelf.get("a") is None


def test_a_place_that_cannot_be_written_is_no_trouble(repo: Repo) -> None:
    shelf = GitShelf(open_repository(repo.path))
    (repo.path / ".git/git-agent").write_text("in the way")
    shelf.put("a", b"said")
    assert shelf.get("a") is None


@given(key=st.text(), value=st.binary(max_size=200))
def test_any_key_is_a_file_of_the_shelf(tmp_path_factory: pytest.TempPathFactory, key: str, value: bytes) -> None:
    folder = tmp_path_factory.getbasetemp() / "keys"
    shelf = GitShelf(Repository(root=folder, git_dir=folder, common_dir=folder))
    shelf.put(key, value)
    assert shelf.get(key) == value
    assert shelf._path(key).parent == shelf.folder
