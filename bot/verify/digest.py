r"""Tells a verdict to a model: what, where, expected and got, and never a raw log.

One line a fact, in a fixed grammar; `parse` reads the failures back:

    VERDICT not ok                                                   or: ok (green), ok (not green)
    FAILED <check> <id> at <path>:<line>: <message on one line>      `-:0` when no place is known
    SAME <check> <count> more fail alike: <id>; <id>; …
    REMOVED <id>                                                     gone, skipped or expected to fail now
    HIDES <file> stands before <module>                              what it hides was used on the base
    FLAKY <id>                                                       answered differently when run again
    ERRORED <check>: <why it is no evidence>
    SKIPPED <check>: <reason>
    PASSED <check>: <summary>
    MORE <count> further failures are not shown

What got worse comes first; what failed before as well follows the line `FAILING AS BEFORE:`. Lines that begin with two
blanks sum up a failed check, or are the end of what an errored one printed. A line of source in a message stands behind
` > `.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from bot.core.check import CaseResult, CheckResult, Status, Verdict
from bot.verify.place import one_line

LARGEST = 6000
"""Characters of a whole digest."""
MESSAGE = 360
NAME = 200
TAIL = 700
"""Characters of an errored check's output."""
RESERVE = 900
"""Characters kept for what is told of whole checks."""
ALIKE = 4
"""Names shown of cases that fail alike."""

ORDER: tuple[Status, ...] = ("errored", "failed", "skipped", "passed")

_FAILED = re.compile(r"FAILED (?P<check>\S+) (?P<id>.+?) at (?P<path>(?:(?! at )[^:])+):(?P<line>\d+): (?P<message>.*)")
_NUMBER = re.compile(r"0x[0-9a-fA-F]+|\d+")


class Failure(NamedTuple):
    """One failure, as its line tells it."""

    check: str
    id: str
    path: str
    """Empty when no place is known."""
    line: int
    message: str


def parse(text: str) -> tuple[Failure, ...]:
    """Read the failures of a digest back."""
    found = (_FAILED.fullmatch(line) for line in text.splitlines())
    return tuple(
        Failure(match["check"], match["id"], match["path"].removeprefix("-"), int(match["line"]), match["message"])
        for match in found
        if match is not None
    )


def digest(verdict: Verdict) -> str:
    """Tell what a model needs to know to go on, in at most 6,000 characters."""
    bad = [(result.check, case) for result in verdict.results for case in result.cases if case.bad]
    as_before = set(verdict.comparison.failing)
    worse = [pair for pair in bad if pair[1].id not in as_before]
    old = [pair for pair in bad if pair[1].id in as_before]
    told = [f"VERDICT {_word(verdict)}"]
    closing = list(_checks(verdict.results))
    room = LARGEST - max(RESERVE, min(sum(map(len, closing)) + len(closing), LARGEST // 2))
    marks = [f"REMOVED {_name(name)}" for name in verdict.comparison.removed]
    hiding = dict.fromkeys(name for result in verdict.results for name in result.hidden)
    marks += [f"HIDES {_name(name)}" for name in hiding if name in verdict.comparison.broken]
    marks += [f"FLAKY {_name(name)}" for name in verdict.comparison.flaky]
    left = _fill(told, _lines(worse), room) + _fill(told, ((mark, 1) for mark in marks), room)
    if old:
        left += _fill(told, [("FAILING AS BEFORE:", 0), *_lines(old)], room)
    if left:
        told.append(f"MORE {left} further failures are not shown")
    _fill(told, ((line, 1) for line in closing), LARGEST)
    return "\n".join(told)


def _word(verdict: Verdict) -> str:
    return f"ok ({'green' if verdict.green else 'not green'})" if verdict.ok else "not ok"


def _fill(told: list[str], lines: Iterable[tuple[str, int]], room: int) -> int:
    """Add lines while there is room; return how many failures the others stand for."""
    used = sum(len(line) + 1 for line in told)
    left = 0
    for line, count in lines:
        if left or used + len(line) + 1 > room:
            left += count
        else:
            told.append(line)
            used += len(line) + 1
    return left


def _lines(bad: Sequence[tuple[str, CaseResult]]) -> Iterator[tuple[str, int]]:
    """Tell each cause once, with how many failures it stands for."""
    causes: dict[tuple[str, str, str], list[CaseResult]] = {}
    for check, case in bad:
        causes.setdefault((check, _cause(case), case.path if "::" not in case.id else ""), []).append(case)
    for (check, _, _), cases in causes.items():
        yield _failed(check, cases[0]), 1
        if more := cases[1:]:
            names = "; ".join(_name(case.id) for case in more[:ALIKE])
            yield f"SAME {check} {len(more)} more fail alike: {names}{'; …' if len(more) > ALIKE else ''}", len(more)


def _cause(case: CaseResult) -> str:
    """Reduce a message to what repeated failures share; findings of static checks are each their own cause."""
    first = case.message.partition("\n")[0]
    where = f"{case.path}:{case.line}" if case.path else ""
    return f"{where} {_NUMBER.sub('#', first)}"


def _failed(check: str, case: CaseResult) -> str:
    path = one_line(case.path).replace(":", "\\x3a") or "-"
    message = one_line(case.message.replace("\n> ", " > "), MESSAGE) or case.outcome
    return f"FAILED {_word_of(check)} {_name(case.id)} at {path}:{case.line}: {message}"


def _name(name: str) -> str:
    return one_line(name, NAME) or "-"


def _word_of(check: str) -> str:
    return "-".join(check.split()) or "-"


def _checks(results: Sequence[CheckResult]) -> Iterator[str]:
    """Tell of whole checks, those that are no evidence first; of a failed one its failures have told."""
    for result in sorted(results, key=lambda result: ORDER.index(result.status)):
        mark = "" if result.status == "failed" else result.status.upper()
        yield f"{mark or ' '} {_word_of(result.check)}: {one_line(result.summary, MESSAGE)}"
        if result.status == "errored":
            yield from (f"  {line[:MESSAGE]}" for line in result.output[-TAIL:].splitlines() if line.strip())
