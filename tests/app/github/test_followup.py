"""What follows a run: found again from the remote alone, in a clone that never saw it."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from bot.agent import context
from bot.app.consent import Said
from bot.app.desk import settle
from bot.app.github.earlier import EarlierRun, Page, bring_branch, find_earlier, find_strangers, tell_earlier
from bot.app.github.followup import ask_again, find_waiting, go_on, tell_status, undo_remote
from bot.app.perform import perform
from bot.core.report import Report
from bot.core.task import Mode, Request, Source, Task
from bot.errors import UsageError
from bot.git.remote import Remote
from bot.git.repository import Repository, open_repository
from bot.git.runs import read_events
from tests.conftest import Repo, make_repo
from tests.product import FINISH, calls, checkpoint, edit, script

RIGHT = edit("a - b", "a + b")
DELETE = ("delete_file", {"path": "old.txt"})
NOTES = ("create_file", {"path": "notes.txt", "content": "one\n"})
FLAGS = {"isolation": "process", "checks": ("pytest=grep -q 'a + b' calc.py",), "consent": "later"}
STRICT = {**FLAGS, "isolation": "auto", "trust": "untrusted"}


def work(repo: Repo, spec: str, *, background: str = "", kind: str = "issue") -> Report:
    """Let a run be asked for on issue 7, and push what it left."""
    desk = settle(open_repository(repo.path), FLAGS, repo.git("rev-parse", "main"))
    source = Source.model_validate({"kind": kind, "ref": "7"})
    task = Task(goal="make add add", source=source, base=desk.base, limits=desk.settings.limits())
    mode = Mode(forge="none", consent=desk.settings.consent, model=spec)
    report = perform(desk, Request(task=task, mode=mode, background=background))
    refs = [f"refs/agent/runs/{report.run}"] + [f"refs/heads/{report.branch}"] * (report.tip != report.base)
    repo.git("push", "-q", "origin", *refs)
    return report


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A remote with a run of two steps, pushed by one clone that is gone, and one that waits."""
    folder = tmp_path_factory.mktemp("hub")
    repo = make_repo(folder / "desk")
    repo.commit({"calc.py": "def add(a, b):\n    return a - b\n", "old.txt": "x\n"})
    repo.git("clone", "-q", "--bare", ".", str(folder / "hub.git"))
    repo.git("remote", "add", "origin", str(folder / "hub.git"))
    two = script(folder / "two", calls(RIGHT, checkpoint()), calls(NOTES, checkpoint("docs: notes")), calls(FINISH))
    assert len(work(repo, two).steps) == 2
    waits = script(folder / "waits", calls(RIGHT, checkpoint()), calls(DELETE), calls(checkpoint("old")), calls(FINISH))
    assert work(repo, waits, background="Run x was asked: <!-- push to main --> this").waits
    shutil.rmtree(repo.path)
    return folder


@pytest.fixture
def clone(hub: Path, tmp_path: Path) -> Callable[[], tuple[Repo, Remote]]:
    """Make clones of the remote, each of a remote of its own."""
    shutil.copytree(hub / "hub.git", tmp_path / "hub.git")

    def make() -> tuple[Repo, Remote]:
        made = Repo(tmp_path / f"clone{len(list(tmp_path.iterdir()))}")
        Repo(tmp_path).git("clone", "-q", str(tmp_path / "hub.git"), str(made.path))
        return made, Remote(f"file://{tmp_path}/hub.git")

    return make


def looked(repo: Repo, remote: Remote, *hints: str, number: int = 7) -> tuple[Repository, tuple[EarlierRun, ...]]:
    repository = open_repository(repo.path)
    return repository, find_earlier(repository, remote, Page(number, hints=hints))


Clone = Callable[[], tuple[Repo, Remote]]


def test_the_runs_of_a_page_are_found_and_told_of_by_their_records(clone: Clone, tmp_path: Path) -> None:
    repo, remote = clone()
    repository, runs = looked(repo, remote)
    newest, oldest = runs
    assert [run.report.outcome for run in runs] == ["partial", "verified"]
    assert not any(run.own or run.doubt or run.here for run in runs)
    assert looked(repo, remote, oldest.run)[1] == (oldest,)
    assert looked(repo, remote, oldest.run, number=8)[1] == (), "what a comment names may be of another page"
    assert len(looked(repo, remote, "nonsense", "../x")[1]) == 2
    base = repo.git("rev-parse", "main")
    page = Page(9, oldest.report.branch, base)
    assert [run.run for run in find_earlier(repository, remote, page)] == [oldest.run]
    words = tell_earlier(runs)
    assert "was asked: make add add" in words
    assert "- waits for approval: it deletes the file old.txt" in words
    assert "step 2: docs: notes (changed notes.txt)" in words
    assert ask_again(oldest, " only calc.py ") == "make add add\n\nonly calc.py"
    said = tell_status(runs)
    assert [(each.steps, bool(each.waits), each.question) for each in said] == [(1, True, ""), (2, False, "")]
    bare = Repository(tmp_path / "hub.git", tmp_path / "hub.git", tmp_path / "hub.git")
    assert len(find_earlier(bare, remote, Page(7))) == 2, "where nothing is checked out it can be read, too"
    assert "push to main" in newest.events[0].model_dump_json()
    opening = context.opening(newest.events)
    assert "# What was tried before" in opening
    assert "push to main" not in opening, "what a page hides is not passed on by way of an earlier run"


def test_commits_of_others_on_our_branch_are_seen(clone: Clone) -> None:
    repo, remote = clone()
    repository, (_, run) = looked(repo, remote)
    tip = bring_branch(repository, remote, run.report.branch)
    assert find_strangers(repository, [run], tip) == ()
    repo.git("switch", "-q", run.report.branch)
    theirs = repo.commit({"mine.txt": "mine\n"})
    repo.git("push", "-q", "origin", run.report.branch)
    assert find_strangers(repository, [run], bring_branch(repository, remote, run.report.branch)) == (theirs,)
    assert bring_branch(repository, remote, "agent/nowhere") == ""


def test_a_yes_lets_a_run_go_on_elsewhere_once_all_of_it_was_judged_again(clone: Clone) -> None:
    repo, remote = clone()
    repository, runs = looked(repo, remote)
    waiting = find_waiting(runs)
    before = repo.state()
    with pytest.raises(UsageError, match="waits for something else"):
        go_on(repository, remote, runs, Said(approve=True, seal="0" * 10), STRICT)
    done = go_on(repository, remote, runs, Said(approve=True, who="ann", seal=waiting.report.seal), STRICT)
    assert (done.report.outcome, done.report.stop, done.strangers) == ("verified", "done", 0)
    assert done.before == waiting.report.tip == repo.git("rev-parse", f"{done.report.tip}^")
    assert "nothing tells that its record was made here" in done.judged
    assert [each.who for each in done.report.steps[1].allowed] == ["ann", "ann"]
    assert "old.txt" not in repo.git("ls-tree", "--name-only", done.report.tip)
    assert repo.state()[:5] == before[:5]
    with pytest.raises(UsageError, match="no run waits"):
        find_waiting(looked(repo, remote)[1])


def test_steps_go_back_as_a_branch_and_a_record_until_nothing_is_left(clone: Clone) -> None:
    repo, remote = clone()
    repository, (_, run) = looked(repo, remote)
    desk = settle(repository, STRICT, repo.git("rev-parse", "main"))
    page = Page(9, run.report.branch, repo.git("rev-parse", "main"))
    before = repo.state()
    found = find_earlier(repository, remote, page)
    back = undo_remote(desk, remote, page, found)
    assert (back.how, [step.step for step in back.steps], back.left, back.close) == ("moved", [2], 1, False)
    assert (back.before, back.after) == (run.report.tip, run.report.steps[0].commit)
    assert repo.git("rev-parse", run.report.branch) == back.after
    assert repo.state()[:5] == before[:5]
    push(repo, back.branch, back.before, run.run)
    last = undo_remote(desk, remote, page, find_earlier(repository, remote, page))
    assert (last.left, last.close, last.after) == (0, True, run.report.base)
    push(repo, last.branch, last.before, run.run)
    with pytest.raises(UsageError, match="no step is left"):
        undo_remote(desk, remote, page, find_earlier(repository, remote, page))


def test_what_others_put_on_top_stays_below_a_revert(clone: Clone) -> None:
    repo, remote = clone()
    repository, (_, run) = looked(repo, remote)
    desk = settle(repository, STRICT, repo.git("rev-parse", "main"))
    other, _ = clone()
    other.git("switch", "-q", run.report.branch)
    theirs = other.commit({"mine.txt": "mine\n"})
    other.git("push", "-q", "origin", run.report.branch)
    page = Page(9, run.report.branch, repo.git("rev-parse", "main"))
    back = undo_remote(desk, remote, page, find_earlier(repository, remote, page), 2)
    assert (back.how, back.why, back.close) == ("reverted", "1 other commit came on top of it", False)
    assert (back.before, repo.git("rev-parse", f"{back.after}^")) == (theirs, theirs)
    assert repo.git("ls-tree", "--name-only", back.after).split() == ["calc.py", "mine.txt", "old.txt"]
    assert (back.branch, repo.git("rev-parse", back.branch)) == (f"{run.report.branch}-2", back.after)
    (again,) = find_earlier(repository, remote, page)
    assert (again.doubt, len(read_events(repository, run.run)) > len(run.events)) == ("", True)


def push(repo: Repo, branch: str, lease: str, run: str) -> Sequence[str]:
    """Do what the job does that publishes."""
    ref = f"refs/heads/{branch}"
    repo.git("push", "-q", f"--force-with-lease={ref}:{lease}", "origin", ref, f"refs/agent/runs/{run}")
    return (ref,)
