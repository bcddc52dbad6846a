"""What is asked, of whom, and for how long an answer holds."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import pytest

from bot.agent.asking import Asking, question, sections, stat
from bot.app.assemble import choose_approver
from bot.app.desk import open_desk
from bot.app.resume import Past, _foreign
from bot.core.allowance import find_answer
from bot.core.approval import Answer as Said
from bot.core.approval import Decision, Question, Risk
from bot.core.change import FileChange
from bot.core.check import Check, Rung
from bot.core.event import Acted, Committed, Decided, Ended, Event, Resumed, Started
from bot.core.lineage import follow
from bot.core.message import Reply, ToolCall
from bot.core.redact import Redactor
from bot.core.render import markdown
from bot.core.summary import summarize
from bot.core.talk import Replied
from bot.core.task import Limits, Task
from bot.models.scripted import ScriptedModel
from tests.agent.conftest import CHECKPOINT, FINISH, RIGHT, Scene, reply
from tests.conftest import Repo

LOADS = Check(name="loads", rung=Rung.STATIC, argv=("grep", "-q", "def add", "calc.py"))
GUARDED = ("create_file", {"path": "action.yml", "content": "on: push\n"})
DELETE = ("delete_file", {"path": "old.txt"})
GONE = ("run_command", {"argv": ["python", "gone.py"]})


@dataclass(frozen=True)
class Told:
    """An approver that answers as it is told, and keeps what it was asked."""

    answers: list[Said]
    asked: list[Question] = field(default_factory=list)

    def answer(self, question: Question) -> Decision:
        self.asked.append(question)
        return Decision(question=question, answer=self.answers.pop(0), by="person")


@pytest.fixture
def repo(repo: Repo) -> Repo:
    """Add files to take away, and a program that does so."""
    files = dict.fromkeys(("old.txt", "older.txt", "b.txt"), "x\n")
    repo.commit({**files, "gone.py": "import os\nos.remove('b.txt')\nos.rename('older.txt', 'newer.txt')\n"})
    return repo


def decisions(events: Sequence[Event]) -> list[tuple[Risk, Said, str]]:
    told = [event.decision for event in events if isinstance(event, Decided)]
    return [(each.question.risk, each.answer, each.by) for each in told]


def errors(events: Sequence[Event]) -> list[str | None]:
    return [event.result.error for event in events if isinstance(event, Acted)]


def test_what_the_base_has_is_not_taken_away_unasked_by_any_tool(scene: Scene) -> None:
    def ask(name: str, **arguments: object) -> str:
        call = ToolCall.model_validate({"id": "1", "name": name, "arguments": arguments})
        asked = question(call, scene.bench)
        return f"{asked.risk}: {asked.why}" if asked else ""

    patch = "--- a/{0}\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
    (scene.workspace.root / "scratch.txt").write_text("x\n")
    assert ask("delete_file", path="./old.txt") == "delete: deletes the file old.txt"
    assert ask("apply_patch", patch=patch.format("old.txt")) == "delete: deletes the file old.txt"
    both = patch.format("old.txt") + patch.format("b.txt")
    assert ask("apply_patch", patch=both) == "delete: deletes 2 files: old.txt, b.txt"
    for harmless in ("scratch.txt", "missing.txt", "../x", ".git/config"):
        assert not ask("delete_file", path=harmless)
        assert not ask("apply_patch", patch=patch.format(harmless))
    assert not ask("apply_patch", patch="no patch")
    assert not ask("read_file", path="old.txt")
    assert not ask("move_file", source="old.txt", destination="new.txt")


def test_only_a_program_that_is_merely_unknown_and_is_there_is_asked_about(scene: Scene) -> None:
    def ask(*argv: str) -> Question | None:
        call = ToolCall.model_validate({"id": "1", "name": "run_command", "arguments": {"argv": list(argv)}})
        return question(call, scene.bench)

    asked = ask("basename", "a b")
    assert asked is not None
    assert (asked.risk, asked.subject, asked.shown) == ("command", "basename 'a b'", "basename 'a b'")
    assert asked.why == "runs basename, which is not on the list of programs, with process isolation"
    for argv in (("ls",), ("sh", "-c", "id"), ("basename", "/etc"), ("no-such-program",), ("git", "push"), ()):
        assert ask(*argv) is None


def test_an_answer_holds_for_the_call_the_step_or_the_run(scene: Scene) -> None:
    again = reply(DELETE, ("create_file", {"path": "old.txt", "content": "x\n"}), DELETE, GONE, CHECKPOINT)
    once, always = Told(["once", "deny", "deny"]), Told(["run"])
    events = scene.run(again, limits=Limits(turns=1), approver=once)
    assert decisions(events) == [
        ("delete", "once", "person"),
        ("delete", "deny", "person"),
        ("delete", "deny", "person"),
    ]
    assert errors(events)[:5] == [None, None, "denied", None, "denied"]
    assert once.asked[2].why == "deletes 2 files: b.txt, older.txt by a command, or by way of another place"
    scene.workspace.rollback()
    events = scene.run(again, limits=Limits(turns=1), approver=always)
    assert Counter(by for _, _, by in decisions(events)) == {"person": 1, "earlier": 2}


def test_a_file_that_goes_by_way_of_another_place_or_an_empty_one_is_asked_about(scene: Scene) -> None:
    move = "diff --git a/{0} b/{1}\nrename from {0}\nrename to {1}\n"
    ways = (
        (("move_file", {"source": "old.txt", "destination": "t.txt"}), ("delete_file", {"path": "t.txt"})),
        (("apply_patch", {"patch": move.format("old.txt", "t.txt")}), ("delete_file", {"path": "t.txt"})),
        (("apply_patch", {"patch": "--- a/b.txt\n+++ b/b.txt\n@@ -1 +0,0 @@\n-x\n"}), GONE),
    )
    for first, then in ways:
        scene.workspace.rollback()
        told = Told(["deny"])
        events = scene.run(reply(first, then, CHECKPOINT), limits=Limits(turns=1), approver=told)
        assert decisions(events) == [("delete", "deny", "person")], first
    scene.workspace.rollback()
    there = (
        ("move_file", {"source": "old.txt", "destination": "t.txt"}),
        ("apply_patch", {"patch": move.format("t.txt", "new.txt")}),
    )
    assert decisions(scene.run(reply(*there, RIGHT, CHECKPOINT), limits=Limits(turns=1), approver=Told([]))) == []


def test_a_person_who_saw_the_diff_lets_a_protected_path_through_and_the_report_says_so(scene: Scene) -> None:
    told = Told(["once"])
    events = scene.run(reply(GUARDED, RIGHT, CHECKPOINT), reply(FINISH), approver=told)
    (asked,) = told.asked
    assert (asked.risk, asked.subject) == ("protected", "action.yml")
    assert asked.why == "changes action.yml: protected (action.y*ml)"
    assert "+on: push" in asked.shown
    assert "calc.py" not in asked.shown
    (step,) = summarize(events).steps
    assert [decision.question.shown for decision in step.allowed] == [""]
    assert "- ⚠️ protected paths were changed, allowed by a person\n  - `changes action.yml" in markdown(
        summarize(events)
    )


def test_what_is_final_is_not_asked_about_and_what_was_refused_not_twice(scene: Scene) -> None:
    nobody = Told([])
    secret = ("create_file", {"path": "key.txt", "content": "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n"})
    events = scene.run(reply(GUARDED, secret, CHECKPOINT), limits=Limits(turns=1), approver=nobody)
    assert decisions(events) == []
    assert "refused by policy:\n- action.yml: protected" in [e for e in events if isinstance(e, Acted)][2].result.output
    scene.workspace.rollback()
    told = Told(["deny"])
    again = ("checkpoint", {"subject": "Again"})
    events = scene.run(reply(GUARDED, CHECKPOINT, again), limits=Limits(turns=1), approver=told)
    assert decisions(events) == [("protected", "deny", "person"), ("protected", "deny", "earlier")]


def test_what_is_large_is_asked_about_with_its_figures(scene: Scene) -> None:
    told = Told(["run"])
    limits = Limits(files=1, lines=3)
    made = ("create_file", {"path": "made.txt", "content": "x\n" * 9})
    more = reply(("create_file", {"path": "more.txt", "content": "x\n"}), CHECKPOINT, CHECKPOINT)
    events = scene.run(reply(made, RIGHT, CHECKPOINT), more, reply(FINISH), limits=limits, approver=told)
    (asked,) = told.asked
    assert asked.why.startswith("is large: 2 files changed, at most 1 may in one step (max_files); 11 lines changed")
    assert asked.shown.split("\n")[0].split() == ["+9", "-0", "18", "bytes", "made.txt"]
    assert [by for _, _, by in decisions(events)] == ["person", "earlier"]
    assert len(summarize(events).steps) == 2


def test_stop_ends_the_run_and_it_can_be_taken_up_again(scene: Scene) -> None:
    events = scene.run(reply(DELETE, RIGHT), approver=Told(["stop"]))
    assert isinstance(events[-1], Ended)
    assert (events[-1].stop, errors(events)) == ("denied", ["denied", "not_executed"])
    report = summarize(events)
    assert (report.outcome, report.exit_code) == ("gave_up", 1)
    assert "a person stopped the run where the next call deletes the file old.txt" in report.detail
    script: list[Reply] = [reply(RIGHT, GUARDED, CHECKPOINT), reply(RIGHT, CHECKPOINT), reply(FINISH)]
    events = scene.run(*script, approver=Told(["stop"]))
    assert (summarize(events).stop, errors(events)) == ("denied", [None, None, "denied"])
    agent = scene.agent(ScriptedModel(script, asked=1), approver=Told(["once"]))
    started = events[0]
    assert isinstance(started, Started)
    bench = replace(scene.bench, task=started.task)
    again = [*events, *agent.resume(events, (Resumed(commit=scene.workspace.head),), bench)]
    assert (summarize(again).stop, summarize(again).outcome) == ("done", "verified")


ASKED = Question(risk="protected", subject="a.yml", why="changes a.yml", shown="+x")


def decided(answer: Said, call_id: str = "1", question: Question = ASKED) -> Decided:
    return Decided(call_id=call_id, decision=Decision(question=question, answer=answer, by="person"))


def test_answers_are_found_again_where_they_still_hold() -> None:
    spoken, step = Replied(reply=Reply()), Committed(step=1, commit="c", tree="t", subject="s")
    taken_up = Resumed(commit="c")

    def found(*events: Event, whole: bool = True, question: Question = ASKED) -> str:
        past = find_answer(events, question, "1", whole=whole)
        return past.answer if past else ""

    other = ASKED.model_copy(update={"shown": "+y"})
    assert [found(decided("run"), step, question=q) for q in (ASKED, other)] == ["run", "run"]
    assert [found(decided("once"), spoken, question=q) for q in (ASKED, other)] == ["once", ""]
    assert found(decided("once"), step) == found(decided("stop")) == ""
    assert found(decided("once"), taken_up, whole=False) == "once"
    assert found(decided("once"), spoken, whole=False) == found(decided("once", "2"), whole=False) == ""
    assert found(decided("deny"), spoken, whole=False) == "deny"
    assert found(decided("deny"), taken_up) == ""
    lines = Question(risk="command", subject="basename 'x\nrealpath y\nz'", why="runs basename")
    assert found(decided("run", question=lines), question=lines.model_copy(update={"subject": "realpath y"})) == ""
    both = ASKED.model_copy(update={"subject": "a.yml\nb.yml"})
    second = ASKED.model_copy(update={"subject": "b.yml"})
    assert found(decided("run"), question=both) == ""
    assert found(decided("run"), decided("run", question=second), question=both) == "run"
    assert found(decided("run", question=both), question=second) == "run"


def test_what_was_allowed_for_a_run_does_not_count_where_all_is_refused_from_now_on(repo: Repo) -> None:
    started = Started(run="r1", task=Task(base="c"), branch="agent/r1")
    events = (started, decided("run"))
    past = Past("r1", events, started, follow(events), own=True)
    counted = [_foreign(past, open_desk(repo.path, {"consent": consent}), {}) for consent in ("no", "ask", "yes")]
    assert counted == [2, 0, 0]


def test_what_a_record_of_somebody_else_allows_does_not_count() -> None:
    log = (decided("run"), decided("run"))
    for foreign, asked in ((0, 0), (1, 0), (2, 1)):
        told = Told(["deny"])
        (made,) = Asking(told, Redactor(()), log, foreign).decide("1", ASKED)
        assert isinstance(made, Decided)
        assert (len(told.asked), made.decision.allowed) == (asked, not asked)


@pytest.mark.parametrize(
    ("consent", "trust", "allowed"),
    [
        ("yes", "trusted", {"delete", "command"}),
        ("yes", "untrusted", {"delete"}),
        ("no", "trusted", set()),
        ("no", "untrusted", set()),
    ],
)
def test_consent_allows_beforehand_only_what_nobody_needs_to_see(consent: str, trust: str, allowed: set[str]) -> None:
    risks: tuple[Risk, ...] = ("delete", "protected", "command", "size")
    approver = choose_approver(consent, trust, lambda _: "once")  # type: ignore[arg-type]
    made = [approver.answer(ASKED.model_copy(update={"risk": risk})) for risk in risks]
    assert {decision.question.risk for decision in made if decision.allowed} == allowed
    assert {(decision.answer, decision.by) for decision in made} <= {("once", "policy"), ("deny", "policy")}


def test_silence_is_a_no_of_nobody() -> None:
    decision = choose_approver("ask", "trusted", lambda _: None).answer(ASKED)
    assert (decision.answer, decision.by) == ("deny", "policy")


def test_only_the_files_in_question_are_shown_unless_an_odd_name_hides_which() -> None:
    patch = "diff --git a/x b/x\n-1\ndiff --git a/x y b/x y\n+2\ndiff --git a/z b/z\n+3\n"
    assert sections(patch, ["x"]) == "diff --git a/x b/x\n-1"
    assert sections(patch, ["x y", "z"]) == "diff --git a/x y b/x y\n+2\ndiff --git a/z b/z\n+3\n"
    assert sections(patch, ["z", "\\xff"]) == patch
    files = [FileChange(path="a", kind="added", added=1), FileChange(path="b", kind="deleted", removed=2)]
    assert [line.split()[-1] for line in stat(files).split("\n")] == ["b", "a"]
