"""What is read of a tree of processes, and what is concluded from it."""

import os
import subprocess
import time
from collections.abc import Iterator

import pytest

from bot.sandbox.usage import (
    Ceilings,
    Usage,
    children,
    descendants,
    families,
    free_memory,
    look,
    running_tasks,
    weigh,
)

CEILINGS = Ceilings(output=1, memory=1 << 30, tasks=10, processor=5.0)


@pytest.fixture
def family() -> Iterator[int]:
    """A shell of ours with two children."""
    with subprocess.Popen(
        ["sh", "-c", "sleep 60 & sleep 60 & echo; wait"], stdout=subprocess.PIPE, start_new_session=True
    ) as shell:
        assert shell.stdout is not None
        shell.stdout.readline()
        yield shell.pid
        os.killpg(shell.pid, 9)


def test_a_tree_is_counted_and_weighed(family: int) -> None:
    assert sorted(descendants(family)) == sorted(children(family)) == sorted(families()[family])
    used = look(family, 10)
    assert used is not None
    assert (used.tasks, len(used.pids)) == (2, 2)
    # The kernel counts pages on each processor, and tells of so few only now and then
    assert 0 < weigh(used, 0) < 64 << 20
    assert 0 <= used.memory < 64 << 20
    # Enough is found, late is late
    assert look(family, 0) == Usage(used.pids, 2)
    assert look(family, 10, time.monotonic()) is None


def test_the_first_ceiling_that_was_passed_is_named() -> None:
    assert CEILINGS.passed(Usage(tasks=11), 0.0, 0) == "processes"
    assert CEILINGS.passed(Usage(processor=3.0), 2.5, 0) == "processor"
    assert CEILINGS.passed(Usage(tasks=10, processor=2.0, memory=1 << 30), 3.0, 0) == ""
    crowd = frozenset(range(1, 100))
    assert CEILINGS.passed(Usage(crowd, memory=2 << 30), 0.0, 1 << 60) == "memory"
    assert CEILINGS.passed(Usage(crowd, memory=2 << 30), 0.0, 0) == ""
    assert CEILINGS.passed(Usage(memory=2 << 30), 0.0, 1 << 60) == ""


def test_the_machine_tells_how_much_runs_and_is_free() -> None:
    assert running_tasks() > 0
    assert free_memory() > 0
