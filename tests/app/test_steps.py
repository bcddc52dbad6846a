"""Taking, undoing and tidying up: what a person does with a finished run."""

import os
from pathlib import Path

import pytest

from bot.app.cleaning import Cleaned
from bot.core.report import Report
from bot.git.repository import open_repository
from bot.git.results import GitShelf
from tests.conftest import Repo
from tests.product import FINISH, agent, calls, checkpoint, edit, once, script

TWO_STEPS = (
    calls(edit("a - b", "a + b"), checkpoint("Add adds")),
    calls(edit("def add(a, b):", "def add(a, b):  # sums"), checkpoint("Say what it does")),
    calls(FINISH),
)


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def done(repo: Repo, tmp_path: Path, kept: Path) -> Report:
    """A run of two verified steps."""

    # In the place of the project's tests, whatever command asks for them
    repo.git("config", "agent.check.pytest.command", "grep -q 'a + b' calc.py")

    def make() -> Report:
        ran = agent(repo, "fix", "make add add", "--json", "--model", script(tmp_path / "s", *TWO_STEPS))
        assert ran.code == 0, ran.err
        return ran.report

    return once(repo, kept, make)


def test_accept_moves_the_branch_and_the_files_forward(repo: Repo, done: Report) -> None:
    ran = agent(repo, "accept", done.run)
    assert ran.code == 0, ran.err
    assert repo.git("rev-parse", "main") == done.tip
    assert repo.git("status", "--porcelain") == ""
    assert "a + b" in (repo.path / "calc.py").read_text()
    assert "already" in agent(repo, "accept", done.run).out


def test_accept_refuses_to_overwrite_uncommitted_work_and_names_it(repo: Repo, done: Report) -> None:
    repo.write({"calc.py": "mine\n"})
    before = repo.state()
    ran = agent(repo, "accept", done.run)
    assert ran.code == 2
    assert "calc.py" in ran.err
    assert repo.state() == before


def test_accept_on_a_moved_branch_makes_the_commits_again_and_proves_them(repo: Repo, done: Report) -> None:
    moved = repo.commit({"other.py": "X = 1\n"}, "meanwhile")
    ran = agent(repo, "accept", done.run)
    assert ran.code == 0, ran.err
    assert "verified again" in ran.out
    assert repo.git("log", "--format=%s", f"{moved}..main").splitlines() == ["Say what it does", "Add adds"]
    assert agent(repo, "verify", f"{moved}..main").code == 0
    assert repo.git("branch", "--list", "agent/accept*") == ""


def test_accept_stops_at_a_conflict_and_takes_nothing(repo: Repo, done: Report) -> None:
    repo.commit({"calc.py": "def add(a, b):\n    return sum((a, -b))\n"}, "meanwhile")
    before, refs = repo.state(), repo.git("for-each-ref")
    ran = agent(repo, "accept", done.run)
    assert ran.code == 2
    assert "calc.py" in ran.err
    assert (repo.state(), repo.git("for-each-ref")) == (before, refs)


def test_undo_and_redo_go_step_by_step_and_keep_the_record(repo: Repo, done: Report) -> None:
    first, second = (step.commit for step in done.steps)
    assert agent(repo, "undo", done.run).code == 0
    assert repo.git("rev-parse", done.branch) == first
    told = Report.model_validate_json(agent(repo, "show", done.run, "--json").out)
    assert [step.undone for step in told.steps] == [False, True]
    assert (told.tip, told.outcome) == (first, "verified")
    assert agent(repo, "undo", done.run).code == 0
    assert repo.git("rev-parse", done.branch) == done.base
    repo.git("gc", "--prune=now", "-q")
    assert repo.git("cat-file", "-t", second) == "commit"
    nothing = agent(repo, "undo", done.run)
    assert (nothing.code, nothing.err.count("\n")) == (2, 1)
    assert agent(repo, "redo", done.run).code == 0
    told = Report.model_validate_json(agent(repo, "redo", done.run, "--json").out)
    assert (told.tip, [step.undone for step in told.steps]) == (done.tip, [False, False])
    nothing = agent(repo, "redo", done.run)
    assert (nothing.code, nothing.err.count("\n")) == (2, 1)
    assert "nothing to redo" in nothing.err


@pytest.mark.parametrize("spec", [":9", ":x"])
def test_undo_refuses_steps_that_do_not_exist(repo: Repo, done: Report, spec: str) -> None:
    ran = agent(repo, "undo", done.run + spec)
    assert ran.code == 2
    assert repo.git("rev-parse", done.branch) == done.tip


def test_a_record_that_lies_about_its_branch_moves_and_deletes_nothing(repo: Repo, done: Report) -> None:
    repo.git("branch", "release", done.tip)
    trace = repo.git("cat-file", "blob", f"refs/agent/runs/{done.run}:trace.jsonl")
    repo.write({"lie": trace.replace(done.branch, "release") + "\n"})
    blob = repo.git("hash-object", "-w", "lie")
    repo.write({"index": b""})
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},trace.jsonl")
    lie = repo.git("commit-tree", repo.git("write-tree"), "-m", "lie")
    repo.git("update-ref", f"refs/agent/runs/{done.run}", lie)
    repo.git("reset", "-q", "--hard")
    assert "release" not in agent(repo, "clean", "--force").out
    assert agent(repo, "undo", done.run).code == 2
    assert repo.git("rev-parse", "release") == done.tip


def test_what_moved_is_told_as_the_report_in_json(repo: Repo, done: Report) -> None:
    back = Report.model_validate_json(agent(repo, "undo", done.run, "--json").out)
    assert (back.tip, back.steps[1].undone) == (done.steps[0].commit, True)
    taken = Report.model_validate_json(agent(repo, "accept", done.run, "--json").out)
    assert repo.git("rev-parse", "main") == taken.tip
    cleaned = Cleaned.model_validate_json(agent(repo, "clean", "--json").out)
    assert cleaned.removed == (f"branch {done.branch}",)


def test_clean_removes_results_of_days_past_and_says_how_much(repo: Repo) -> None:
    shelf = GitShelf(open_repository(repo.path))
    for key in ("a", "b", "c"):
        shelf.put(key, b"x" * 100_000)
    assert "3 kept results, 0.3 MB" in agent(repo, "doctor").out
    for path in sorted(shelf.folder.iterdir())[:2]:
        os.utime(path, (1_700_000_000, 1_700_000_000))
    assert agent(repo, "clean", "--dry-run").out == "would remove 2 kept results, 0.2 MB, older than a day\n"
    assert agent(repo, "clean").out == "removed 2 kept results, 0.2 MB, older than a day\n"
    assert agent(repo, "clean").out == "nothing to remove\n"
    assert shelf.count().number == 1
