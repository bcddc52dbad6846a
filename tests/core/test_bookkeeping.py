"""The audit log tells every request, call, decision and check of a run, and adds them up."""

from collections.abc import Mapping

from bot.core.approval import Decision, Question
from bot.core.bookkeeping import keep_books, tell_arguments
from bot.core.change import ChangeSet
from bot.core.check import Check, CheckResult, Rung, Verdict
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
    RolledBack,
    Started,
    Undone,
    Verified,
)
from bot.core.ledger import Call, CheckRun, Choice, Ledger, Move, Request, Retry
from bot.core.message import Edit, Metadata, Reply, ToolCall, ToolResult, Usage
from bot.core.proof import Audit, Proof
from bot.core.talk import Compressed, Planned, Replied, Retried
from bot.core.task import Source, Task

TREE = "1" * 40
KEY = "ghp_" + "a1B2" * 10
SUITE = Check(name="pytest", rung=Rung.UNIT, argv=("pytest", "-q"))


def verdict(status: str = "passed", **more: object) -> Verdict:
    result = {"check": "pytest", "rung": "unit", "status": status, "seconds": 2.5, "isolation": "landlock", **more}
    return Verdict(tree=TREE, results=(CheckResult.model_validate(result),))


def acted(name: str, arguments: Mapping[str, str], error: str = "", **metadata: object) -> Acted:
    call = ToolCall.model_validate({"id": f"c-{name}", "name": name, "arguments": arguments})
    told = Metadata.model_validate(metadata)
    output = f"{error} because\nof this" if error else "fine"
    result = ToolResult(call_id=call.id, ok=not error, output=output, error=error or None, metadata=told)
    return Acted(at=103, call=call, result=result)


QUESTION = Question(risk="delete", subject="a.py", why="deletes the file a.py")
TASK = Task(goal="mend <!-- and leak --> it", base="c0", source=Source(kind="issue", ref="5", author="mallory"))
EVENTS: tuple[Event, ...] = (
    Started(at=100, run="r1", task=TASK, branch="agent/r1", model="m", isolation="landlock", checks=(SUITE,)),
    Checking(at=101, check="pytest", tree=TREE),
    Baselined(at=101, verdict=verdict("failed", hit=("memory",))),
    Retried(at=101, error="unavailable", message="busy", wait=3, usage=Usage(input=7, cost=0.25)),
    Replied(at=102, reply=Reply(usage=Usage(input=10, output=2, cached=4, cost=0.5)), seconds=1.5, sent=1000),
    Replied(at=102, reply=Reply(usage=Usage(input=5, output=1), finish="length"), seconds=0.5, sent=500),
    acted("run_command", {"argv": f"x {KEY}"}, seconds=1.25, isolation="bubblewrap", hit=("time",), ran="/bin/x y"),
    acted(
        "edit_file", {"path": "a.py", "old": "a - b", "new": "n" * 100}, edits=(Edit(path="a.py", before=1, after=1),)
    ),
    acted("read_file", {"path": "../x"}, "denied"),
    acted("read_file", {"path": "y\x1b[2J\u202e"}, "not_found"),
    Decided(at=104, call_id="c9", decision=Decision(question=QUESTION, answer="deny", by="policy")),
    Verified(at=105, verdict=verdict(reused=True), change=ChangeSet(base="c0", tree=TREE)),
    Committed(at=105, step=1, commit="c1", tree=TREE, subject="Mend"),
    RolledBack(at=106, to="c1", kept="c2", reason="3 attempts did not pass"),
    Checking(at=106, check="pytest", tree=TREE),
    Proved(at=107, commit="c1", proof=Proof(green=("t",)), audit=Audit()),
    Planned(at=107, steps=("a", "b")),
    Compressed(at=107, before=9000, after=4000),
    Paused(at=107, question="which?"),
    Resumed(at=108, commit="c1", model="m2", isolation="process"),
    Checking(at=108, check="pytest", tree=TREE),
    Ended(at=109, stop="interrupted"),
    Undone(at=110, step=0, commit="c0", where=("main",)),
    Redone(at=111, step=1, commit="c1"),
    Published(at=112, where="main"),
)
BOOK = keep_books(EVENTS)


def test_each_thing_that_was_done_is_an_entry_with_its_figures() -> None:
    requests = [entry for entry in BOOK.entries if isinstance(entry, Request)]
    assert [(one.turn, one.sent, one.usage.cached, one.finish) for one in requests] == [
        (1, 1000, 4, "stop"),
        (2, 500, 0, "length"),
    ]
    ran, edited, refused, failed = (entry for entry in BOOK.entries if isinstance(entry, Call))
    assert (ran.took, ran.isolation, ran.hit, ran.ran, ran.number) == (1.25, "bubblewrap", ("time",), "/bin/x y", 7)
    assert edited.gist == f'path=a.py old="a - b" new={"n" * 59}… (+40)'
    assert (edited.files, edited.ok, edited.seconds) == (("a.py",), True, 3)
    assert (refused.refused, refused.error, refused.why) == (True, "denied", "denied because")
    assert (failed.refused, failed.error, failed.gist) == (False, "not_found", "path=y")
    (choice,) = (entry for entry in BOOK.entries if isinstance(entry, Choice))
    assert (choice.risk, choice.answer, choice.by, choice.allowed) == ("delete", "deny", "policy", False)
    checks = [entry for entry in BOOK.entries if isinstance(entry, CheckRun)]
    assert [(c.purpose, c.status, c.reused, c.hit) for c in checks] == [
        ("base", "failed", False, ("memory",)),
        ("step", "passed", True, ()),
        ("proof", "ran", False, ()),
        ("none", "ran", False, ()),
    ]
    assert {(c.tree, c.argv) for c in checks} == {(TREE, ("pytest", "-q"))}
    moves = [entry.what for entry in BOOK.entries if isinstance(entry, Move)]
    wanted = "committed rolled_back proved planned compressed paused resumed ended undone redone published"
    assert moves == wanted.split()


def test_it_is_added_up() -> None:
    totals = BOOK.totals
    assert (totals.requests, totals.retries, totals.sent, totals.waited) == (2, 1, 1500, 2.0)
    assert totals.usage == Usage(input=22, output=3, cached=4, cost=0.75)
    assert (totals.lost, totals.compressed) == (Usage(input=7, cost=0.25), 1)
    assert totals.calls == {"read_file": 2, "run_command": 1, "edit_file": 1}
    assert (totals.refused, totals.failed) == (1, {"not_found": 1})
    assert totals.commands == {"bubblewrap": 1, "landlock": 1}
    assert totals.hit == {"time": 1, "memory": 1}
    assert (totals.checks, totals.reused, totals.decisions) == (4, 1, {"deny by policy": 1})
    assert (totals.commits, totals.rollbacks) == (1, 1)


def test_nothing_hidden_or_secret_is_told_and_that_a_task_hid_something_is() -> None:
    told = BOOK.model_dump_json()
    assert KEY not in told
    assert "\\u001b" not in told
    assert "\u202e" not in told
    assert BOOK.hidden
    assert Ledger.model_validate_json(told) == BOOK


def test_a_record_of_old_that_lacks_the_newer_fields_is_told_all_the_same() -> None:
    newer = {"sent", "hit", "ran", "isolation", "reused"}

    def age(value: object) -> object:
        if isinstance(value, dict):
            return {name: age(item) for name, item in value.items() if name not in newer}
        return [age(item) for item in value] if isinstance(value, list) else value

    old = [EVENT.validate_python(age(event.model_dump(mode="json"))) for event in EVENTS]
    told = keep_books(old)
    assert len(told.entries) == len(BOOK.entries)
    assert (told.totals.sent, told.totals.commands, told.totals.hit) == (0, {}, {})


def test_what_was_not_answered_counts_and_a_check_that_ran_twice_is_there_twice() -> None:
    events = (
        EVENTS[0],
        Checking(at=101, check="pytest", tree=TREE),
        Checking(at=101, check="pytest", tree=TREE),
        Verified(at=105, verdict=verdict(), change=ChangeSet(base="c0", tree=TREE)),
        Retried(at=106, error="unavailable", message="busy", wait=0.4, seconds=2, sent=700),
        acted("checkpoint", {}, "not committed:\nrefused by policy:\n- a.py: protected"),
        Ended(at=107, stop="model", detail="no key"),
    )
    told = keep_books(events)
    assert [(entry.kind, getattr(entry, "status", "")) for entry in told.entries[:2]] == [
        ("check", "passed"),
        ("check", "ran"),
    ]
    assert (told.totals.retries, told.totals.sent, told.totals.waited) == (2, 700, 2)
    assert [entry.again for entry in told.entries if isinstance(entry, Retry)] == [True, False]
    (call,) = (entry for entry in told.entries if isinstance(entry, Call))
    assert call.why == "not committed: refused by policy: - a.py: protected because"


def test_arguments_that_could_not_be_read_are_told_as_they_came() -> None:
    assert tell_arguments(ToolCall(id="1", name="x", raw='{"a": \n1')) == '{"a": 1'
    assert (
        tell_arguments(ToolCall(id="1", name="x", arguments={"argv": ["a", "b"], "n": 3, "e": ""}))
        == 'argv="a b" n=3 e=""'
    )
