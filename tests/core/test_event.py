from typing import get_args

import pytest
from pydantic import ValidationError

from bot.core.approval import Decision, Question
from bot.core.change import ChangeSet, FileChange
from bot.core.check import CaseResult, CheckResult, Rung, Verdict
from bot.core.event import (
    EVENT,
    Acted,
    Baselined,
    Checking,
    Committed,
    Decided,
    Ended,
    Event,
    Paused,
    Proved,
    Published,
    Redone,
    Resumed,
    Reviewed,
    RolledBack,
    Started,
    Undone,
    Verified,
)
from bot.core.message import Edit, Metadata, Reply, ToolCall, ToolResult, Usage
from bot.core.proof import Audit, Proof
from bot.core.talk import Compressed, Planned, Replied, Retried, Surveyed, Told
from bot.core.task import Limits, Source, Task
from bot.core.terms import Terms

CASES = (CaseResult(id="t::a", outcome="failed", message="1 != 2", path="t.py", line=3),)
VERDICT = Verdict(tree="t", results=(CheckResult(check="pytest", rung=Rung.UNIT, status="failed", cases=CASES),))
CALL = ToolCall(id="c1", name="edit_file", arguments={"path": "a", "n": 1, "deep": [{"x": None}]})
EVERY: tuple[Event, ...] = (
    Started(
        run="r",
        task=Task(goal="g", base="b", source=Source(kind="issue", ref="1"), limits=Limits(cost=1.5)),
        branch="x",
    ),
    Baselined(at=1.25, verdict=VERDICT),
    Planned(steps=("a", "b")),
    Replied(reply=Reply(text="t", calls=(CALL,), usage=Usage(input=1), finish="tool_calls"), seconds=0.5),
    Surveyed(map="m", hints=("a.py",), seconds=0.5),
    Retried(error="unavailable", message="m", wait=1.0, usage=Usage(input=1)),
    Compressed(until=3, summary="s", stale=(2,)),
    Acted(
        call=CALL,
        result=ToolResult(
            call_id="c1", ok=True, output="o", metadata=Metadata(edits=(Edit(path="a", before=1, after=2),))
        ),
    ),
    Decided(
        call_id="c1",
        decision=Decision(question=Question(risk="command", subject="x", why="w"), answer="run", by="person"),
    ),
    Told(text="t"),
    Checking(check="pytest", tree="t"),
    Verified(
        verdict=VERDICT, change=ChangeSet(base="1", tree="2", files=(FileChange(path="a", kind="added"),), patch="p")
    ),
    Committed(step=1, commit="c", tree="t", subject="s"),
    RolledBack(to="b", kept="k"),
    Proved(commit="c", proof=Proof(red=("t::a",), mode="written"), audit=Audit(reason="why")),
    Paused(question="q"),
    Undone(step=0, commit="b"),
    Redone(step=1, commit="c", where=("main",), how="reverted"),
    Resumed(commit="b", tree="t", model="offline", limits=Limits(turns=3), terms=Terms(version="1"), anew="why"),
    Reviewed(step=1, commit="c", verdict=VERDICT, change=ChangeSet(base="1", tree="2")),
    Ended(stop="done"),
    Published(where="w"),
)


def test_every_kind_of_event_is_tried_here() -> None:
    union = get_args(Event)[0]
    assert {type(event) for event in EVERY} == set(get_args(union))


@pytest.mark.parametrize("event", EVERY, ids=lambda event: event.event)
def test_event_survives_its_json_line(event: Event) -> None:
    line = event.model_dump_json()
    assert "\n" not in line
    assert EVENT.validate_json(line) == event


@pytest.mark.parametrize(
    "line", ["", "[]", "{}", '{"event": "danced"}', '{"event": "ended"}', '{"event": "told", "text": "x", "more": 1}']
)
def test_line_that_is_no_event_is_refused(line: str) -> None:
    with pytest.raises(ValidationError):
        EVENT.validate_json(line)


def test_event_cannot_be_changed() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        EVERY[-2].stop = "other"  # type: ignore[union-attr,misc]
