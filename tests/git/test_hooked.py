import os
from pathlib import Path

import pytest

from bot.core.hook import Form
from bot.errors import NotARepository
from bot.git.hooked import Hooked, read_hooked
from bot.git.repository import open_repository
from tests.conftest import Repo, make_repo


@pytest.mark.parametrize(
    ("index", "path", "form"),
    [
        (".git/index", "/r/.git/index", "index"),
        ("/r/.git/index.lock", "/r/.git/index.lock", "all"),
        ("/r/.git/worktrees/w/next-index-12.lock", "/r/.git/worktrees/w/next-index-12.lock", "paths"),
        ("../own", "/r/../own", "index"),
        ("../own.lock", "/r/../own.lock", "all"),
    ],
)
def test_the_form_of_a_commit_shows_in_its_index(index: str, path: str, form: Form) -> None:
    assert read_hooked({"GIT_INDEX_FILE": index}, Path("/r")) == Hooked(Path(path), None, None, form)


def test_without_a_word_of_git_it_is_the_repositorys_own() -> None:
    assert read_hooked({}, Path("/r")) == Hooked(None, None, None, "index")
    assert read_hooked({"GIT_INDEX_FILE": "", "GIT_DIR": "", "GITHEAD_short": "x"}, Path("/r")) == Hooked()


def test_folders_are_those_that_git_started_the_hook_with() -> None:
    commits = ("a" * 40, "b" * 64)
    told = {"GIT_DIR": "../bare.git", "GIT_WORK_TREE": ".", **{f"GITHEAD_{commit}": "side" for commit in commits}}
    assert read_hooked(told, Path("/w")) == Hooked(None, Path("/w/../bare.git"), Path("/w"), merged=commits)


def test_the_repository_that_git_named_is_opened_and_no_other(repo: Repo, tmp_path: Path) -> None:
    other = make_repo(tmp_path / "other")
    other.commit({"x": "1\n"})
    named = read_hooked({"GIT_DIR": str(other.path / ".git"), "GIT_WORK_TREE": str(other.path)}, repo.path)
    for folder in (repo.path, tmp_path):
        assert open_repository(folder, named) == open_repository(other.path)
    assert open_repository(repo.path, Hooked()) == open_repository(repo.path)


def test_a_repository_without_a_commit_is_opened_for_who_asks(tmp_path: Path) -> None:
    made = make_repo(tmp_path / "new")
    opened = open_repository(made.path, unborn=True)
    assert (opened.head, opened.root, opened.library) == ("", made.path, False)
    with pytest.raises(NotARepository, match="has no commit yet"):
        open_repository(made.path)
    commit = made.commit({"x": "1\n"})
    assert open_repository(made.path, unborn=True).head == commit
    made.git("switch", "-q", "--orphan", "fresh")
    assert open_repository(made.path, unborn=True).head == ""
    # A commit that is lost is another matter
    made.git("switch", "-q", "main")
    (made.path / f".git/objects/{commit[:2]}/{commit[2:]}").unlink()
    with pytest.raises(NotARepository, match="is lost"):
        open_repository(made.path, unborn=True)


def test_a_git_dir_that_is_none_is_told_in_one_line(repo: Repo, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file\x1b[31m").write_bytes(b"gitdir: /nowhere\n")
    for place in ("pipe", "file\x1b[31m", "missing", ""):
        with pytest.raises(NotARepository) as caught:
            open_repository(repo.path, read_hooked({"GIT_DIR": str(tmp_path / place)}, repo.path))
        assert "git" in caught.value.message
        assert caught.value.message.isprintable()
        assert caught.value.hint
