"""What a check said of a tree, held against what it said of the tree before; only that which is new counts."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from bot.core.check import CheckResult, Comparison, Verdict
from bot.verify.compare import compare, without

UNKNOWN = "; whether it is new is not known, as no time was left to ask the tree before"


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


def alone(result: CheckResult, flaky: Sequence[str] = ()) -> Held:
    """Conclude from a result when there was no tree before: all that fails is new."""
    bad = tuple(name for name in result.bad if name not in flaky)
    if result.status == "errored" and not bad:
        return Held(result, Comparison(flaky=tuple(flaky)), result.summary)
    return Held(result, Comparison(broken=bad, flaky=tuple(flaky)))


def unasked(result: CheckResult, flaky: Sequence[str]) -> Held:
    """Conclude from a result when the tree before could not be asked in time."""
    told = alone(result, flaky)
    return told._replace(result=result.model_copy(update={"summary": result.summary + UNKNOWN}))


def against(before: Verdict, result: CheckResult, flaky: Sequence[str], *, asked: bool) -> Held:
    """Hold a result against the tree before; `asked` tells whether there was something of the check in it."""
    said = before.result(result.check)
    silent = said is None or said.status == "errored"
    if result.status == "errored" and (silent or not asked):
        # A tool that cannot start says the same of every tree
        return alone(result, flaky) if not silent else Held(result, Comparison(), result.summary)
    return Held(result, without(compare(before, [result]), flaky))


def join(parts: Iterable[Comparison]) -> Comparison:
    """Put comparisons of different checks together."""
    told = list(parts)
    groups = {group: tuple(dict.fromkeys(n for part in told for n in getattr(part, group))) for group in _GROUPS}
    return Comparison(**groups)


_GROUPS = tuple(Comparison.model_fields)
