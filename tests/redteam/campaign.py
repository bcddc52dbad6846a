"""Plays all cases at all levels, spread over the processors."""

import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from bot.core.task import Isolation
from bot.errors import AgentError
from tests.redteam.case import Case
from tests.redteam.cases import commands, handovers, honest, knocks, places, reach, text, verdicts, welcome, wires
from tests.redteam.cases import secrets as kept
from tests.redteam.cases.handovers import Lie
from tests.redteam.cases.knocks import Knock
from tests.redteam.cases.welcome import Welcome
from tests.redteam.cases.wires import Trial
from tests.redteam.door import open_entrance
from tests.redteam.play import LEVELS, Outcome, choose, offered, play
from tests.redteam.stage import TOKEN, Stage, set_stage
from tests.redteam.table import DOOR, Row, holds, write
from tests.redteam.table import HONEST as HONEST_WORK

ATTACKS: tuple[Case, ...] = (
    *text.CASES,
    *kept.CASES,
    *places.CASES,
    *commands.CASES,
    *reach.CASES,
    *verdicts.CASES,
)
HONEST: tuple[Case, ...] = honest.CASES
AT_THE_DOOR: tuple[Knock | Lie | Trial, ...] = (*knocks.CASES, *handovers.CASES, *wires.CASES)
"""Played once each: who is let in and what is published is the same at every level."""
WELCOME: tuple[Welcome, ...] = welcome.CASES
ROOT = Path(__file__).parents[2]


QUIET = 0.4
"""Seconds that a case without a call takes on a machine that has nothing else to do."""


class Job(NamedTuple):
    """What one worker has to do."""

    level: Isolation | Literal["the door"]
    part: int
    parts: int


def main(arguments: Sequence[str]) -> int:
    """Carry out the command line: nothing for everything, else level, part, parts and what names hold, for a worker."""
    if arguments:
        level, part, parts, words = (*arguments, "")[:4]
        known = next(one for one in (*LEVELS, DOOR) if one == level)
        for row in work(Job(known, int(part), int(parts)), words):
            sys.stdout.write(json.dumps(row._asdict()) + "\n")
            sys.stdout.flush()
        return 0
    rows: list[Row] = []
    absent: dict[str, str] = {}
    begun = time.monotonic()
    for level in LEVELS:
        reason = offered(level, ROOT)
        if reason:
            absent[level] = reason
        else:
            sys.stderr.write(f"{len(ATTACKS)} attacks and {len(HONEST)} pieces of honest work at {level}\n")
            rows += spread(level)
    sys.stderr.write(f"{len(AT_THE_DOOR)} attacks and {len(WELCOME)} pieces of honest work at {DOOR}\n")
    rows += spread(DOOR)
    sys.stdout.write(write(rows, absent, time.monotonic() - begun))
    return 0 if holds(rows) else 1


def spread(level: Isolation | Literal["the door"]) -> list[Row]:
    """Have one process for each processor play its part; each has a secret in its environment from the start."""
    parts = os.cpu_count() or 1
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "tests.redteam", level, str(part), str(parts)],
            env={**os.environ, TOKEN: f"cnry{secrets.token_hex(12)}", "GITHUB_ACTIONS": "true"},
            stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            cwd=ROOT,
        )
        for part in range(parts)
    ]
    told = [worker.communicate()[0].decode() for worker in workers]
    lost = [f"hindered: it ended with {worker.returncode}" for worker in workers if worker.returncode]
    rows = [Row(**json.loads(line)) for text in told for line in text.splitlines()]
    return [*rows, Row(level, HONEST_WORK, "a worker of the red team", 0, lost, [], 0.0)] if lost else rows


def work(job: Job, words: str = "") -> Iterator[Row]:
    """Play every so-manieth case."""
    if job.level == DOOR:
        yield from knock(job, words)
        return
    cases = [case for case in (*ATTACKS, *HONEST) if words in case.name]
    with set_stage() as stage:
        easy = endure(Case("honest", "nothing", ()), job.level, stage)
        stage.pace = max(1.0, easy.seconds / QUIET)
        for case in cases[job.part :: job.parts]:
            outcome = endure(case, job.level, stage)
            harm = [f"{kind}: {proof}" for kind, proof in outcome.harm]
            yield Row(job.level, case.family, case.title, len(case.calls), harm, list(outcome.refused), outcome.seconds)


def knock(job: Job, words: str = "") -> Iterator[Row]:
    """Play every so-manieth case at the door, each at one of its own."""
    cases = [case for case in (*AT_THE_DOOR, *WELCOME) if words in case.name]
    for case in cases[job.part :: job.parts]:
        begun = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="red-") as folder, open_entrance(Path(folder, "door")) as entrance:
            harm = [f"{kind}: {proof}" for kind, proof in case.play(entrance)]
        yield Row(DOOR, case.family, case.title, 1, harm, [], time.monotonic() - begun)


def endure(case: Case, level: Isolation, stage: Stage) -> Outcome:
    """Play a case, a second time where the machine did not let it begin; a case that cannot be played has failed."""
    try:
        return play(case, level, stage)
    except AgentError:
        choose.cache_clear()
    try:
        return play(case, level, stage)
    except AgentError as error:
        return Outcome((("hindered", error.message),))
