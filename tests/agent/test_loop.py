"""The loop: what it yields for what a model says, and what it never does."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from bot.agent import context, planning
from bot.core.check import Check, Rung
from bot.core.event import Acted, Checking, Committed, Ended, Event, Paused, RolledBack, Started, Verified
from bot.core.message import Prompt, Reply, ToolCall, Usage
from bot.core.summary import summarize
from bot.core.talk import Planned, Replied, Retried, Told
from bot.core.task import Limits
from bot.errors import ModelError, ModelRejected, ModelUnavailable
from bot.tools.catalog import ALL
from bot.verify.interpreter import own
from bot.verify.ladder import Ladder
from tests.agent.conftest import CHECKPOINT, FINISH, RIGHT, Answer, Line, Scene, edit, reply


def kinds(events: list[Event]) -> Counter[str]:
    return Counter(event.event for event in events)


def end(events: list[Event]) -> Ended:
    assert isinstance(events[-1], Ended)
    assert kinds(events)["ended"] == 1
    return events[-1]


def acted(events: list[Event]) -> list[Acted]:
    return [event for event in events if isinstance(event, Acted)]


def raises(error: ModelError) -> Line:
    def line(prompt: Prompt) -> Reply:
        raise error

    return line


def test_a_change_is_judged_committed_and_reported(scene: Scene) -> None:
    events = scene.run(reply(RIGHT, CHECKPOINT), reply(FINISH))
    assert (end(events).stop, summarize(events).outcome) == ("done", "verified")
    verified = next(event for event in events if isinstance(event, Verified))
    committed = next(event for event in events if isinstance(event, Committed))
    assert verified.verdict.tree == committed.tree
    assert scene.workspace.head == committed.commit


def test_every_call_is_answered_in_its_order_also_those_after_the_end(scene: Scene) -> None:
    said = reply(("read_file", {"path": "calc.py"}), FINISH, RIGHT, ("outline", {"path": "calc.py"}))
    events = scene.run(said)
    assert [event.call.id for event in acted(events)] == ["c1", "c2", "c3", "c4"]
    assert [event.result.error for event in acted(events)] == [None, None, "not_executed", "not_executed"]
    assert not scene.workspace.diff()


def test_reads_of_one_reply_run_side_by_side_and_answer_in_order(scene: Scene) -> None:
    said = reply(*[("read_file", {"path": name}) for name in ("calc.py", "test_calc.py", "missing.py")])
    results = [event.result for event in acted(scene.run(said, reply(FINISH)))][:3]
    assert [result.ok for result in results] == [True, True, False]
    assert "def add" in results[0].output
    assert "def test_add" in results[1].output


def test_a_reply_without_calls_on_a_changed_tree_is_judged(scene: Scene) -> None:
    events = scene.run(reply(RIGHT), Reply(text="Add adds\n\nIt did not."), reply(FINISH))
    assert next(event.subject for event in events if isinstance(event, Committed)) == "Add adds"


def test_finishing_is_refused_while_changes_are_unverified(scene: Scene) -> None:
    events = scene.run(reply(RIGHT), reply(FINISH), reply(CHECKPOINT, FINISH))
    assert [event.result.error for event in acted(events)] == [None, "unverified", None, None]
    assert summarize(events).outcome == "verified"


def test_an_empty_reply_is_nudged_once_and_then_ends_the_run(scene: Scene) -> None:
    events = scene.run()
    assert kinds(events)["replied"] == 2
    assert kinds(events)["told"] == 1
    assert summarize(events).outcome == "gave_up"


def test_a_change_that_mends_nothing_needs_to_be_insisted_on(scene: Scene) -> None:
    comment = edit("def add(a, b):", "def add(a, b):  # sums")
    events = scene.run(reply(comment, CHECKPOINT), reply(CHECKPOINT), reply(FINISH))
    assert "call checkpoint again" in acted(events)[1].result.output
    assert [type(event) for event in events if isinstance(event, Committed)] == [Committed]
    assert summarize(events).outcome == "partial"


def test_without_a_goal_a_change_that_mends_nothing_is_never_committed(scene: Scene) -> None:
    comment = edit("def add(a, b):", "def add(a, b):  # sums")
    events = scene.run(reply(comment, CHECKPOINT), reply(CHECKPOINT), reply(CHECKPOINT), reply(FINISH), goal="")
    assert kinds(events)["committed"] == 0
    assert kinds(events)["rolled_back"] == 1


def test_what_policy_refuses_after_replies_without_calls_is_rolled_back_as_well(scene: Scene) -> None:
    guarded = reply(("create_file", {"path": "action.yml", "content": "on: push\n"}))
    silent = reply(text="it is done")
    events = scene.run(guarded, silent, silent, silent, limits=Limits(attempts=2))
    assert [event.error for event in events if isinstance(event, Told)] == ["denied", "denied"]
    assert sum(isinstance(event, RolledBack) for event in events) == 1
    assert not (scene.workspace.root / "action.yml").exists()
    assert end(events).stop == "done"


def test_failed_attempts_end_in_a_rollback_that_keeps_the_rejected_tree(scene: Scene) -> None:
    broken = reply(edit("def add", "def plus"), CHECKPOINT)
    events = scene.run(broken, reply(CHECKPOINT), reply(CHECKPOINT), reply(RIGHT, CHECKPOINT), reply(FINISH))
    rolled = next(event for event in events if isinstance(event, RolledBack))
    assert rolled.to == scene.workspace.base
    kept = scene.workspace.repository.git.output("show", f"{rolled.kept}:calc.py")
    assert b"def plus" in kept
    assert summarize(events).outcome == "verified"


def test_rollbacks_are_limited(scene: Scene) -> None:
    broken = [reply(edit("def add", "def plus"), CHECKPOINT)]
    events = scene.run(*broken * 9, limits=Limits(attempts=1, rollbacks=2))
    assert end(events).stop == "limit:rollbacks"
    assert kinds(events)["rolled_back"] == 2


def test_a_change_of_a_protected_path_is_refused_before_anything_runs(scene: Scene) -> None:
    workflow = ("create_file", {"path": ".github/workflows/x.yml", "content": "on: push\n"})
    events = scene.run(reply(workflow, CHECKPOINT), reply(FINISH))
    assert kinds(events)["verified"] == 0
    assert acted(events)[1].result.error == "denied"
    assert "workflows" in acted(events)[1].result.output


def test_a_question_pauses_the_run(scene: Scene) -> None:
    events = scene.run(reply(("ask", {"question": "Which sum?"})))
    assert next(event.question for event in events if isinstance(event, Paused)) == "Which sum?"
    assert end(events).stop == "needs_human"


def test_a_plan_is_an_event(scene: Scene) -> None:
    events = scene.run(reply(("update_plan", {"steps": ["one", "two"]})), reply(FINISH))
    assert next(event.steps for event in events if isinstance(event, Planned)) == ("one", "two")
    assert summarize(events).plan == ("one", "two")


def test_deleting_a_file_asks_somebody(scene: Scene) -> None:
    delete = ("delete_file", {"path": "calc.py"})
    nobody, somebody = Answer(yes=False), Answer(yes=True)
    assert acted(scene.run(reply(delete), reply(FINISH), approver=nobody))[0].result.error == "denied"
    assert (scene.workspace.root / "calc.py").exists()
    assert acted(scene.run(reply(delete), reply(FINISH), approver=somebody))[0].result.ok
    assert len(nobody.asked) == len(somebody.asked) == 1


def test_an_unavailable_model_is_asked_again_after_the_time_it_asked_for(scene: Scene) -> None:
    events = scene.run(raises(ModelUnavailable("busy", wait=7)), raises(ModelUnavailable("busy")), reply(FINISH))
    assert [event.error for event in events if isinstance(event, Retried)] == ["unavailable"] * 2
    assert scene.clock.waits[0] == 7
    assert 2 <= scene.clock.waits[1] <= 2.5
    assert end(events).stop == "done"


def test_an_unavailable_model_is_given_up_within_its_bound(scene: Scene) -> None:
    events = scene.run(*[raises(ModelUnavailable("busy"))] * 9)
    assert end(events).stop == "model"
    assert kinds(events)["retried"] == 4
    assert summarize(events).outcome == "failed"


def test_a_wait_beyond_the_deadline_is_not_begun(scene: Scene) -> None:
    events = scene.run(raises(ModelUnavailable("busy", wait=50)), limits=Limits(seconds=30))
    assert end(events).stop == "model"
    assert scene.clock.waits == []


def test_a_rejected_request_is_not_repeated(scene: Scene) -> None:
    events = scene.run(raises(ModelRejected("no such key")))
    assert (end(events).stop, end(events).detail) == ("model", "no such key")
    assert kinds(events)["retried"] == 0


@pytest.mark.parametrize(
    ("limits", "stop"),
    [
        (Limits(turns=2), "limit:turns"),
        (Limits(tokens=15), "limit:tokens"),
        (Limits(cost=0.015), "limit:cost"),
        (Limits(turns=0), "limit:turns"),
        (Limits(cost=0), "limit:cost"),
        (Limits(seconds=0), "limit:seconds"),
    ],
)
def test_a_limit_is_never_passed_by_more_than_one_turn(scene: Scene, limits: Limits, stop: str) -> None:
    billed = Usage(input=8, output=2, cost=0.01)
    lines = [Reply(calls=(ToolCall(id=str(n), name="nonsense", raw="{"),), usage=billed) for n in range(9)]
    events = scene.run(*lines, limits=limits)
    assert end(events).stop == stop
    assert kinds(events)["replied"] <= 2


def test_steps_are_limited_and_kept(scene: Scene) -> None:
    more = reply(edit("a + b", "b + a"), CHECKPOINT)
    events = scene.run(reply(RIGHT, CHECKPOINT), more, limits=Limits(steps=1))
    assert (end(events).stop, kinds(events)["committed"]) == ("limit:steps", 1)


def test_a_circle_is_told_and_then_stopped(scene: Scene) -> None:
    events = scene.run(*[reply(("read_file", {"path": "calc.py"}))] * 9)
    assert end(events).stop == "limit:loop"
    assert kinds(events)["acted"] == 4
    assert any(isinstance(event, Told) for event in events)


def test_no_secret_reaches_the_record_or_the_model(scene: Scene) -> None:
    secret = "correct-horse-battery"
    (scene.workspace.root / "notes.txt").write_text(f"the key is {secret}\n")
    seen: list[Prompt] = []

    def look(prompt: Prompt) -> Reply:
        seen.append(prompt)
        return reply(FINISH)

    events = scene.run(reply(("read_file", {"path": "notes.txt"})), look, secrets=(secret,))
    assert secret not in "".join(event.model_dump_json() for event in events)
    assert secret not in seen[0].model_dump_json()


def test_the_prompt_of_every_turn_can_be_made_again_from_the_events(scene: Scene) -> None:
    sent: list[Prompt] = []

    def tell(said: Reply) -> Line:
        def line(prompt: Prompt) -> Reply:
            sent.append(prompt)
            return said

        return line

    lines = [
        tell(reply(edit("def add", "def plus"), CHECKPOINT)),
        tell(reply(edit("def plus", "def add"), RIGHT)),
        tell(reply(CHECKPOINT, FINISH)),
    ]
    events = scene.run(*lines)
    started = events[0]
    assert isinstance(started, Started)
    specs = planning.offer({tool.name: tool for tool in ALL}, started)
    turns = [index for index, event in enumerate(events) if isinstance(event, Replied)]
    assert [context.prompt(events[:index], specs) for index in turns] == sent
    texts = [prompt.model_dump_json(exclude={"tools", "longer"})[:-2] for prompt in sent]
    assert all(later.startswith(earlier) for earlier, later in pairwise(texts))


SECRET = "correct-horse-battery"


def test_a_secret_does_not_get_into_a_commit_message(scene: Scene) -> None:
    told = ("checkpoint", {"subject": f"Add {SECRET}", "body": f"It was {SECRET[::-1]}."})
    scene.run(reply(RIGHT, told), reply(FINISH), secrets=(SECRET,))
    message = scene.workspace.repository.git.output("log", "-1", "--format=%B", scene.workspace.head).decode()
    assert message.startswith("Add [redacted]\n\nIt was [redacted]")


def test_a_change_that_shows_a_secret_is_refused(scene: Scene) -> None:
    base = scene.workspace.head
    hidden = ("create_file", {"path": f"{SECRET}.txt", "content": f"{SECRET}\n"})
    events = scene.run(reply(RIGHT, hidden, CHECKPOINT), secrets=(SECRET,))
    result = next(e.result for e in events if isinstance(e, Acted) and e.call.name == "checkpoint")
    assert result.error == "denied"
    assert "the name of a file holds a secret" in result.output
    assert "an added line holds a secret" in result.output
    assert scene.workspace.head == base


def test_a_tree_is_not_judged_until_it_passes_by_luck(scene: Scene) -> None:
    harmless = edit("return", "return  ")
    events = scene.run(reply(harmless, CHECKPOINT), reply(CHECKPOINT), reply(FINISH))
    verdicts = [event.verdict for event in events if isinstance(event, Verified)]
    assert len(verdicts) == 2
    assert verdicts[0] == verdicts[1]
    trees = [event.tree for event in events if isinstance(event, Checking)]
    assert trees.count(verdicts[0].tree) == 2
    assert any(isinstance(event, Committed) for event in events)


def test_refused_tests_are_told_what_is_asked_of_them(scene: Scene) -> None:
    suite = Check(name="pytest", rung=Rung.UNIT, reader="pytest")
    ladder = Ladder((suite,), scene.bench.executor, own())
    wrong = edit("a - b", "a * b")
    fails, passes = (
        ("create_file", {"path": "test_calc.py", "content": f"def test_new():\n    assert {value}\n"})
        for value in (False, True)
    )
    remove = ("delete_file", {"path": "test_calc.py"})
    asked = Scene(replace(scene.bench, ladder=ladder), scene.workspace, scene.clock)
    first, second = reply(wrong, remove, fails, CHECKPOINT), reply(remove, passes, CHECKPOINT)
    told = [event.result.output for event in acted(asked.run(first, second, reply(FINISH), approver=Answer(yes=True)))]
    assert "committed together with what makes it pass" in told[3]
    assert "A test that was there has to be there still" in told[6]
