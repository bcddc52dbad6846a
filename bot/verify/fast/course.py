"""The way through the quick checks: the lowest first, up to the first rung on which something got worse."""

from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby

from bot.core.check import Check, CheckResult, Comparison, Verdict
from bot.core.hook import Unjudged
from bot.verify.again import SUITES
from bot.verify.compare import FINDINGS
from bot.verify.fast.asking import Answer, side_by_side
from bot.verify.fast.held import Held, join
from bot.verify.fast.narrow import aim
from bot.verify.fast.plan import Plan, Steps
from bot.verify.fast.weighing import Scales
from bot.verify.impact import Graph
from bot.verify.shards import merge

CHEAP = 2.0
"""Seconds of a check that passes and is worth being asked again beside the one that fails."""


@dataclass(slots=True)
class Findings:
    """What was found out so far."""

    seconds: float
    """What there was for all of it."""
    results: list[CheckResult] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    unjudged: list[Unjudged] = field(default_factory=list)
    asked: list[Check] = field(default_factory=list)

    def say_nothing(self, check: Check, why: str) -> None:
        """Note that nothing is known of what a check would say."""
        self.unjudged.append(Unjudged(check=check.name, why=why))

    def take_passed(self, answer: Answer) -> None:
        """Note that nothing is wrong."""
        self.results.append(answer.result)
        if answer.result.seconds < CHEAP:
            self.asked.append(answer.check)

    def take_held(self, answer: Answer, held: Held) -> None:
        """Note what fails, and what of it is new."""
        if held.unjudged:
            self.say_nothing(answer.check, held.unjudged)
            return
        self.results.append(held.result)
        self.comparisons.append(held.comparison)
        if held.worse:
            self.asked.append(answer.check)

    def verdict(self, tree: str) -> Verdict:
        """Put it together."""
        return Verdict(tree=tree, results=tuple(self.results), comparison=join(self.comparisons))


@dataclass
class Course:
    """The checks of one change, as they are asked."""

    plan: Plan
    scales: Scales
    findings: Findings
    read: Callable[[], Graph | None]
    """Finds out what imports what; takes a while where a project is large."""
    steps: dict[str, Steps] = field(default_factory=dict)
    """What is run of each suite."""

    @cached_property
    def graph(self) -> Graph | None:
        """What imports what in the tree after the change."""
        return self.read()

    def follow(self, checks: Sequence[Check]) -> Generator[Check, None, None]:
        """Ask checks: those that read files side by side, then the others in order."""
        low = [check for check in checks if check.rung in FINDINGS]
        high = [check for check in checks if check.rung not in FINDINGS]
        answers = yield from self._look(low, [check for check in high if check.reader in SUITES])
        for _, level in groupby(answers, key=lambda answer: answer.check.rung):
            if self._settle(list(level)):
                return
        for _, rung in groupby(high, key=lambda check: check.rung):
            found: list[Answer] = []
            for check in rung:
                found += yield from self._run(check)
            if self._settle(found):
                return

    def _look(self, checks: Sequence[Check], suites: Sequence[Check]) -> Generator[Check, None, list[Answer]]:
        asking, tree, root = self.scales.asking, self.scales.tree, self.scales.root
        told = {check.name: known for check in checks if (known := self._passed(check)) is not None}
        aimed = [self.plan.look(check, lambda: self.graph) for check in checks if check.name not in told]
        wanted = [check for check in aimed if check is not None]
        yield from wanted
        reading = [check for check in wanted if check.reader != "exit"]
        with side_by_side(asking, tree, reading, root) as answers:
            # The processor has time for it while others compute
            self._prepare(suites)
            told |= {answer.check.name: answer for answer in answers()}
        told |= {check.name: asking.ask(tree, check, root) for check in wanted if check.name not in told}
        return [told[check.name] for check in checks if check.name in told]

    def _prepare(self, suites: Sequence[Check]) -> None:
        """Find out what of each suite the change reaches."""
        for check in suites:
            known = self._passed(check)
            self.steps[check.name] = Steps() if known is not None else self.plan.test(check, lambda: self.graph)

    def _passed(self, check: Check) -> Answer | None:
        """Return what is known of a check as a whole, when nothing is wrong there."""
        known = self.scales.asking.known(self.scales.tree, check)
        return known if known is not None and known.result.status == "passed" else None

    def _run(self, check: Check) -> Generator[Check, None, list[Answer]]:
        known = self._passed(check)
        if known is not None:
            return [known]
        if check.reader not in SUITES:
            yield check
            return [self.scales.asking.ask(self.scales.tree, check, self.scales.root)]
        steps = self.steps[check.name]
        if not steps.checks:
            return []
        yield steps.checks[0]
        return [self._test(steps)]

    def _test(self, steps: Steps) -> Answer:
        """Run a suite step by step, as far as nothing gets worse and time allows."""
        whole: list[Answer] = []
        targets: list[str] = []
        worse = False
        for check in steps.checks:
            answer = self.scales.asking.ask(self.scales.tree, check, self.scales.root)
            if answer.cut and not whole:
                return answer
            if answer.cut:
                break
            whole.append(answer)
            targets += check.targets
            worse = len(targets) < steps.files and self._is_worse(answer)
            if worse:
                break
        if len(targets) < steps.files and not worse:
            told = f"{len(targets)} of the {steps.files} test files that it reaches were run"
            self.findings.say_nothing(whole[0].check, told)
        return Answer(aim(whole[0].check, targets), _together(answer.result for answer in whole))

    def _is_worse(self, answer: Answer) -> bool:
        """Tell whether the tests after these can wait; what failed before keeps nobody from being asked."""
        return not _is_good(answer.result) and self.scales.weigh([answer])[0].worse

    def _settle(self, answers: Sequence[Answer]) -> bool:
        """Note what was said on a rung; tell whether something got worse."""
        told = [answer for answer in answers if not (answer.cut or answer.result.empty)]
        for answer in answers:
            if answer.cut:
                why = answer.lost or f"not finished within {self.findings.seconds:g} s"
                self.findings.say_nothing(answer.check, why)
        failing = [answer for answer in told if answer.result.status != "passed"]
        held = iter(self.scales.weigh(failing) if failing else ())
        worse = False
        for answer in told:
            if answer.result.status == "passed":
                self.findings.take_passed(answer)
                continue
            found = next(held)
            self.findings.take_held(answer, found)
            worse = worse or found.worse
        return worse


def _is_good(result: CheckResult) -> bool:
    return result.status == "passed" or result.empty


def _together(results: Iterable[CheckResult]) -> CheckResult:
    """Put the steps of a suite together; files without a test in them say nothing."""
    told = list(results)
    full = [result for result in told if not result.empty] or told[:1]
    return merge(full) if len(full) > 1 else full[0]
