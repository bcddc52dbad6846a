"""Commands of any language: an exit code, and the JUnit XML that the command writes where one is declared."""

import re
from collections.abc import Sequence

from bot.core.check import CaseResult, Check, CheckResult, Outcome
from bot.protocols import Completed
from bot.verify.junit import BadReport, load, read_junit, remove
from bot.verify.place import Place, from_root, one_line, result, trouble

WEAKER = "weaker evidence: the command's own report"
WEAKEST = "weaker evidence: an exit code and nothing else"
_ABSENT = re.compile(r"^(?P<said>[^\n]*)\n(?:g?make)(?:\[\d+\])?: \*\*\* \[[^\n]*\] Error 127$", re.MULTILINE)
"""What make says of a recipe whose program was not found, and the line before."""


def run(check: Check, place: Place, targets: Sequence[str]) -> CheckResult:
    """Run a command that cannot be narrowed, as we do not know what its arguments mean."""
    if not check.argv:
        return CheckResult(check=check.name, rung=check.rung, status="errored", summary="no command is declared")
    report = from_root(check.folder, check.junit) if check.junit else ""
    if check.junit and not report:
        return CheckResult(check=check.name, rung=check.rung, status="errored", summary="its report lies outside")
    if report and not remove(place.root, report):
        text = f"an earlier {report} could not be removed, and would prove nothing"
        return CheckResult(check=check.name, rung=check.rung, status="errored", summary=text)
    done = place.execute(check, check.argv, writable=True, environment=place.own_modules(check))
    if reason := trouble(done, check):
        return result(check, done, "errored", reason)
    if done.returncode in (126, 127):
        return result(check, done, "errored", f"{check.argv[0]} could not be started (exit code {done.returncode})")
    note = " (run whole: a declared command cannot be narrowed)" if targets else ""
    return _reported(check, place, done, report, note) if report else _judged(check, done, note)


def _judged(check: Check, done: Completed, note: str) -> CheckResult:
    """Believe the exit code."""
    if done.returncode == 0:
        summary = f"exit code 0{note}; {WEAKEST}"
        return result(check, done, "passed", summary, [CaseResult(id=check.name, outcome="passed")])
    message = _said(done)
    if absent := _ABSENT.search(done.output):
        text = f"{check.argv[0]} starts something that is not here: {one_line(absent['said'], 200)}"
        return result(check, done, "errored", text)
    return result(check, done, "failed", message + note, [CaseResult(id=check.name, outcome="failed", message=message)])


def _said(done: Completed) -> str:
    said = next((line for line in reversed(done.output.splitlines()) if line.strip()), "")
    return f"exit code {done.returncode}{': ' if said else ''}{one_line(said, 300)}"


def _reported(check: Check, place: Place, done: Completed, path: str, note: str) -> CheckResult:
    """Let exit code and report agree, or say what does not."""
    try:
        data = load(place.root, path)
        cases = read_junit(data, check.folder) if data is not None else ()
    except BadReport as error:
        return result(check, done, "errored", f"{path} cannot be read: {error}")
    if data is None:
        missing = f"it wrote no {path}"
        if done.returncode == 0:
            return result(check, done, "errored", f"exit code 0, but {missing}")
        return _judged(check, done, f"; {missing}{note}")
    bad = any(case.bad for case in cases)
    if done.returncode == 0 and (bad or not cases):
        doubt = "names failures" if bad else "holds no test"
        return result(check, done, "errored", f"exit code 0, but {path} {doubt}", cases)
    if done.returncode and not bad:
        missed = CaseResult(id=f"{check.name}::exit", outcome="failed", message=_said(done))
        text = f"{_said(done)}, although {path} names no failure"
        return result(check, done, "failed", text + note, (*cases, missed))
    return result(check, done, "failed" if bad else "passed", f"{_counts(cases)}{note}; {WEAKER}", cases)


def _counts(cases: Sequence[CaseResult]) -> str:
    words: tuple[Outcome, ...] = ("passed", "failed", "error", "skipped", "xfailed")
    counts = ((word, sum(case.outcome == word for case in cases)) for word in words)
    return ", ".join(f"{count} {word}" for word, count in counts if count)
