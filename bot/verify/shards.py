"""Spreads a suite over several processes that run side by side, each with its own share of the files."""

import os
import re
import threading
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from fnmatch import fnmatch

from bot.core.check import CaseResult, Check, CheckResult, Outcome, Status
from bot.errors import WorkspaceError
from bot.verify.detection import project
from bot.verify.place import OUTPUT, Place

FEWEST_FILES = 4
"""With fewer there is little to be won by splitting."""
_WORKERS = re.compile(r"(?:^|[\s\"'])(?:-n|--numprocesses)(?:[=\s]+|(?=\d))(?P<count>\d+|auto|logical)\b")
_SECTIONS = (("setup.cfg", "tool:pytest"), ("tox.ini", "pytest"), (".pytest.ini", "pytest"), ("pytest.ini", "pytest"))
_STATUSES: Sequence[Status] = ("passed", "failed", "errored")
"""From best to worst."""


def splits(check: Check, place: Place, targets: Sequence[str], files: Collection[str]) -> int:
    """Decide how many processes may share a suite: as many as the person allows, or as the project itself runs."""
    named = {target.partition("::")[0] for target in targets if not target.startswith("-")}
    tests = named or {path for path in files if any(fnmatch(path.rpartition("/")[2], glob) for glob in project.TESTS)}
    if len(tests) < FEWEST_FILES or check.reader != "pytest":
        return 1
    wanted = place.workers if place.workers > 1 else _own_workers(check, place)
    return max(1, min(wanted, processors(), len(tests) // 2))


def processors() -> int:
    """Count the processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _own_workers(check: Check, place: Place) -> int:
    """Tell how many workers the project uses itself, with a plugin that its environment has."""
    if "xdist" not in place.interpreter.modules:
        return 1
    found = project.read(place.root / check.folder)
    told = [str((found.tool("pytest") or {}).get("ini_options"))]
    sections = (found.ini.get(name, {}).get(section, {}) for name, section in _SECTIONS)
    told += [section.get("addopts", "") for section in sections]
    counts = [match["count"] for text in (*told, " ".join(check.argv)) for match in _WORKERS.finditer(_flat(text))]
    if not counts:
        return 1
    return int(counts[-1]) if counts[-1].isdigit() else processors()


def _flat(text: str) -> str:
    """Write a list of options, as TOML has them, on one line as a shell would."""
    return " ".join(re.split(r"[\s,'\"\[\]]+", text))


def side_by_side(run: Callable[[int], CheckResult], total: int) -> list[CheckResult]:
    """Run every share, the first one in this thread; an interrupt waits for none of the others."""
    results: dict[int, CheckResult] = {}
    errors: list[WorkspaceError] = []

    def carry_out(index: int) -> None:
        try:
            results[index] = run(index)
        except WorkspaceError as error:
            errors.append(error)

    threads = [threading.Thread(target=carry_out, args=(index,), daemon=True) for index in range(1, total)]
    for thread in threads:
        thread.start()
    results[0] = run(0)
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return [results[index] for index in sorted(results)]


def merge(results: Sequence[CheckResult]) -> CheckResult:
    """Put the shares together; a test that two of them ran was counted twice by somebody."""
    first = results[0]
    common = _told_by_all(results)
    own = (case for result in results[1:] for case in result.cases if (case.id, case.outcome) not in common)
    cases: tuple[CaseResult, ...] = (*first.cases, *own)
    twice = [name for name, count in Counter(case.id for case in cases).items() if count > 1]
    status = max((result.status for result in results), key=_STATUSES.index)
    worst = next(result for result in results if result.status == status)
    summary = worst.summary if status == "errored" else summarize(cases)
    if twice and status != "errored":
        status, summary = "errored", f"{len(twice)} tests were run by two processes, such as {twice[0]}"
    return first.model_copy(
        update={
            "status": status,
            "cases": cases,
            "summary": summary,
            "output": "\n".join(result.output[-OUTPUT // len(results) :] for result in results),
            "seconds": max(result.seconds for result in results),
            "hit": tuple(dict.fromkeys(bound for result in results for bound in result.hit)),
            "hidden": tuple(dict.fromkeys(name for result in results for name in result.hidden)),
            "empty": all(result.empty for result in results),
            "imported": tuple(sorted({path for result in results for path in result.imported})),
        }
    )


def _told_by_all(results: Sequence[CheckResult]) -> frozenset[tuple[str, Outcome]]:
    """Find what is no test, and is told by every share: what could not be collected."""
    errors = ((case for case in result.cases if case.outcome == "error" and not case.seconds) for result in results)
    told = ({(case.id, case.outcome) for case in cases} for cases in errors)
    return frozenset.intersection(*map(frozenset, told))


def summarize(cases: Sequence[CaseResult]) -> str:
    """Count the outcomes."""
    counts = Counter(case.outcome for case in cases)
    words: Sequence[Outcome] = ("passed", "failed", "error", "skipped", "xfailed", "xpassed")
    return ", ".join(f"{counts[word]} {word}" for word in words if counts[word]) or "no tests"
