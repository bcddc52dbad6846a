"""Finds out of what fails whether it is new: asked again, and of the tree before, as far as time allows."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from bot.core.check import Check, Verdict, file_of
from bot.core.evidence import is_test
from bot.verify.again import SUITES
from bot.verify.ahead import LOOKING
from bot.verify.compare import excuse
from bot.verify.fast.asking import Answer, Asking, side_by_side
from bot.verify.fast.held import Held, against, alone, pardon, settle, unasked
from bot.verify.fast.narrow import Changed, aim
from bot.verify.fast.settings import Read
from bot.verify.moved import follow, recognise
from bot.verify.readers import absent
from bot.verify.repeat import MOST_REPEATED, STOPPED, functions_of, passing

EMPTY = frozenset({
    "4b825dc642cb6eb9a060e54bf8d69288fbee4904", "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321",
})  # fmt: skip
"""Names of the tree that holds nothing."""


@dataclass(frozen=True, slots=True)
class Scales:
    """Two trees that one folder holds in turn."""

    asking: Asking
    clean: Callable[[str], AbstractContextManager[Path]]
    """Makes the folder hold exactly one tree."""
    root: Path
    """The folder, which holds the tree after the change."""
    tree: str
    base: str
    changed: Changed
    read: Read
    """Returns what a file held before."""
    excused: frozenset[str] = frozenset()
    """Checks whose new complaints are told, and held against nobody."""
    others: tuple["Scales", ...] = ()
    """The same tree held against what a merge brings in: what fails there already came with it."""

    def weigh(self, failing: Sequence[Answer]) -> list[Held]:
        """Say of each answer what is new in it."""
        told = [self._excuse(held) for held in self._weigh(failing)]
        for other in self.others:
            worse = [at for at, held in enumerate(told) if held.worse]
            for at, there in zip(worse, other.weigh([failing[at] for at in worse]) if worse else (), strict=True):
                told[at] = pardon(told[at], there)
        return told

    def _excuse(self, held: Held) -> Held:
        return held._replace(comparison=excuse(held.comparison, [held.result], self.excused))

    def _weigh(self, failing: Sequence[Answer]) -> list[Held]:
        if self.base in EMPTY:
            held = [alone(answer.result) for answer in failing]
        else:
            wanted = [self._earlier(answer) for answer in failing]
            before = self._ask_before([check for check in wanted if check is not None])
            told = [before.pop(0) if check is not None else None for check in wanted]
            held = [self._hold(*each) for each in zip(failing, told, strict=True)]
        # Of what failed before nobody wants to know whether it always does
        return [settle(each, self._flaky(answer, each)) for answer, each in zip(failing, held, strict=True)]

    def _hold(self, answer: Answer, before: Answer | None) -> Held:
        if before is not None and before.cut:
            return unasked(answer.result)
        said = before.result if before is not None else absent(answer.check)
        verdict = Verdict(tree=self.base, results=(said,))
        verdict = follow(verdict, self.root, self.changed.paths, self.read) if self.changed.gone else verdict
        verdict = recognise(verdict, answer.result) if answer.check.reader in SUITES else verdict
        return against(verdict, answer.result, asked=before is not None)

    def _flaky(self, answer: Answer, held: Held) -> tuple[str, ...]:
        """Name the tests that got worse and do not fail when they are run once more."""
        worse = {*held.comparison.broken, *held.comparison.prevented}
        failed = [case for case in answer.result.cases if case.bad]
        bad = [case for case in failed if case.id in worse and "::" in case.id and STOPPED not in case.message]
        if answer.check.reader not in SUITES or not 0 < len(bad) <= MOST_REPEATED or self._is_sure(answer):
            return ()
        with self.clean(self.tree):
            pass
        names = tuple(case.id for case in bad)
        again = self.asking.repeat(answer.check, self.root, functions_of(names))
        if again.cut or again.result.status == "errored":
            return ()
        unstable = tuple(name for name in names if name in passing(again.result))
        if not unstable and bad == failed:
            self.asking.keep(self.tree, answer, steady=True)
        return unstable

    def _is_sure(self, answer: Answer) -> bool:
        reuse = self.asking.reuse
        kept = reuse.find(self.tree, answer.check) if reuse is not None else None
        return kept is not None and kept.steady

    def _earlier(self, answer: Answer) -> Check | None:
        """Return what to ask of the tree before; None when nothing of it was there."""
        check = answer.check
        if check.reader in SUITES:
            files = tuple(dict.fromkeys(file_of(case.id) for case in answer.result.cases if case.bad))
            # What is no file of the tree stands for the suite itself
            if not files or not all((self.root / path).exists() for path in files):
                files = check.targets
        else:
            files = check.targets
        if not files:
            return check
        kept = [path for path in files if path not in self.changed.added]
        # What is wrong may have come along with a file that has another name now
        moved = self.changed.gone if kept != [*files] else ()
        if check.reader in SUITES:
            moved = tuple(path for path in moved if path.endswith(".py") and is_test(path))
        return aim(check, (*kept, *moved)) if (*kept, *moved) else None

    def _ask_before(self, checks: Sequence[Check]) -> list[Answer]:
        known = {check: self.asking.known(self.base, check) for check in checks}
        rest = [check for check, answer in known.items() if answer is None]
        if rest:
            looking = [check for check in rest if check.reader in LOOKING]
            with self.clean(self.base) as root, side_by_side(self.asking, self.base, looking, root) as told:
                known |= zip(looking, told(), strict=True)
                known |= {check: self.asking.ask(self.base, check, root) for check in rest if known[check] is None}
            with self.clean(self.tree):
                pass
        return [answer for answer in known.values() if answer is not None]
