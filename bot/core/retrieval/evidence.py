"""Gathers what a task and the failures of its base say of the places that are concerned."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bot.core.check import Verdict
from bot.core.retrieval.hints import Evidence
from bot.core.retrieval.mentions import Places
from bot.core.retrieval.query import Query, bound, join, read_code, read_query
from bot.core.retrieval.signs import Sign, read_imports, read_text, read_trouble, read_twins, read_verdict
from bot.core.retrieval.spots import find_phrases

BESIDE = 0.3
"""What failures count beside a task that is told in words: they may have nothing to do with it."""
CODE = 0.7
"""What the words of failing tests count beside what they said."""


class Failing(NamedTuple):
    """The failing tests as they are written."""

    imports: Mapping[str, Sequence[str]] = {}
    """The files that each of their files loads."""
    code: str = ""
    """Of their functions."""


def gather(goal: str, verdict: Verdict, places: Places, tests: Failing) -> Evidence:
    """Put together what a task says and what fails; without a task only what fails counts."""
    failing, signs = _read_failures(verdict, places, tests)
    if not goal.strip():
        return Evidence(failing, signs, about="failing tests")
    text = bound(goal)
    query = join(read_query(text), failing, BESIDE)
    weaker = (sign._replace(worth=sign.worth * BESIDE) for sign in signs)
    about = "the task or by failing tests" if verdict.bad else "the task"
    return Evidence(query, (*read_text(text, places), *weaker), find_phrases(text), about)


def _read_failures(verdict: Verdict, places: Places, tests: Failing) -> tuple[Query, tuple[Sign, ...]]:
    trouble = read_trouble(verdict)
    query = join(read_code(trouble.words), read_code(tests.code), CODE)
    signs = (*read_verdict(verdict, places), *read_imports(tests.imports), *read_twins(trouble.tests, places))
    return query, signs
