"""What a trace must be before anything relies on it."""

import json
from math import inf, nan

import pytest

from bot import __version__
from bot.core.branches import Place
from bot.core.change import ChangeSet
from bot.core.check import Verdict
from bot.core.event import (
    Acted,
    Baselined,
    Committed,
    Event,
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
from bot.core.message import ToolCall, ToolResult
from bot.core.proof import Audit, Proof
from bot.core.summary import summarize
from bot.core.talk import Told
from bot.core.task import Task
from bot.errors import WorkspaceError
from bot.git.journal import encode
from bot.git.vetting import vet

ID = "a" * 40
EVIL = "--output=/tmp/x"
START = Started(run="r1", task=Task(base=ID), branch="agent/x")
BASED = Baselined(verdict=Verdict(tree=ID))
JUDGED = Verified(verdict=Verdict(tree=ID), change=ChangeSet(base=ID, tree=ID, patch=""))
MADE = Committed(step=1, commit=ID, tree=ID, subject="s")
CALL = ToolCall(id="c", name="edit_file", arguments={})
RESULT = ToolResult(call_id="c", ok=True, output="")


def written(*events: Event) -> bytes:
    return b"".join(map(encode, events))


def test_a_trace_of_ours_passes_and_can_be_summarised() -> None:
    events = (START, BASED, JUDGED, MADE, Undone(step=0, commit=ID), Redone(step=1, commit=ID), Published(where="main"))
    assert vet("r1", written(*events)) == events
    assert summarize(events).steps[0].number == 1


@pytest.mark.parametrize(
    "events",
    [
        (START.model_copy(update={"task": Task(base=EVIL)}),),
        (START, Baselined(verdict=Verdict(tree=EVIL))),
        (START, JUDGED.model_copy(update={"verdict": Verdict(tree=EVIL)})),
        (START, JUDGED.model_copy(update={"change": ChangeSet(base=EVIL, tree=ID, patch="")})),
        (START, Acted(call=CALL, result=RESULT, tree=EVIL)),
        (START, BASED, JUDGED, MADE.model_copy(update={"commit": EVIL})),
        (START, RolledBack(to="HEAD", kept="")),
        (START, RolledBack(to=ID, kept=EVIL)),
        (START, Resumed(commit="main")),
        (START, Proved(commit=EVIL, proof=Proof(), audit=Audit())),
        (START, Undone(step=0, commit=EVIL)),
        (START, BASED, Reviewed(step=0, commit=EVIL, verdict=JUDGED.verdict, change=JUDGED.change)),
        (START, Published(where="w", commit=ID[:-1])),
        (START, Published(where="w", places=(Place(ref="refs/heads/main", before=EVIL, after=ID),))),
    ],
    ids=lambda events: events[-1].event,
)
def test_an_event_that_names_no_object_is_refused_before_git_hears_of_it(events: tuple[Event, ...]) -> None:
    with pytest.raises(WorkspaceError, match="no object of git"):
        vet("r1", written(*events))


@pytest.mark.parametrize("at", [inf, -inf, nan, -1.0, 1e300])
def test_a_time_that_no_calendar_has_is_refused(at: float) -> None:
    text = json.dumps({"at": at, "event": "told", "text": "x"}).encode() + b"\n"
    with pytest.raises(WorkspaceError, match="r1: line 2"):
        vet("r1", written(START) + text)


@pytest.mark.parametrize(
    "events",
    [
        (START, MADE),
        (START, BASED, MADE),
        (START, JUDGED, MADE),
        (START, BASED, JUDGED, MADE, MADE),
        (START, START),
        (START, BASED, JUDGED, MADE.model_copy(update={"tree": "b" * 40})),
        (START, BASED, JUDGED, MADE.model_copy(update={"step": 2})),
        (START, BASED, JUDGED, MADE, JUDGED, MADE),
        (START, BASED, JUDGED, MADE, Undone(step=2, commit=ID)),
        (START, BASED, JUDGED, MADE, Undone(step=-1, commit=ID)),
        (START, BASED, Reviewed(step=1, commit=ID, verdict=JUDGED.verdict, change=JUDGED.change)),
    ],
)
def test_events_that_cannot_follow_each_other_are_refused(events: tuple[Event, ...]) -> None:
    with pytest.raises(WorkspaceError, match="line"):
        vet("r1", written(*events))


@pytest.mark.parametrize("data", [b"", b'{"event": "cut', written(Told(text="x"))])
def test_what_does_not_begin_with_the_start_is_refused(data: bytes) -> None:
    with pytest.raises(WorkspaceError, match="begin"):
        vet("r1", data)


@pytest.mark.parametrize("change", [{"event": "teleported"}, {"colour": "blue"}])
def test_what_a_newer_version_wrote_is_said_to_be_so(change: dict[str, str]) -> None:
    first = START.model_copy(update={"version": "99.1.0"})
    line = json.dumps({**Told(text="x").model_dump(), **change}).encode() + b"\n"
    with pytest.raises(WorkspaceError, match="r1: line 2") as caught:
        vet("r1", written(first) + line)
    assert caught.value.hint == f"git agent 99.1.0 wrote it, this is {__version__}"


@pytest.mark.parametrize("version", ["", __version__, "\x1b[2J", "x" * 1000, "1\n2"])
def test_a_version_that_tells_nothing_is_not_repeated(version: str) -> None:
    with pytest.raises(WorkspaceError) as caught:
        vet("r1", written(START.model_copy(update={"version": version})) + b"{}\n")
    assert caught.value.hint == ""
