"""Calls the roll: runs every test once, and goes on in another child where one takes the child down with it."""

from __future__ import annotations

import json
import os
import select
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, Callable, NamedTuple

import pytest

from bot.repair.worker.fork import CHUNK, kill, send, spawn
from bot.repair.worker.items import run_item

FIRST_LIMIT = 1.0
LATER_LIMIT = 0.1
"""Seconds of processor time for a test, until one needed more and afterwards."""
WALL = 10.0
"""Seconds by the clock for a test."""
SILENCE = 3.0
"""Seconds beyond that in which a child must have said something."""
MOST_DEATHS = 8
STARTING = frozenset({"subprocess.Popen", "os.posix_spawn", "os.exec", "os.system"})


class Called(NamedTuple):
    """What one test answered."""

    item: int
    outcome: str
    """passed, failed, skipped, timeout, or died where it ended the whole process."""
    seconds: float
    mark: tuple[str, int] = ("", 0)
    """Name of the exception and the last line of the test's own file that it passed."""
    starts: bool = False
    """Whether it starts other programs."""


def mark(error: BaseException | None, item: pytest.Item) -> tuple[str, int]:
    """Tell one failure from another."""
    if error is None:
        return "", 0
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == str(item.path):
            line = trace.tb_lineno
        trace = trace.tb_next
    return type(error).__name__, line


def call_roll(
    items: Sequence[pytest.Item],
    order: Sequence[int],
    hooked: Callable[[int], bool],
    seconds: float,
    secrets: tuple[int, ...],
) -> Iterator[Called]:
    """Run tests in an order within a time, and yield what they answer."""
    end, rest, deaths = time.monotonic() + seconds, list(order), 0
    while rest and time.monotonic() < end and deaths < MOST_DEATHS:
        begun = None
        for item, called in _run(items, rest, hooked, end, secrets):
            begun = item if called is None else None
            if called is not None:
                yield called
                rest.remove(item)
        if begun is None:
            return
        yield Called(begun, "died", 0.0)
        rest.remove(begun)
        deaths += 1


def _run(
    items: Sequence[pytest.Item],
    order: Sequence[int],
    hooked: Callable[[int], bool],
    end: float,
    secrets: tuple[int, ...],
) -> Iterator[tuple[int, Called | None]]:
    """Run tests in one child; yields which one begins and what it answers."""

    def work(pipe: int) -> None:
        limit = slowest = 0.0
        started: list[str] = []
        sys.addaudithook(lambda event, _: started.append(event) if event in STARTING else None)
        for i in order:
            if time.monotonic() > end:
                return
            send(pipe, json.dumps([i]).encode() + b"\n")
            started.clear()
            run = run_item(items[i], limit or FIRST_LIMIT, hooks=hooked(i), wall=WALL)
            slowest = max(slowest, run.seconds if run.outcome == "passed" else 0.0)
            limit = max(LATER_LIMIT, 10 * slowest) if run.outcome == "timeout" else limit
            send(
                pipe,
                json.dumps([i, run.outcome, run.seconds, mark(run.error, items[i]), bool(started)]).encode() + b"\n",
            )

    child, pipe = spawn(work, secrets)
    try:
        for line in _lines(pipe, end + SILENCE):
            said = json.loads(line)
            yield said[0], _called(*said) if len(said) > 1 else None
    finally:
        os.close(pipe)
        kill(child)
        os.waitpid(child, 0)


def _called(item: int, outcome: str, seconds: float, failure: list[Any], starts: bool) -> Called:  # noqa: FBT001
    """Read what a child wrote of one test."""
    return Called(item, outcome, seconds, (failure[0], failure[1]), starts)


def _lines(pipe: int, end: float) -> Iterator[bytes]:
    data = b""
    while True:
        left = min(end - time.monotonic(), WALL + SILENCE)
        if left <= 0 or not select.select([pipe], [], [], left)[0]:
            return
        chunk = os.read(pipe, CHUNK)
        if not chunk:
            return
        *whole, data = (data + chunk).split(b"\n")
        yield from whole
