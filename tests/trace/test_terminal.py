"""What a person sees while a run goes on."""

import io

from rich.console import Console

from bot.core.change import ChangeSet
from bot.core.check import CaseResult, CheckResult, Comparison, Rung, Verdict
from bot.core.event import (
    Acted,
    Baselined,
    Checking,
    Committed,
    Ended,
    Event,
    Paused,
    Proved,
    RolledBack,
    Started,
    Verified,
)
from bot.core.message import Reply, ToolCall, ToolResult
from bot.core.proof import Audit, Proof, TestChange
from bot.core.talk import Compressed, Planned, Replied, Retried
from bot.core.task import Limits, Source, Task
from bot.trace.terminal import Terminal, complaint, describe, reasons, tally

TREE = "1" * 40


def told(*events: Event, terminal: bool = False) -> str:
    console = Console(file=io.StringIO(), force_terminal=terminal, width=100, color_system=None, highlight=False)
    with Terminal(console) as shown:
        for event in events:
            shown.record(event)
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def started() -> Started:
    task = Task(goal="mend it", source=Source(kind="local"), base="a" * 40, limits=Limits(turns=7))
    return Started(
        run="r1", task=task, branch="agent/r1", model="offline", isolation="process", python="/p, theirs", notes=("n!",)
    )


def verdict(status: str = "failed", **compared: tuple[str, ...]) -> Verdict:
    cases = (CaseResult(id="t.py::a", outcome="passed"), CaseResult(id="t.py::b", outcome="failed"))
    result = CheckResult.model_validate({"check": "pytest", "rung": Rung.UNIT, "status": status, "cases": cases})
    return Verdict(tree=TREE, results=(result,), comparison=Comparison(**compared))


def replied(text: str, *names: str) -> Replied:
    return Replied(reply=Reply(text=text, calls=tuple(ToolCall(id=name, name=name) for name in names)))


def test_a_run_begins_with_its_id_its_base_and_its_notes() -> None:
    text = told(started())
    assert "run r1  offline  process" in text
    assert "aaaaaaaaaa" in text
    assert "! n!" in text


def test_a_base_without_checks_says_so() -> None:
    assert "no check was found" in told(started(), Baselined(verdict=Verdict(tree=TREE)))
    assert "no check was found" not in told(started(), Baselined(verdict=verdict()))


def test_checks_are_counted() -> None:
    assert "✗ pytest       1 failed, 1 passed" in told(started(), Baselined(verdict=verdict()))


def test_what_the_model_says_twice_is_shown_once() -> None:
    text = told(started(), replied("fix: it", "edit_file"), replied("fix: it", "checkpoint"), replied("more", "x"))
    assert text.count("fix: it") == 1
    assert "more" in text


def test_the_last_words_are_left_to_the_report() -> None:
    assert "all is well" not in told(started(), replied("all is well", "finish"))


def test_a_refused_call_says_why_and_a_done_one_what() -> None:
    call = ToolCall(id="1", name="edit_file", arguments={"path": "a.py", "old": "x"})
    bad = ToolResult(call_id="1", ok=False, output="not committed (attempt 1 of 3):\nbreaks t.py::a\nmore")
    assert "✗ edit_file a.py: not committed (attempt 1 of 3): breaks t.py::a" in told(Acted(call=call, result=bad))
    assert "· edit_file a.py" in told(Acted(call=call, result=ToolResult(call_id="1", ok=True, output="done")))


def test_a_complaint_without_a_colon_is_its_first_line() -> None:
    assert complaint("no such file\nsee above") == "no such file"
    twice = "not committed (attempt 1 of 3):\na person did not allow it:\n- changes x.yml\n- changes y.yml"
    assert complaint(twice) == "not committed (attempt 1 of 3): a person did not allow it: changes x.yml"
    assert complaint("") == ""


def test_what_was_told_check_by_check_is_not_told_again() -> None:
    assert complaint("not committed (attempt 1 of 3):\nVERDICT not ok\n…") == "not committed (attempt 1 of 3)"
    call = ToolCall(id="1", name="checkpoint", arguments={"subject": "fix: it"})
    result = ToolResult(call_id="1", ok=False, output="not committed (attempt 1 of 3):\nVERDICT not ok")
    text = told(Acted(call=call, result=result))
    assert text == "  ✗ checkpoint: not committed (attempt 1 of 3)\n"


def test_a_tree_that_is_not_committed_says_what_it_breaks_and_takes_away() -> None:
    change = ChangeSet(base=TREE, tree=TREE)
    worse = verdict(broken=("t.py::b", "t.py::c"), removed=("t.py::d",))
    assert "not verified: breaks t.py::b and 1 more; takes away t.py::d" in told(Verified(verdict=worse, change=change))
    assert reasons(verdict()) == ""
    assert told(Verified(verdict=verdict("passed"), change=change)) == ""


def test_steps_forward_and_back_are_shown() -> None:
    text = told(
        Committed(step=2, commit="c" * 40, tree=TREE, subject="fix: it"),
        RolledBack(to="b" * 40, kept="d" * 40, reason="3 attempts"),
    )
    assert "✓ step 2  cccccccccc  fix: it" in text
    assert "rolled back to bbbbbbbbbb: 3 attempts" in text


def test_plans_questions_and_waits_are_shown() -> None:
    text = told(Planned(steps=("one", "two")), Paused(question="which?"), Retried(error="x", message="busy", wait=2))
    assert "1. one" in text
    assert "? which?" in text
    assert "busy; asking again in 2 s" in text
    planning = started().model_copy(update={"planning": True})
    assert "the first" not in told(planning, Planned(steps=("the first",)))
    assert "with a shorter prompt" in told(Retried(error="overflow", message="too long"))
    assert "shorter for the model, from 9.0 k to 4.0 k bytes" in told(Compressed(before=9000, after=4000))


def test_a_line_that_is_too_long_goes_on_below_its_words_and_is_left_whole_in_a_log() -> None:
    long = Retried(error="x", message=" ".join(["busy"] * 30), wait=2)
    console = Console(file=io.StringIO(), force_terminal=True, width=60, color_system=None, highlight=False)
    with Terminal(console) as shown:
        shown.record(long)
    assert isinstance(console.file, io.StringIO)
    lines = [line for line in console.file.getvalue().splitlines() if "busy" in line]
    assert len(lines) > 1
    assert all(line[line.index("model" if "model" in line else "busy") - 2 :].startswith("  ") for line in lines)


def test_an_early_end_is_told_in_words() -> None:
    assert "stopped: the limit on turns is reached" in told(Ended(stop="limit:turns"))
    assert "stopped: a person has to decide" in told(Ended(stop="needs_human"))
    assert "stopped: the model got nowhere any more" in told(Ended(stop="limit:loop"))
    assert "stopped: the service does not accept the key" in told(Ended(stop="model", error="credentials"))
    assert "stopped: the model gave no answer" in told(Ended(stop="model", error="cut"))
    assert told(Ended(stop="done")) == ""
    assert told(Ended(stop="something new")) == ""


def test_foreign_text_cannot_move_the_cursor() -> None:
    text = told(replied("a\x1b[2Jb\x1b]0;title\x07c", "x"), Paused(question="\x1b[31mred"))
    assert "\x1b" not in text
    assert "abc" in text


def test_the_live_line_tells_check_and_turn_on_a_terminal_only() -> None:
    events = (started(), Checking(check="mypy", tree=TREE))
    assert "checking mypy" in told(*events, terminal=True)
    assert "thinking  (turn 1 of 7)" in told(*events, Baselined(verdict=verdict()), terminal=True)
    assert "checking" not in told(*events)


def test_a_call_is_named_by_its_first_argument() -> None:
    assert (
        describe(ToolCall(id="1", name="run_command", arguments={"argv": ["ruff", "check"]}))
        == "run_command ruff check"
    )
    assert describe(ToolCall(id="1", name="show_changes")) == "show_changes"


def test_a_result_without_cases_says_its_summary_or_status() -> None:
    assert tally(CheckResult(check="x", rung=Rung.UNIT, status="errored", summary="no tool")) == "no tool"
    assert tally(CheckResult(check="x", rung=Rung.UNIT, status="skipped")) == "skipped"


def test_a_proof_says_what_was_red_and_what_speaks_against_it() -> None:
    proof = Proof(red=("t.py::a",), green=("t.py::a",), mode="written")
    changes = (
        TestChange(path="t.py", name="test_old", kind="removed"),
        TestChange(path="t.py", name="test_new", kind="added"),
    )
    text = told(started(), Proved(commit="c" * 40, proof=proof, audit=Audit(tests=changes)))
    assert "  ✓ red → green: 1 case that is new fails on the base, and passes with the change\n" in text
    assert "  ✗ 1 test is gone: t.py::test_old\n" in text
    assert "test_new" not in text


def test_no_proof_says_why_and_cannot_move_the_cursor() -> None:
    text = told(started(), Proved(commit="c" * 40, proof=Proof(reason="\x1b[2Jnone\nwas red"), audit=Audit()))
    assert "  ● nothing was shown to fail without the change: none was red\n" in text


def test_a_check_that_is_but_an_exit_code_is_not_counted_in_cases() -> None:
    case = CaseResult(id="make", outcome="passed")
    result = CheckResult(check="make", rung=Rung.BUILD, status="passed", cases=(case,), summary="exit code 0; weaker")
    assert tally(result) == "exit code 0"
