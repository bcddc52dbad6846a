"""What nobody could be asked about waits, and goes on with the yes of a person: to that, and to nothing else."""

from pathlib import Path

import pytest

from bot.app.consent import Said, grant
from bot.core.allowance import find_answer, seal, waiting
from bot.core.approval import Decision, Question
from bot.core.event import Acted, Decided, Ended, Event, Paused, Published, Resumed
from bot.core.message import ToolCall, ToolResult
from bot.errors import UsageError
from bot.git.repository import open_repository
from bot.git.runs import read_events
from tests.conftest import Repo
from tests.product import FINISH, agent, calls, checkpoint, edit, script

RIGHT = edit("a - b", "a + b")
GUARDED = ("create_file", {"path": "action.yml", "content": "on: push\n"})
DELETE = ("delete_file", {"path": "old.txt"})
OPTIONS = ("--isolation", "process", "--check", "pytest=grep -q 'a + b' calc.py")
ASKED = Question(risk="delete", subject="", why="deletes the file old.txt")
WAIT = Decided(call_id="c", decision=Decision(question=ASKED, answer="wait", by="policy", tree="a" * 40))
HERE, THERE, OTHER = ("c", "a" * 40), ("c", "b" * 40), ("d", "a" * 40)
END = Ended(stop="needs_human", detail="waits for approval: the next call deletes the file old.txt")


def test_what_waits_is_what_the_run_ended_with_and_nobody_answered() -> None:
    acted = Acted(call=ToolCall(id="c", name="x"), result=ToolResult(call_id="c", ok=True, output=""))
    told: list[tuple[list[Event], int]] = [
        ([WAIT, WAIT, END], 2),
        ([WAIT, END, Published(where="https://example.invalid/1")], 1),
        ([WAIT, END, Resumed(commit="b" * 40)], 0),
        ([WAIT, acted, END], 0),
        ([END], 0),
    ]
    for events, number in told:
        assert len(waiting(events)) == number, events
    assert seal([WAIT]) != seal([WAIT.model_copy(update={"call_id": "d"})])
    assert seal([]) == ""


def test_a_yes_is_one_to_the_questions_that_were_seen() -> None:
    assert grant("r", [WAIT, END], Said(words="no")) == ()
    (yes,) = grant("r", [WAIT, END], Said(approve=True, who="ann", seal=seal([WAIT])))
    assert (yes.decision.answer, yes.decision.by, yes.decision.who) == ("once", "person", "ann")
    assert (yes.call_id, yes.decision.question, yes.decision.tree) == ("c", ASKED, "a" * 40)
    held = [find_answer((yes,), ASKED, call, whole=False, tree=tree) for call, tree in (HERE, THERE, OTHER)]
    assert held == [yes.decision, None, None]
    with pytest.raises(UsageError, match="waits for something else by now: deletes the file"):
        grant("r", [WAIT, END], Said(approve=True, seal="0123456789"))
    with pytest.raises(UsageError, match="waits for no approval"):
        grant("r", [END], Said(approve=True))
    with pytest.raises(UsageError) as refused:
        grant("r", [Paused(question="Which?"), END], Said(approve=True))
    assert "--tell" in refused.value.hint


def test_a_run_waits_for_each_thing_and_a_yes_is_for_that_alone(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"old.txt": "x\n"})
    spec = script(tmp_path / "s", calls(RIGHT, DELETE, GUARDED), calls(checkpoint()), calls(FINISH))
    first = agent(repo, "fix", "make add add", "--json", "--model", spec, "--later", *OPTIONS)
    told = first.report
    assert (first.code, told.stop, told.usage.turns) == (1, "needs_human", 1)
    assert told.detail == "waits for approval: the next call deletes the file old.txt"
    assert [question.risk for question in told.waits] == ["delete"]
    assert f"resume {told.run} --approve" in agent(repo, "status").out
    plain = agent(repo, "resume", told.run)
    assert (plain.code, "--approve" in plain.err, plain.err.count("\n")) == (2, True, 1)
    assert "### Waits for approval" in repo.git("show", f"refs/agent/runs/{told.run}:report.md")

    second = agent(repo, "resume", told.run, "--approve", "--json", *OPTIONS).report
    assert (second.stop, second.usage.turns) == ("needs_human", 2)
    assert second.detail == "waits for approval: the next step changes action.yml: protected (action.y*ml)"
    assert "+on: push" in second.waits[0].shown
    assert second.seal != told.seal

    last = agent(repo, "resume", told.run, "--approve", "--json", *OPTIONS).report
    assert (last.stop, last.outcome, last.waits) == ("done", "verified", ())
    assert repo.git("ls-tree", "--name-only", last.tip).split() == ["action.yml", "calc.py", "test_calc.py"]
    events = read_events(open_repository(repo.path), told.run)
    made = [event.decision for event in events if isinstance(event, Decided)]
    assert [f"{each.question.risk} {each.answer} {each.by}" for each in made] == [
        "delete wait policy",
        "delete once person",
        "delete once earlier",
        "protected wait policy",
        "protected once person",
        "protected once earlier",
    ]
    again = agent(repo, "resume", told.run, "--approve")
    assert (again.code, "waits for no approval" in again.err) == (2, True)


def test_who_says_something_else_instead_lets_nothing_be_done(repo: Repo, tmp_path: Path) -> None:
    repo.commit({"old.txt": "x\n"})
    spec = script(tmp_path / "s", calls(DELETE, RIGHT), calls(RIGHT, checkpoint()), calls(FINISH))
    run = agent(repo, "fix", "make add add", "--json", "--model", spec, "--later", *OPTIONS).report.run
    told = agent(repo, "resume", run, "--tell", "Leave it where it is.", "--json", *OPTIONS).report
    assert (told.stop, told.outcome) == ("done", "verified")
    assert "old.txt" in repo.git("ls-tree", "--name-only", told.tip)
    events = read_events(open_repository(repo.path), run)
    assert [e.result.error for e in events if isinstance(e, Acted)][:2] == ["not_executed", "not_executed"]
