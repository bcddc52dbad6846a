"""A run that was cut off after any of its events goes on and comes to the same end."""

import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from bot.core import standing
from bot.core.event import Acted, Committed, Ended, Event, Resumed, RolledBack, Started, Undone, Verified
from bot.core.lineage import follow
from bot.core.message import Reply
from bot.core.redact import MARK
from bot.core.summary import summarize
from bot.core.talk import Replied, Told
from bot.core.task import Limits
from bot.git.workspace import open_workspace
from bot.models.scripted import ScriptedModel
from tests.agent.conftest import CHECKPOINT, FINISH, RIGHT, Scene, edit, reply
from tests.conftest import Repo

WRONG = edit("a - b", "a * b")
BROKEN = edit("def add", "def plus")
SCRIPT: tuple[Reply, ...] = (
    reply(("read_file", {"path": "calc.py"}), ("create_file", {"path": "notes.txt", "content": "one\n"}), RIGHT),
    reply(CHECKPOINT),
    reply(BROKEN, CHECKPOINT),
    reply(CHECKPOINT, ("create_file", {"path": "later.txt", "content": "two\n"})),
    reply(("run_command", {"argv": ["python", "write.py"]}), CHECKPOINT, ("delete_file", {"path": "notes.txt"})),
    reply(text="more notes"),
    reply(CHECKPOINT),
    reply(FINISH),
)
LIMITS = Limits(attempts=2)
DIGITS = re.compile("[0-9a-f]{10,}")
"""Ids of commits, which hold the moment they were made at, and marks that are made of them."""


@pytest.fixture
def repo(repo: Repo) -> Repo:
    """Add a program that writes a file, for a command to run."""
    repo.commit({"write.py": "open('made.txt', 'w').write('made\\n')\n"})
    return repo


def go_on(scene: Scene, past: Sequence[Event], number: int, lines: Sequence[Reply] = SCRIPT) -> list[Event]:
    """Take a run up in a new workspace, as the product does, and return all of its events."""
    head = follow(past).head or scene.workspace.base
    started = past[0]
    assert isinstance(started, Started)
    opened = open_workspace(
        scene.workspace.repository, base=started.task.base, run=f"n{number}", branch=f"agent/n{number}", at=head
    )
    with opened as workspace:
        draft = standing.draft(past)
        if draft:
            workspace.restore(draft)
        bench = replace(scene.bench, workspace=workspace, task=started.task)
        asked = sum(isinstance(event, Replied) for event in past)
        agent = scene.agent(ScriptedModel(list(lines), asked=asked))
        return [*past, *agent.resume(past, (Resumed(commit=head, tree=draft),), bench)]


@pytest.fixture
def undisturbed(scene: Scene) -> list[Event]:
    """Let the whole script run."""
    events = scene.run(*SCRIPT, limits=LIMITS)
    assert summarize(events).stop == "done"
    return events


def story(events: Sequence[Event]) -> tuple[object, ...]:
    """Say what a run came to, without what differs by moment."""
    steps = [(e.step, e.tree, e.subject) for e in events if isinstance(e, Committed)]
    kept = sum(isinstance(e, RolledBack) for e in events)
    heard = [(e.call.name, e.result.ok, e.result.error) for e in events if isinstance(e, Acted)]
    told = [DIGITS.sub("", e.text) for e in events if isinstance(e, Told)]
    report = summarize(events)
    return steps, kept, heard, told, report.outcome, report.stop, report.usage.turns


def test_cut_off_after_any_event_it_comes_to_the_same_end(scene: Scene, undisturbed: list[Event]) -> None:
    wanted = story(undisturbed)
    assert wanted[1] == 1, "the script holds a rollback"
    for number in range(1, len(undisturbed)):
        events = go_on(scene, undisturbed[:number], number)
        assert story(events) == wanted, f"cut after event {number}, {undisturbed[number - 1].event}"


def test_cut_off_twice_it_comes_to_the_same_end(scene: Scene, undisturbed: list[Event]) -> None:
    wanted = story(undisturbed)
    for number in range(3, len(undisturbed), 14):
        once = go_on(scene, undisturbed[:number], number)
        again = go_on(scene, once[: number + 3], 100 + number)
        assert story(again) == wanted


def test_a_verdict_that_nobody_heard_of_is_asked_for_again_and_counts_once(scene: Scene) -> None:
    neutral = reply(edit("def add(a, b)", "def add(a, b) "), CHECKPOINT)
    whole = scene.run(neutral, limits=LIMITS)
    at = next(index for index, event in enumerate(whole) if isinstance(event, Verified))
    events = go_on(scene, whole[: at + 1], 1, (neutral,))
    first = next(event for event in events if isinstance(event, Acted) and event.call.name == "checkpoint")
    assert not first.result.ok, "asked for once, a change that mends nothing is not insisted on"
    assert story(events) == story(whole)


def test_a_call_whose_record_is_not_whole_is_not_executed(scene: Scene) -> None:
    secret = "sup3r-s3cret-value"
    lines = (reply(("create_file", {"path": "key.txt", "content": f"key: {secret}\n"})), reply(FINISH))
    whole = scene.run(*lines, secrets=(secret,))
    at = next(index for index, event in enumerate(whole) if isinstance(event, Replied))
    assert MARK in whole[at].model_dump_json()
    events = go_on(scene, whole[: at + 1], 1, lines)
    acted = next(event for event in events if isinstance(event, Acted))
    assert (acted.result.ok, acted.result.error) == (False, "not_executed")


def test_after_a_person_went_back_open_calls_are_void_and_the_model_hears_of_it(
    scene: Scene, undisturbed: list[Event]
) -> None:
    at = next(index for index, event in enumerate(undisturbed) if isinstance(event, Committed))
    base = scene.workspace.base
    past = [*undisturbed[: at + 1], Undone(step=0, commit=base)]
    events = go_on(scene, past, 1, SCRIPT[:2])
    acted = next(event for event in events[len(past) :] if isinstance(event, Acted))
    assert acted.result.error == "not_executed"
    assert follow(events).live == ()


def test_a_limit_counts_what_was_spent_before_and_a_new_one_holds_for_the_whole(scene: Scene) -> None:
    whole = scene.run(*SCRIPT, limits=Limits(turns=2, attempts=2))
    assert isinstance(whole[-1], Ended)
    assert whole[-1].stop == "limit:turns"
    again = go_on(scene, whole, 1)
    assert isinstance(again[-1], Ended)
    assert again[-1].stop == "limit:turns"
    assert sum(isinstance(event, Replied) for event in again) == 2
