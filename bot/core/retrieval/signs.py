"""What speaks for a file beside its words: that the task names it, that failing tests come from it or load it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from bot.core.check import CaseResult, CheckResult, Rung, Verdict, file_of
from bot.core.evidence import is_test
from bot.core.retrieval.index import stem_of
from bot.core.retrieval.mentions import Mention, Places, find_mentions

NAMED, TRACED, PASSED = 60.0, 60.0, 20.0
"""Worth of a file that a text names, of the last one of a stack trace, and of those before it."""
ASIDE = 0.4
"""What it counts of a file that is no source, or a test."""
RAISED, COMPLAINED = 70.0, 60.0
"""Worth of a file in which a failing test ended, and of one that a static check complains of."""
LOADED, TWIN = 30.0, 20.0
"""Worth of what failing tests import, if it is nothing else; and of a file whose name theirs is made of."""
CASES = 300
"""Failing cases that are looked at."""


class Sign(NamedTuple):
    """One reason to look at a file."""

    path: str
    worth: float
    why: str
    line: int = 0
    name: str = ""


class Trouble(NamedTuple):
    """What failing tests say by their names and messages."""

    words: str
    """Their names and what they said."""
    tests: tuple[str, ...]
    """The files that they stand in, that of the most failures first."""


def read_text(text: str, places: Places) -> Iterator[Sign]:
    """Read which places a task names."""
    mentions = find_mentions(text, places)
    last = max((number for number, each in enumerate(mentions) if each.trace and not is_test(each.path)), default=-1)
    for number, each in enumerate(mentions):
        why = "in a stack trace of the task" if each.trace else "named in the task"
        worth = (TRACED if number == last else PASSED) if each.trace else NAMED
        yield _sign(each, worth, why)


def _sign(mention: Mention, worth: float, why: str) -> Sign:
    share = ASIDE if is_test(mention.path) or mention.path.endswith((".md", ".rst", ".txt")) else 1.0
    return Sign(mention.path, worth * share, why, mention.line, mention.name)


def read_verdict(verdict: Verdict, places: Places) -> Iterator[Sign]:
    """Read which places failing checks name, tests themselves aside."""
    for result in verdict.results:
        bad = [case for case in result.cases if case.bad][:CASES]
        spots = Counter((case.path, case.line) for case in bad if case.path in places.paths and not is_test(case.path))
        for (path, line), count in spots.most_common():
            yield Sign(path, COMPLAINED if result.finds else RAISED, _say(result, count), line)
        if result.status in ("failed", "errored") and result.rung.height >= Rung.UNIT.height:
            yield from _trace(result, places)


def _say(result: CheckResult, count: int) -> str:
    if result.finds:
        return f"{count} finding{'s' if count > 1 else ''} of {result.check}"
    return f"where {count} failing test{'s' if count > 1 else ''} ended"


def _trace(result: CheckResult, places: Places) -> Iterator[Sign]:
    """Read stack traces in what a check printed."""
    for each in find_mentions(result.output, places):
        if each.trace and not is_test(each.path):
            yield Sign(each.path, PASSED, f"in what {result.check} printed", each.line, each.name)


def read_trouble(verdict: Verdict) -> Trouble:
    """Collect what failing tests are called and what they said."""
    cases = [case for result in verdict.results if not result.finds for case in result.cases if case.bad][:CASES]
    files = Counter(path for case in cases for path in (_test_of(case),) if path)
    words = dict.fromkeys(word for case in cases for word in (case.id.partition("::")[2], case.message))
    return Trouble("\n".join(words), tuple(path for path, _ in files.most_common()))


def _test_of(case: CaseResult) -> str:
    path = file_of(case.id)
    return path if "/" in path or "." in path else case.path


def read_imports(imports: Mapping[str, Sequence[str]]) -> Iterator[Sign]:
    """Read which files failing tests load; `imports` has those of each test file."""
    worth: Counter[str] = Counter()
    for paths in imports.values():
        loaded = [path for path in paths if not is_test(path)]
        for path in loaded:
            worth[path] += 1 / len(loaded) ** 0.5 / len(imports)
    for path, share in worth.items():
        yield Sign(path, LOADED * share, "imported by failing tests")


def read_twins(tests: Iterable[str], places: Places) -> Iterator[Sign]:
    """Find the files whose names those of failing tests are made of."""
    wanted = {_bare(stem_of(path)): path for path in tests}
    for path in sorted(places.paths):
        if stem_of(path) in wanted and not is_test(path):
            yield Sign(path, TWIN, f"by its name what {wanted[stem_of(path)]} tests")


def _bare(stem: str) -> str:
    return stem.removeprefix("test_").removesuffix("_test").removesuffix(".test").removesuffix("Test")
