"""What keeps libgit2 out of a repository that it opens: each with the evidence that it should."""

from pathlib import Path

import pytest

from bot.errors import GitFailed
from bot.git.library import Library
from bot.git.obstacle import find_obstacle
from bot.git.repository import open_repository
from bot.git.run import Git
from tests.conftest import Repo
from tests.git.kinds import partial


def obstacle(repo: Repo) -> str:
    found = open_repository(repo.path)
    return find_obstacle(found.git, found.common_dir)


@pytest.mark.parametrize(
    ("key", "value", "expected"),
    [
        ("core.bigFileThreshold", "1", ""),
        ("extensions.worktreeConfig", "true", ""),
        ("extensions.preciousObjects", "true", ""),
        ("extensions.noop", "x", ""),
        ("extensions.objectFormat", "sha1", ""),
        ("extensions.partialClone", "origin", "extensions.partialclone"),
        ("remote.a.b.promisor", "true", "remote.a.b.promisor"),
        ("remote.origin.promisor", "false", ""),
        ("remote.origin.partialCloneFilter", "blob:none", "remote.origin.partialclonefilter"),
        ("core.sharedRepository", "group", "core.sharedrepository"),
        ("core.sharedRepository", "0660", "core.sharedrepository"),
        ("core.sharedRepository", "umask", ""),
        ("core.sharedRepository", "false", ""),
    ],
)
def test_settings_that_matter_are_told_from_those_that_do_not(repo: Repo, key: str, value: str, expected: str) -> None:
    repo.git("config", "core.repositoryFormatVersion", "1")
    repo.git("config", key, value)
    assert obstacle(repo) == expected
    assert open_repository(repo.path).library == (expected == "")


def test_a_key_without_a_value_is_true(repo: Repo) -> None:
    with (repo.path / ".git/config").open("a") as config:
        config.write("[core]\nsharedRepository\n")
    assert obstacle(repo) == "core.sharedrepository"


def test_an_extension_that_an_old_format_hides_from_libgit2_counts(tmp_path: Path) -> None:
    repo = partial(tmp_path)
    repo.git("config", "core.repositoryFormatVersion", "0")
    head = repo.git("rev-parse", "HEAD")
    # It opens, and what a fetch would bring counts as missing
    alone = Library(Git(repo.path / ".git"))
    assert alone.sees(head)
    with pytest.raises(GitFailed):
        alone.blob(head, "other/c.py")
    assert obstacle(repo)


def test_folders_that_libgit2_makes_would_be_closed_to_a_group(repo: Repo) -> None:
    repo.git("config", "core.sharedRepository", "0660")
    alone = Library(Git(repo.path / ".git")).write_blob(b"made by libgit2")
    assert not (repo.path / ".git/objects" / alone[:2]).stat().st_mode & 0o020
    assert obstacle(repo)


def test_quotes_among_alternates_count_at_any_depth(repo: Repo, tmp_path: Path) -> None:
    far = tmp_path / "far"
    repo.git("clone", "-q", "--shared", str(repo.path), str(far))
    assert obstacle(Repo(far)) == ""
    repo.write({".git/objects/info/alternates": '# a comment\n"/no/where"\n'})
    assert obstacle(Repo(far)) == "quoted alternates"


def test_alternates_that_lead_in_a_circle_come_to_an_end(repo: Repo) -> None:
    repo.write({".git/objects/info/alternates": f"{repo.path}/.git/objects\n../objects\n\0\n"})
    assert find_obstacle(open_repository(repo.path).git, repo.path / ".git") == ""


def test_what_libgit2_does_not_see_is_left_to_git_whatever_the_reason(repo: Repo) -> None:
    head = repo.git("rev-parse", "HEAD")
    alone = Library(Git(repo.path / ".git"))
    assert alone.sees(head)
    assert not alone.sees("1" * 40)
    assert not alone.sees("HEAD")
    assert not Library(Git(repo.path / "nothing")).sees(head)
