"""Looking: log, show, diff, status, doctor, in words and in JSON."""

import json
import re
import subprocess
from pathlib import Path

import pytest

from bot.app import views
from bot.app.story import tell
from bot.app.views import ELSEWHERE
from bot.core.event import Ended
from bot.core.lineage import Lineage
from bot.core.message import Reply, ToolCall
from bot.core.report import Report
from bot.core.talk import Replied
from bot.git.record import RunRef
from bot.git.repository import open_repository
from bot.git.runs import read_events
from tests.conftest import Repo, make_repo
from tests.git.past import live_through, render
from tests.product import FINISH, agent, calls, checkpoint, edit, once, run, script


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("kept")


@pytest.fixture
def report(repo: Repo, tmp_path: Path, kept: Path) -> Report:
    """A run of one verified step."""
    lines = (calls(edit("a - b", "a + b"), checkpoint("Add adds")), calls(FINISH))
    given = script(tmp_path / "s", *lines)
    return once(repo, kept, lambda: agent(repo, "fix", "make add add", "--json", "--model", given).report)


def test_before_the_first_run_the_views_say_how_to_start(repo: Repo) -> None:
    assert "git agent fix" in agent(repo, "log").out
    assert "git agent fix" in agent(repo, "status").out
    assert agent(repo, "show", "x").code == 2


def test_log_lists_runs_and_tells_the_events_of_one(repo: Repo, report: Report) -> None:
    assert report.run in agent(repo, "log").out
    listed = json.loads(agent(repo, "log", "--json").out)
    assert [(line["run"], line["state"], line["steps"]) for line in listed["runs"]] == [(report.run, "verified", 1)]
    told = agent(repo, "log", report.run[:8]).out
    assert "committed" in told
    story = json.loads(agent(repo, "log", report.run, "--json").out)
    events = [event["event"] for event in story["events"]]
    assert (story["run"], events[0], events[-1]) == (report.run, "started", "ended")
    assert "make add add" in told


def test_show_prints_the_same_report_that_the_run_printed(repo: Repo, report: Report) -> None:
    assert Report.model_validate_json(agent(repo, "show", report.run, "--json").out) == report
    words = agent(repo, "show", report.run).out
    assert "verified" in words
    assert f"git agent accept {report.run}" in words


def test_diff_prints_the_change_of_a_run_or_of_a_step(repo: Repo, report: Report) -> None:
    whole = agent(repo, "diff", report.run).out
    assert "+    return a + b" in whole
    assert agent(repo, "diff", f"{report.run}:1").out == whole
    assert agent(repo, "diff", f"{report.run}:2").code == 2


def fetched(repo: Repo, path: Path) -> Repo:
    """Make a repository that shares nothing with another one but the runs that it fetched."""
    other = make_repo(path)
    other.commit({"other.txt": "other\n"}, "another history")
    other.git("branch", "agent/fix")
    other.git("fetch", "-q", str(repo.path), "refs/agent/*:refs/agent/*")
    return other


def test_a_clone_that_fetched_the_runs_shows_all_of_them_without_their_branches(
    repo: Repo, report: Report, tmp_path: Path
) -> None:
    other = fetched(repo, tmp_path / "other")
    assert other.git("for-each-ref", "refs/heads/agent/").split()[-1] == "refs/heads/agent/fix"
    other.git("gc", "-q", "--prune=now")
    for command in (("show", report.run), ("show", report.run, "--json"), ("log", report.run), ("diff", report.run)):
        there, here = agent(other, *command), agent(repo, *command)
        assert (there.code, ELSEWHERE in there.out, ELSEWHERE in here.out) == (0, command[0] == "show", False), command
        if "--json" in command:
            assert there.report.model_copy(update={"notes": there.report.notes[:-1]}) == here.report
        else:
            assert [line for line in there.out.splitlines() if ELSEWHERE not in line] == here.out.splitlines()
    assert agent(other, "diff", f"{report.run}:1").out == agent(repo, "diff", report.run).out
    (line,) = json.loads(agent(other, "log", "--json").out)["runs"]
    assert (line["run"], line["state"], line["steps"], line["taken"]) == (report.run, "verified", 1, False)
    assert f"git agent accept {report.run}" in agent(other, "status").out
    again = agent(repo, "undo", report.run)
    assert again.code == 0, again.err
    other.git("fetch", "-q", str(repo.path), "refs/agent/*:refs/agent/*")
    assert "(undone)" in agent(other, "log", report.run).out
    assert f"git agent redo {report.run}" in agent(other, "status").out


def forge(repo: Repo, run: str, old: str, new: str) -> None:
    """Put other words into the record of a run, as a stranger may have done before it was fetched."""
    trace = repo.git("cat-file", "blob", f"refs/agent/runs/{run}:trace.jsonl")
    assert old in trace
    repo.write({"forged": trace.replace(old, new) + "\n"})
    blob = repo.git("hash-object", "-w", "forged")
    (repo.path / "forged").unlink()
    entry = f"100644 blob {blob}\ttrace.jsonl\n"
    made = subprocess.run(["git", "mktree"], cwd=repo.path, input=entry, capture_output=True, text=True, check=True)
    commit = repo.git("commit-tree", made.stdout.strip(), "-p", f"refs/agent/runs/{run}^2", "-m", "forged")
    repo.git("update-ref", f"refs/agent/runs/{run}", commit)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"base":"', '"base":"--output=written'),
        ('"event":"verified"', '"event":"told","text":"x","was":"verified"'),
        ('"event":"ended"', '"event":"teleported"'),
        ('{"at":', '{"at":1e300,"at":1e300,"then":'),
    ],
    ids=["option", "unproved", "newer", "time"],
)
def test_a_record_that_was_tampered_with_is_refused_in_one_line_everywhere(
    repo: Repo, report: Report, old: str, new: str
) -> None:
    before = repo.state()
    forge(repo, report.run, old, new)
    for command in ("diff", "show", "log"):
        ran = agent(repo, command, report.run)
        assert (ran.code, ran.out, len(ran.err.splitlines())) == (1, "", 1), ran
        assert report.run in ran.err
    assert (agent(repo, "log").code, agent(repo, "status").code) == (0, 0)
    assert "unreadable" in agent(repo, "log").out
    assert not list(repo.path.glob("**/written*"))
    assert repo.state() == before


def test_a_step_is_called_by_its_own_number(repo: Repo, report: Report) -> None:
    for spec, code in ((f"{report.run}:1", 0), (f"{report.run}:01", 0), (f"{report.run}:2", 2), (f"{report.run}:0", 2)):
        assert agent(repo, "diff", spec).code == code, spec
    ran = agent(repo, "diff", f"{report.run}:{'9' * 5000}")
    assert (ran.code, len(ran.err.splitlines())) == (2, 1)


def test_a_diff_that_is_not_utf8_is_printed_as_it_is(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"latin.py": b"# -*- coding: latin-1 -*-\nNAME = '\xe9'\n"}, "latin")
    lines = (
        calls(edit("a - b", "a + b"), edit("NAME", "OTHER", "latin.py"), checkpoint("Add adds")),
        calls(FINISH),
    )
    report = agent(repo, "fix", "x", "--json", "--model", script(tmp_path / "s", *lines)).report
    assert report.steps[0].files
    assert agent(repo, "show", report.run).code == 0


def test_status_names_what_waits(repo: Repo, report: Report) -> None:
    assert f"git agent accept {report.run}" in agent(repo, "status").out
    agent(repo, "accept", report.run)
    assert report.run not in agent(repo, "status").out


def test_status_says_how_each_run_goes_on(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    events = live_through(repo)
    ends = {"asked": "needs_human", "cut": "interrupted", "lost": "model", "none": "limit:turns", "well": "done"}
    for number, (name, stop) in enumerate(ends.items()):
        past = (events[0].model_copy(update={"run": name}), *events[1 : 11 if number > 1 else 3], Ended(stop=stop))
        with RunRef(open_repository(repo.path), name, render) as record:
            for event in past:
                record.record(event)
    views.status(repo.path, as_json=False)
    told = {block.split()[1]: block for block in capsys.readouterr().out.split("\n\n")}
    advice = {name: re.findall("git agent (.+)", text) for name, text in told.items()}
    assert advice == {
        "main,": [],
        "asked": ["resume asked --tell TEXT"],
        "cut": ["resume cut"],
        "lost": ["resume lost", "accept lost"],
        "none": ["accept none"],
        "well": ["accept well"],
    }
    assert "2 verified steps on" in told["lost"]
    assert "verified step" not in told["cut"]


def test_a_terminal_gets_columns_and_everything_else_a_line_for_each_event(repo: Repo, report: Report) -> None:
    lines = agent(repo, "log", report.run).out.splitlines()
    assert len(lines) == len(read_events(open_repository(repo.path), report.run))
    (told,) = (line for line in lines if "acted        checkpoint" in line)
    assert told.endswith("checkpoint: committed " + report.tip[:10] + " as step 1: Add adds. Every check passes.")


def test_calls_that_look_the_same_are_told_once() -> None:
    read = ToolCall(id="1", name="read_file", arguments={"path": "a.py"})
    reply = Reply(calls=(read, read, read, ToolCall(id="2", name="finish")))
    assert tell(Replied(reply=reply), Lineage()) == "read_file a.py (3 times), finish"


def test_a_task_of_any_length_and_kind_stays_on_its_line_and_obeys_nothing(repo: Repo, tmp_path: Path) -> None:
    agent(repo, "fix", "\x1b[31mred\x1b]0;t\x07\nsecond line\n" + "word " * 2000, "--model", script(tmp_path / "s"))
    ran = agent(repo, "log")
    assert len(ran.out.splitlines()) == 2
    assert max(map(len, ran.out.splitlines())) < 200
    assert (
        "\x1b" not in ran.out + agent(repo, "status").out + agent(repo, "log", ran.out.splitlines()[1].split()[0]).out
    )


def test_status_counts_in_words(repo: Repo, report: Report) -> None:
    assert " 1 verified step on " in agent(repo, "status").out


def test_doctor_tells_a_bad_setting_from_a_bad_repository(repo: Repo, tmp_path: Path) -> None:
    ran = agent(repo, "doctor", env={"GIT_AGENT_ISOLATION": "moat"})
    assert ran.code == 1
    assert "settings" in ran.out.splitlines()[-1]
    assert "GIT_AGENT_ISOLATION" in ran.out.splitlines()[-1]
    assert "GIT_AGENT_MAX_TURNS" in agent(repo, "doctor", env={"GIT_AGENT_TURNS": "3"}).out
    ran = run("-C", str(tmp_path), "doctor")
    assert ran.code == 1
    assert "repository" in ran.out
    assert "settings" not in ran.out


def test_a_plan_is_told_as_a_plan(repo: Repo) -> None:
    ran = agent(repo, "plan")
    assert ran.code == 0, ran.err
    assert "The plan; nothing was changed" in ran.out
    assert "git agent fix" in ran.out
    for words in ("gave up", "git agent show", "takes new logic"):
        assert words not in ran.out


def test_doctor_names_the_checks_with_their_reasons(repo: Repo) -> None:
    ran = agent(repo, "doctor")
    assert ran.code == 0, ran.out
    for words in ("isolation", "interpreter", "check pytest", "test_calc.py", "model"):
        assert words in ran.out
    assert all(finding["ok"] for finding in json.loads(agent(repo, "doctor", "--json").out)["findings"])


def test_plan_changes_nothing_and_leaves_but_its_record(repo: Repo, tmp_path: Path) -> None:
    before, refs = repo.state(), repo.git("for-each-ref")
    lines = (
        calls(edit("a - b", "a + b")),
        calls(("update_plan", {"steps": ["Read calc.py", "Add instead of subtracting"]})),
        calls(FINISH),
    )
    ran = agent(repo, "plan", "make add add", "--json", "--model", script(tmp_path / "s", *lines))
    assert ran.code == 0, ran.err
    assert ran.report.plan == ("Read calc.py", "Add instead of subtracting")
    assert repo.state() == before
    record = repo.git("for-each-ref", f"refs/agent/runs/{ran.report.run}")
    assert sorted(repo.git("for-each-ref").splitlines()) == sorted([*refs.splitlines(), record])
    assert (ran.report.planning, ran.report.branch) == (True, "")
