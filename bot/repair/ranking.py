"""Puts what the worker confirmed in its order, and reads the questions that it leaves."""

from collections.abc import Iterable, Iterator, Sequence

from bot.core.escape import line
from bot.repair.answer import Asked, Line, Proposed
from bot.repair.found import Question

LONGEST = 200
"""Characters of a call, or of an answer."""
MOST = 3


def in_order(lines: Iterable[Line]) -> list[Proposed]:
    """Return what was confirmed, best first: by what it does where that was compared, else by what was expected."""
    proposed = [one for one in lines if isinstance(one, Proposed)]
    ranked = [one for one in proposed if one.rank]
    return sorted(ranked, key=lambda one: one.rank) or sorted(proposed, key=lambda one: -one.score)


def questions(lines: Iterable[Line], ranks: Sequence[int]) -> tuple[Question, ...]:
    """Return the questions between candidates that are told, whose ranks are given in their order."""
    return tuple(_questions(lines, ranks))[:MOST]


def _questions(lines: Iterable[Line], ranks: Sequence[int]) -> Iterator[Question]:
    for asked in lines:
        if not isinstance(asked, Asked) or asked.one not in ranks or asked.other not in ranks:
            continue
        one, other = ranks.index(asked.one), ranks.index(asked.other)
        call = line(asked.call, LONGEST)
        answers = line(asked.answers[0], LONGEST), line(asked.answers[1], LONGEST)
        if one != other and call and all(answers) and answers[0] != answers[1]:
            yield Question(one, other, call, answers)
