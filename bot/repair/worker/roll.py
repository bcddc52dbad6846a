"""Calls the roll: runs every test once, and goes on in another child where one takes the child down with it."""

from __future__ import annotations

import json
import os
import select
import sys
from collections.abc import Iterator, Sequence
from time import monotonic
from typing import Any, Callable, NamedTuple

import pytest

from bot.repair.worker.fork import CHUNK, kill, reap, send, spawn
from bot.repair.worker.items import run_item

FIRST_LIMIT = 1.0
LATER_LIMIT = 0.1
"""Seconds of processor time for a test, until one needed more and afterwards."""
WALL = 10.0
"""Seconds by the clock for a test."""
PATIENCE = 0.6
"""Part of the time for all tests that one may take."""
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
    end, rest, deaths = monotonic() + seconds, list(order), 0
    while rest and monotonic() < end and deaths < MOST_DEATHS:
        begun, answered = None, False
        for item, called in _run(items, rest, hooked, (monotonic(), end), secrets):
            begun = item if called is None else None
            if called is not None:
                yield called
                rest.remove(item)
                answered = True
        if begun is None and answered:
            continue
        if begun is None or monotonic() >= end:  # it was we who ended it
            return
        yield Called(begun, "died", 0.0)
        rest.remove(begun)
        deaths += 1


def _run(
    items: Sequence[pytest.Item],
    order: Sequence[int],
    hooked: Callable[[int], bool],
    times: tuple[float, float],
    secrets: tuple[int, ...],
) -> Iterator[tuple[int, Called | None]]:
    """Run tests in one child, between two times; yields which one begins and what it answers.

    Of one that says nothing for most of the time that there is, it is taken that it would not have ended.
    """
    begin, end = times
    patience = min(WALL + SILENCE, max(SILENCE, PATIENCE * (end - begin)))

    def work(pipe: int) -> None:
        limit = slowest = 0.0
        started: list[str] = []
        sys.addaudithook(lambda event, _: started.append(event) if event in STARTING else None)
        for i in order:
            if monotonic() > end:
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
    running = None
    try:
        for line in _lines(pipe, end + SILENCE, patience):
            said = json.loads(line) if line else None
            if said is not None:
                running = said[0] if len(said) == 1 else None
                yield said[0], _called(*said) if len(said) > 1 else None
            elif running is not None and monotonic() < end:
                yield running, Called(running, "timeout", patience)
    finally:
        os.close(pipe)
        kill(child)
        reap(child)


def _called(item: int, outcome: str, seconds: float, failure: list[Any], starts: bool) -> Called:  # noqa: FBT001
    """Read what a child wrote of one test."""
    return Called(item, outcome, seconds, (failure[0], failure[1]), starts)


def _lines(pipe: int, end: float, patience: float) -> Iterator[bytes]:
    """Yield what is told line by line, and an empty one at the end if it was not waited for any longer."""
    data = b""
    while True:
        left = min(end - monotonic(), patience)
        if left <= 0 or not select.select([pipe], [], [], left)[0]:
            yield b""
            return
        chunk = os.read(pipe, CHUNK)
        if not chunk:
            return
        *whole, data = (data + chunk).split(b"\n")
        yield from whole
