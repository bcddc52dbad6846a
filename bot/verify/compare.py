"""Holds what checks said of a tree against what they said of the tree before."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bot.core.check import CaseResult, CheckResult, Comparison, Outcome, Rung, Verdict, file_of
from bot.core.evidence import is_test

GOOD: frozenset[Outcome] = frozenset({"passed", "xpassed"})
SILENCED: frozenset[Outcome] = frozenset({"skipped", "xfailed", "xpassed"})
"""A test that is marked so that its failure is not seen."""
FINDINGS = frozenset({Rung.SYNTAX, Rung.STATIC, Rung.TYPES})
"""Rungs whose cases are complaints: one that is gone is mended."""


def compare(before: Verdict | None, results: Sequence[CheckResult]) -> Comparison:
    """Sort every case of the results by what became of it; without a tree before there is nothing to say."""
    if before is None:
        return Comparison()
    fold = _Fold(frozenset(before.comparison.flaky), _unparsed(before.results), _uncollected(before.results))
    for result in results:
        fold.add(before.result(result.check), result)
    return fold.comparison()


def without(comparison: Comparison, flaky: Iterable[str]) -> Comparison:
    """Take cases that differed between identical runs out of every other group."""
    names = tuple(dict.fromkeys((*comparison.flaky, *flaky)))
    groups = {
        group: tuple(name for name in getattr(comparison, group) if name not in names)
        for group in ("fixed", "broken", "failing", "new", "removed", "renamed", "prevented")
    }
    return comparison.model_copy(update={**groups, "flaky": names})


def excuse(comparison: Comparison, results: Sequence[CheckResult], checks: Collection[str]) -> Comparison:
    """Set apart what these checks complain of that they did not complain of before."""
    found = {case.id for result in results if result.check in checks for case in result.cases if case.bad}
    broken = tuple(name for name in comparison.broken if name not in found)
    complained = tuple(name for name in comparison.broken if name in found)
    return comparison.model_copy(update={"broken": broken, "complained": complained})


def got_worse(comparison: Comparison) -> bool:
    """Tell whether anything speaks against the tree that did not before."""
    return bool(comparison.broken or comparison.removed)


@dataclass(slots=True)
class _Fold:
    unstable: frozenset[str]
    """Cases that were flaky on the tree before."""
    unparsed: frozenset[str]
    """Files that nothing could read before: what is in them was not known."""
    uncollected: frozenset[str]
    """Files, and folders with a slash at the end, whose tests could not be found before."""
    groups: dict[str, list[str]] = field(default_factory=dict)

    def put(self, group: str, name: str) -> None:
        self.groups.setdefault("flaky" if name in self.unstable else group, []).append(name)

    def add(self, before: CheckResult | None, after: CheckResult) -> None:
        if after.status == "skipped":
            return
        known = before is not None and before.status in ("passed", "failed")
        old = {case.id: case for case in before.cases} if before is not None else {}
        if after.status == "errored":
            self.put("broken" if known else "unjudged", after.check)
            for case in (case for case in after.cases if case.bad):
                self._bad(old.get(case.id), case, known=known and not self._was_hidden(case, after.rung))
            return
        if known and before is not None:
            self._surroundings(before, after)
        self._cases(old, after, known=known)

    def _surroundings(self, before: CheckResult, after: CheckResult) -> None:
        for name in sorted(set(after.hidden) - set(before.hidden)):
            self.put("broken", name)
        for name in sorted(set(after.rewritten) - set(before.rewritten)):
            self.put("changed", name)

    def _cases(self, old: Mapping[str, CaseResult], after: CheckResult, *, known: bool) -> None:
        renamed = find_renamed(old, after)
        for case in after.cases:
            if case.bad:
                self._bad(old.get(case.id), case, known=known and not self._was_hidden(case, after.rung))
            elif case.id not in renamed.values():
                self._good(old.get(case.id), case)
        for name in renamed:
            self.put("renamed", name)
        if not after.narrowed:
            self._absent({name: case for name, case in old.items() if name not in renamed}, after)

    def _was_hidden(self, case: CaseResult, rung: Rung) -> bool:
        places = self.unparsed if rung in FINDINGS else self.unparsed | self.uncollected
        return any(_lies_in(path, places) for path in (case.path, file_of(case.id)))

    def _bad(self, old: CaseResult | None, new: CaseResult, *, known: bool) -> None:
        was_bad = old.bad if old is not None else not known
        prevented = new.cause and old is not None and old.outcome in GOOD
        self.put("failing" if was_bad else "prevented" if prevented else "broken", new.id)

    def _good(self, old: CaseResult | None, new: CaseResult) -> None:
        if old is not None and old.asks != new.asks:
            self.put("changed", new.id)
        if old is None:
            if new.outcome in GOOD:
                self.put("new", new.id)
        elif new.outcome in SILENCED and old.outcome not in SILENCED:
            self.put("removed", new.id)
        elif new.outcome == "passed" and (old.bad or old.outcome == "xfailed"):
            self.put("fixed", new.id)

    def _absent(self, old: Mapping[str, CaseResult], after: CheckResult) -> None:
        present = {case.id for case in after.cases}
        files = {file_of(case.id) for case in after.cases if "::" in case.id}
        examples = any(map(_is_example, present))
        for name, case in old.items():
            if name not in present:
                mended = after.rung in FINDINGS or (case.bad and _collects(name, files))
                if not mended and case.bad and examples and name.endswith(".py") and not is_test(name):
                    continue  # a source in which examples were looked for, and that has none
                self.put("fixed" if mended and case.bad else "removed", name)

    def comparison(self) -> Comparison:
        return Comparison(**{group: tuple(dict.fromkeys(names)) for group, names in self.groups.items()})


def find_renamed(old: Mapping[str, CaseResult], after: CheckResult) -> Mapping[str, str]:
    """Pair tests that are gone with the only one that has their code and parameters now, and passes."""
    if after.narrowed or after.rung in FINDINGS:
        return {}
    present = {case.id for case in after.cases}
    gone = by_code(case for name, case in old.items() if name not in present)
    come = by_code(case for case in after.cases if case.id not in old)
    return {
        cases[0].id: come[code][0].id
        for code, cases in gone.items()
        if len(cases) == len(come.get(code, ())) == 1
        and cases[0].outcome in ("passed", "failed")
        and come[code][0].outcome == "passed"
    }


def by_code(cases: Iterable[CaseResult]) -> Mapping[tuple[str, str], list[CaseResult]]:
    """Sort tests whose code is known by it and their parameters."""
    found: dict[tuple[str, str], list[CaseResult]] = {}
    for case in cases:
        if case.code:
            found.setdefault((case.code, case.id.partition("[")[2]), []).append(case)
    return found


def _unparsed(results: Sequence[CheckResult]) -> frozenset[str]:
    return frozenset(case.path for result in results if result.rung is Rung.SYNTAX for case in result.cases if case.bad)


def _uncollected(results: Sequence[CheckResult]) -> frozenset[str]:
    cases = [case for result in results if result.rung not in FINDINGS for case in result.cases]
    names = [case.id for case in cases if case.outcome == "error" and "::" not in case.id]
    return frozenset([*names, *map(_folder, names)])


def _folder(name: str) -> str:
    """Name what a broken file or folder takes with it, with a slash at the end; the root is a lone slash."""
    inside = name.rpartition("/")[0] if name.endswith(("conftest.py", "__init__.py")) else name
    return f"{inside}/"


def _lies_in(path: str, places: Iterable[str]) -> bool:
    return any(place in {path, "/"} or (place.endswith("/") and path.startswith(place)) for place in places)


def _is_example(name: str) -> bool:
    """Tell whether a case is an example in the text of a source: `pkg/money.py::pkg.money.Account.due`."""
    file, _, dotted = name.partition("::")
    stem = file.rpartition("/")[2].removesuffix(".py")
    return file.endswith(".py") and not is_test(file) and stem in dotted.split(".")[:-1]


def _collects(name: str, files: Iterable[str]) -> bool:
    """Tell whether a file or folder that could not be collected holds tests now."""
    return "::" not in name and any(_lies_in(file, (name, _folder(name))) for file in files)
