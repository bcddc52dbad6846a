"""What a person wants moved is moved as a whole or not at all, also when the command is killed in the middle."""

import os
import re
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.app.acceptance import accept
from bot.app.cleaning import clean
from bot.app.finished import full_ref, open_finished
from bot.app.moving import carry_out, move, settle
from bot.app.perform import render
from bot.app.redoing import redo
from bot.app.undoing import undo
from bot.core.branches import Made, Place
from bot.core.event import Published, Redone, Undone
from bot.errors import GitFailed, UsageError
from bot.git import written
from bot.git.intent import PREFIX, announce, read_intent
from bot.git.record import append_events
from bot.git.repository import open_repository
from bot.git.shift import files_stand_at
from bot.git.workspace import open_workspace
from tests.app.walk import STEPS, Walk, copy_walk, make_project, make_walk
from tests.conftest import Repo, make_repo


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    return make_walk(make_project(tmp_path_factory.mktemp("made") / "repo"), STEPS)


@pytest.fixture
def walk(made: Walk, tmp_path: Path) -> Walk:
    return copy_walk(made, tmp_path / "repo")


def in_a_child_that_is_killed(act: Callable[[], None]) -> None:
    """Do something in a process that dies of it at once, as by `kill -9`."""
    child = os.fork()
    if not child:
        try:
            act()
        finally:
            os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL


def back(walk: Walk) -> Undone:
    """Say how an accepted run goes back to its first step."""
    one, two = walk.commits
    places = (
        Place(ref="refs/heads/main", before=two, after=one),
        Place(ref=f"refs/heads/{walk.branch}", before=two, after=one),
    )
    return Undone(at=time.time(), step=1, commit=one, where=("main", walk.branch), places=places)


def take_steps(walk: Walk, event: Undone, number: int) -> None:
    """Do the first parts of a move: announce it, move the files, the branch, the other branch, record it."""
    repository, first, second = walk.repository, *event.places
    here = full_ref(repository)
    parts: Sequence[Callable[[], object]] = (
        lambda: announce(repository, walk.run, event),
        lambda: walk.repo.git("read-tree", "-m", "-u", first.before, first.after),
        lambda: walk.repo.git("update-ref", first.ref, first.after, first.before),
        lambda: move(repository, second, here, "undo"),
        lambda: append_events(repository, walk.run, [event], render),
    )
    for part in parts[:number]:
        part()


@pytest.mark.parametrize(
    ("command", "number"),
    [*(("undo", number) for number in range(6)), ("redo", 1), ("redo", 3), ("clean", 1), ("clean", 4)],
)
def test_an_undo_that_was_killed_anywhere_is_finished_or_forgotten(walk: Walk, command: str, number: int) -> None:
    repo, event = walk.repo, back(walk)
    accept(repo.path, walk.run)
    repo.write({"mine": "m"})
    in_a_child_that_is_killed(lambda: take_steps(walk, event, number))
    begun = number >= 2
    match command:
        case "undo":
            undo(repo.path, f"{walk.run}:1")
            expected = 0
        case "redo" if begun:
            redo(repo.path, walk.run)
            expected = 2
        case "redo":
            with pytest.raises(UsageError, match="nothing to redo"):
                redo(repo.path, walk.run)
            expected = 2
        case _:
            clean(repo.path, force=False, dry_run=False)
            expected = 1 if begun else 2
    assert walk.live == [1, 2][:expected]
    assert (walk.tree("main"), repo.git("status", "--porcelain")) == (walk.tree_of(expected), "?? mine")
    assert repo.git("for-each-ref", PREFIX) == ""
    assert sum(isinstance(e, Undone) for e in walk.events) == int(begun) + (command == "undo")


def test_git_that_outlives_a_kill_is_waited_for_before_anything_is_decided(walk: Walk) -> None:
    repo = walk.repo
    accept(repo.path, walk.run)
    in_a_child_that_is_killed(lambda: take_steps(walk, back(walk), 1))
    lock, before = repo.path / ".git/index.lock", repo.git("for-each-ref")
    lock.touch()
    with pytest.raises(UsageError, match="index is still locked"):
        undo(repo.path, walk.run)
    assert repo.git("for-each-ref") == before
    lock.unlink()
    undo(repo.path, walk.run)
    assert (walk.live, repo.git("status", "--porcelain")) == ([1], "")


def test_a_move_that_somebody_makes_right_now_is_not_disturbed(walk: Walk) -> None:
    announce(walk.repository, walk.run, back(walk))
    before = walk.repo.git("for-each-ref")
    for command in (undo, redo, accept):
        with pytest.raises(UsageError, match="another command is moving"):
            command(walk.repo.path, walk.run)
    assert walk.repo.git("for-each-ref") == before


def test_what_was_begun_is_recognised_below_commits_of_the_person(walk: Walk) -> None:
    repo, event = walk.repo, back(walk)
    accept(repo.path, walk.run)
    in_a_child_that_is_killed(lambda: take_steps(walk, event, 3))
    mine = repo.commit({"mine": "m"}, "mine")
    settle(walk.repository, walk.run)
    assert (walk.live, walk.at("main"), walk.at(walk.branch)) == ([1], mine, walk.commits[0])


def test_a_move_that_was_begun_in_another_folder_is_told_of(walk: Walk, tmp_path: Path) -> None:
    repo, event = walk.repo, back(walk)
    accept(repo.path, walk.run)
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"), walk.base)
    in_a_child_that_is_killed(lambda: take_steps(walk, event, 2))
    with pytest.raises(UsageError, match="was interrupted in") as caught:
        undo(tmp_path / "side", walk.run)
    assert str(repo.path) in caught.value.message
    assert "first" not in clean(tmp_path / "side", force=True, dry_run=False).text
    undo(repo.path, f"{walk.run}:1")
    assert walk.live == []


def test_an_intent_that_a_stranger_made_up_for_this_very_folder_moves_nothing(walk: Walk) -> None:
    repo = walk.repo
    accept(repo.path, walk.run)
    in_a_child_that_is_killed(lambda: take_steps(walk, back(walk), 3))
    begun = repo.git("rev-parse", PREFIX + walk.run)
    assert read_intent(walk.repository, walk.run) is not None
    written.forget(walk.repository, f"{PREFIX}{walk.run} {begun}")
    before = repo.git("for-each-ref", "refs/heads")
    assert read_intent(walk.repository, walk.run) is None, "nothing here tells that it was begun here"
    settle(walk.repository, walk.run)
    assert (repo.git("for-each-ref", "refs/heads"), repo.git("for-each-ref", PREFIX)) == (before, "")


def test_an_intent_from_another_clone_is_forgotten(walk: Walk, tmp_path: Path) -> None:
    in_a_child_that_is_killed(lambda: announce(walk.repository, walk.run, back(walk)))
    clone = Repo(tmp_path / "clone")
    walk.repo.git("clone", "-q", str(walk.repo.path), str(clone.path))
    clone.git("fetch", "-q", "origin", "refs/agent/*:refs/agent/*")
    assert clone.git("for-each-ref", PREFIX) != ""
    accept(clone.path, walk.run)
    assert clone.git("for-each-ref", PREFIX) == ""
    assert clone.git("rev-parse", "HEAD^{tree}") == walk.tree_of(2)


def test_an_accept_that_was_killed_is_recorded_once(walk: Walk) -> None:
    repo = walk.repo
    made = tuple(Made(step=number, commit=commit) for number, commit in enumerate(walk.commits, 1))
    place = Place(ref="refs/heads/main", before=walk.base, after=walk.commits[1], made=made)
    event = Published(at=time.time(), where="main (fast-forward)", commit=walk.commits[1], places=(place,))

    def die() -> None:
        announce(walk.repository, walk.run, event)
        repo.git("merge", "-q", "--ff-only", walk.branch)

    in_a_child_that_is_killed(die)
    assert "is part of main already" in accept(repo.path, walk.run)
    assert walk.events[-1] == event


def test_a_second_place_that_cannot_be_moved_moves_the_first_one_back(walk: Walk) -> None:
    repo, event = walk.repo, back(walk)
    accept(repo.path, walk.run)
    finished = open_finished(walk.repository, walk.run)
    first, second = event.places
    late = event.model_copy(update={"places": (first, second.model_copy(update={"before": walk.base}))})
    with pytest.raises(GitFailed, match="moved"):
        carry_out(finished, late)
    assert (walk.at("main"), walk.tree("main"), repo.git("status", "--porcelain")) == (
        walk.commits[1],
        walk.tree_of(2),
        "",
    )
    assert (walk.live, repo.git("for-each-ref", PREFIX)) == ([1, 2], "")


def test_whether_the_files_stand_there_already_is_read_from_the_index(walk: Walk) -> None:
    repo, (one, two) = walk.repo, walk.commits
    accept(repo.path, walk.run)
    assert files_stand_at(walk.repository, one, two)
    assert not files_stand_at(walk.repository, two, one)
    repo.git("read-tree", "-m", "-u", two, one)
    assert files_stand_at(walk.repository, two, one)


FOUR = (
    {"a": b"1\n", "new/x": b"x\n"},
    {"b": None, "c": b"c\n"},
    {"a": b"1\n2\n", "new/x": None},
    {"b": b"b again\n", "d": b"d\n"},
)
ACTS = st.lists(st.sampled_from(["undo", "undo", "undo:1", "undo:2", "undo:3", "redo", "redo", "accept"]), max_size=7)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    repo = make_repo(tmp_path_factory.mktemp("four") / "repo")
    repo.commit({"a": "0\n", "b": "b\n", "f": "f\n"})
    walk = make_walk(repo, FOUR)
    repo.write({"f": "mine\n", "mine": "m"})
    repo.git("tag", "start", "main")
    repo.git("update-ref", "refs/kept", f"refs/agent/runs/{walk.run}")
    return walk


def start_again(walk: Walk) -> None:
    """Lay everything as it was before anything was undone."""
    repo = walk.repo
    repo.git("read-tree", "-m", "-u", "main", "start")
    repo.git("update-ref", "refs/heads/main", "start")
    repo.git("update-ref", f"refs/heads/{walk.branch}", walk.commits[-1])
    repo.git("update-ref", f"refs/agent/runs/{walk.run}", "refs/kept")
    written.note(walk.repository, f"refs/agent/runs/{walk.run}", walk.at("refs/kept"))


@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=ACTS)
def test_any_walk_back_and_forth_gives_the_trees_of_the_lineage(kept: Walk, acts: list[str]) -> None:
    repo = kept.repo
    start_again(kept)
    taken = False
    for act in acts:
        name, _, step = act.partition(":")
        command = {"undo": undo, "redo": redo, "accept": accept}[name]
        live = kept.live
        refusal = ""
        try:
            command(repo.path, f"{kept.run}:{step}" if step else kept.run)
            taken = taken or name == "accept"
        except UsageError as error:
            refusal = error.message
        assert not refusal or kept.live == live
        assert re.search("^$|nothing to redo|no step|no verified commit", refusal)
        here = kept.live[-1] if kept.live else 0
        assert kept.tree(f"refs/heads/{kept.branch}") == kept.tree_of(here)
        if name == "accept" and taken and kept.live:
            assert kept.tree("main") == kept.tree_of(here)
        assert ((repo.path / "f").read_text(), (repo.path / "mine").read_text()) == ("mine\n", "m")
        assert repo.git("status", "--porcelain") == " M f\n?? mine"
    assert repo.git("fsck", "--no-dangling", "--connectivity-only") == ""
    assert not isinstance(kept.events[-1], Redone | Undone) or kept.events[-1].places
    assert read_intent(open_repository(repo.path), kept.run) is None


def die_in_the_worktree(walk: Walk) -> None:
    """Be killed when all is recorded, before the worktree is taken away."""
    tip = walk.commits[1]
    with open_workspace(walk.repository, base=walk.base, run=walk.run, branch=walk.branch, at=tip):
        os.kill(os.getpid(), signal.SIGKILL)


def test_the_worktree_of_a_run_that_died_is_in_nobodys_way(walk: Walk) -> None:
    repo = walk.repo
    in_a_child_that_is_killed(lambda: die_in_the_worktree(walk))
    assert walk.repository.place_of(walk.branch)
    told = clean(repo.path, force=True, dry_run=True)
    assert (told.kept, f"branch {walk.branch}" in told.removed) == ((), True)
    undo(repo.path, walk.run)
    assert (walk.live, walk.at(walk.branch)) == ([1], walk.commits[0])
    assert repo.git("worktree", "list").count("\n") == 0
