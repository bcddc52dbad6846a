"""Tidying up takes what nobody needs and nothing else."""

import os
import time
from pathlib import Path

import pytest

from bot.app.acceptance import accept
from bot.app.cleaning import clean
from bot.app.redoing import redo
from bot.app.undoing import undo
from bot.core.event import Ended
from bot.core.summary import summarize
from bot.git.record import RunRef
from bot.git.repository import open_repository
from bot.git.runs import read_events
from tests.app.walk import STEPS, Walk, copy_walk, make_project, make_walk
from tests.conftest import Repo


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    return make_walk(make_project(tmp_path_factory.mktemp("made") / "repo"), STEPS)


@pytest.fixture
def walk(made: Walk, tmp_path: Path) -> Walk:
    return copy_walk(made, tmp_path / "repo")


def tidy(repo: Repo, *, force: bool = False, dry_run: bool = False) -> list[str]:
    return clean(repo.path, force=force, dry_run=dry_run).text.splitlines()


def test_a_branch_with_work_that_nobody_took_stays_unless_forced(walk: Walk) -> None:
    repo = walk.repo
    assert tidy(repo) == [
        "nothing to remove",
        f"kept {walk.branch}: its commits are not part of HEAD (--force deletes it)",
    ]
    assert tidy(repo, force=True, dry_run=True) == [f"would remove branch {walk.branch}"]
    assert walk.at(walk.branch) == walk.commits[1]
    assert tidy(repo, force=True) == [f"removed branch {walk.branch}"]
    assert tidy(repo, force=True) == ["nothing to remove"]


def test_a_branch_that_was_taken_by_cherry_pick_goes(walk: Walk) -> None:
    repo = walk.repo
    same = repo.git("commit-tree", walk.tree_of(0), "-p", walk.base, "-m", "only the message")
    repo.git("reset", "-q", "--hard", same)
    accept(repo.path, walk.run)
    assert tidy(repo) == [f"removed branch {walk.branch}"]


def test_a_branch_that_was_undone_to_its_base_goes_and_a_redo_has_all_of_it(walk: Walk) -> None:
    undo(walk.repo.path, f"{walk.run}:1")
    assert tidy(walk.repo) == [f"removed branch {walk.branch}"]
    redo(walk.repo.path, walk.run)
    assert walk.at(walk.branch) == walk.commits[1]


def test_the_time_of_a_dead_run_ends_with_the_last_that_is_known_of_it(tmp_path: Path) -> None:
    repo = make_project(tmp_path / "repo")
    walk = make_walk(repo, STEPS, end=False)
    last = walk.events[-1].at
    trace = repo.git("log", "--reverse", "--first-parent", "--format=%H", f"refs/agent/runs/{walk.run}").split()
    lines = [repo.git("cat-file", "blob", f"{entry}:trace.jsonl", check=False) for entry in trace]
    folder = repo.path / ".git/agent/runs" / walk.run
    folder.mkdir(parents=True)
    (folder / "trace.jsonl").write_text("".join(f"{text}\n" for text in lines if text))
    assert tidy(repo)[0] == f"removed journal of {walk.run}"
    end = walk.events[-1]
    assert isinstance(end, Ended)
    assert (end.at, end.stop) == (last, "interrupted")
    assert summarize(walk.events).usage.seconds < time.time() - walk.events[0].at
    assert not (repo.path / ".git/agent").exists()


def test_a_run_that_goes_on_is_left_alone(walk: Walk) -> None:
    with RunRef(walk.repository, walk.run, lambda _: "", resume=True):
        (walk.repo.path / f".git/refs/heads/{walk.branch}.lock").touch()
        os.utime(walk.repo.path / f".git/refs/heads/{walk.branch}.lock", (1_700_000_000, 1_700_000_000))
        assert tidy(walk.repo, force=True) == ["nothing to remove"]
    assert walk.at(walk.branch) == walk.commits[1]


def test_old_locks_at_refs_of_ours_go_and_no_others(walk: Walk) -> None:
    folder = walk.repo.path / ".git"
    ours = (f"refs/heads/{walk.branch}", f"refs/agent/runs/{walk.run}", f"refs/agent/moves/{walk.run}")
    locks = [folder / f"{ref}.lock" for ref in (*ours, "refs/heads/main")]
    for lock in locks:
        lock.parent.mkdir(exist_ok=True, parents=True)
        lock.touch()
        os.utime(lock, (1_700_000_000, 1_700_000_000))
    (folder / "index.lock").touch()
    told = tidy(walk.repo)
    assert sorted(told[:3]) == sorted(f"removed lock of {ref}" for ref in ours)
    assert [lock.exists() for lock in locks] == [False, False, False, True]
    assert (folder / "index.lock").exists()


def test_a_lock_that_a_kill_left_does_not_stop_an_undo(walk: Walk) -> None:
    lock = walk.repo.path / f".git/refs/agent/runs/{walk.run}.lock"
    lock.touch()
    os.utime(lock, (1_700_000_000, 1_700_000_000))
    undo(walk.repo.path, walk.run)
    assert walk.live == [1]


def test_one_run_that_cannot_be_read_keeps_nothing_else_from_being_tidied(walk: Walk) -> None:
    repo = walk.repo
    tree = repo.git("rev-parse", "main^{tree}")
    repo.git("update-ref", "refs/agent/runs/broken1", repo.git("commit-tree", tree, "-m", "no trace"))
    told = tidy(repo, force=True)
    assert f"removed branch {walk.branch}" in told
    assert [line for line in told if line.startswith("kept the branch of broken1: ")]
    assert read_events(open_repository(repo.path), walk.run)
