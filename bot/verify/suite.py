"""The unit rung: the project's tests through its own runner, believed only when three signals agree."""

import secrets
import signal
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePath
from typing import NamedTuple

from bot.core.check import CaseResult, Cause, Check, CheckResult
from bot.protocols import Completed, Mount
from bot.verify import stamps
from bot.verify.detection.selection import narrow
from bot.verify.place import Place, clean, outside, result, trouble, within
from bot.verify.reported import End, Report, read, unfinished
from bot.verify.shards import merge, side_by_side, splits, summarize

PROBE = Path(__file__).parent / "probe" / "start.py"
COMPILED = "GIT_AGENT_COMPILED"
INTERNAL, USAGE, NOTHING = 3, 4, 5
"""Exit codes of pytest."""
PATIENCE = 1 / 30
"""Part of a check's time that one test may compute for; beyond it the test is stopped, and the others go on."""
EARLIEST = ("sitecustomize.py", "usercustomize.py", "sitecustomize/__init__.py", "usercustomize/__init__.py")
"""What Python runs before everything else where it finds it."""


class Part(NamedTuple):
    """What one process said of its share of a suite."""

    result: CheckResult
    same: str
    """Digest of all that it collected; empty when it never said."""


def run(check: Check, place: Place, targets: Sequence[str], *, compiled: int = 0) -> CheckResult:
    """Run the project's tests, or those of the targets, given relative to the root of the repository.

    `compiled` tells how many files of bytecode in the check's folder are ours.
    """
    inside = within(check.folder, targets)
    if inside is None:
        return outside(check)
    before = stamps.take(place.root)
    told = check.model_copy(update={"environment": (*check.environment, (COMPILED, str(compiled)))})
    judged = _run_shares(told, place, inside, splits(check, place, inside, before))
    hidden = (*judged.hidden, *(f"{path} runs before everything else" for path in _earliest(check, before)))
    written = tuple(map(clean, stamps.rewritten(place.root, before)))
    return judged.model_copy(update={"rewritten": written, "hidden": hidden})


def _run_shares(check: Check, place: Place, targets: Sequence[str], total: int) -> CheckResult:
    if total == 1:
        return _run_share(check, place, targets, 0, 1).result
    parts: dict[int, Part] = {}

    def share(index: int) -> CheckResult:
        parts[index] = _run_share(check, place, targets, index, total)
        return parts[index].result

    results = side_by_side(share, total)
    seen = {part.same for part in parts.values()}
    if len(seen) > 1 and "" not in seen:
        # The names of its tests are not the same every time: nobody could say that each ran exactly once.
        return _run_share(check, place, targets, 0, 1).result
    return merge(results)


def _run_share(check: Check, place: Place, targets: Sequence[str], index: int, total: int) -> Part:
    token = secrets.token_hex(16)
    environment = [
        ("GIT_AGENT_PATIENCE", f"{check.timeout * PATIENCE:g}"),
        ("GIT_AGENT_FOLDER", check.folder),
        ("GIT_AGENT_SHARE", f"{index}/{total}"),
        *(("GIT_AGENT_CHILDREN", found) for _, found in place.own_modules(check)),
        *place.interpreter.variables,
    ]
    with told_once(token) as path:
        argv = command(check, place, targets, path)
        mounts = [Mount(path.parent, writable=True)]
        done = place.execute(check, argv, "own", writable=True, environment=environment, mounts=mounts)
    report = read(done.report, token)
    return Part(judge(check, done, report), report.end.same if report.end is not None else "")


@contextmanager
def told_once(token: str) -> Iterator[Path]:
    """Put a secret in a file that the probe removes as soon as it has read it."""
    with tempfile.TemporaryDirectory(prefix="git-agent-") as folder:
        path = Path(folder, "secret")
        path.touch(mode=0o600)
        path.write_text(token, "ascii")
        yield path


def command(check: Check, place: Place, targets: Sequence[str], secret: Path) -> list[str]:
    """Build the command line that starts the probe in the project's interpreter."""
    runner = "unittest" if check.reader == "unittest" else "pytest"
    words = [PurePath(word).name for word in check.argv]
    at = next((index for index, word in enumerate(words) if word in (runner, "py.test")), len(words))
    argv = [str(place.interpreter.path), str(PROBE), "--secret", str(secret)]
    lender = place.interpreter.lender
    if lender is not None and runner == "pytest":
        argv += ["--tools", str(lender)]
    if targets:
        argv.append("--narrow")
    given = check.argv[at + 1 :]
    if runner == "unittest":
        return [*argv, runner, "--", *given, "--", *targets]
    return [*argv, runner, "--", *narrow(given, targets, place.root / check.folder)]


def _earliest(check: Check, files: Iterable[str]) -> list[str]:
    """Name files of the tree that Python runs before the probe could look, where an environment leads it there."""
    folder = f"{check.folder}/" if check.folder else ""
    wanted = {f"{folder}{layout}{name}" for layout in ("", "src/", "lib/", "python/") for name in EARLIEST}
    return sorted(wanted.intersection(files))


def judge(check: Check, done: Completed, report: Report) -> CheckResult:
    """Let exit code, report and process end agree, or say what does not."""
    cases = report.cases
    if reason := trouble(done, check) or report.flaw or _distrust(report):
        cause = starved(done)
        reason = _explain(f"{reason}{_CAUSES.get(cause, '')}", done)
        if report.running is not None:
            cases = (*cases, unfinished(report.running, reason, cause))
        return result(check, done, "errored", reason, cases)
    assert report.end is not None, "a report without an end has a flaw"
    end = report.end
    bad = any(case.bad for case in cases)
    doubt = _disagreement(end, done.returncode, cases)
    if doubt and not bad:
        told = result(check, done, "errored", _explain(doubt, done), cases)
        return told.model_copy(update={"empty": _is_empty(check, end, done.returncode, cases)})
    if end.exit == 1 and not bad:
        unexplained = f"{_runner(check)} ended with exit code 1 although no test failed"
        missed = CaseResult(id=f"{check.name}::exit", outcome="failed", message=unexplained)
        return result(check, done, "failed", unexplained, (*cases, missed))
    left_out = f"{end.left_out} left out" if end.left_out else ""
    summary = "; ".join(filter(None, (summarize(cases), left_out, doubt)))
    judged = result(check, done, "failed" if bad else "passed", summary, cases)
    seen = {"hidden": tuple(map(clean, end.hidden)), "imported": tuple(map(clean, end.imported))}
    return judged.model_copy(update=seen)


def _is_empty(check: Check, end: End, returncode: int, cases: Sequence[CaseResult]) -> bool:
    """Tell whether there simply is no test; whoever declared a check meant something by it."""
    return bool(check.reason) and not cases and end.exit == returncode and end.exit in (0, NOTHING)


_CAUSES: Mapping[Cause, str] = {
    "memory": ", as happens when memory runs out",
    "disk": ", and there was no space left on the device",
}


def starved(done: Completed) -> Cause:
    """Say what outside of the tree may have ended a process."""
    said = done.output[-4000:]
    killed = done.ended == "signalled" and done.returncode == -signal.SIGKILL
    if killed or "memory" in done.hit or "MemoryError" in said or "memory ran out" in said:
        return "memory"
    return "disk" if "No space left on device" in said else ""


def _runner(check: Check) -> str:
    return "unittest" if check.reader == "unittest" else "pytest"


def _distrust(report: Report) -> str:
    """Say why nothing in a report may be believed, its failures least of all as the only ones; empty when it may."""
    end = report.end
    if end is None:
        return "the report has no end"
    if end.tampered:
        return f"code in the tree replaced parts of the test runner: {', '.join(end.tampered)}"
    if end.foreign:
        return f"modules of the project were not imported from the tree: {', '.join(end.foreign)}"
    if end.missing:
        return f"{len(end.missing)} collected tests never ran: {', '.join(end.missing)}"
    told = len({case.id for case in report.cases})
    return f"{end.share} tests were collected, and {told} reported" if told < end.share else ""


def _disagreement(end: End, returncode: int, cases: Sequence[CaseResult]) -> str:
    """Say how exit codes and cases contradict each other; empty when they agree."""
    bad = any(case.bad for case in cases)
    doubts = (
        (
            end.exit in (INTERNAL, USAGE),
            f"pytest ended with {'an internal' if end.exit == INTERNAL else 'a usage'} error",
        ),
        (not end.collected and all(case.outcome == "skipped" for case in cases), "no tests were collected"),
        (end.exit == NOTHING, "no test was run"),
        (
            end.exit != returncode or end.exit not in (0, 1) or (end.exit == 0 and bad),
            f"exit codes {end.exit} and {returncode} do not fit a report {'with' if bad else 'without'} failures",
        ),
    )
    return next((words for doubt, words in doubts if doubt), "")


def _explain(reason: str, done: Completed) -> str:
    """Add what was printed of an error when the reason alone does not help."""
    lines = [line for line in done.output.splitlines() if line.strip() and not line.startswith("=")]
    telling = [line for line in lines if "error" in line.lower()] or lines
    return f"{reason}: {telling[-1]}" if reason.startswith(("the report", "pytest ended")) and telling else reason
