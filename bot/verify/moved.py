"""Files that a change moved: what was said of them before is still what is known of them now."""

from collections.abc import Callable, Mapping, Sequence
from difflib import SequenceMatcher
from pathlib import Path

from bot.core.check import CaseResult, CheckResult, Verdict
from bot.verify.compare import FINDINGS, by_code

ALIKE = 0.6
"""Part of the lines that two files have to have in common."""
MOST = 40
"""Files that are compared with each other; a change that moves more is not looked at."""
LONGEST = 3000
"""Lines."""


def follow(before: Verdict, root: Path, paths: Sequence[str], read: Callable[[str], bytes | None]) -> Verdict:
    """Let findings of the tree before carry the names that their files have now.

    Only findings: a test that stands somewhere else is recognised by its own code.
    """
    told = {case.path for result in before.results if result.rung in FINDINGS for case in result.cases}
    gone = [path for path in paths if path in told and not (root / path).exists()]
    fresh = [path for path in paths if gone and (root / path).is_file() and read(path) is None]
    if not gone or len(gone) + len(fresh) > MOST:
        return before
    moved = _pair({path: read(path) or b"" for path in gone}, {path: (root / path).read_bytes() for path in fresh})
    results = tuple(_renamed(result, moved) if result.rung in FINDINGS else result for result in before.results)
    return before.model_copy(update={"results": results})


def recognise(before: Verdict, after: CheckResult) -> Verdict:
    """Let tests that failed before carry the names under which the only tests of the same code fail now."""
    told = before.result(after.check)
    old = {case.id: case for case in told.cases} if told is not None else {}
    present = {case.id for case in after.cases}
    gone = by_code(case for name, case in old.items() if name not in present and case.bad)
    come = by_code(case for case in after.cases if case.id not in old and case.bad)
    names = {gone[code][0].id: come[code][0].id for code in gone if len(gone[code]) == len(come.get(code, ())) == 1}
    if told is None or not names:
        return before
    cases = tuple(case.model_copy(update={"id": names.get(case.id, case.id)}) for case in told.cases)
    known = {told.check: told.model_copy(update={"cases": cases})}
    return before.model_copy(update={"results": tuple(known.get(each.check, each) for each in before.results)})


def _pair(gone: Mapping[str, bytes], fresh: Mapping[str, bytes]) -> Mapping[str, str]:
    """Find for each file that is gone the one that is most like it; each is taken once."""
    likeness = [
        (share, old, new)
        for old, before in gone.items()
        for new, now in fresh.items()
        if (share := _share(before.splitlines(), now.splitlines())) >= ALIKE
    ]
    found: dict[str, str] = {}
    for _, old, new in sorted(likeness, key=lambda pair: -pair[0]):
        if old not in found and new not in found.values():
            found[old] = new
    return found


def _share(before: Sequence[bytes], now: Sequence[bytes]) -> float:
    if max(len(before), len(now)) > LONGEST:
        return float(before == now)
    return SequenceMatcher(None, before, now, autojunk=False).ratio()


def _renamed(result: CheckResult, moved: Mapping[str, str]) -> CheckResult:
    return result.model_copy(update={"cases": tuple(_renamed_case(case, moved) for case in result.cases)})


def _renamed_case(case: CaseResult, moved: Mapping[str, str]) -> CaseResult:
    new = moved.get(case.path)
    if new is None or not case.id.startswith(f"{case.path}::"):
        return case
    return case.model_copy(update={"path": new, "id": new + case.id.removeprefix(case.path)})
