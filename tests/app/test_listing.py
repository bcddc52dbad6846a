"""Runs in a list: what they came to, whether they live, whether their steps were taken."""

from collections.abc import Sequence

from bot.app.listing import WORTH, RunLine, list_lines
from bot.core.branches import Made, Place
from bot.core.event import Ended, Event, Published, Resumed, Started, Undone
from bot.git.record import RunRef
from bot.git.repository import open_repository
from bot.git.results import GitShelf
from tests.conftest import Repo
from tests.git.past import live_through, render

END = Ended(stop="done")


def keep(repo: Repo, events: Sequence[Event], run: str = "r1") -> RunRef:
    first = events[0]
    assert isinstance(first, Started)
    ref = RunRef(open_repository(repo.path), run, render)
    for event in (first.model_copy(update={"run": run}), *events[1:]):
        ref.record(event)
    return ref


def lines(repo: Repo) -> dict[str, RunLine]:
    return {line.run: line for line in list_lines(open_repository(repo.path)).runs}


def test_a_run_lives_dies_and_is_taken_up_again(repo: Repo) -> None:
    events = live_through(repo)
    ref = keep(repo, events[:11])
    assert (lines(repo)["r1"].state, lines(repo)["r1"].steps) == ("running", 2)
    assert ref._journal is not None
    ref._journal.leave()
    assert lines(repo)["r1"].state == "died"
    with RunRef(open_repository(repo.path), "r1", render, resume=True) as again:
        again.record(Ended(stop="interrupted"))
        assert (lines(repo)["r1"].state, lines(repo)["r1"].stop) == ("partial", "interrupted")
        again.record(Resumed(commit=repo.git("rev-parse", "HEAD")))
        assert lines(repo)["r1"].state == "running"
    assert lines(repo)["r1"].state == "died"


def test_what_was_undone_can_be_brought_back(repo: Repo) -> None:
    events = live_through(repo)
    base = repo.git("rev-parse", "HEAD")
    keep(repo, (*events[:11], END, Undone(step=0, commit=base)))
    assert (lines(repo)["r1"].steps, lines(repo)["r1"].redo) == (0, 2)


def test_steps_are_taken_when_head_holds_them_or_a_copy_of_them_that_was_not_taken_back(repo: Repo) -> None:
    events = live_through(repo)
    keep(repo, (*events[:11], END))
    assert not lines(repo)["r1"].taken
    copy, back = (repo.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-m", name) for name in ("copy", "back"))
    for commit, undone in ((copy, False), (back, True)):
        merged = repo.git("commit-tree", "HEAD^{tree}", "-p", "HEAD", "-p", commit, "-m", "merge")
        repo.git("update-ref", "refs/heads/main", merged)
        place = Place(ref="refs/heads/main", before="", after=commit, made=(Made(step=2, commit=commit, back=undone),))
        with RunRef(open_repository(repo.path), "r1", render, resume=True) as ref:
            ref.record(Published(where="main", commit=commit, places=(place,)))
        assert lines(repo)["r1"].taken is not undone
    keep(repo, (*events[:11], END), "r2")
    repo.git("merge", "-q", "--no-edit", "-s", "ours", lines(repo)["r2"].tip)
    assert lines(repo)["r2"].taken


def test_a_run_that_cannot_be_read_says_why_and_hides_no_other(repo: Repo) -> None:
    keep(repo, (live_through(repo)[0], END))
    repo.git("update-ref", "refs/agent/runs/r2", "refs/agent/runs/r1")
    repo.git("update-ref", "refs/agent/runs/r3", "HEAD")
    told = lines(repo)
    assert [told[run].state for run in ("r3", "r2", "r1")] == ["unreadable", "unreadable", "gave_up"]
    assert (told["r2"].why, "begin" in told["r3"].why) == ("the trace is the one of another run", True)


def test_many_runs_are_read_once_and_what_is_put_aside_holds_nothing_of_its_own(repo: Repo) -> None:
    events = live_through(repo)
    for number in range(WORTH):
        keep(repo, (*events[:11], END), f"r{number}")
    repository = open_repository(repo.path)
    first = lines(repo)
    assert GitShelf(repository).count().number == 1
    assert lines(repo) == first
    with RunRef(repository, "r0", render, resume=True) as ref:
        ref.record(Undone(step=0, commit=repo.git("rev-parse", "HEAD")))
    assert (lines(repo)["r0"].steps, lines(repo)["r1"].steps) == (0, 2)
    (shelved,) = GitShelf(repository).folder.iterdir()
    shelved.write_bytes(b"nonsense")
    assert lines(repo)["r1"] == first["r1"]
