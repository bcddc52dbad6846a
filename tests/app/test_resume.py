"""A run that stopped, however, is taken up again and ends as if nothing had been."""

import json
import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.core.event import Ended, Resumed
from bot.core.summary import summarize
from bot.git.repository import open_repository
from bot.git.runs import list_runs, read_events
from tests.conftest import Repo
from tests.product import FINISH, agent, await_event, calls, checkpoint, edit, leftovers, script, start

RIGHT = edit("a - b", "a + b")
NOTES = ("create_file", {"path": "notes.txt", "content": "one\n"})
SLOW = ("run_command", {"argv": ["python", "slow.py"]})
QUICK = ("--isolation", "process", "--check", "pytest=true")
"""Where a test of ours asks for nothing of the project's own."""
ADDS = ("--isolation", "process", "--check", "pytest=grep -q 'a + b' calc.py")
CHECK = ("--check", "adds=grep -q def calc.py")


WAIT = """
import os, time
open('slow.txt', 'w').write('slow\\n')
while not os.path.exists({go!r}):
    time.sleep(0.02)
"""


@pytest.fixture
def repo(repo: Repo, tmp_path: Path) -> Repo:
    """Add a program that takes its time until somebody lets it go on."""
    repo.commit({"slow.py": WAIT.format(go=str(tmp_path / "go"))})
    repo.write({"untracked": "mine\n", "calc.py": "def add(a, b):\n    return a - b  # mine\n"})
    return repo


def stopped(
    repo: Repo, spec: str, number: signal.Signals, word: str, times: int = 1, options: Sequence[str] = ADDS
) -> str:
    """Stop a run by a signal as soon as its journal tells of so many events of a kind, and return its id."""
    argv = ("-C", str(repo.path), "fix", "make add add", "--model", spec, *options)
    with Path(os.devnull).open("wb") as nothing:
        child = start(*argv, cwd=repo.path, env={}, out=nothing.fileno(), err=nothing.fileno())
    await_event(repo, child, word, times)
    child.send_signal(number)
    child.wait(30)
    return next(iter(list_runs(open_repository(repo.path))))


def test_a_killed_run_goes_on_with_its_edits_and_ends_as_one_that_was_left_alone(repo: Repo, tmp_path: Path) -> None:
    lines = [calls(NOTES, RIGHT), calls(SLOW), calls(checkpoint()), calls(FINISH)]
    spec = script(tmp_path / "s", *lines)
    before = repo.state()
    run = stopped(repo, spec, signal.SIGKILL, "acted", 2)
    (tmp_path / "go").touch()
    ran = agent(repo, "resume", "--json", *ADDS)
    assert ran.code == 0, ran.err
    report = ran.report
    assert (report.run, report.outcome, report.tip) == (run, "verified", repo.git("rev-parse", report.branch))
    assert ran.err.startswith(f"run {run}: make add add\n")
    assert repo.git("show", f"{report.tip}:notes.txt") == "one"
    assert [step.subject for step in report.steps] == ["fix: add adds"]
    events = read_events(open_repository(repo.path), run)
    assert sum(isinstance(event, Resumed) for event in events) == 1
    assert summarize(events) == report
    assert repo.state() == before
    assert leftovers(repo) == []


def test_in_another_clone_the_record_is_enough_to_go_on(repo: Repo, tmp_path: Path) -> None:
    spec = script(tmp_path / "s", calls(NOTES, RIGHT), calls(checkpoint()), calls(FINISH))
    started = ("fix", "make add add", "--json", "--model", spec, "--max-turns", "1", *CHECK, *QUICK)
    first = agent(repo, *started).report
    assert first.stop == "limit:turns"
    elsewhere = Repo(tmp_path / "clone")
    subprocess.run(["git", "clone", "-q", str(repo.path), str(elsewhere.path)], check=True)
    elsewhere.git("fetch", "-q", "origin", "refs/agent/*:refs/agent/*")
    again = ("resume", first.run, "--max-turns", "9", *QUICK)
    refused = agent(elsewhere, *again, "--json")
    assert (refused.code, "--trust trusted" in refused.err, refused.err.count("\n")) == (2, True, 1)
    ran = agent(elsewhere, *again, "--json", "--trust", "trusted")
    assert ran.code == 0, ran.err
    assert any("judged again" in note for note in ran.report.notes)
    assert not any("judged again" in note for note in agent(repo, *again, "--json").report.notes)
    assert elsewhere.git("show", f"{ran.report.branch}:notes.txt") == "one"
    assert "adds" in [check.name for check in ran.report.steps[0].checks], "what --check named counts as before"


def test_what_cannot_go_on_says_why_and_what_to_do(repo: Repo, tmp_path: Path) -> None:
    assert "no run" in agent(repo, "resume").err
    spec = script(tmp_path / "s", calls(NOTES), calls(("ask", {"question": "Which way?"})), calls(RIGHT, checkpoint()))
    first = agent(repo, "fix", "make add add", "--json", "--model", spec, "--max-turns", "1", *ADDS)
    run = first.report.run
    for arguments, words in (
        ((run,), "limit on turns (1)"),
        ((run, "--max-turns", "x"), "--max-turns"),
        (("nonsense",), "no run begins with"),
        ((run, "--model", "nonsense", "--max-turns", "9"), "there is no model"),
    ):
        ran = agent(repo, "resume", *arguments)
        assert (ran.code, ran.err.count("\n")) == (2, 1)
        assert words in ran.err
    assert agent(repo, "resume", run, "--max-turns", "2", *ADDS).code == 1
    asked = agent(repo, "resume", run)
    assert (asked.code, "Which way?" in asked.err) == (2, True)
    answered = agent(repo, "resume", run, "--tell", "That way.", "--max-turns", "9", "--json", *ADDS)
    assert answered.code == 0, answered.err
    done = agent(repo, "resume", run)
    assert (done.code, "is finished" in done.err) == (2, True)
    story = json.loads(agent(repo, "log", run, "--json").out)["events"]
    assert next(event["text"] for event in story if event["event"] == "told") == "That way."


def test_a_run_that_was_stopped_by_a_signal_goes_on(repo: Repo, tmp_path: Path) -> None:
    spec = script(tmp_path / "s", calls(RIGHT, SLOW), calls(checkpoint()), calls(FINISH))
    run = stopped(repo, spec, signal.SIGINT, "acted")
    repository = open_repository(repo.path)
    last = read_events(repository, run)[-1]
    assert isinstance(last, Ended)
    assert last.stop == "interrupted"
    (tmp_path / "go").touch()
    ran = agent(repo, "resume", run, "--json", *ADDS)
    assert ran.code == 0, ran.err
    assert repo.git("show", f"{ran.report.branch}:slow.txt") == "slow"


def test_what_was_verified_by_other_checks_is_judged_again_and_stops_the_run_where_it_does_not_hold(
    repo: Repo, tmp_path: Path
) -> None:
    spec = script(tmp_path / "s", calls(RIGHT, checkpoint()), calls(FINISH))
    plain = (*QUICK, "--json")
    first = agent(repo, "fix", "make add add", "--model", spec, "--max-turns", "1", *CHECK, *plain).report
    assert len(first.steps) == 1
    ran = agent(repo, "resume", first.run, "--max-turns", "9", "--check", "adds=grep -q 'a - b' calc.py", *plain)
    assert (ran.code, ran.report.outcome, ran.report.stop) == (1, "partial", "needs_human")
    assert "does not hold when it is judged again" in ran.report.detail
    assert any("other checks (adds)" in note for note in ran.report.notes)
    assert [(c.name, c.status) for c in ran.report.steps[0].checks if c.name == "adds"] == [("adds", "failed")]
    on = agent(repo, "resume", first.run, "--tell", "leave it", *plain)
    assert (on.code, on.report.outcome, on.report.stop) == (1, "partial", "done"), "what does not hold is not verified"
    refused = agent(repo, "accept", first.run)
    assert (refused.code, "does not hold" in refused.err, repo.git("rev-parse", "main")) == (2, True, first.base)


def test_a_run_that_was_allowed_too_little_goes_on_with_more_and_not_with_as_little(repo: Repo, tmp_path: Path) -> None:
    spec = script(tmp_path / "s", calls(RIGHT, checkpoint()), calls(FINISH))
    plain = (*QUICK, "--json")
    first = agent(repo, "fix", "make add add", "--model", spec, "--max-turns", "0", *plain).report
    stands = repo.git("rev-parse", f"refs/agent/runs/{first.run}")
    for arguments in (("--max-turns", "0"), ("--max-lines", "9"), ("--tell", "go on")):
        ran = agent(repo, "resume", first.run, *arguments)
        assert (ran.code, "limit on turns (0)" in ran.err) == (2, True), arguments
    assert repo.git("rev-parse", f"refs/agent/runs/{first.run}") == stands
    ran = agent(repo, "resume", first.run, "--max-turns", "2", *plain)
    assert (ran.code, ran.report.outcome, ran.report.usage.turns) == (0, "verified", 2)


def test_a_run_that_was_interrupted_before_it_asked_anything_goes_on(repo: Repo, tmp_path: Path) -> None:
    spec = script(tmp_path / "s", calls(RIGHT, SLOW, checkpoint()), calls(FINISH))
    run = stopped(repo, spec, signal.SIGTERM, "started")
    (tmp_path / "go").touch()
    ran = agent(repo, "resume", run, "--json", *ADDS)
    assert (ran.code, ran.report.outcome) == (0, "verified"), ran.err
