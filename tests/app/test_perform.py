"""A task goes in, verified commits and a report come out; nothing of the person's is touched."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.agent.loop import Agent
from bot.app.assemble import Policy, make_agent
from bot.app.modelling import Chosen
from bot.app.perform import record
from bot.core.event import Ended, Event, Started
from bot.core.redact import Redactor
from bot.core.summary import summarize
from bot.core.task import Task
from bot.errors import Billed, Interrupted
from bot.git.repository import open_repository
from bot.git.runs import list_runs, read_events
from bot.models.scripted import ScriptedModel
from tests.conftest import Repo, make_repo
from tests.product import (
    FINISH,
    Running,
    agent,
    await_event,
    calls,
    checkpoint,
    edit,
    leftovers,
    run,
    script,
    start,
)
from tests.unfinished import half_finish

RIGHT = edit("a - b", "a + b")
WRONG = edit("a - b", "a * b")

QUICK = ("--check", "pytest=grep -q 'a + b' calc.py")
"""In the place of the project's tests, where a test of ours asks for nothing of theirs."""


def test_a_verified_change_is_committed_on_a_branch_of_its_own_and_says_what_was_proved(
    repo: Repo, tmp_path: Path
) -> None:
    lines = (calls(RIGHT, checkpoint()), calls(FINISH))
    ran = agent(repo, "fix", "make add add", "--json", "--model", script(tmp_path / "s", *lines))
    assert ran.code == 0, ran.err
    report = ran.report
    assert report.outcome == "verified"
    assert report.proof.red == report.proof.green == ("test_calc.py::test_add",)
    assert repo.git("rev-parse", report.branch) == report.tip == report.steps[0].commit
    assert repo.git("rev-parse", "main") == report.base
    assert repo.git("show", f"{report.branch}:calc.py") == "def add(a, b):\n    return a + b"
    assert leftovers(repo) == []
    trailers = repo.git("log", "-1", "--format=%(trailers:only,unfold)", report.tip).splitlines()
    assert f"Agent-Run: {report.run}" in trailers
    assert "Agent-Step: 1" in trailers
    assert f"Agent-Tree: {repo.git('rev-parse', report.tip + '^{tree}')}" in trailers
    assert any(line.startswith("Agent-Checks: ") and "pytest=passed(2)" in line for line in trailers)
    assert not any(line.startswith("Signed-off-by") for line in trailers)


@pytest.mark.parametrize(
    "lines",
    [
        (calls(RIGHT, checkpoint()), calls(FINISH)),
        (calls(WRONG, checkpoint()), calls(FINISH)),
        (calls(("read_file", {"path": "calc.py"})),),
    ],
    ids=["success", "failure", "no-change"],
)
def test_half_finished_work_is_byte_identical_afterwards(
    repo: Repo, tmp_path: Path, lines: tuple[dict[str, object], ...]
) -> None:
    half_finish(repo, tmp_path)
    before = repo.state()
    ran = agent(repo, "fix", "x", *QUICK, "--model", script(tmp_path / "s", *lines))
    assert ran.code in (0, 1), ran.err
    assert repo.state() == before
    assert "uncommitted work is not included" in ran.err


def begin(repo: Repo, folder: Path, *, fresh: bool = False) -> Running:
    """Start a run that is at a check which takes long when this returns."""
    command = ("-C", str(repo.path), "fix", "x", "--check", "pytest=sleep 30")
    with (folder / "out").open("wb") as out:
        started = start(*command, cwd=folder, env={}, out=out.fileno(), err=out.fileno(), fresh=fresh)
    await_event(repo, started, "checking", 2)
    return started


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_signal_leaves_everything_as_it_was(repo: Repo, tmp_path: Path, number: signal.Signals) -> None:
    half_finish(repo, tmp_path)
    before = repo.state()
    started = begin(repo, tmp_path)
    started.send_signal(number)
    started.wait(timeout=20)
    assert repo.state() == before
    if number is signal.SIGKILL:
        assert "removed worktree" in agent(repo, "clean").out
    else:
        assert started.returncode == 130
        [run_id] = list_runs(open_repository(repo.path))
        events = read_events(open_repository(repo.path), run_id)
        assert summarize(events).stop == "interrupted"
    # The person's own stays
    assert len(leftovers(repo)) == 1
    assert repo.git("branch", "--list", "agent/*") == ""


def test_attempts_that_do_not_pass_are_rolled_back_and_kept(repo: Repo, tmp_path: Path) -> None:
    lines = (
        calls(edit("a - b", "a - b + 1"), checkpoint("one")),
        calls(checkpoint("two")),
        calls(checkpoint("three")),
        calls(RIGHT, checkpoint()),
        calls(FINISH),
    )
    # What is as bad as before is not refused: this one passes on the base
    short = ("--check", "short=grep -q 'b$' calc.py")
    ran = agent(repo, "fix", "make add add", *QUICK, *short, "--json", "--model", script(tmp_path / "s", *lines))
    assert ran.code == 0, ran.err
    rolled, kept = ran.report.steps
    assert rolled.commit == ""
    assert repo.git("show", f"{rolled.kept}:calc.py").endswith("a - b + 1")
    assert kept.subject == "fix: add adds"
    repo.git("gc", "--prune=now", "-q")
    assert repo.git("cat-file", "-t", rolled.kept) == "commit"


@pytest.mark.parametrize(
    "lines",
    [
        (calls(FINISH, text="All tests pass now!"),),
        ({"text": "I fixed everything."},),
        (calls(edit("a - b", "a - b  # fixed"), checkpoint("fixed")), calls(FINISH)),
        (calls(edit("a - b", "a - b + 1")), calls(FINISH), calls(FINISH), calls(FINISH)),
        (),
    ],
    ids=["claims", "says", "red", "unverified", "silent"],
)
def test_a_model_that_claims_success_is_not_believed(
    repo: Repo, tmp_path: Path, lines: tuple[dict[str, object], ...]
) -> None:
    ran = agent(repo, "fix", "make add add", *QUICK, "--json", "--model", script(tmp_path / "s", *lines))
    assert ran.code == 1
    assert ran.report.outcome in ("gave_up", "partial")


def test_a_wrong_edit_can_be_mended_and_the_report_is_a_fold_of_the_trace(repo: Repo, tmp_path: Path) -> None:
    lines = (calls(WRONG, checkpoint("try")), calls(edit("a * b", "a + b"), checkpoint()), calls(FINISH))
    ran = agent(repo, "fix", "make add add", *QUICK, "--json", "--model", script(tmp_path / "s", *lines))
    assert ran.code == 0, ran.err
    report = ran.report
    assert [step.subject for step in report.steps] == ["fix: add adds"]
    assert summarize(read_events(open_repository(repo.path), report.run)) == report
    assert repo.git("ls-tree", "--name-only", f"refs/agent/runs/{report.run}").split() == [
        "report.md",
        "task.json",
        "trace.jsonl",
    ]


def test_a_recorded_run_replays_to_the_same_trees(repo: Repo, tmp_path: Path) -> None:
    lines = (
        calls(edit("a - b", "a - b + 1"), checkpoint("try")),
        calls(edit("a - b + 1", "a + b"), checkpoint()),
        calls(FINISH),
    )
    first = agent(repo, "fix", "make add add", *QUICK, "--json", "--model", script(tmp_path / "s", *lines)).report
    again = agent(repo, "fix", "make add add", *QUICK, "--json", "--model", f"recorded:{first.run}").report
    assert [step.tree for step in again.steps] == [step.tree for step in first.steps]
    assert again.outcome == first.outcome == "verified"
    assert again.run != first.run


def test_changed_tests_need_a_person(repo: Repo, tmp_path: Path) -> None:
    weak = edit("assert add(1, 2) == 3", "assert add(1, 2) == -1", "test_calc.py")
    ran = agent(
        repo,
        "fix",
        "make add add",
        "--json",
        "--model",
        script(tmp_path / "s", calls(weak, checkpoint()), calls(FINISH)),
    )
    assert ran.code == 1
    assert ran.report.outcome != "verified"
    assert any("test_calc.py" in finding for finding in ran.report.findings)


def test_nothing_to_do_is_said_and_costs_no_turn(repo: Repo) -> None:
    repo.commit({"calc.py": "def add(a, b):\n    return a + b\n"}, "right")
    ran = agent(repo, "fix", "--json")
    assert ran.code == 0
    assert (ran.report.outcome, ran.report.usage.turns) == ("nothing", 0)
    assert repo.git("branch", "--list", "agent/*") == ""


def test_a_detached_head_is_a_base_like_any_other(repo: Repo, tmp_path: Path) -> None:
    repo.git("checkout", "-q", "--detach")
    ran = agent(
        repo, "fix", "x", *QUICK, "--json", "--model", script(tmp_path / "s", calls(RIGHT, checkpoint()), calls(FINISH))
    )
    assert ran.code == 0, ran.err
    assert ran.report.outcome == "verified"


def test_what_is_not_a_repository_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    bare = tmp_path / "bare"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    empty = make_repo(tmp_path / "empty")
    for place, words in ((tmp_path / "plain", "not a git repository"), (bare, "bare"), (empty.path, "no commit yet")):
        ran = run("-C", str(place), "fix")
        assert ran.code == 2
        assert words in ran.err
        assert len(ran.err.strip().splitlines()) == 1
        assert ran.out == ""


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["fix", "--frobnicate"], "no such option"),
        (["fix", "--model", "gpt"], "there is no model 'gpt'"),
        (["fix", "--model", "openai:gpt"], "openai"),
        (["fix", "--model", "scripted:/nowhere"], "/nowhere"),
        (["fix", "--base", "no-such-branch"], "no-such-branch"),
        (["fix", "--python", "/nowhere/python"], "/nowhere/python"),
        (["fix", "--check", "unit"], "NAME=COMMAND"),
        (["fix", "--max-turns", "-1"], "-1"),
        (["show", "nothing"], "no runs here"),
        (["frobnicate"], "there is no command"),
    ],
)
def test_bad_input_is_one_line_and_creates_nothing(repo: Repo, args: list[str], words: str) -> None:
    refs = repo.git("for-each-ref")
    before = repo.state()
    ran = agent(repo, *args)
    assert ran.code == 2
    assert words in ran.err
    assert len(ran.err.strip().splitlines()) == 1
    assert (repo.git("for-each-ref"), repo.state()) == (refs, before)


def test_a_script_that_cannot_be_read_names_its_line(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "s").write_text('{"text": "a"}\n{"txt": 1}\n')
    ran = agent(repo, "fix", "--model", f"scripted:{tmp_path / 's'}")
    assert ran.code == 2
    assert "s:2: txt" in ran.err


def test_limits_stop_a_run_by_name_and_keep_what_was_verified(repo: Repo, tmp_path: Path) -> None:
    lines = (calls(RIGHT, checkpoint()), *[calls(("read_file", {"path": "calc.py", "start": n})) for n in range(1, 9)])
    ran = agent(repo, "fix", "x", *QUICK, "--json", "--max-turns", "3", "--model", script(tmp_path / "s", *lines))
    report = ran.report
    assert (report.stop, report.usage.turns, report.outcome) == ("limit:turns", 3, "partial")
    assert repo.git("rev-parse", report.branch) == report.steps[0].commit


def test_a_project_whose_environment_lacks_pytest_borrows_ours(repo: Repo) -> None:
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(repo.path / ".venv")], check=True)
    repo.commit({".gitignore": ".venv\n"}, "ignore")
    ran = agent(repo, "fix", "--json")
    assert ran.code == 0, ran.out
    assert ran.report.python.endswith(".venv")
    assert ran.report.outcome == "verified"


def test_impatience_changes_neither_the_end_nor_the_exit_code(repo: Repo, tmp_path: Path) -> None:
    started = begin(repo, tmp_path, fresh=True)
    before = repo.state()
    while started.poll() is None:
        started.send_signal(signal.SIGINT)
        time.sleep(0.01)
    assert started.returncode == 130
    assert (repo.state(), leftovers(repo)) == (before, [])
    [run_id] = list_runs(open_repository(repo.path))
    assert summarize(read_events(open_repository(repo.path), run_id)).stop == "interrupted"


@dataclass(frozen=True)
class Late:
    """A run that hears of a signal when it has ended already."""

    agent: Agent
    told: tuple[Event, ...]
    signal: KeyboardInterrupt = field(default_factory=KeyboardInterrupt)

    def events(self) -> Generator[Event, None, None]:
        yield from self.told
        raise self.signal


def test_a_signal_that_comes_after_the_end_is_no_other_end() -> None:
    started = Started(run="r1", task=Task(goal="g", base="b" * 40), branch="agent/r1")
    agent = make_agent(Chosen(ScriptedModel(())), Policy(), Redactor(()), planning=False)
    for told, stop in (((started, Ended(stop="done")), "done"), ((started,), "interrupted")):
        assert record(Late(agent, told), ()).stop == stop
    paid = record(Late(agent, (started,), Interrupted(Billed(70, 3, 0, 0.25))), ())
    assert (paid.stop, paid.usage.input, paid.usage.output, paid.usage.cost) == ("interrupted", 70, 3, 0.25)


def test_runs_side_by_side_do_not_disturb_each_other(repo: Repo, tmp_path: Path) -> None:
    before = repo.state()
    spec = script(tmp_path / "s", calls(RIGHT, checkpoint()), calls(FINISH))
    command = ("-C", str(repo.path), "fix", "x", *QUICK, "--model", spec)
    with (tmp_path / "out").open("wb") as out:
        started = [start(*command, cwd=tmp_path, env={}, out=out.fileno(), err=out.fileno()) for _ in range(3)]
    assert [process.wait(120) for process in started] == [0, 0, 0], (tmp_path / "out").read_text()
    assert len(repo.git("branch", "--list", "agent/*").splitlines()) == 3
    assert (repo.state(), leftovers(repo)) == (before, [])


def test_a_path_and_a_branch_that_are_no_text_are_worked_with(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / os.fsdecode(b"caf\xe9"))
    repo.commit({"calc.py": "def add(a, b):\n    return a - b\n"})
    repo.git("checkout", "-q", "-b", os.fsdecode(b"br\xe9"))
    spec = script(tmp_path / "s", calls(RIGHT, checkpoint()), calls(FINISH))
    ran = agent(repo, "fix", "x", "--json", "--model", spec, "--check", "c=grep -q + calc.py")
    assert ran.code == 0, ran.err
    for args in (("status", "--json"), ("log", "--json"), ("doctor", "--json"), ("accept", ran.report.run)):
        assert agent(repo, *args).code in (0, 1), args
    assert "a + b" in (repo.path / "calc.py").read_text()
