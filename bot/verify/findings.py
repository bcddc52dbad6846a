"""The static rung: findings of ruff, one case each."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import PurePosixPath

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from bot.core.check import CaseResult, Check, CheckResult
from bot.protocols import Completed
from bot.verify.place import Place, clean, from_root, one_line, outside, result, trouble, within


class Spot(BaseModel):
    """A place in a file; ruff tells more than we read."""

    model_config = ConfigDict(frozen=True)

    row: int = 0


class RuffLine(BaseModel):
    """One finding as ruff writes it."""

    model_config = ConfigDict(frozen=True)

    filename: str
    code: str | None = None
    message: str
    location: Spot | None = None


_RUFF = TypeAdapter(RuffLine)
_UNREADABLE = re.compile(r"^error: Failed to (?:parse|format) (.+?)(?::(\d+):(\d+))?: (.*)$")
FORMATTED = (".py", ".pyi", ".ipynb")
"""What projects that format with ruff mean; newer releases also look into documents when they are given a folder."""
_WOULD = "Would reformat: "
_PLACE = re.compile(r"\bline \d+")
_MEASURE = re.compile(r"\(\d+ > ")
"""What a message says of other lines, and by how much something is too long: it is the same finding when that moves."""


def number(cases: Iterable[CaseResult]) -> tuple[CaseResult, ...]:
    """Tell equal findings apart by a running number, so that one more of a kind is seen."""
    seen: Counter[str] = Counter()
    numbered = []
    for case in cases:
        seen[case.id] += 1
        again = seen[case.id]
        numbered.append(case if again == 1 else case.model_copy(update={"id": f"{case.id}#{again}"}))
    return tuple(numbered)


def finding(path: str, code: str, message: str, line: int) -> CaseResult:
    """Make the case of one finding."""
    path, message = clean(path), one_line(message)
    name = f"{path}::{code}::{_PLACE.sub('line ?', _MEASURE.sub('(? > ', message))}"
    return CaseResult(id=name, outcome="failed", message=f"{code} {message}", path=path, line=max(0, line))


def ruff(check: Check, place: Place, targets: Sequence[str]) -> CheckResult:
    """Lint without fixing."""
    options = ["--output-format", "json-lines", "--no-cache", "--force-exclude", "--no-fix", "--quiet"]
    inside = within(check.folder, targets)
    if inside is None:
        return outside(check)
    done = place.execute(check, looking_at(check.argv, inside, options), "output")
    root, lines = split(done)
    try:
        parsed = [_RUFF.validate_json(line) for line in lines]
    except ValidationError:
        return result(check, done, "errored", "ruff's report could not be read")
    cases = [
        finding(
            below(check, root, told.filename),
            told.code or "invalid-syntax",
            told.message,
            told.location.row if told.location else 0,
        )
        for told in parsed
    ]
    return judge(check, done, cases)


def ruff_format(check: Check, place: Place, targets: Sequence[str]) -> CheckResult:
    """Ask which files the formatter would change."""
    inside = within(check.folder, targets)
    if inside is None:
        return outside(check)
    argv = looking_at(check.argv, inside, ["--no-cache", "--force-exclude"])
    # As an option it is refused by releases that know only plain text, which are read as well.
    done = place.execute(check, argv, "everything", environment=(("RUFF_OUTPUT_FORMAT", "json-lines"),))
    root, lines = split(done)
    told = [case for line in lines if (case := _unformatted(check, root, line)) is not None]
    cases = [case for case in told if case.path.endswith(FORMATTED)]
    if told and not cases:
        return result(check, done, "passed", "no findings")
    return judge(check, done, cases, crash=() if cases else (2,))


def looking_at(
    argv: Sequence[str], targets: Sequence[str], options: Sequence[str], whole: Sequence[str] = (".",)
) -> list[str]:
    """Put targets in the place of what a command looks at, which stands behind two dashes."""
    at = argv.index("--") if "--" in argv else len(argv)
    paths = targets or argv[at + 1 :] or whole
    return [*argv[:at], *options, *(("--", *paths) if paths else ())]


def _unformatted(check: Check, root: str, raw: bytes) -> CaseResult | None:
    line = raw.decode("utf-8", "backslashreplace")
    if line.startswith("{"):
        try:
            told = _RUFF.validate_json(raw)
        except ValidationError:
            return None
        message = "would be reformatted" if told.code == "unformatted" else f"cannot be formatted: {told.message}"
        return finding(below(check, root, told.filename), "format", message, told.location.row if told.location else 0)
    if line.startswith(_WOULD):
        return finding(below(check, root, line.removeprefix(_WOULD)), "format", "would be reformatted", 0)
    match = _UNREADABLE.match(line)
    return (
        finding(below(check, root, match[1]), "format", f"cannot be formatted: {match[4]}", int(match[2] or 0))
        if match
        else None
    )


def split(done: Completed) -> tuple[str, list[bytes]]:
    """Part the folder as the program saw it from the lines that it wrote."""
    first, _, rest = done.report.partition(b"\n")
    return first.decode("utf-8", "backslashreplace"), [line for line in rest.split(b"\n") if line.strip()]


def below(check: Check, root: str, path: str) -> str:
    """Name a file as seen from the root of the tree; `root` is the check's folder as the program saw it."""
    inside = PurePosixPath(path)
    if inside.is_absolute():
        top = PurePosixPath(root.removesuffix(check.folder) or "/")
        return str(inside.relative_to(top)) if inside.is_relative_to(top) else path
    return from_root(check.folder, path) or path


def judge(check: Check, done: Completed, cases: Sequence[CaseResult], crash: Sequence[int] = (2,)) -> CheckResult:
    """Let exit code and report agree, or call the check errored."""
    code = done.returncode
    if reason := trouble(done, check):
        return result(check, done, "errored", reason)
    if code in (126, 127):
        return result(check, done, "errored", f"{check.argv[0]} could not be started")
    if code in crash or code not in (0, 1, 2) or (code == 0) != (not cases):
        return result(check, done, "errored", _why(check, done, code, len(cases)))
    numbered = number(cases)
    summary = f"{len(numbered)} finding{'s' if len(numbered) != 1 else ''}" if numbered else "no findings"
    return result(check, done, "failed" if numbered else "passed", summary, numbered)


def _why(check: Check, done: Completed, code: int, found: int) -> str:
    said = next((line for line in reversed(done.output.splitlines()) if line.strip()), "")
    return f"{check.name} ended with exit code {code} and reported {found} findings{': ' if said else ''}{said}"
