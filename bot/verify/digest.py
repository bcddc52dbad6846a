r"""Tells a verdict to a model: what, where, expected and got, and never a raw log.

One line a fact, in a fixed grammar; `parse` reads the failures back:

    VERDICT not ok                                                   or: ok (green), ok (not green)
    FAILED <check> <id> at <path>:<line>: <message on one line>      `-:0` when no place is known
    SAME <check> <count> more fail alike: <id>; <id>; …              at the same place
    ALIKE <check> <count> more elsewhere: <path>:<line>; …           with the same message
    REMOVED <id>                                                     gone, skipped or expected to fail now
    HIDES <file> stands before <module>                              what it hides was used on the base
    PREVENTED <count> <why, and what is lacking>: <id>; …            no fault of the tree, and no evidence
    FLAKY <id>[: passed <count> of <count> runs]                     answered differently when run again
    RENAMED <id>                                                     gone under this name, passes under another
    ERRORED <check>: <why it is no evidence>
    SKIPPED <check>: <reason>
    PASSED <check>: <summary>
    MORE <count> further failures are not shown[: <count> <error>; …; <count> in <file>; …]

What got worse comes first; what failed before as well follows the line `FAILING AS BEFORE:`. Of the marks in the middle
the last may be `<WORD> … and <count> more`. Lines that begin with two blanks sum up a failed check, or are from the
output of one that gave no cases: its beginning, the lines that look like errors, its end. In a message, ` | ` stands
before how two values differ, ` > ` before a line of source.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from bot.core.check import WORDS, CaseResult, CheckResult, Status, Verdict
from bot.core.telling import clip_line, pick
from bot.verify.causes import Kept, Room, name, tell_causes, tell_left, word_of
from bot.verify.place import clean, one_line

LARGEST = 6000
"""Bytes of a whole digest."""
TOKENS = 1500
"""As core.weight counts them, for a whole digest."""
SUMMARY = 240
SHOWN = 4
"""Names shown of cases that one thing prevented."""
WIDTH = 240
"""Characters of a line of output."""
"""Characters of a check's summary."""
OUTSIDE = frozenset({"network", "service", "disk", "memory"})
"""Causes that nothing in the tree can mend; a module that is missing may have been left out of it."""

ORDER: tuple[Status, ...] = ("errored", "failed", "skipped", "passed")

_FAILED = re.compile(r"FAILED (?P<check>\S+) (?P<id>.+?) at (?P<path>(?:(?! at )[^:])+):(?P<line>\d+): (?P<message>.*)")


SPARE = Kept(24, 100)


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
    return tuple(_failure(match) for match in found if match is not None)


def _failure(match: re.Match[str]) -> Failure:
    # A name may begin with the sign for none
    path = match["path"] if (match["path"], match["line"]) != ("-", "0") else ""
    return Failure(match["check"], match["id"], path, int(match["line"]), match["message"])


def digest(verdict: Verdict) -> str:
    """Tell what a model needs to know to go on, in at most 6,000 bytes and 1,500 tokens."""
    room = Room(TOKENS - SPARE.tokens, LARGEST - SPARE.bytes)
    room.add(f"VERDICT {_word(verdict)}")
    results = sorted(verdict.results, key=lambda result: ORDER.index(result.status))
    closing = room.share(1 / 4)
    told = [result for result in results if closing.add(_check(result))]
    room.pay(closing)
    silent = [result for result in told if is_silent(result) and result.output.strip()]
    body = room.share(3 / 5 if silent else 1)
    left = _tell_cases(verdict, body)
    room.take(body)
    if left and not room.add(more := tell_left(left)):
        room.lines.append(more.partition(": ")[0])
    outputs = {}
    for count, result in enumerate(silent):
        outputs[result.check] = _excerpt(result.output, room.share(1 / (len(silent) - count)))
        room.pay(outputs[result.check])
    for result, line in zip(told, closing.lines, strict=True):
        room.lines += [line, *(outputs[result.check].lines if result.check in outputs else ())]
    if len(told) < len(results):
        room.lines.append(f"  … and {len(results) - len(told)} more checks")
    return "\n".join(room.lines)


def _word(verdict: Verdict) -> str:
    return f"ok ({'green' if verdict.green else 'not green'})" if verdict.ok else "not ok"


def _tell_cases(verdict: Verdict, room: Room) -> Sequence[CaseResult]:
    """Tell of cases: what got worse, what else a person would note, what failed before; return those left out."""
    hindered = {case.id for case in _hindered(verdict)}
    as_before = set(verdict.comparison.failing)
    bad = [(result.check, result.rung, case) for result in verdict.results for case in result.cases if case.bad]
    bad = [each for each in bad if each[2].id not in hindered]
    old = [each for each in bad if each[2].id in as_before]
    marks = [(word, list(texts)) for word, texts in _marks(verdict) if texts]
    worse = room.share(3 / 4 if marks or old else 1)
    left = [*tell_causes([each for each in bad if each[2].id not in as_before], worse)]
    room.take(worse)
    for count, (word, texts) in enumerate(marks):
        part = room.share((1 if not old else 2 / 3) / (len(marks) - count))
        _mark(word, texts, part)
        room.take(part)
    if old and room.add("FAILING AS BEFORE:"):
        return [*left, *tell_causes(old, room)]
    return [*left, *(case for _, _, case in old)]


def _hindered(verdict: Verdict) -> Iterator[CaseResult]:
    """Give the cases that something outside of the tree kept from telling anything."""
    known = set(verdict.comparison.prevented)
    for result in verdict.results:
        yield from (case for case in result.cases if case.id in known or (case.bad and case.cause in OUTSIDE))


def _marks(verdict: Verdict) -> Iterator[tuple[str, Sequence[str]]]:
    compared = verdict.comparison
    yield "REMOVED", [name(case) for case in compared.removed]
    hiding = dict.fromkeys(file for result in verdict.results for file in result.hidden)
    yield "HIDES", [name(file) for file in hiding if file in compared.broken]
    yield "PREVENTED", list(_prevented(verdict))
    yield "FLAKY", list(_flaky(verdict))
    yield "RENAMED", [name(case) for case in compared.renamed]


def _prevented(verdict: Verdict) -> Iterator[str]:
    groups: dict[str, list[str]] = {}
    seen = {case.id: case for case in _hindered(verdict)}
    for case in dict.fromkeys((*verdict.comparison.prevented, *seen)):
        cause, lacks = (seen[case].cause, seen[case].lacks) if case in seen else ("", "")
        why = WORDS.get(cause, "by something outside of the tree")
        groups.setdefault(why + (f" ({one_line(lacks, 80)})" if lacks else ""), []).append(case)
    for why, cases in groups.items():
        shown = "; ".join(name(case, 140) for case in cases[:SHOWN])
        yield f"{len(cases)} {why}: {shown}{'; …' if len(cases) > SHOWN else ''}"


def _flaky(verdict: Verdict) -> Iterator[str]:
    counted = {flake.id: flake for result in verdict.results for flake in result.flakes}
    for case in dict.fromkeys((*verdict.comparison.flaky, *counted)):
        flake = counted.get(case)
        yield name(case) + (f": passed {flake.passed} of {flake.runs} runs" if flake is not None else "")


def _mark(word: str, texts: Sequence[str], room: Room) -> None:
    """Say as many as there is room for, and how many more there are."""
    room.tokens -= SPARE.tokens
    room.bytes -= SPARE.bytes
    told = 0
    while told < len(texts) and room.add(f"{word} {texts[told]}"):
        told += 1
    room.tokens += SPARE.tokens
    room.bytes += SPARE.bytes
    if told < len(texts):
        room.add(f"{word} … and {len(texts) - told} more")


def _check(result: CheckResult) -> str:
    """Tell of a whole check; of a failed one its failures have told."""
    mark = " " if result.status == "failed" else result.status.upper()
    return f"{mark} {word_of(result.check)}: {one_line(result.summary, SUMMARY)}{_how(result)}"


def _how(result: CheckResult) -> str:
    """Say what makes a result weigh less."""
    narrowed = f"only the {len(result.cases)} nearest to the change were asked" if result.narrowed else ""
    reused = "known from before: the same tree in the same environment" if result.reused else ""
    notes = "; ".join(filter(None, (narrowed, reused)))
    return f" ({notes})" if notes else ""


def is_silent(result: CheckResult) -> bool:
    """Tell whether a check that did not pass has only its output to say why."""
    told = any(case.bad and case.id != result.check for case in result.cases)
    return result.status == "errored" or (result.status == "failed" and not told)


def _excerpt(output: str, room: Room) -> Room:
    """Take from an output what fits: first the lines that look like errors, then its end, then its beginning."""
    lines = [" ".join(line.splitlines()).rstrip() for line in clean(output).split("\n") if line.strip()]
    told = room.share(1)
    if all(told.add(f"  {line}") for line in lines):
        return told
    said = room.share(4 / 5)
    found = [one for one in pick(lines, room.bytes, WIDTH).said() if said.add(f"  {one}")]
    rest = room.share(1)
    rest.pay(said)
    tail = _until_full(lines[::-1], rest.share(3 / 5))[::-1]
    head = _until_full(lines, rest.share(1 / 4))
    middle = [str(one) for one in found if len(head) < one.number <= len(lines) - len(tail) or one.more]
    told = room.share(1)
    for line in (*head, "[…]", *middle, *(["[…]"] if middle else []), *tail):
        told.add(f"  {line}")
    return told


def _until_full(lines: Sequence[str], room: Room) -> Sequence[str]:
    return list(takewhile(lambda line: room.add(f"  {line}"), (clip_line(line, WIDTH) for line in lines)))
