"""What the last changes offer to a search: old pieces put back where they were, and moved names followed."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from typing import Callable

from bot.repair.worker.facts import Crash
from bot.repair.worker.moved import find_moves, follow
from bot.repair.worker.past import Past
from bot.repair.worker.restore import restore
from bot.repair.worker.source import FUNCTIONS, Candidate, Source
from bot.repair.worker.spectra import Line
from bot.repair.worker.stream import Scored, weigh

ELSEWHERE = 0.3
"""How suspicious a piece is whose surroundings no failing test passed: what is gone cannot be passed."""
MOST = 400
"""Pieces of one file."""


def recall(
    past: Past, scores: dict[Line, float], crashes: Sequence[Crash], usable: Callable[[str], bool]
) -> list[Scored]:
    """List the candidates of files that may be changed, best first."""
    if not past:
        return []
    found: dict[tuple[object, ...], Scored] = {}
    for scored in (*_pieces(past, scores, usable), *_moves(past, scores, crashes, usable)):
        known = found.get(scored.candidate.edits)
        if known is None or known.score < scored.score:
            found[scored.candidate.edits] = scored
    return sorted(found.values(), key=lambda scored: -scored.score)


def join(pieces: Sequence[Scored], others: Iterable[Scored]) -> Iterator[Scored]:
    """Put what the past offers among other candidates, best first; what both have comes once."""
    seen = {scored.candidate.edits for scored in pieces}
    fresh = (scored for scored in others if scored.candidate.edits not in seen)
    return heapq.merge(pieces, fresh, key=lambda scored: -scored.score)


def _pieces(past: Past, scores: dict[Line, float], usable: Callable[[str], bool]) -> Iterator[Scored]:
    for path in past.edits:
        versions = past.versions(path) if usable(path) else None
        if versions is None:
            continue
        here = {line: score for (name, line), score in scores.items() if name == path}
        for number, candidate in enumerate(restore(*versions)):
            if number == MOST:
                break
            yield Scored(candidate.prior * weigh(_suspicion(versions[0], here, candidate)), candidate)


def _suspicion(source: Source, here: dict[int, float], candidate: Candidate) -> float:
    """Return the highest suspicion of the lines at a place, else of the function around it."""
    first = source.content.count(b"\n", 0, candidate.edit.start) + 1
    last = source.content.count(b"\n", 0, candidate.edit.end) + 1
    close = [here[line] for line in range(first - 1, last + 1) if line in here]
    if close:
        return max(close)
    around = [
        range(node.lineno, (node.end_lineno or node.lineno) + 1)
        for node in source.statements
        if isinstance(node, FUNCTIONS) and node.lineno <= candidate.line <= (node.end_lineno or node.lineno)
    ]
    return max((here.get(line, 0.0) for body in around[-1:] for line in body), default=0.0) or ELSEWHERE


def _moves(
    past: Past, scores: dict[Line, float], crashes: Sequence[Crash], usable: Callable[[str], bool]
) -> Iterator[Scored]:
    moves = find_moves(past) if crashes else []
    highest = max(scores.values(), default=1.0)
    for crash in dict.fromkeys(crashes) if moves else ():
        source = past.read(crash.path) if usable(crash.path) else None
        if source is not None:
            for candidate in follow(source, crash, moves, ("src/", "")):
                yield Scored(candidate.prior * weigh(highest), candidate)
