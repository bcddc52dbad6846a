"""Puts plausible candidates in order by what they do, and finds a call on which the best of them differ."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import NamedTuple, Optional

from bot.repair.worker.outcomes import Outcome, alike

WILD = "wild"
"""How an outcome is called that is not the same twice, or that reached out of its process."""
FAILED = ("raised", "late")
CRASHES = frozenset({
    "TypeError", "AttributeError", "NameError", "UnboundLocalError", "IndexError", "KeyError", "ZeroDivisionError",
    "RecursionError", "AssertionError", "StopIteration",
})  # fmt: skip
"""What is hardly ever raised on purpose."""
LOSING = frozenset({
    "cond_const", "del_stmt", "drop_arg", "drop_attr", "drop_branch", "drop_call", "drop_cond", "drop_elem",
    "drop_filter", "drop_operand", "drop_slice", "drop_sub", "err_try", "guard_flow", "guard_ret", "unwrap_call",
    "unwrap_if", "wrap_if",
})  # fmt: skip
"""Kinds of edits that make tests pass by doing less than was meant."""
ROUNDABOUT = re.compile(
    r"[-+] *0(?:\.0)?(?![\w.])|(?:\*\*?|//?) *1(?:\.0)?(?![\w.])|- *\(-|\bnot[ (]+not\b|\[::1?\]"
    r"|\bnot \(?\w[\w.]* (?:in|is|==|<=?|>=?)"
    r"|\b(?P<same>[\w.]+(?:\([\w.]*\))?) *(?:==|!=|<=?|>=?|-) *(?P=same)(?![\w(.])"
)
"""Adding nothing, multiplying by one, taking away a minus, comparing a thing with itself, and the like."""
WORD = re.compile(r"\w+|[^\w\s]+?")
SECOND = 0.2
"""What the score of a second kind of edit adds to that of the first, and of a third to that of the second."""
FAINT = 0.5
"""Below which part of the best score in a group one is no match for the others, however short it is."""
SLOW = 4.0
"""By how much one may be slower than the quickest that does the same."""
SHORTEST = 0.002
"""Seconds that cannot be told from less."""
EXCHANGED = 2.0
"""The size of an edit that only puts words into another order."""
REMOVED = 0.5
"""What a word that goes weighs in the size of an edit, beside one that comes."""
CUT = 1000
RAISED = 500
PRIVATE = 100
MADE = 4
"""What speaks against showing a call to a person, in characters of its length."""
UNKNOWN = Outcome("late", text="no answer in time")
Row = Sequence[Optional[Outcome]]
"""What came of each input; None where that is not known."""


class Voter(NamedTuple):
    """A candidate as it is ranked."""

    score: float
    prior: float
    size: float
    template: str = ""
    roundabout: bool = False
    """Whether it says something with more words than it takes, such as `- 0`."""


class Given(NamedTuple):
    """An input as it is shown."""

    text: str
    seen: bool
    """Whether a test used it."""
    private: bool = False


class Group(NamedTuple):
    """Candidates that did the same on every input, best first."""

    members: tuple[int, ...]
    raised: int
    """Inputs on which they fail and the original does not."""


class Choice(NamedTuple):
    """A call on which two candidates differ."""

    call: str
    one: str
    other: str


def weigh_edit(old: str, new: str) -> float:
    """Count the words that an edit brings and, for less, those that it takes away; parentheses are none."""
    before, after = ([word for word in WORD.findall(text) if word not in "()"] for text in (old, new))
    if before != after and sorted(before) == sorted(after):
        return EXCHANGED
    size = 0.0
    for kind, i1, i2, j1, j2 in difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            size += (j2 - j1) + REMOVED * (i2 - i1)
    return size


def steady_ones(
    functions: Sequence[int], original: Row, rows: Sequence[Row]
) -> tuple[list[int], list[Outcome | None], list[list[Outcome | None]]]:
    """Leave out functions that never do the same twice, and candidates that alone make one so.

    `functions` says which one each input is for. Returns the candidates that are left, and the rows without the rest.
    """
    first, *others = (_wild(functions, row) for row in (original, *rows))
    out = {f for f in functions if f in first or 2 * sum(f in wild for wild in others) > len(others)}
    steady = [member for member, wild in enumerate(others) if wild <= out]

    def kept(row: Row) -> list[Outcome | None]:
        return [None if function in out else outcome for function, outcome in zip(functions, row)]

    return steady, kept(original), [kept(rows[member]) for member in steady]


def _wild(functions: Sequence[int], row: Row) -> set[int]:
    return {function for function, outcome in zip(functions, row) if outcome and outcome.kind == WILD}


def is_roundabout(old: str, new: str) -> bool:
    """Whether a text holds more of what does nothing than it did before."""
    return _count(new) > _count(old)


def _count(text: str) -> int:
    return sum(1 for _ in ROUNDABOUT.finditer(text))


class Ballot:
    """What the original and each candidate did on the same inputs."""

    def __init__(self, voters: Sequence[Voter], original: Row, rows: Sequence[Row]) -> None:
        self.voters = voters
        self.original = [outcome or UNKNOWN for outcome in original]
        """What is not known of the original took too long: it may be what is wrong with it."""
        self.rows = rows
        known = [n for n in range(len(original)) if all(row[n] for row in rows)]
        self.telling = [n for n in known if not all(self._like_original(row, n) for row in rows)]
        """Inputs on which something differs at all."""
        self.sound = [n for n in self.telling if not any(self._fails_anew(row, n) for row in rows)]
        """Those of them on which no candidate fails where the original did not."""
        self.seen = [any(not self._like_original(row, n) for n in self.telling) for row in rows]
        """Whether what a candidate does could be seen at all: it does something else than the original."""

    def _like_original(self, row: Row, n: int) -> bool:
        outcome = row[n]
        return outcome is not None and alike(self.original[n], outcome)

    def _fails_anew(self, row: Row, n: int) -> bool:
        after = row[n]
        if self.original[n].kind != "value" or after is None:
            return False
        return after.kind == "late" or (after.kind == "raised" and after.value in CRASHES)

    def _agree(self, one: int, other: int, inputs: Sequence[int]) -> bool:
        if not (self.seen[one] and self.seen[other]):
            return False
        pairs = ((self.rows[one][n], self.rows[other][n]) for n in inputs)
        return all(a is not None and b is not None and alike(a, b) for a, b in pairs)

    def _split(self, members: Sequence[int], inputs: Sequence[int]) -> list[list[int]]:
        parts: list[list[int]] = []
        for member in members:
            part = next((part for part in parts if self._agree(part[0], member, inputs)), None)
            if part is None:
                parts.append([member])
            else:
                part.append(member)
        return parts

    def _weight(self, members: Sequence[int]) -> tuple[float, int, float, float]:
        """Order groups: the heaviest first, and of equals the one that changes less of what the original does."""
        voters = [self.voters[member] for member in members]
        # Ten ways of changing one number are not ten opinions
        kinds: dict[str, float] = {}
        for voter in voters:
            kinds[voter.template] = max(kinds.get(voter.template, 0.0), voter.score)
        ranked = sorted(kinds.values(), reverse=True)
        weight = sum(score * SECOND**n for n, score in enumerate(ranked))
        changed = sum(not self._like_original(self.rows[members[0]], n) for n in self.telling)
        return -round(weight, 6), changed, -max(v.prior for v in voters), min(v.size for v in voters)

    def _raised(self, member: int) -> int:
        return sum(self._fails_anew(self.rows[member], n) for n in self.telling)

    def _clumsiness(self, member: int, best: float) -> tuple[bool, bool, bool, float, float, int]:
        voter = self.voters[member]
        faint = voter.score < FAINT * best
        return voter.roundabout, voter.template in LOSING, faint, voter.size, -voter.prior, member

    def _seconds(self, member: int) -> float:
        known = [self.rows[member][n] for n in self.telling]
        return max(SHORTEST, sum(outcome.seconds for outcome in known if outcome is not None))

    def groups(self) -> list[Group]:
        """Group candidates by what they do, the heaviest group first.

        Where one fails and the original did not, that does not part it from others; it only comes after them.
        """
        found: list[Group] = []
        families = self._split(range(len(self.rows)), self.sound) if self.sound else [list(range(len(self.rows)))]
        for family in sorted(families, key=self._weight):
            groups = self._split(family, self.telling)
            for group in sorted(groups, key=lambda group: (self._raised(group[0]), self._weight(group))):
                seconds = {member: self._seconds(member) for member in group}
                least = min(seconds.values())
                top = max(self.voters[member].score for member in group)
                order = [(seconds[m] > SLOW * least, *self._clumsiness(m, top)) for m in group]
                best = [member for _, member in sorted(zip(order, group))]
                found.append(Group(tuple(best), self._raised(group[0])))
        return found

    def choose(self, one: int, other: int, inputs: Sequence[Given | None]) -> Choice | None:
        """Find the plainest input on which two candidates differ in what can be shown; None must not be asked about."""
        choices: list[tuple[int, int, Choice]] = []
        for n in self.telling:
            a, b, given = self.rows[one][n], self.rows[other][n], inputs[n]
            if a is None or b is None or given is None or alike(a, b):
                continue
            answers = tell(a, b)
            if answers[0] != answers[1]:
                choices.append((_oddity(given, a, b, answers), n, Choice(given.text, *answers)))
        return min(choices)[2] if choices else None


def _oddity(given: Given, one: Outcome, other: Outcome, answers: tuple[str, str]) -> int:
    text = "".join((given.text, *answers))
    failed = one.kind in FAILED or other.kind in FAILED
    return len(text) + CUT * ("…" in text) + RAISED * failed + PRIVATE * given.private + MADE * (not given.seen)


def tell(one: Outcome, other: Outcome) -> tuple[str, str]:
    """Say what two calls gave so that the difference is seen."""
    if one.text != other.text:
        return one.text, other.text
    if one.printed != other.printed:
        return f"{one.text}, printing {one.printed[:80]!r}", f"{other.text}, printing {other.printed[:80]!r}"
    pairs = [pair for pair in zip(one.left, other.left) if pair[0] != pair[1]]
    ours, theirs = (", ".join(texts) for texts in (zip(*pairs) if pairs else ((), ())))
    return f"{one.text}, leaving {ours}", f"{other.text}, leaving {theirs}"
