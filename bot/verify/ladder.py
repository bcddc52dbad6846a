"""Climbs the ladder of checks on one clean tree."""

from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import Path

from bot.core.check import Check, CheckResult, Rung, Verdict
from bot.core.redact import Redactor
from bot.errors import Unprepared
from bot.protocols import Cleaner, Executor, Shelf
from bot.verify.blame import Change
from bot.verify.bytecode import Bytecode
from bot.verify.climb import Climb, Scene
from bot.verify.compare import compare, excuse, without
from bot.verify.detection.packages import touched
from bot.verify.fingerprint import Outside, fingerprint
from bot.verify.interpreter import Interpreter
from bot.verify.moved import follow
from bot.verify.place import errored
from bot.verify.prepare import Preparation, unprepared
from bot.verify.readers import Runner
from bot.verify.recorded import recorded
from bot.verify.reuse import OPEN, Reuse, is_reusable
from bot.verify.warm import Warmth


def _leave() -> None:
    """Take a folder as it is."""


@dataclass(frozen=True, slots=True)
class Ladder:
    """The checks of one project and what runs them."""

    checks: tuple[Check, ...]
    executor: Executor
    interpreter: Interpreter
    redactor: Redactor = field(default_factory=lambda: Redactor(()))
    preparation: Preparation | None = None
    workers: int = 1
    shelf: Shelf | None = None
    """Where results are looked for and kept; only together with `outside`."""
    outside: Outside | None = None
    excused: frozenset[str] = frozenset()
    """Checks whose new complaints are told, and held against nobody."""
    aside: frozenset[str] = frozenset()
    """Cases that nobody is to mend: their failures are left out of what is said."""
    warmth: Warmth = field(default_factory=Warmth, compare=False, repr=False)
    bytecode: Bytecode = field(default_factory=Bytecode, compare=False, repr=False)

    def judge(
        self, cleaner: Cleaner, tree: str, before: Verdict | None, paths: Sequence[str] = ()
    ) -> Generator[Check, None, Verdict]:
        """Climb in a folder that holds exactly this tree, and that is made anew before anything is run again.

        `paths` are those that differ from the tree before, where they are known.
        """
        ready = self.ready(cleaner)
        try:
            with ready.clean(tree) as root:
                return (yield from self._climb(_scene(ready, root, tree, before, paths), self.reuse()))
        except Unprepared as error:
            told = unprepared(self.checks, error, base=before is None)
            results = tuple(recorded(result, self.redactor) for result in told)
            return Verdict(tree=tree, results=results, comparison=compare(before, results))

    def ready(self, cleaner: Cleaner) -> Cleaner:
        """Return a cleaner whose folders hold what was prepared for the checks, too."""
        return self.preparation.around(cleaner) if self.preparation is not None else cleaner

    def ask(self, cleaner: Cleaner, tree: str, check: Check, targets: Sequence[str] = ()) -> CheckResult:
        """Run one check on a tree, in a folder that is ready for it; see `run`."""
        try:
            with self.ready(cleaner).clean(tree) as root:
                return self.run(check, root, targets)
        except Unprepared as error:
            return recorded(unprepared((check,), error, base=False)[0], self.redactor)

    def climb(
        self, root: Path, tree: str, before: Verdict | None = None, renew: Callable[[], None] = _leave
    ) -> Generator[Check, None, Verdict]:
        """Judge the folder `root`, which holds exactly `tree`: yields each check before it runs, returns the verdict.

        Without `before` (the baseline) every rung is run; with it the climb stops after the first rung on which
        something got worse, and the checks above are `skipped`. `renew` makes the folder hold exactly `tree` again.
        """
        return (yield from self._climb(Scene(root, tree, before, renew), None))

    def run(self, check: Check, root: Path, targets: Sequence[str] = ()) -> CheckResult:
        """Run one check on a folder; `targets` narrows it to paths or test ids."""
        refused = next((target for target in targets if target.startswith("-") or "\0" in target or not target), None)
        if refused is not None:
            return errored(check, f"a target is a path or a test id, not {refused!r}")
        if check.reader == "mypy":
            return self._runner.guard(check, root, targets, lambda place, asked: self.warmth.run(check, place, asked))
        return self._runner.run(check, root, targets)

    def _climb(self, scene: Scene, reuse: Reuse | None) -> Generator[Check, None, Verdict]:
        checks = sorted(self.checks, key=lambda check: check.rung.height)
        climb = Climb(self._runner, scene, self.warmth, reuse, self._untouched(scene))
        with climb.ahead:
            climb.start(checks)
            return (yield from _rungs(checks, scene, climb, self.excused, self.aside))

    def _untouched(self, scene: Scene) -> frozenset[str]:
        """Name the checks of parts that a change neither touches nor was imported into."""
        paths = scene.change.paths
        near = {check.name for check in touched(self.checks, paths, scene.root)} if scene.before is not None else set()
        earlier = {check.name: scene.earlier(check) for check in self.checks if check.name not in near}
        told = {name: result for name, result in earlier.items() if result is not None}
        return frozenset(name for name, result in told.items() if not {*paths} & {*result.imported})

    @property
    def _runner(self) -> Runner:
        return Runner(self.executor, self.interpreter, self.redactor, self.workers, self.bytecode)

    def reuse(self) -> Reuse | None:
        """Return where what the checks said of a tree is looked for; None where nothing can be believed."""
        if self.shelf is None or self.outside is None or self.executor.isolation in OPEN:
            return None
        if not any(map(is_reusable, self.checks)):
            return None
        environment = fingerprint(self.outside, self.interpreter, self.executor.isolation)
        return Reuse(self.shelf, environment, self.redactor) if environment is not None else None


def _rungs(
    checks: Sequence[Check], scene: Scene, climb: Climb, excused: frozenset[str], aside: frozenset[str]
) -> Generator[Check, None, Verdict]:
    """Take the answers in the order of the rungs, up to the first rung on which something got worse."""
    before = scene.before
    results: list[CheckResult] = []
    flaky: list[str] = []
    blocked: Rung | None = None
    for rung, level in groupby(checks, key=lambda check: check.rung):
        for check in level:
            if blocked is not None:
                results.append(_skipped(check, blocked))
                continue
            yield check
            answer = climb.ask(check)
            flaky += answer.flaky
            results.append(leave_out(answer.result, aside))
        # A test that is gone may still hold as it was: that is looked at when all is known
        compared = excuse(without(compare(before, results), flaky), results, excused)
        if blocked is None and before is not None and compared.broken:
            blocked = rung
    compared = excuse(without(compare(before, results), flaky), results, excused)
    return Verdict(tree=scene.tree, results=tuple(results), comparison=compared)


def leave_out(result: CheckResult, names: Collection[str]) -> CheckResult:
    """Leave failures out of a result; one that has no other failures is as good as passed."""
    kept = tuple(case for case in result.cases if not (case.bad and case.id in names))
    if result.status != "failed" or len(kept) == len(result.cases):
        return result
    if any(case.bad for case in kept):
        return result.model_copy(update={"cases": kept})
    left = len(result.cases) - len(kept)
    return result.model_copy(update={"cases": kept, "status": "passed", "summary": f"{left} set aside, no others"})


def _scene(cleaner: Cleaner, root: Path, tree: str, before: Verdict | None, paths: Sequence[str]) -> Scene:
    def renew() -> None:
        with cleaner.clean(tree):
            pass

    if before is None:
        return Scene(root, tree, None, renew)
    back: Callable[[], AbstractContextManager[Path]] = partial(cleaner.clean, before.tree)
    change = Change(tuple(paths), partial(cleaner.read, before.tree))
    return Scene(root, tree, follow(before, root, change.paths, change.read), renew, change, back)


def _skipped(check: Check, blocked: Rung) -> CheckResult:
    return CheckResult(
        check=check.name,
        rung=check.rung,
        status="skipped",
        summary=f"not run: something got worse on the rung {blocked}",
    )
