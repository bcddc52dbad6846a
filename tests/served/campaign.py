"""Every misbehaviour, played over all wires."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple

from bot.git.repository import open_repository
from tests.conftest import make_repo
from tests.served import oddities, replies, troubles
from tests.served.play import FILES, HASTY, LEISURELY, PATIENT, Played, Stage, stage
from tests.served.row import Row
from tests.served.server import Line, Server, Wire

WAITING = 4
"""Runs at a time that wait for what does not come."""
ROUNDS = 3
"""How often a run is played again whose time may have been taken by something else on the machine."""
FAMILIES: Mapping[str, Callable[[], Iterator[Row]]] = {
    "The connection": troubles.connection,
    "Limits and money": troubles.limits,
    "The service's own faults": troubles.faults,
    "Requests that it rejects": troubles.rejections,
    "Answers that are none": oddities.bodies,
    "Streams that do not end well": oddities.cuts,
    "Streams that are written oddly": oddities.spellings,
    "Names and ids of calls": replies.identities,
    "Arguments of calls": replies.arguments,
    "Replies as such": replies.endings,
}

SHARED = ("The connection", "Limits and money", "The service's own faults", "Requests that it rejects")
"""Families in which both wires of OpenAI are one code: that a run goes on afterwards is played over the first only."""


class Campaign(NamedTuple):
    """All runs, and what they left behind on the server."""

    runs: Sequence[Played]
    elsewhere: Line
    """Who followed a redirection."""
    broken: Sequence[str]


class _Turn(NamedTuple):
    row: Row
    wire: Wire
    often: bool


def rows() -> list[Row]:
    """List all misbehaviours."""
    return [row for family in FAMILIES.values() for row in family()]


def _turns(chosen: Sequence[Row]) -> Iterator[_Turn]:
    shared = {row.does for family in SHARED for row in FAMILIES[family]()}
    for row in chosen:
        for wire in row.wires:
            yield _Turn(row, wire, often=True)
            if row.recovers and not (wire == "responses" and row.does in shared):
                yield _Turn(row, wire, often=False)


def play(
    folder: Path, chosen: Sequence[Row] | None = None, doubts: Callable[[Played], bool] = lambda run: False
) -> Campaign:
    """Play misbehaviours: those that keep us waiting beside the others; what is in doubt once more, by itself."""
    repo = make_repo(folder / "project")
    repo.commit(FILES)
    repository = open_repository(repo.path)
    turns = list(_turns(rows() if chosen is None else chosen))
    with ExitStack() as stack:
        server = stack.enter_context(Server())
        elsewhere = server.line(server.lines[""].acts, "elsewhere")
        pool = stack.enter_context(ThreadPoolExecutor(WAITING + 1))
        slow = [turn for turn in turns if turn.row.slow]
        shares = [[turn for turn in turns if not turn.row.slow], *(slow[at::WAITING] for at in range(WAITING))]
        stages = [
            stack.enter_context(stage(server, repository, folder, f"stage{at}", HASTY if at else PATIENT))
            for at in range(len(shares))
        ]
        played = [run for runs in pool.map(_play, stages, shares) for run in runs]
        calm = stack.enter_context(stage(server, repository, folder, "calm", LEISURELY))
        for _ in range(ROUNDS):
            played = [
                calm.play(run.row, run.wire, often=run.often) if run.row.slow and doubts(run) else run for run in played
            ]
        return Campaign(played, elsewhere, server.broken)


def _play(on: Stage, turns: Sequence[_Turn]) -> list[Played]:
    return [on.play(turn.row, turn.wire, often=turn.often) for turn in turns]
