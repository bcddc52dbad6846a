"""What a runner of workflows is told: outputs of a step, and remarks in its log."""

import re
from collections.abc import Iterable

from bot.core.account import live
from bot.core.hub import Annotation
from bot.core.redact import sanitize
from bot.core.report import Report
from bot.errors import ForgeError

LONGEST = 100_000
"""Characters of one value; GitHub takes a mebibyte of all of them."""

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,60}")
_DELIMITER = re.compile(r"[A-Za-z0-9_-]{16,100}")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029]")
_LEVELS = {"notice": "notice", "warning": "warning", "failure": "error"}


def outputs(pairs: Iterable[tuple[str, str]], delimiter: str) -> str:
    """Write outputs as a runner reads them, each between two lines that the delimiter makes. Raises ForgeError.

    The delimiter is chosen anew by chance each time, so that no value can hold it but by having been told.
    """
    if not _DELIMITER.fullmatch(delimiter):
        raise ForgeError("outputs need a delimiter of 16 letters, digits, - and _ at least")
    return "".join(_write(name, value, delimiter) for name, value in pairs)


def _write(name: str, value: str, delimiter: str) -> str:
    if not _NAME.fullmatch(name):
        raise ForgeError(f"{name[:60]!r} cannot be the name of an output")
    if _CONTROL.search(value) or delimiter in value or len(value) > LONGEST:
        raise ForgeError(f"the output {name} holds what a runner must not be told", "see the log of the run for it")
    return f"{name}<<{delimiter}\n{value}\n{delimiter}\n"


def tell_outputs(
    report: Report, number: int = 0, url: str = "", folder: str = "", outcome: str = ""
) -> tuple[tuple[str, str], ...]:
    """Say of a run what later steps of a workflow go by; `folder` is where its report is kept.

    `outcome` is the word to tell where the report's own would be true of another base only.
    """
    return (
        ("run", report.run),
        ("outcome", outcome or report.outcome),
        ("branch", report.branch if live(report) else ""),
        ("commits", str(len(live(report)))),
        ("pr-number", str(number) if number else ""),
        ("pr-url", url),
        ("cost", f"{report.usage.cost:.6f}"),
        ("report", folder),
    )


def workflow_commands(told: Iterable[Annotation]) -> str:
    """Write remarks as a runner takes them from a log, a line each."""
    return "".join(f"{_command(each)}\n" for each in told)


def _command(told: Annotation) -> str:
    places = {"file": told.path, "line": str(told.start), "endLine": str(told.end), "title": told.title}
    properties = ",".join(f"{name}={_property(value)}" for name, value in places.items() if value)
    return f"::{_LEVELS[told.level]} {properties}::{_data(told.message)}"


def _data(text: str) -> str:
    return sanitize(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
