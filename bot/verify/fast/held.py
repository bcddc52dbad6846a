"""What a check said of a tree, held against what it said of the tree before; only that which is new counts."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from bot.core.check import CheckResult, Comparison, Verdict
from bot.verify.compare import compare, without

UNKNOWN = "whether it did before is not known, as no time was left to ask"


class Held(NamedTuple):
    """What may be concluded of one check."""

    result: CheckResult
    comparison: Comparison = Comparison()
    unjudged: str = ""
    """Why nothing can be said; empty when something can."""

    @property
    def worse(self) -> bool:
        """Whether something speaks against the tree that did not before."""
        return bool(self.comparison.broken or self.comparison.prevented)


def alone(result: CheckResult) -> Held:
    """Conclude from a result when there was no tree before: all that fails is new."""
    if result.status == "errored" and not result.bad:
        return Held(result, Comparison(), result.summary)
    return Held(result, Comparison(broken=result.bad))


def unasked(result: CheckResult) -> Held:
    """Conclude from a result when the tree before could not be asked in time: it may have failed there as well."""
    count = len(result.bad)
    return Held(result, Comparison(), f"{count} failed; {UNKNOWN}" if count else result.summary)


def against(before: Verdict, result: CheckResult, *, asked: bool) -> Held:
    """Hold a result against the tree before; `asked` tells whether there was something of the check in it."""
    said = before.result(result.check)
    silent = said is None or said.status == "errored"
    if result.status == "errored" and (silent or not asked):
        # A tool that cannot start says the same of every tree
        return alone(result) if not silent else Held(result, Comparison(), result.summary)
    return Held(result, compare(before, [result]))


def settle(held: Held, flaky: Sequence[str]) -> Held:
    """Hold nothing against a tree that passed when it was asked once more."""
    return held._replace(comparison=without(held.comparison, flaky)) if flaky else held


def pardon(here: Held, there: Held) -> Held:
    """Hold against a merge only what is new to each side of it; `there` is the same result beside another parent."""
    worse = {*there.comparison.broken, *there.comparison.prevented}
    old = tuple(name for name in there.comparison.failing if name not in here.comparison.failing)
    told = here.comparison
    left = {
        "broken": tuple(name for name in told.broken if name in worse or name not in old),
        "prevented": tuple(name for name in told.prevented if name in worse or name not in old),
        "failing": (*told.failing, *old),
    }
    return here._replace(comparison=told.model_copy(update=left))


def join(parts: Iterable[Comparison]) -> Comparison:
    """Put comparisons of different checks together."""
    told = list(parts)
    groups = {group: tuple(dict.fromkeys(n for part in told for n in getattr(part, group))) for group in _GROUPS}
    return Comparison(**groups)


_GROUPS = tuple(Comparison.model_fields)
