"""Judges one commit that a push brings, by what `git agent verify` judges with."""

import time
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias

from bot.app.bay import Bay, choose_bay
from bot.app.desk import Desk, settle
from bot.app.hooks.pushseal import describe_push
from bot.app.hooks.sealing import keep_answer
from bot.app.hooks.seals import Seal
from bot.app.proving.judge import judge
from bot.app.proving.target import Listed, Target
from bot.app.proving.values import Judged
from bot.app.proving.watch import follow
from bot.core.check import Verdict
from bot.git.pushes import Span
from bot.git.repository import Repository

Word: TypeAlias = Literal["silent", "holds", "worse", "unknown"]
"""`silent`: there is nothing to be asked; `unknown`: something gave no evidence, and nothing speaks against it."""


class Heard(NamedTuple):
    """What was found of a commit that is pushed."""

    word: Word
    judged: Judged
    worse: frozenset[str]
    """Cases that got worse, whichever of the remote's commits it is held against."""
    kept: bool
    """Whether the same can be said again as long as nothing changes."""
    bay: Bay
    begun: float
    """When judging began, in seconds since 1970."""

    @property
    def verdict(self) -> Verdict:
        """What the checks said, with only that held against it."""
        verdict = self.judged.verdicts[-1]
        compared = verdict.comparison
        old = (*compared.failing, *(case for case in compared.broken if case not in self.worse))
        left = tuple(case for case in compared.broken if case in self.worse)
        return verdict.model_copy(update={"comparison": compared.model_copy(update={"broken": left, "failing": old})})


def hear(repository: Repository, span: Span) -> Heard:
    """Judge a tip as the settings of its base say. Raises AgentError."""
    begun = time.time()
    # Commits do not decide how they are judged, unless there is nothing before them
    desk = settle(repository, {}, span.base or span.tip)
    bay = choose_bay(desk)
    judged = [_judge(desk, span, bay)]
    worse = find_worse([judged[0].verdicts[-1]])
    # What came in with a merge is there already, and failed before it was merged
    for start in span.starts[1:]:
        if worse:
            other = settle(repository, {}, start)
            judged.append(_judge(other, span, choose_bay(other)))
            worse = find_worse([each.verdicts[-1] for each in judged])
    shown = max(reversed(judged), key=lambda each: len(worse.intersection(each.verdicts[-1].comparison.broken)))
    verdict = shown.verdicts[-1]
    return Heard(_weigh(verdict, worse=bool(worse)), shown, worse, verdict is judged[0].verdicts[-1], bay, begun)


def find_worse(verdicts: Sequence[Verdict]) -> frozenset[str]:
    """Name what got worse whichever of several commits a tree is held against, as far as it was asked there."""
    broken = {case for verdict in verdicts for case in verdict.comparison.broken}
    return frozenset(case for case in broken if not any(_pardons(verdict, case) for verdict in verdicts))


def _pardons(verdict: Verdict, case: str) -> bool:
    """Tell whether something that is bad was so before; where a lower rung was worse, nobody asked."""
    if case in verdict.comparison.broken:
        return False
    return case in verdict.comparison.unjudged or any(case in result.bad for result in verdict.results)


def keep(repository: Repository, span: Span, heard: Heard, text: str) -> None:
    """Keep that nothing speaks against a tip, and what was said of it."""
    if heard.kept and heard.judged.verdicts[-1].ok:
        described = describe_push(repository, span)
        keep_answer(repository, heard.bay, described, Seal(0, text), heard.judged.checks, heard.begun)


def _judge(desk: Desk, span: Span, bay: Bay) -> Judged:
    target = Target(span.updates[0].name, span.base and desk.base, (Listed(span.tip, ()),))
    return follow(judge(desk, target, reuse=True, brief=True, bay=bay), target)


def _weigh(verdict: Verdict, *, worse: bool) -> Word:
    if worse:
        return "worse"
    if not verdict.results:
        return "silent"
    pardoned = bool(verdict.comparison.broken) and not verdict.comparison.prevented
    return "holds" if verdict.ok or pardoned else "unknown"
