"""Asks the checks of one tree, each in the cheapest way that is still evidence."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path

from bot.core.check import Check, CheckResult, Verdict, file_of
from bot.verify.again import SUITES, Asking, Repeated, repeat, still_failing
from bot.verify.ahead import LOOKING, Ahead
from bot.verify.blame import Change, settle
from bot.verify.compare import compare
from bot.verify.impact import SLOW, nearest
from bot.verify.readers import Runner
from bot.verify.repeat import functions_of, passing
from bot.verify.reuse import OPEN, Reuse
from bot.verify.samples import answered, kinds_of, samples
from bot.verify.shards import processors
from bot.verify.warm import Warmth

QUICK = 5.0
"""Seconds of a check that may be run before it is known whether it is needed."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A folder that holds one tree, and what is known of the tree before."""

    root: Path
    tree: str
    before: Verdict | None
    renew: Callable[[], None]
    """Makes the folder hold exactly the tree again."""
    change: Change = field(default_factory=Change)
    back: Callable[[], AbstractContextManager[Path]] | None = None
    """Makes the folder hold the tree before."""

    def earlier(self, check: Check) -> CheckResult | None:
        """Return what a check said of the tree before, if it said anything."""
        found = self.before.result(check.name) if self.before is not None else None
        return found if found is not None and found.status in ("passed", "failed") else None


@dataclass(slots=True)
class Climb:
    """The checks of one tree, as they are asked."""

    runner: Runner
    scene: Scene
    warmth: Warmth
    reuse: Reuse | None = None
    untouched: frozenset[str] = frozenset()
    """Names of checks that the change has nothing to do with."""
    ahead: Ahead = field(init=False)

    def __post_init__(self) -> None:
        scene = self.scene
        self.ahead = Ahead(self._run, scene.root, scene.renew, scene.before)

    def start(self, checks: Sequence[Check]) -> None:
        """Begin with the lowest checks that only look and do not take long, and with a short suite that follows."""
        looking = list(takewhile(self._may_start, checks))
        suite = next(iter(checks[len(looking) :]), None)
        early = suite if suite is not None and self._may_start_early(suite) else None
        self.ahead.start([check for check in looking if not self._is_known(check)], early)

    def ask(self, check: Check) -> Repeated:
        """Find out what a check says of the tree."""
        if check.name in self.untouched and (earlier := self.scene.earlier(check)) is not None:
            return Repeated(_carried_over(earlier))
        kept = self.reuse.find(self.scene.tree, check) if self.reuse is not None else None
        if kept is not None:
            sure = self.scene.before is None and (kept.steady or kept.result.status == "passed")
            return Repeated(kept.result) if sure else self._repeat(check, kept.result)
        early = self._nearest(check)
        if early is not None:
            return Repeated(early)
        first = self.ahead.take(check)
        again = self._repeat(check, first)
        bad = first.count("failed", "error")
        if self.reuse is not None and not again.flaky and again.result.count("failed", "error") == bad:
            self.reuse.keep(self.scene.tree, check, first, steady=self.scene.before is None)
        return again

    def _may_start(self, check: Check) -> bool:
        earlier = self.scene.earlier(check)
        return check.reader in LOOKING and (
            self.scene.before is None or (earlier is not None and earlier.seconds < QUICK)
        )

    def _may_start_early(self, check: Check) -> bool:
        """Tell whether a suite takes so little that it may run in vain, and cannot reach what it must not touch."""
        earlier = self.scene.earlier(check)
        short = earlier is not None and earlier.seconds <= SLOW
        able = processors() > 1 and self.runner.executor.isolation not in OPEN
        return check.reader in SUITES and short and able and not self._is_known(check)

    def _is_known(self, check: Check) -> bool:
        untouched = check.name in self.untouched and self.scene.earlier(check) is not None
        return untouched or (self.reuse is not None and self.reuse.find(self.scene.tree, check) is not None)

    def _run(self, check: Check, root: Path) -> CheckResult:
        if check.reader != "mypy":
            return self.runner.run(check, root)
        # What is known of the base may not have been found out here, so that another tree is the first to be asked
        return self.runner.guard(check, root, (), lambda place, asked: self.warmth.run(check, place, asked, fill=True))

    def _repeat(self, check: Check, result: CheckResult) -> Repeated:
        scene = self.scene
        settled = settle(result, scene.root, scene.change) if scene.before is not None else result
        return repeat(self._asking(check), check, scene.before, settled)

    def _asking(self, check: Check) -> Asking:
        def ask(targets: Sequence[str]) -> CheckResult:
            self.scene.renew()
            return self.runner.run(check, self.scene.root, targets)

        def without(files: Sequence[str]) -> CheckResult:
            if check.reader == "pytest":
                return ask([f"--ignore={path}" for path in files])
            earlier = self.scene.earlier(check)
            known = dict.fromkeys(file_of(case.id) for case in earlier.cases) if earlier is not None else ()
            return ask([path for path in known if (self.scene.root / path).is_file()])

        return Asking(ask, without)

    def _nearest(self, check: Check) -> CheckResult | None:
        """Ask the tests nearest to the change; None when they find nothing, so that all have to be asked."""
        scene, earlier = self.scene, self.scene.earlier(check)
        if check.reader not in SUITES or earlier is None or scene.before is None or scene.back is None:
            return None
        files = nearest(scene.root, scene.change.paths, earlier)
        if not files:
            return None
        found = settle(self.runner.run(check, scene.root, files), scene.root, scene.change)
        found = found.model_copy(update={"narrowed": True})
        broken = tuple(name for name in compare(scene.before, [found]).broken if "::" in name)
        kinds = kinds_of(found.cases, broken) if found.status != "errored" else ()
        proved = answered(kinds, self._proved(check, samples(kinds))) if kinds else frozenset()
        scene.renew()
        if not proved:
            return None
        told = f"{found.summary}; {len(found.cases)} of {len(earlier.cases)} tests, those nearest to the change"
        cases = tuple(case for case in found.cases if case.id in proved or case.id not in broken)
        return found.model_copy(update={"summary": told, "cases": cases})

    def _proved(self, check: Check, broken: Sequence[str]) -> frozenset[str]:
        """Name the tests that fail for what the change did, rather than for being run without the others.

        Asked for just the same, they fail here once more, and pass on the tree before.
        """
        again = frozenset(still_failing(self._asking(check), broken))
        earlier = self.scene.earlier(check)
        known = again & {case.id for case in earlier.cases} if earlier is not None else frozenset[str]()
        if not known or self.scene.back is None:
            return again
        with self.scene.back() as root:
            alone = passing(self.runner.run(check, root, functions_of(name for name in broken if name in known)))
        return (again - known) | (alone & known)


def _carried_over(earlier: CheckResult) -> CheckResult:
    start = earlier.summary.removesuffix(UNTOUCHED)
    return earlier.model_copy(update={"reused": True, "flakes": (), "summary": start + UNTOUCHED})


UNTOUCHED = "; as before: the change does not touch this part"
