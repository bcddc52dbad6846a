"""What was written here is told from what was fetched."""

from pathlib import Path

import pytest

from bot.core.change import ChangeSet
from bot.core.check import Verdict
from bot.core.event import Reviewed
from bot.git import written
from bot.git.repository import open_repository
from bot.git.runs import is_from_here
from tests.conftest import Repo, make_repo
from tests.git.past import DONE, REF, RUN, folder, kill, live_through, record_all


def is_here(repo: Repo) -> bool:
    return is_from_here(open_repository(repo.path), RUN)


def fetched(repo: Repo, path: Path) -> Repo:
    """Make a repository that has nothing of another one but the runs."""
    other = make_repo(path)
    other.commit({"own.txt": "own\n"})
    other.git("fetch", "-q", str(repo.path), "refs/agent/*:refs/agent/*")
    return other


def test_a_record_is_ours_where_it_was_written_and_nowhere_else(repo: Repo, tmp_path: Path) -> None:
    record_all(repo, (*live_through(repo), *DONE))
    assert is_here(repo)
    other = fetched(repo, tmp_path / "other")
    assert not is_here(other)
    ref = record_all(other, DONE[-1:], resume=True)
    assert not ref.own, "what is added to a stranger's record makes it no more ours"
    assert not is_here(other)
    repo.git("fetch", "-q", str(other.path), "refs/agent/*:refs/agent/*")
    assert not is_here(repo), "somebody else had a hand in it"


def test_a_record_of_ours_stays_ours_when_its_process_dies(repo: Repo) -> None:
    past = live_through(repo)
    kill(record_all(repo, past))
    assert is_here(repo)
    (folder(repo) / "trace.jsonl").unlink()
    assert is_here(repo), "the ref is as it was left"
    repo.git("update-ref", REF, repo.git("commit-tree", f"{REF}^{{tree}}", "-p", REF, "-m", "another"))
    assert not is_here(repo)


def test_a_journal_with_a_strangers_record_in_it_does_not_make_that_ours(repo: Repo, tmp_path: Path) -> None:
    record_all(repo, (*live_through(repo), *DONE))
    other = fetched(repo, tmp_path / "other")
    with record_all(other, (), resume=True) as ref:
        kill(ref)
        ref._journal = None
    assert (folder(other) / "trace.jsonl").exists()
    assert not is_here(other)


@pytest.mark.parametrize("step", [0, 2])
def test_what_was_judged_again_here_is_ours_whatever_was_found(repo: Repo, tmp_path: Path, step: int) -> None:
    past = live_through(repo)
    record_all(repo, (*past, *DONE))
    other = fetched(repo, tmp_path / "other")
    base = repo.git("rev-parse", "HEAD")
    said = Reviewed(
        step=step, commit=base, verdict=Verdict(tree=base), change=ChangeSet(base=base, tree=base, patch="")
    )
    record_all(other, (said, *DONE), resume=True)
    assert is_here(other)


def test_notes_of_refs_that_are_gone_are_dropped(repo: Repo) -> None:
    repository = open_repository(repo.path)
    for ref in ("refs/agent/runs/a", "refs/agent/runs/b"):
        written.note(repository, ref, "1" * 40)
    written.forget_others(repository, ["refs/agent/runs/a"])
    assert written.recall(repository, "refs/agent/runs/a") == "1" * 40
    assert written.recall(repository, "refs/agent/runs/b") == ""
    written.forget(repository, "refs/agent/runs/a")
    written.forget_others(repository, [])
    assert not (repo.path / ".git/git-agent").exists()


def test_a_note_that_cannot_be_written_costs_no_more_than_trust(repo: Repo) -> None:
    (repo.path / ".git/git-agent").write_text("in the way")
    record_all(repo, (*live_through(repo), *DONE))
    assert not is_here(repo)
