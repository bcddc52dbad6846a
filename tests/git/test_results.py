"""A shelf in the git dir: results come back as they were, or not at all."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.git.repository import Repository, open_repository
from bot.git.results import DAY, GitShelf, Sum, tag_shelf
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


def age(path: Path, seconds: float) -> None:
    os.utime(path, (time.time() - seconds,) * 2)


def test_what_is_older_than_a_day_is_swept_away_and_counted(shelf: GitShelf) -> None:
    assert shelf.count() == shelf.sweep() == Sum()
    for key, seconds in (("new", 60), ("old", DAY + 60), ("of tomorrow", -DAY - 60)):
        shelf.put(key, b"x" * 1000)
        age(shelf._path(key), seconds)
    half = shelf.folder / ".half_wri"
    half.write_bytes(b"{")
    age(half, DAY + 60)
    assert shelf.count() == Sum(4, 3001)
    assert shelf.sweep(dry_run=True) == Sum(3, 2001)
    assert shelf.count().number == 4
    assert shelf.sweep().text == "3 kept results, 0.0 MB"
    assert [shelf.get(key) for key in ("new", "old", "of tomorrow")] == [b"x" * 1000, None, None]
    age(shelf._path("new"), DAY + 60)
    assert shelf.sweep().number == 1
    assert not shelf.folder.parent.exists()


def test_what_is_not_ours_is_neither_counted_nor_removed(shelf: GitShelf, tmp_path: Path) -> None:
    shelf.put("a", b"said")
    for name in ("notes", "x" * 48, "0" * 48):
        (shelf.folder / name).mkdir() if name[0] == "0" else (shelf.folder / name).write_text("mine")
        age(shelf.folder / name, 2 * DAY)
    assert shelf.sweep() == Sum()
    GitShelf(shelf.repository, most=0).put("b", b"")
    assert sorted(path.name for path in shelf.folder.iterdir()) == ["0" * 48, "notes", "x" * 48]


@pytest.mark.parametrize("deep", [True, False])
def test_a_folder_that_links_lead_to_is_left_alone(shelf: GitShelf, tmp_path: Path, deep: bool) -> None:  # noqa: FBT001
    other = tmp_path / "other"
    kept = (other if deep else other / "results") / ("a" * 48)
    kept.parent.mkdir(parents=True)
    kept.write_text("mine")
    age(kept, 2 * DAY)
    if deep:
        shelf.folder.parent.mkdir()
        shelf.folder.symlink_to(other)
    else:
        shelf.folder.parent.symlink_to(other)
    shelf.put("a", b"said")
    assert (shelf.sweep(), shelf.count(), shelf.get("a")) == (Sum(), Sum(), None)
    assert [path.name for path in kept.parent.iterdir()] == [kept.name]


@given(key=st.text(), value=st.binary(max_size=200))
def test_any_key_is_a_file_of_the_shelf(tmp_path_factory: pytest.TempPathFactory, key: str, value: bytes) -> None:
    folder = tmp_path_factory.getbasetemp() / "keys"
    shelf = GitShelf(Repository(root=folder, git_dir=folder, common_dir=folder))
    shelf.put(key, value)
    assert shelf.get(key) == value
    assert shelf._path(key).parent == shelf.folder


def test_what_is_known_of_files_lies_apart_and_lives_longer(shelf: GitShelf) -> None:
    tags = tag_shelf(shelf.repository)
    for each in (shelf, tags):
        each.put("a", each.section.encode())
        age(each._path("a"), 2 * DAY)
    assert (shelf.get("a"), tags.get("a")) == (b"results", b"tags")
    assert (shelf.sweep().number, tags.sweep().number) == (1, 0)
    assert shelf.folder.parent == tags.folder.parent
    age(tags._path("a"), 40 * DAY)
    assert tags.sweep().number == 1
    assert not tags.folder.parent.exists()
