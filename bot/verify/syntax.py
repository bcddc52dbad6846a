"""The syntax rung: every Python file is compiled by the project's own interpreter, and none is run."""

from collections.abc import Sequence
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from bot.core.check import CaseResult, Check, CheckResult
from bot.core.task import Record
from bot.verify.findings import number
from bot.verify.place import Place, clean, from_root, one_line, outside, result, trouble, within

SCRIPT = Path(__file__).with_name("parse.py")


class Broken(Record):
    """A file that does not parse, as the script reports it."""

    path: str
    kind: str
    message: str
    line: int


class Total(Record):
    """The script's last word."""

    files: int


_LINE: TypeAdapter[Broken | Total] = TypeAdapter(Broken | Total)


def run(check: Check, place: Place, targets: Sequence[str]) -> CheckResult:
    """Compile every Python file, or those below the targets."""
    inside = within(check.folder, targets)
    if inside is None:
        return outside(check)
    done = place.execute(check, [str(place.interpreter.path), "-I", "-S", str(SCRIPT), *inside], "own")
    if reason := trouble(done, check):
        return result(check, done, "errored", reason)
    try:
        lines = [_LINE.validate_json(line) for line in done.report.splitlines()]
    except ValidationError:
        lines = []
    if done.returncode or not lines or not isinstance(lines[-1], Total):
        return result(check, done, "errored", f"the files could not be parsed (exit code {done.returncode})")
    cases = number(_case(check.folder, line) for line in lines if isinstance(line, Broken))
    count = "1 file" if lines[-1].files == 1 else f"{lines[-1].files} files"
    summary = f"{len(cases)} of {count} cannot be parsed" if cases else f"{count} parsed"
    return result(check, done, "failed" if cases else "passed", summary, cases)


def _case(folder: str, broken: Broken) -> CaseResult:
    path, message = clean(from_root(folder, broken.path)), one_line(broken.message)
    return CaseResult(
        id=f"{path}::{broken.kind}::{message}",
        outcome="failed",
        message=f"{broken.kind}: {message}",
        path=path,
        line=broken.line,
    )
