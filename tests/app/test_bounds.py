"""A model that calls badly, goes round in circles or costs too much: the command line, a scripted model, real runs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bot.core.event import Acted, Event
from bot.core.report import Report
from bot.core.talk import Replied
from bot.git.repository import open_repository
from bot.git.runs import read_events
from tests.conftest import Repo
from tests.product import FINISH, agent, calls, checkpoint, edit, script

QUICK = ("--check", "pytest=grep -q 'a + b' calc.py")
RIGHT = calls(edit("a - b", "a + b"), checkpoint())
HALF = '{"path": "calc.py", "old": "return", "new": "ret'

Line = Mapping[str, Any]


def fix(repo: Repo, path: Path, *lines: Line, options: tuple[str, ...] = ()) -> tuple[Report, tuple[Event, ...]]:
    ran = agent(repo, "fix", "make add add", *QUICK, "--json", *options, "--model", script(path / "s", *lines))
    assert "Traceback" not in ran.err
    return ran.report, read_events(open_repository(repo.path), ran.report.run)


def raw(arguments: str, **more: object) -> Line:
    return {"calls": [{"name": "edit_file", "raw_arguments": arguments}], **more}


def errors(events: tuple[Event, ...]) -> list[str | None]:
    return [event.result.error for event in events if isinstance(event, Acted)]


def test_each_kind_of_bad_call_is_answered_with_an_error_of_its_own_and_none_is_executed(
    repo: Repo, tmp_path: Path
) -> None:
    whole = {"path": "calc.py", "old": "a - b", "new": "a * b"}
    bad: list[tuple[Line, list[str | None]]] = [
        (raw("{not json}"), ["malformed"]),
        (raw('["calc.py", "a - b", "a * b"]'), ["malformed"]),
        (calls(("edit_fil", whole)), ["unknown_tool"]),
        (calls(("edit_file", {"path": "calc.py", "old": "a - b"})), ["bad_arguments"]),
        # What can be done goes on: each of them is told at once, so that a run of nothing else would be stopped
        (calls(("read_file", {"path": "calc.py"})), [None]),
        (calls(("edit_file", {**whole, "colour": "red"})), ["bad_arguments"]),
        (calls(("edit_file", {**whole, "old": {"text": "a - b"}})), ["bad_arguments"]),
        ({**calls(("edit_file", whole)), "finish": "length"}, ["truncated"]),
        (raw(HALF, finish="tool_calls"), ["truncated"]),
        (calls(("read_file", {"path": "test_calc.py"}), ("edit_file", {"old": "a"})), [None, "bad_arguments"]),
        ({}, []),
        (calls(FINISH), [None]),
    ]
    report, events = fix(repo, tmp_path, *[line for line, _ in bad])
    assert errors(events) == [error for _, told in bad for error in told]
    assert not [event for event in events if isinstance(event, Acted) and event.result.metadata.edits]
    assert (report.stop, report.usage.turns, report.steps) == ("done", len(bad), ())


READ, OTHER = (calls(("read_file", {"path": path})) for path in ("calc.py", "test_calc.py"))
CIRCLES: Mapping[str, tuple[list[Line], str, int]] = {
    "the same call": ([READ] * 10, "limit:loop", 4),
    "two that alternate": ([READ, OTHER] * 8, "limit:loop", 8),
    "arguments that are cut off": ([raw(HALF)] * 10, "limit:loop", 5),
    "arguments that are no JSON, each time others": ([raw(f"no {n}") for n in range(10)], "limit:loop", 5),
    "nothing": ([{}] * 10, "done", 2),
}
"""What a model says again and again, how the run ends, and after how many replies at most."""


@pytest.mark.parametrize(("lines", "stop", "most"), CIRCLES.values(), ids=CIRCLES)
def test_a_model_that_gets_nowhere_is_stopped_by_name_and_what_was_verified_stays(
    repo: Repo, tmp_path: Path, lines: list[Line], stop: str, most: int
) -> None:
    report, events = fix(repo, tmp_path, RIGHT, *lines)
    assert report.stop == stop
    assert sum(isinstance(event, Replied) for event in events) - 1 <= most
    assert repo.git("rev-parse", report.branch) == report.steps[0].commit


def test_a_run_whose_prompt_cannot_be_made_short_enough_is_stopped_and_keeps_what_was_verified(
    repo: Repo, tmp_path: Path
) -> None:
    window = 3_400
    # What the service counts is more than it said that it takes, and there is but one turn to leave out
    lines = [{**line, "usage": {"input": 7_000, "output": 20}} for line in (RIGHT, READ)]
    ran = agent(
        repo,
        *("fix", "make add add", *QUICK, "--json", "--model", script(tmp_path / "s", *lines)),
        env={"GIT_AGENT_WINDOW": str(window)},
    )
    report = ran.report
    assert report.stop == "limit:context"
    assert report.usage.turns == 1
    assert repo.git("rev-parse", report.branch) == report.steps[0].commit


def test_what_every_reply_costs_counts_although_none_can_be_used(repo: Repo, tmp_path: Path) -> None:
    billed = {"input": 100, "output": 10, "cost": 0.4}
    lines = [raw(f"no {n}", usage=billed) for n in range(9)]
    report, _ = fix(repo, tmp_path, {**RIGHT, "usage": billed}, *lines, options=("--max-cost", "1"))
    assert report.stop == "limit:cost"
    # Of what is allowed and one call more, the last that was made while something was left
    assert 1 <= report.usage.cost <= 1 + billed["cost"]
    assert repo.git("rev-parse", report.branch) == report.steps[0].commit


@pytest.mark.parametrize("limit", ["cost", "turns", "seconds"])
def test_a_limit_of_nothing_is_one(repo: Repo, tmp_path: Path, limit: str) -> None:
    report, events = fix(repo, tmp_path, RIGHT, options=(f"--max-{limit}", "0"))
    assert (report.stop, report.usage.turns) == (f"limit:{limit}", 0)
    assert not [event for event in events if isinstance(event, Replied)]
