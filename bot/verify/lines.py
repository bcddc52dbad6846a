"""Linters that print a line for each finding: the lines are read, and have to agree with the exit code."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from bot.core.check import CaseResult, Check, CheckResult
from bot.verify.findings import below, finding, number, split
from bot.verify.place import Place, one_line, result, trouble

_FINDING = re.compile(
    r"^\s*(?P<path>[^\s:][^:\n]*?):(?P<line>\d+)(?::(?P<column>\d+))?(?::|\s+-|\s)\s*(?P<message>\S.*)$"
)
_BLACK = re.compile(r"^(?:would reformat|error: cannot format) (?P<path>[^:\n]+?)(?:: (?P<why>.*))?$")
_PYREFLY = re.compile(r"^\s*(?P<word>ERROR|WARN|INFO) (?P<path>[^:\n]+):(?P<line>\d+):[\d:-]+: (?P<message>.*)$")
_ISORT = re.compile(r"^ERROR: (?P<path>.+?) (?P<message>Imports are incorrectly sorted.*)$")
_CODE = re.compile(r"^(?P<code>[A-Z]{1,4}\d{2,5}):?\s+(?P<rest>.*)$")
_TAIL = re.compile(r"[(\[](?P<code>[A-Za-z][\w-]*)[)\]]$")
_SEVERITY = re.compile(
    r"^\[?(?P<word>error|warning|note|info|information|convention|refactor)(?:\[(?P<code>[\w-]+)\]|\])?:?\s+",
    re.IGNORECASE,
)
_TOLD_ONLY = ("pyright", "basedpyright", "ty", "pyrefly")
"""Tools whose warnings do not count against the tree, by their own exit code."""
CRASH = frozenset({126, 127})
USAGE = 32
"""Exit code of pylint that says that it was called wrongly."""


def run(check: Check, place: Place, targets: Sequence[str]) -> CheckResult:
    """Run the tool on all that it looks at; targets pick from what it finds."""
    done = place.execute(check, check.argv, "everything")
    root, lines = split(done)
    texts = [line.decode("utf-8", "backslashreplace") for line in lines]
    tool = PurePosixPath(check.argv[0]).name if check.argv else ""
    cases = number(case for text in texts if (case := _case(check, root, text, tool)) is not None)
    if reason := trouble(done, check):
        return result(check, done, "errored", reason)
    code = done.returncode
    if code in CRASH:
        return result(check, done, "errored", f"{tool or 'the tool'} could not be started (exit code {code})")
    if bool(code) != bool(cases) or (tool == "pylint" and code & USAGE):
        said = next((text for text in reversed(texts) if text.strip()), "")
        text = f"{check.name} ended with exit code {code} and named {len(cases)} findings{': ' if said else ''}{said}"
        return result(check, done, "errored", text)
    picked = tuple(case for case in cases if not targets or _picked(case.path, targets))
    count = f"{len(picked)} finding{'s' if len(picked) != 1 else ''}" if picked else "no findings"
    return result(check, done, "failed" if picked else "passed", count, picked)


def _picked(path: str, targets: Sequence[str]) -> bool:
    inside = PurePosixPath(path)
    tops = [PurePosixPath(target.partition("::")[0]) for target in targets]
    return any(inside == top or top in inside.parents for top in tops)


def _case(check: Check, root: str, text: str, tool: str) -> CaseResult | None:
    """Read one line; None when it names no place."""
    if match := _BLACK.match(text):
        message = f"cannot be formatted: {match['why']}" if match["why"] else "would be reformatted"
        return finding(below(check, root, match["path"]), "format", message, 0)
    if match := _ISORT.match(text):
        return finding(below(check, root, match["path"]), "imports", "imports are not sorted", 0)
    match = _PYREFLY.match(text) if tool == "pyrefly" else _FINDING.match(text)
    if match is None or not _is_path(match["path"]):
        return None
    severity = _SEVERITY.match(match["message"])
    word = match["word"] if tool == "pyrefly" else severity["word"] if severity else ""
    if word.lower() not in ("", "error") and tool in _TOLD_ONLY and "--error-on-warning" not in check.argv:
        return None
    code, message = _named(check, match["message"][severity.end() :] if severity else match["message"])
    code = (severity["code"] if severity else "") or code
    return finding(below(check, root, match["path"]), code, message, int(match["line"][:9]))


def _is_path(text: str) -> bool:
    return bool(PurePosixPath(text).suffix) or "/" in text or text in ("Dockerfile", "Makefile")


def _named(check: Check, message: str) -> tuple[str, str]:
    """Part the code of a rule from what is said."""
    if match := _CODE.match(message):
        return match["code"], match["rest"]
    tail = _TAIL.search(message)
    return (tail["code"], message[: tail.start()].strip()) if tail else (check.name, one_line(message))
