"""Looking: log, show, diff, status, doctor, in words and in JSON."""

import json
from pathlib import Path

from bot.core.report import Report
from tests.conftest import Repo
from tests.product import FINISH, agent, calls, checkpoint, edit, script


def made(repo: Repo, path: Path) -> Report:
    lines = (calls(edit("a - b", "a + b"), checkpoint("Add adds")), calls(FINISH))
    return agent(repo, "fix", "make add add", "--json", "--model", script(path, *lines)).report


def test_before_the_first_run_the_views_say_how_to_start(repo: Repo) -> None:
    assert "git agent fix" in agent(repo, "log").out
    assert "git agent fix" in agent(repo, "status").out
    assert agent(repo, "show", "x").code == 2


def test_log_lists_runs_and_tells_the_events_of_one(repo: Repo, tmp_path: Path) -> None:
    report = made(repo, tmp_path / "s")
    assert report.run in agent(repo, "log").out
    listed = json.loads(agent(repo, "log", "--json").out)
    assert [(line["run"], line["state"], line["steps"]) for line in listed["runs"]] == [(report.run, "verified", 1)]
    told = agent(repo, "log", report.run[:8]).out
    assert "committed" in told
    events = [json.loads(line)["event"] for line in agent(repo, "log", report.run, "--json").out.splitlines()]
    assert events[0] == "started"
    assert events[-1] == "ended"


def test_show_prints_the_same_report_that_the_run_printed(repo: Repo, tmp_path: Path) -> None:
    report = made(repo, tmp_path / "s")
    assert Report.model_validate_json(agent(repo, "show", report.run, "--json").out) == report
    words = agent(repo, "show", report.run).out
    assert "verified" in words
    assert f"git agent accept {report.run}" in words


def test_diff_prints_the_change_of_a_run_or_of_a_step(repo: Repo, tmp_path: Path) -> None:
    report = made(repo, tmp_path / "s")
    whole = agent(repo, "diff", report.run).out
    assert "+    return a + b" in whole
    assert agent(repo, "diff", f"{report.run}:1").out == whole
    assert agent(repo, "diff", f"{report.run}:2").code == 2


def test_a_diff_that_is_not_utf8_is_printed_as_it_is(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"latin.py": b"# -*- coding: latin-1 -*-\nNAME = '\xe9'\n"}, "latin")
    lines = (
        calls(edit("a - b", "a + b"), edit("NAME", "OTHER", "latin.py"), checkpoint("Add adds")),
        calls(FINISH),
    )
    report = agent(repo, "fix", "x", "--json", "--model", script(tmp_path / "s", *lines)).report
    assert report.steps[0].files
    assert agent(repo, "show", report.run).code == 0


def test_status_names_what_waits(repo: Repo, tmp_path: Path) -> None:
    report = made(repo, tmp_path / "s")
    assert f"git agent accept {report.run}" in agent(repo, "status").out
    agent(repo, "accept", report.run)
    assert report.run not in agent(repo, "status").out


def test_doctor_names_the_checks_with_their_reasons(repo: Repo) -> None:
    ran = agent(repo, "doctor")
    assert ran.code == 0, ran.out
    for words in ("isolation", "interpreter", "check pytest", "test_calc.py", "model"):
        assert words in ran.out
    assert all(finding["ok"] for finding in json.loads(agent(repo, "doctor", "--json").out)["findings"])


def test_plan_changes_nothing_and_leaves_no_trace(repo: Repo, tmp_path: Path) -> None:
    before, refs = repo.state(), repo.git("for-each-ref")
    lines = (
        calls(edit("a - b", "a + b")),
        calls(("update_plan", {"steps": ["Read calc.py", "Add instead of subtracting"]})),
        calls(FINISH),
    )
    ran = agent(repo, "plan", "make add add", "--json", "--model", script(tmp_path / "s", *lines))
    assert ran.code == 0, ran.err
    assert ran.report.plan == ("Read calc.py", "Add instead of subtracting")
    assert (repo.state(), repo.git("for-each-ref")) == (before, refs)
