"""A plan from its making to its being carried out, with a person in between."""

import json
import os
import pty
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.app.planning import LONGEST
from bot.core.report import Report
from tests.conftest import Repo, make_repo
from tests.product import COMMAND, FINISH, Ran, agent, calls, checkpoint, edit, once, script

DESIGN = {"modules": ["calc.py"], "boundaries": ["the tests"], "tests": ["test_add"]}
PLAN = ("update_plan", {"steps": ["Read \x1b[31mcalc.py", "Add instead\n## Tests\nof subtracting"], **DESIGN})
GOAL = "Add up in calc.py"


@pytest.fixture
def plan(repo: Repo, tmp_path: Path, templates: Path) -> Report:
    """Make a plan in a repository, once for all tests."""
    (folder := templates / "planned").mkdir(exist_ok=True)
    model = script(tmp_path / "plan", calls(PLAN), calls(FINISH))
    words = ("plan", GOAL, "--scope", "calc.py", "--isolation", "process", "--json", "--model", model)
    return once(repo, folder, lambda: agent(repo, *words).report)


def fix(repo: Repo, tmp_path: Path, *words: str) -> Ran:
    """Have the sum mended, by a model that notes down what it is told first."""
    lines = (calls(edit("a - b", "a + b"), checkpoint()), calls(FINISH))
    return agent(repo, "fix", *words, "--json", "--isolation", "process", "--model", script(tmp_path / "fix", *lines))


def events(repo: Repo, run: str) -> list[Mapping[str, object]]:
    found: list[Mapping[str, object]] = json.loads(agent(repo, "log", run, "--json").out)["events"]
    return found


def test_a_plan_is_on_record_and_every_command_knows_it_for_one(repo: Repo, plan: Report) -> None:
    run = plan.run
    assert (plan.outcome, plan.planning, plan.branch, plan.design.modules) == ("nothing", True, "", ("calc.py",))
    assert repo.git("for-each-ref", "refs/heads/agent") == ""
    shown = agent(repo, "show", run).out
    for words in ("The plan; nothing was changed", "Boundaries\n  • the tests", f"git agent fix --plan {run}"):
        assert words in shown
    assert "\x1b" not in shown + agent(repo, "log", run).out
    assert "planned" in agent(repo, "log").out
    assert f"do it:      git agent fix --plan {run}" in agent(repo, "status").out
    for command in ("accept", "undo", "redo", "publish"):
        refused = agent(repo, command, run)
        assert (refused.code, f"{run} is a plan" in refused.err) == (2, True), command
    assert "is finished" in agent(repo, "resume", run).err
    assert agent(repo, "clean").out == "nothing to remove\n"
    assert f"git agent fix --plan {run}" in repo.git("show", f"refs/agent/runs/{run}:report.md")


def test_a_person_changes_a_plan_by_a_file_and_nothing_of_it_is_bent_on_the_way(
    repo: Repo, plan: Report, tmp_path: Path
) -> None:
    sheet = tmp_path / "sheet.md"
    sheet.write_text(f"# Plan\n\n- {plan.plan[0]}\n- a new step\n\n## Module\n\ncalc.py\n\n## Wishes\n\nlove\n")
    before = repo.state()
    ran = agent(repo, "plan", "--edit", plan.run, "--file", str(sheet), "--json")
    assert ran.code == 0, ran.err
    assert "left out, since nothing has this heading: Wishes" in ran.err
    assert ran.report.plan == (plan.plan[0], "a new step")
    assert (ran.report.design.modules, ran.report.design.tests) == (("calc.py",), ())
    assert (repo.state(), ran.report.usage.seconds) == (before, plan.usage.seconds)
    assert (events(repo, plan.run)[-1]["event"], events(repo, plan.run)[-1]["by"]) == ("planned", "person")
    assert repo.git("log", "-1", "--format=%s", f"refs/agent/runs/{plan.run}") == "plan changed by a person"
    told = agent(repo, "plan", "--edit", plan.run, "--file", str(sheet))
    assert (told.code, told.out, told.err.splitlines()[0]) == (0, "", "nothing changed")
    sheet.write_text("# Plan\n\n<!-- 1. no -->\n")
    assert "no step in it" in agent(repo, "plan", "--edit", plan.run, "--file", str(sheet)).err
    (tmp_path / "long.md").write_text(f"1. {'x' * LONGEST}y\n")
    for words, why in (
        (("--edit", plan.run), "there is no terminal to edit on"),
        (("--edit", plan.run, "--file", str(tmp_path / "long.md")), "a plan has at most 20,000 characters"),
        (("--edit", plan.run, "--file", str(tmp_path / "none")), "cannot be read"),
    ):
        assert why in agent(repo, "plan", *words).err


def test_an_editor_is_gits_own_and_gets_the_plan_as_it_is(repo: Repo, plan: Report, tmp_path: Path) -> None:
    change = f'cp "$1" {tmp_path}/seen; sed -i "s/^1. Read/1. Look at/" "$1"'
    repo.git("config", "core.editor", f"f() {{ {change}; }}; f")
    leader, follower = pty.openpty()
    kept = {name: value for name, value in os.environ.items() if name not in ("GIT_EDITOR", "EDITOR", "VISUAL")}
    done = subprocess.run(
        [*COMMAND, "-C", str(repo.path), "plan", "--edit", plan.run],
        env={**kept, "TERM": "xterm"},
        stdin=follower,
        stdout=follower,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(follower)
    os.close(leader)
    assert done.returncode == 0, done.stderr
    seen = (tmp_path / "seen").read_text()
    assert "1. Read \x1b[31mcalc.py\n2. Add instead\n   ## Tests\n   of subtracting\n" in seen
    assert agent(repo, "show", plan.run, "--json").report.plan == ("Look at \x1b[31mcalc.py", plan.plan[1])


def test_a_plan_is_carried_out_with_its_task_its_scope_and_what_a_person_adds(
    repo: Repo, plan: Report, tmp_path: Path
) -> None:
    repo.commit({"notes.txt": "later\n"})
    ran = fix(repo, tmp_path, "--plan", plan.run, "and say so")
    assert ran.code == 0, ran.err
    report = ran.report
    assert (report.task.goal, report.task.scope) == (f"{GOAL}\n\nand say so", ("calc.py",))
    assert (report.outcome, report.base, report.plan, report.plan_done) == ("verified", plan.base, plan.plan, 1)
    assert f"it carries out the plan of {plan.run}" in report.notes
    assert any("to start from where you are: --base HEAD" in note for note in report.notes)
    second, *rest = events(repo, report.run)[1:]
    assert (second["event"], second["source"], second["steps"]) == ("planned", plan.run, list(plan.plan))
    answer = next(event for event in rest if event["event"] == "acted" and event["call"]["name"] == "checkpoint")  # type: ignore[index]
    assert "Plan: 1 of 2 done, next is 2. Add instead ## Tests of subtracting." in str(answer["result"])
    assert "planned, carried out" in agent(repo, "log").out
    assert plan.run not in agent(repo, "status").out


def test_where_the_base_is_left_behind_a_plan_is_carried_out_from_head(
    repo: Repo, plan: Report, tmp_path: Path
) -> None:
    repo.git("commit", "-q", "--amend", "--no-gpg-sign", "-m", "another story")
    report = fix(repo, tmp_path, "--plan", plan.run, "--max-turns", "0").report
    assert (report.base, report.stop) == (repo.git("rev-parse", "HEAD"), "limit:turns")
    assert f"the plan was made for another commit, {plan.base[:10]}" in report.notes
    assert "The plan, 0 of 2 done" in agent(repo, "show", report.run).out


def test_a_plan_from_elsewhere_is_a_strangers(repo: Repo, plan: Report, tmp_path: Path) -> None:
    other = make_repo(tmp_path / "other")
    other.git("fetch", "-q", str(repo.path), "refs/agent/*:refs/agent/*", "main:main", "--update-head-ok")
    other.git("reset", "-q", "--hard")
    assert "an untrusted task is not run with process isolation" in fix(other, tmp_path, "--plan", plan.run).err


def test_a_model_that_is_asked_again_hears_what_a_person_changed(repo: Repo, plan: Report, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.md"
    sheet.write_text("1. only this\n")
    agent(repo, "plan", "--edit", plan.run, "--file", str(sheet))
    more = ("update_plan", {"steps": ["only this", "and that"]})
    model = script(tmp_path / "more", *({},) * plan.usage.turns, calls(more), calls(FINISH))
    words = ("resume", plan.run, "--tell", "go on", "--isolation", "process", "--json", "--model", model)
    ran = agent(repo, *words)
    assert ran.code == 0, ran.err
    assert (ran.report.plan, ran.report.planning) == (("only this", "and that"), True)
    told = [str(event["text"]) for event in events(repo, plan.run) if event["event"] == "told"]
    assert "A person changed the plan. It is now:\n<<<" in told[0]
    assert "1. only this" in told[0]
    assert told[1] == "go on"
    assert repo.git("for-each-ref", "refs/heads/agent") == ""
