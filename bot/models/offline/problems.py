"""What is broken, what could mend it, and how several mends go together."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from bot.models.offline.briefing import Finding, is_evidence
from bot.models.offline.dialogue import Change
from bot.models.offline.source import Mend

MOST_OPTIONS = 4


class Option(NamedTuple):
    """One way to mend something."""

    changes: tuple[Change, ...]
    what: str

    @property
    def respells(self) -> bool:
        """Whether it is a guess at a spelling."""
        return self.what.startswith("write ")


@dataclass(frozen=True, slots=True)
class Problem:
    """Findings that have one cause, and what could mend them, the likeliest first."""

    findings: tuple[Finding, ...]
    options: tuple[Option, ...]
    decided: bool = True
    """Whether something speaks for the first option; otherwise only a passing test will do."""


class Span(NamedTuple):
    """Lines `start` to `end` of the old text, counted from 0 and without the last, become new ones."""

    start: int
    end: int
    lines: tuple[str, ...]


def options(path: str, old: str, mends: Iterable[Mend]) -> tuple[Option, ...]:
    """Make options of new texts for one file; none for a file that evidence rests on."""
    if is_evidence(path):
        return ()
    return tuple(Option((Change(path, old, mend.text),), mend.what) for mend in mends if mend.text != old)


def sure(found: Sequence[Option]) -> tuple[Option, ...]:
    """Keep what no test has to decide: a guess at a spelling only when there is one, and no new names for others."""
    guesses = [option for option in found if option.respells]
    rest = [option for option in found if not option.respells and not (guesses and option.what.startswith("rename "))]
    return (*rest, *guesses)[:MOST_OPTIONS] if len(guesses) == 1 else tuple(rest[:MOST_OPTIONS])


def combine(wanted: Sequence[Option]) -> tuple[tuple[Change, ...], tuple[Option, ...]]:
    """Put together the options that do not get in each other's way: the changes, and the options that are in them."""
    spans: dict[str, list[Span]] = {}
    olds: dict[str, str] = {}
    used: list[Option] = []
    for option in wanted:
        mine = {change.path: _spans(change.old, change.new) for change in option.changes}
        if all(olds.setdefault(c.path, c.old) == c.old for c in option.changes) and _fit(mine, spans):
            for path, more in mine.items():
                spans[path] = sorted({*spans.get(path, ()), *more})
            used.append(option)
    changes = tuple(Change(path, olds[path], _spliced(olds[path], found)) for path, found in spans.items())
    return changes, tuple(used)


def _spans(old: str, new: str) -> list[Span]:
    before, after = old.split("\n"), new.split("\n")
    blocks = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return [Span(i1, i2, tuple(after[j1:j2])) for tag, i1, i2, j1, j2 in blocks if tag != "equal"]


def _fit(mine: dict[str, list[Span]], taken: dict[str, list[Span]]) -> bool:
    return all(
        one == other or one.end < other.start or other.end < one.start or _both_insert(one, other)
        for path, spans in mine.items()
        for one in spans
        for other in taken.get(path, ())
    )


def _both_insert(one: Span, other: Span) -> bool:
    return one.start == one.end == other.start == other.end


def _spliced(old: str, spans: Sequence[Span]) -> str:
    lines = old.split("\n")
    for span in sorted(spans, reverse=True):
        lines[span.start : span.end] = span.lines
    return "\n".join(lines)
