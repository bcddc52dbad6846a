"""Declared checks of any language: a command and its exit code."""

from collections.abc import Sequence

from bot.core.check import CaseResult, Check, CheckResult
from bot.verify.place import Place, one_line, result, trouble


def run(check: Check, place: Place, targets: Sequence[str]) -> CheckResult:
    """Run a command that cannot be narrowed, as we do not know what its arguments mean."""
    if not check.argv:
        return CheckResult(check=check.name, rung=check.rung, status="errored", summary="no command is declared")
    done = place.execute(check, check.argv, writable=True)
    if reason := trouble(done, check):
        return result(check, done, "errored", reason)
    if done.returncode in (126, 127):
        return result(check, done, "errored", f"{check.argv[0]} could not be started (exit code {done.returncode})")
    note = " (run whole: a declared command cannot be narrowed)" if targets else ""
    if done.returncode == 0:
        return result(check, done, "passed", f"exit code 0{note}", [CaseResult(id=check.name, outcome="passed")])
    said = next((line for line in reversed(done.output.splitlines()) if line.strip()), "")
    message = f"exit code {done.returncode}{': ' if said else ''}{one_line(said, 300)}"
    return result(check, done, "failed", message + note, [CaseResult(id=check.name, outcome="failed", message=message)])
