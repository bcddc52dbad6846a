"""Taking a run: only what counts, only where nothing of the person's is in the way, judged where the base moved."""

from dataclasses import replace
from pathlib import Path

import pytest

from bot.app.acceptance import accept
from bot.app.cleaning import clean
from bot.app.finished import open_finished
from bot.app.perform import render
from bot.app.redoing import redo
from bot.app.undoing import undo
from bot.core.event import Baselined, Ended, Published, Resumed, Reviewed
from bot.core.trailers import SNAPSHOT
from bot.errors import UsageError
from bot.git.audit import changes
from bot.git.record import append_events
from tests.app.walk import STEPS, Walk, copy_walk, judged, make_project, make_walk
from tests.conftest import Repo, make_repo


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    return make_walk(make_project(tmp_path_factory.mktemp("made") / "repo"), STEPS)


@pytest.fixture
def walk(made: Walk, tmp_path: Path) -> Walk:
    return copy_walk(made, tmp_path / "repo")


def test_only_the_steps_that_count_are_taken_and_the_rest_after_a_redo(walk: Walk) -> None:
    repo = walk.repo
    undo(repo.path, walk.run)
    assert "fast-forward" in accept(repo.path, walk.run)
    assert (walk.at("main"), repo.git("status", "--porcelain")) == (walk.commits[0], "")
    redo(repo.path, walk.run)
    assert walk.at("main") == walk.commits[0]
    accept(repo.path, walk.run)
    assert walk.at("main") == walk.commits[1]
    assert "already" in accept(repo.path, walk.run)
    taken = [event for event in walk.events if isinstance(event, Published)]
    assert [[made.step for made in event.places[0].made] for event in taken] == [[1], [2]]


def test_the_rest_follows_by_cherry_pick_where_the_first_step_came_so(walk: Walk) -> None:
    repo = walk.repo
    same = repo.git("commit-tree", walk.tree_of(0), "-p", walk.base, "-m", "only the message")
    repo.git("reset", "-q", "--hard", same)
    undo(repo.path, walk.run)
    accept(repo.path, walk.run)
    redo(repo.path, walk.run)
    accept(repo.path, walk.run)
    assert repo.git("log", "--format=%s", f"{same}..main").splitlines() == ["Step 2", "Step 1"]
    assert walk.tree("main") == walk.tree_of(2)
    assert "already" in accept(repo.path, walk.run)


def test_what_is_there_already_by_other_commits_is_not_made_again(walk: Walk) -> None:
    repo = walk.repo
    repo.git("read-tree", "-m", "-u", "HEAD", walk.commits[1])
    mine = repo.git("commit-tree", walk.tree_of(2), "-p", walk.base, "-m", "by hand")
    repo.git("update-ref", "refs/heads/main", mine)
    assert "by other commits" in accept(repo.path, walk.run)
    assert (walk.at("main"), repo.git("status", "--porcelain")) == (mine, "")
    # It was no step of the run's that is undone there, so the person's commit stays
    undo(repo.path, walk.run)
    assert walk.at("main") == mine


def test_an_operation_in_progress_stops_it_before_anything_is_tried(walk: Walk) -> None:
    (walk.repo.path / ".git/MERGE_HEAD").write_text(walk.base + "\n")
    with pytest.raises(UsageError, match="merge is in progress"):
        accept(walk.repo.path, walk.run)
    assert walk.at("main") == walk.base


def test_a_run_without_a_step_that_counts_is_not_taken(walk: Walk) -> None:
    undo(walk.repo.path, f"{walk.run}:1")
    with pytest.raises(UsageError, match="no verified commit to take"):
        accept(walk.repo.path, walk.run)


def test_dirty_submodules_and_files_elsewhere_stay_as_they_are(tmp_path: Path) -> None:
    inner = make_project(tmp_path / "inner")
    repo = make_project(tmp_path / "repo")
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "sub")
    repo.commit({}, "a submodule")
    walk = make_walk(repo, STEPS)
    Repo(repo.path / "sub").write({"far": "dirty\n", "mine": "m"})
    repo.git("config", "submodule.recurse", "true")
    accept(repo.path, walk.run)
    undo(repo.path, walk.run)
    assert repo.git("status", "--porcelain") == " M sub"
    assert (repo.path / "sub/far").read_text() == "dirty\n"
    assert (repo.path / "sub/mine").exists()


def test_a_branch_that_was_cleaned_away_is_still_taken_and_gone_back_over(walk: Walk) -> None:
    repo = walk.repo
    clean(repo.path, force=True, dry_run=False)
    assert repo.git("branch", "--list", "agent/*") == ""
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    accept(repo.path, walk.run)
    undo(repo.path, walk.run)
    assert (walk.at("main"), walk.live) == (walk.commits[0], [1])
    redo(repo.path, walk.run)
    assert (walk.at("main"), walk.live) == (walk.commits[1], [1, 2])


@pytest.fixture
def uncommitted(tmp_path: Path) -> Walk:
    """A run that started from uncommitted work: its first step edits a file that the person changed."""
    repo = make_project(tmp_path / "repo")
    repo.write({"far": (repo.path / "far").read_text() + "mine\n", "notes": "n\n"})
    repo.git("add", "-A")
    snapshot = repo.git("commit-tree", repo.git("write-tree"), "-p", "HEAD", "-m", f"snapshot\n\n{SNAPSHOT}: yes\n")
    repo.git("reset", "-q")
    return make_walk(repo, (*STEPS, {"notes": b"n\nand more\n"}), base=snapshot)


def test_of_a_run_that_started_from_uncommitted_work_only_the_steps_are_taken(uncommitted: Walk) -> None:
    repo = uncommitted.repo
    undo(repo.path, uncommitted.run)
    before = repo.git("status", "--porcelain")
    told = accept(repo.path, uncommitted.run)
    assert "cherry-pick, verified again" in told
    assert repo.git("log", "--format=%s", "main").splitlines() == ["Step 2", "Step 1", "a small project"]
    assert repo.git("status", "--porcelain") == before == " M far\n?? notes"


def test_where_the_uncommitted_work_is_needed_that_is_said(uncommitted: Walk) -> None:
    repo = uncommitted.repo
    state = repo.state()[:5]
    with pytest.raises(UsageError, match="notes") as caught:
        accept(repo.path, uncommitted.run)
    assert "started from your uncommitted work: commit that, then accept again" in caught.value.hint
    assert repo.state()[:5] == state
    mine = repo.commit({}, "mine")
    assert "of the same files as verified" in accept(repo.path, uncommitted.run)
    assert repo.git("rev-parse", "main~3") == mine
    assert uncommitted.tree("main") == uncommitted.tree_of(3)


@pytest.mark.parametrize("good", [True, False])
@pytest.mark.parametrize("moved", [True, False])
def test_steps_that_were_verified_elsewhere_are_judged_here_before_they_are_taken(
    tmp_path: Path,
    good: bool,  # noqa: FBT001
    moved: bool,  # noqa: FBT001
) -> None:
    there = make_repo(tmp_path / "there")
    there.commit({"calc.py": "x = 1\n"})
    here = make_repo(tmp_path / "here")
    here.git("pull", "-q", str(there.path), "main")
    walk = make_walk(there, ({"calc.py": b"x = 2\n" if good else b"x = (\n"},))
    here.git("fetch", "-q", str(there.path), "refs/agent/*:refs/agent/*")
    stood = here.commit({"mine": "mine\n"}) if moved else walk.base
    if good:
        assert "verified again" in accept(here.path, walk.run)
        assert (here.path / "calc.py").read_text() == "x = 2\n"
        assert "back at its base" in undo(here.path, walk.run) or moved
    else:
        with pytest.raises(UsageError, match="nothing was changed"):
            accept(here.path, walk.run)
    assert here.git("rev-parse", "main") == stood


def test_steps_that_were_judged_again_only_together_are_not_known_one_by_one(tmp_path: Path) -> None:
    there = make_repo(tmp_path / "there")
    there.commit({"calc.py": "x = 1\n"})
    walk = make_walk(there, ({"calc.py": b"x = (\n"}, {"calc.py": b"x = 2\n"}))
    here = make_repo(tmp_path / "here")
    here.git("pull", "-q", str(there.path), "main")
    here.git("fetch", "-q", str(there.path), "refs/agent/*:refs/agent/*")
    here.git("branch", walk.branch, walk.commits[1])
    fetched = replace(walk, repo=here)
    together = Reviewed(
        step=2,
        commit=walk.commits[1],
        verdict=judged(walk.tree_of(2)),
        change=changes(walk.repository, walk.base, walk.commits[1]),
    )
    again = Resumed(commit=walk.commits[1], anew="nothing tells that its record was made here")
    taken_up = (again, Baselined(verdict=judged(walk.tree_of(0))), together, Ended(stop="done"))
    append_events(fetched.repository, walk.run, taken_up, render)
    known = open_finished(fetched.repository, walk.run)
    assert (known.own, set(known.known)) == (True, {walk.tree_of(0), walk.tree_of(2)})
    undo(here.path, walk.run)
    assert not open_finished(fetched.repository, walk.run).own
    with pytest.raises(UsageError, match="step 1 does not hold"):
        accept(here.path, walk.run)
