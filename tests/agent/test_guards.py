"""Guards: a model that gets nowhere is told, and stopped; one that works is left alone."""

from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.agent import guards
from bot.core.event import Acted, Committed, Ended, Event, Started
from bot.core.message import Reply, ToolCall, ToolResult
from bot.core.talk import Compressed, Replied, Told
from bot.core.task import Task
from bot.errors import Unverified

STARTED = Started(run="r", task=Task(goal="g", base="b"), branch="x")
COMMITTED = Committed(step=1, commit="c", tree="t", subject="s")
TURNS = 60


def acted(output: str, path: str = "a", *, error: str | None = None, tree: str = "", raw: str = "") -> Acted:
    call = ToolCall(id="1", name="read_file", arguments={} if raw else {"path": path}, raw=raw)
    return Acted(call=call, result=ToolResult(call_id="1", ok=error is None, output=output, error=error), tree=tree)


def turns(*acts: Acted) -> Iterator[Event]:
    for act in acts:
        yield Replied(reply=Reply(calls=(act.call,)))
        yield act


def play(acts: Iterator[Acted]) -> tuple[int, Ended | None, list[str]]:
    """Let a model act until it is stopped; return after how many turns, and what it was told before."""
    log: list[Event] = [STARTED]
    hints: list[str] = []
    for number, act in enumerate(acts, 1):
        log += turns(act)
        said = guards.watch(log)
        if isinstance(said, Ended):
            return number, said, hints
        if said is not None:
            hints.append(said.text)
            log.append(said)
    return TURNS, None, hints


def endless(*acts: Acted) -> Iterator[Acted]:
    return (acts[number % len(acts)] for number in range(TURNS))


def test_a_call_repeated_with_the_same_result_is_counted() -> None:
    assert guards.repetition([acted("x")] * 3) == 3
    assert guards.repetition([acted("x"), acted("y"), acted("y")]) == 2


def test_calls_that_alternate_are_counted_in_cycles() -> None:
    assert guards.repetition([acted("x", "a"), acted("y", "b")] * 4) == 4
    assert guards.repetition([acted("x", "a"), acted("y", "b"), acted("z", "c")] * 4) == 4


def test_equal_calls_with_new_results_are_no_repetition() -> None:
    assert guards.repetition([acted(str(n)) for n in range(9)]) == 1


def test_replies_between_the_calls_do_not_hide_a_circle() -> None:
    events = [event for _ in range(4) for event in (Replied(reply=Reply()), acted("same"))]
    assert guards.repetition(events) == 4


@pytest.mark.parametrize(
    ("acts", "most"),
    [
        (endless(acted("same")), 4),
        (endless(acted("x", "a"), acted("y", "b")), 8),
        (endless(acted("x", "a"), acted("y", "b"), acted("z", "c")), 12),
        ((acted("x" * number) for number in range(TURNS)), 8),
        ((acted(f"no match {number}", error="no_match") for number in range(TURNS)), 5),
        ((acted(f"no {number}", str(number % 2), error="no_match") for number in range(TURNS)), 10),
        ((acted(f"no {number}", str(number), error="no_match") for number in range(TURNS)), 12),
        ((acted(f"bad {number}", raw="{" * number, error="malformed") for number in range(1, TURNS)), 5),
        ((acted(f"cut {number}", raw=f"x{number}", error="truncated") for number in range(TURNS)), 5),
        ((acted("edited", str(number), tree=f"tree-{number % 3}") for number in range(TURNS)), 16),
    ],
    ids=[
        "same",
        "pairs",
        "threes",
        "growing",
        "same failure",
        "two failures",
        "only failures",
        "malformed",
        "truncated",
        "back and forth",
    ],
)
def test_a_model_that_gets_nowhere_is_told_and_then_stopped_with_the_reason(acts: Iterator[Acted], most: int) -> None:
    number, end, hints = play(acts)
    assert end is not None
    assert number <= most
    assert end.stop == "limit:loop"
    assert end.detail
    assert hints
    assert len(set(hints)) == len(hints)


@pytest.mark.parametrize(
    "acts",
    [
        (acted(f"text {number}", str(number)) for number in range(TURNS)),
        (acted(f"edited {number}", "a", tree=f"tree-{number}") for number in range(TURNS)),
        (acted("passed", str(number // 2), tree=f"tree-{number}" if number % 2 else "") for number in range(TURNS)),
    ],
    ids=["reads", "edits", "reads and edits"],
)
def test_a_model_that_gets_on_is_not_stopped(acts: Iterator[Acted]) -> None:
    _, end, _ = play(acts)
    assert end is None


def called(name: str, output: str, *, error: str | None = None, tree: str = "", **arguments: str) -> Acted:
    call = ToolCall(id="1", name=name, arguments=dict(arguments))
    return Acted(call=call, result=ToolResult(call_id="1", ok=error is None, output=output, error=error), tree=tree)


def work(*rounds: Callable[[int], Acted]) -> Iterator[Acted]:
    return (rounds[number % len(rounds)](number) for number in range(TURNS))


@pytest.mark.parametrize(
    "acts",
    [
        (called("run_check", "tests: passed", check="tests") for _ in range(7)),
        work(lambda n: called("edit", "", text=str(n), tree=f"t{n}"), lambda n: called("run_check", "3 failed")),
        work(
            lambda n: called("edit", "", text=str(n), tree=f"t{n}"),
            lambda n: called("checkpoint", "not committed", error=Unverified.kind, subject="Fix it"),
        ),
        work(lambda n: called("update_plan", "noted", steps="a"), lambda n: called("read_file", "", path=str(n))),
        work(lambda n: called("run_check", "flaky", check="tests"), lambda n: called("search_text", "", word=str(n))),
        work(lambda n: called("read_output", str(n), start=str(n))),
        work(lambda n: called("run_command", "exit code 1", argv=f"python -c {n}")),
    ],
    ids=["flaky", "failing tests", "failing candidates", "plans", "checks between searches", "pages", "commands"],
)
def test_a_model_that_works_as_people_do_is_not_stopped(acts: Iterator[Acted]) -> None:
    _, end, _ = play(acts)
    assert end is None


def test_what_was_taken_out_of_the_prompt_may_be_read_once_more() -> None:
    reads = [event for number in range(8) for event in turns(acted("text", str(number)))]
    shorter = Compressed(until=1, summary="s")
    assert guards.staleness([STARTED, *reads, *reads]) == 8
    assert guards.staleness([STARTED, *reads, shorter, *reads]) == 0
    assert guards.staleness([STARTED, *reads, shorter, *reads, shorter, *reads]) == 8
    assert guards.insistence([STARTED, *turns(*[acted("same")] * 4), shorter, *turns(acted("same"))]) == 1


def test_a_model_that_only_looks_is_reminded_once_and_not_stopped() -> None:
    _, end, hints = play(acted(f"text {number}", str(number)) for number in range(TURNS))
    assert end is None
    assert len(hints) == 1
    assert "changed nothing" in hints[0]


def test_a_verified_step_begins_anew() -> None:
    log = [STARTED, *turns(*[acted("same", error="no_match")] * 3), COMMITTED, *turns(acted("same", error="no_match"))]
    assert guards.obstinacy(log) == 1
    assert guards.staleness([STARTED, *turns(*[acted("same")] * 3), COMMITTED]) == 0


@given(
    st.lists(
        st.sampled_from(
            [acted("x"), acted("y", "b", error="denied"), acted("z", tree="t"), COMMITTED, Replied(reply=Reply())]
        ),
        max_size=60,
    )
)
def test_any_history_is_weighed_and_never_told_the_same_twice_in_a_row(events: list[Event]) -> None:
    log: list[Event] = [STARTED, *events]
    said = guards.watch(log)
    if isinstance(said, Told):
        after = guards.watch([*log, said])
        assert not isinstance(after, Told) or after.text != said.text
