"""Which edits of a change are not the only ones that the tests allow, and what a person is to be asked about them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Self

from bot.core.diff import Line, read_lines
from bot.core.escape import line
from bot.core.event import Acted, Event, Verified
from bot.core.message import Undecided

BETWEEN = ": the tests do not decide between "
"""Every finding that asks for such a decision has it behind the place."""
QUOTED = 80
"""Characters of an edit, or of a call, that are quoted."""
ANSWERED = 60


@dataclass(frozen=True, slots=True)
class Undecideds:
    """What tools proposed between which the tests do not decide, and what else was found out of it."""

    proposed: tuple[Undecided, ...] = ()
    refuted: tuple[str, ...] = ()
    """Patches that did not pass the checks."""

    def add(self, event: Event) -> Self:
        """Take the next event into account."""
        match event:
            case Acted() if event.result.metadata.undecided:
                return replace(self, proposed=self.proposed + event.result.metadata.undecided)
            case Verified() if not event.verdict.ok and self.proposed:
                return replace(self, refuted=(*self.refuted, event.change.patch))
            case _:
                return self

    def ask(self, patches: Sequence[str]) -> Iterator[str]:
        """Ask what is open about the edits that patches hold, each by the last word on it."""
        last = {each.patch: each for each in self.proposed}
        for each in last.values():
            out = {patch for patch in last if patch != each.patch and _held(patch, self.refuted)}
            if _held(each.patch, patches) and each.others > len(out):
                yield _ask(each, each.others - len(out), known=each.other not in out)


NOTHING_OPEN = Undecideds()


def questions(findings: Iterable[str]) -> tuple[str, ...]:
    """Pick from the findings of a report what only a person can decide."""
    return tuple(finding for finding in findings if BETWEEN in finding)


def _held(patch: str, others: Iterable[str]) -> bool:
    wanted = _lines(patch)
    return any(wanted <= _lines(other) for other in others)


def _lines(patch: str) -> Counter[tuple[str, str, str]]:
    """Count the lines that a patch changes, however they are laid out."""
    rows = ((row.sign, row.path, "".join(row.text.split())) for row in read_lines(patch))
    return Counter(row for row in rows if row[2])


def _ask(undecided: Undecided, others: int, *, known: bool) -> str:
    where, one = f"{line(undecided.path)}:{undecided.line}", quote_edit(undecided.patch)
    if known and undecided.call and undecided.other:
        call, (ours, theirs) = line(undecided.call, QUOTED), (line(each, ANSWERED) for each in undecided.answers)
        what = f"{one} and {quote_edit(undecided.other)}"
        return f"{where}{BETWEEN}{what}: for `{call}` the change gives {ours}, the other {theirs}; which is right?"
    rest = "another small edit, which passes" if others == 1 else f"{others} other small edits, which pass"
    return f"{where}{BETWEEN}{one} and {rest} them as well; is it the right one?"


def quote_edit(patch: str) -> str:
    """Say what an edit puts in, or takes away where it puts in nothing; on one line, between backticks."""
    rows = list(read_lines(patch))
    added = _join(row for row in rows if row.sign == "+")
    removed = _join(row for row in rows if row.sign == "-")
    quoted = line(added or removed, QUOTED).replace("`", "'")
    return f"`{quoted}`" if added else f"leaving out `{quoted}`"


def _join(rows: Iterable[Line]) -> str:
    """Put lines on one; dots stand for what lies between those that are apart."""
    text, last = "", Line("+", "", 0, "")
    for row in rows:
        apart = (row.path, row.number) != (last.path, last.number + 1)
        if row.text.strip():
            text += (" … " if apart else " ") * bool(text) + row.text.strip()
        last = row
    return text
