"""What a person may call commits, and which commits that makes."""

from pathlib import Path

import pytest

from bot.app.proving.target import Target, find_target
from bot.errors import UsageError
from bot.git.repository import open_repository
from tests.conftest import Repo


def target(repo: Repo, what: str, *, root: bool = False, tip: bool = False) -> Target:
    return find_target(open_repository(repo.path), what, root=root, tip=tip)


def commits(found: Target) -> list[str]:
    return [listed.commit for listed in found.commits]


def test_range_and_branch_start_where_they_leave_the_other_side(repo: Repo) -> None:
    base = repo.git("rev-parse", "HEAD")
    repo.git("checkout", "-q", "-b", "topic")
    first, second = repo.commit({"a": "1"}), repo.commit({"a": "2"})
    repo.git("checkout", "-q", "main")
    ahead = repo.commit({"b": "1"}, "main goes on")
    for what in ("main..topic", "topic", "..topic"):
        found = target(repo, what)
        assert (found.base, commits(found)) == (base, [first, second])
    # What main gained meanwhile is not missing from topic
    assert target(repo, "main..topic").notes == (f"held against {base[:10]}, where these commits leave {ahead[:10]}",)


def test_tip_alone_is_held_against_the_base_of_all(repo: Repo) -> None:
    base = repo.git("rev-parse", "HEAD")
    repo.commit({"a": "1"})
    last = repo.commit({"a": "2"})
    found = target(repo, f"{base}..HEAD", tip=True)
    assert (found.base, commits(found)) == (base, [last])


def test_merge_is_one_commit_after_its_first_parent(repo: Repo) -> None:
    base = repo.git("rev-parse", "HEAD")
    repo.git("checkout", "-q", "-b", "topic")
    side = repo.commit({"a": "1"})
    repo.git("checkout", "-q", "main")
    own = repo.commit({"b": "1"})
    repo.git("merge", "-q", "--no-ff", "--no-gpg-sign", "-m", "merge", "topic")
    found = target(repo, f"{base}..HEAD")
    assert commits(found) == [own, repo.git("rev-parse", "HEAD")]
    assert found.commits[1].parents == (own, side)


def test_very_first_commit_needs_to_be_asked_for(repo: Repo) -> None:
    first = repo.git("rev-parse", "HEAD")
    second = repo.commit({"a": "1"})
    repo.git("checkout", "-q", "--orphan", "other")
    lone = repo.commit({"b": "1"})
    with pytest.raises(UsageError, match="is a very first commit") as caught:
        target(repo, "main..other")
    assert "--root" in caught.value.hint
    found = target(repo, "main", root=True)
    assert (found.base, commits(found)) == ("", [first, second])
    assert commits(target(repo, "main..other", root=True)) == [lone]
    with pytest.raises(UsageError, match="no commit in common"):
        target(repo, "main")


def test_end_of_a_shallow_clone_is_no_beginning(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"a": "1"})
    repo.git("clone", "-q", "--depth=1", repo.path.as_uri(), str(tmp_path / "clone"))
    clone = Repo(tmp_path / "clone")
    for root in (True, False):
        with pytest.raises(UsageError, match="HEAD~1" if not root else "the clone is shallow"):
            target(clone, "HEAD" if root else "HEAD~1..HEAD", root=root)


def test_branch_wins_over_a_pull_request_of_the_same_name(repo: Repo) -> None:
    repo.git("checkout", "-q", "-b", "pr/12")
    own = repo.commit({"a": "1"})
    repo.git("checkout", "-q", "main")
    assert commits(target(repo, "pr/12")) == [own]
    with pytest.raises(UsageError, match="no remote to fetch a pull request from"):
        target(repo, "pr/13")


def test_pull_request_is_proved_from_where_it_leaves_the_default_branch(repo: Repo, tmp_path: Path) -> None:
    repo.git("clone", "-q", "--bare", str(repo.path), str(tmp_path / "bare"))
    base = repo.git("rev-parse", "HEAD")
    first, second = repo.commit({"a": "1"}), repo.commit({"a": "2"})
    repo.git("push", "-q", str(tmp_path / "bare"), "HEAD:refs/pull/3/head")
    repo.git("reset", "-q", "--hard", base)
    repo.git("remote", "add", "origin", str(tmp_path / "bare"))
    found = target(repo, "#3")
    assert (found.base, commits(found)) == (base, [first, second])
    assert found.words == "pull request 3 of origin, against its main"


@pytest.mark.parametrize("what", ["HEAD..HEAD", "nowhere", "main", "a...b", "..", "", "-x", "..-x", "#0"])
def test_what_names_no_commit_is_refused(repo: Repo, what: str) -> None:
    with pytest.raises(UsageError) as caught:
        target(repo, what)
    assert "\n" not in caught.value.message
