"""What the probe saw of one test, and what may be concluded from it."""

from __future__ import annotations

import hashlib
import linecache
import traceback
from time import perf_counter
from types import TracebackType
from typing import Any, NamedTuple

from bot.verify.probe.cause import classify
from bot.verify.probe.tree import ROOT, in_tree, relative

LONGEST = 1000
"""Characters of a message."""
ENDING = 300
"""Those that are kept of its end."""


def both_ends(text: str) -> str:
    """Shorten a message: it begins with what was asserted, and a long comparison ends with what differs."""
    return text if len(text) <= LONGEST else text[: LONGEST - ENDING - 3] + "\n…\n" + text[-ENDING:]


class Spot:
    """What an exception says, and where in the project it came from."""

    def __init__(self, error: BaseException) -> None:
        self.path, self.line = "", 0
        trace: TracebackType | None = error.__traceback__
        while trace is not None:
            if in_tree(trace.tb_frame.f_code.co_filename):
                self.path, self.line = relative(trace.tb_frame.f_code.co_filename), trace.tb_lineno
            trace = trace.tb_next
        if isinstance(error, SyntaxError) and error.filename and in_tree(error.filename):
            self.path, self.line = relative(error.filename), error.lineno or 0
        source = linecache.getline(ROOT + "/" + self.path, self.line).strip() if self.path else ""
        self.message = type(error).__name__ + self._text(error) + ("\n> " + source[:200] if source else "")

    @staticmethod
    def _text(error: BaseException) -> str:
        # The project's own __str__ may raise anything; the standard library stands that.
        told = "".join(traceback.format_exception_only(type(error), error)).strip()
        text = str(error.msg) if isinstance(error, SyntaxError) else told.partition(": ")[2]
        return ": " + both_ends(text) if text else ""


class Told(NamedTuple):
    """How a test ended, in words."""

    outcome: str
    message: str = ""


def fields(told: Told, error: BaseException | None, place: tuple[str, int]) -> dict[str, Any]:
    """Put together what is reported of an end; an exception tells its own place, and what happened where none says."""
    record: dict[str, Any] = {"outcome": told.outcome, "message": told.message, "path": place[0], "line": place[1]}
    if error is not None and told.outcome in ("failed", "error"):
        spot, blame = Spot(error), classify(error)
        record["message"] = told.message or spot.message
        if spot.path:
            record.update(path=spot.path, line=spot.line)
        record.update(error=type(error).__name__, cause=blame.cause, lacks=blame.lacks)
    return record


class Test:
    """What was seen of one test."""

    __slots__ = ("called", "line", "path", "raised", "reached", "reports", "silenced", "started")
    skips: tuple[type[BaseException], ...] = ()
    """What a test raises that only skips it."""

    def __init__(self, place: tuple[str, int]) -> None:
        self.started = perf_counter()
        self.path, self.line = place
        self.forget()

    def forget(self) -> None:
        """Begin anew, as a plugin that repeats failing tests does."""
        self.reports: list[Any] = []
        self.raised: BaseException | None = None
        self.reached = False
        """The runner came to run it."""
        self.called = False
        """The test function was about to be called, where it is known which one that is."""
        self.silenced = ""
        """Why its success would say nothing."""

    def seconds(self) -> float:
        """Tell how long it has been running."""
        return round(perf_counter() - self.started, 4)

    def saw(self, error: BaseException | None) -> None:
        """Remember the first exception that speaks against the test."""
        if self.raised is None and error is not None and not isinstance(error, self.skips):
            self.raised = error

    def outcome(self, *, function: bool) -> Told:
        """Conclude from all reports and from what was seen; `function` says that its function is known."""
        failed = [report for report in self.reports if report.outcome == "failed"]
        own = [report for report in self.reports if not hasattr(report, "context")]
        skipped = [report for report in own if report.outcome == "skipped"]
        phases = {report.when for report in own if report.outcome == "passed"}
        if failed:
            seen = "" if self.raised is not None else str(failed[0].longrepr)[-LONGEST:]
            return Told("failed" if any(report.when == "call" for report in failed) else "error", seen)
        if skipped:
            return Told("xfailed" if hasattr(skipped[0], "wasxfail") else "skipped", why(skipped[0]))
        doubt = self._doubt(function=function)
        if doubt:
            return Told("failed", "reported as passed although " + doubt)
        if phases != {"setup", "call", "teardown"}:
            ended = ", ".join(sorted(map(str, phases))) or "nothing"
            return Told("error", "not run to its end: only " + ended + " passed")
        return Told("xpassed" if any(hasattr(report, "wasxfail") for report in own) else "passed")

    def _doubt(self, *, function: bool) -> str:
        if self.raised is not None:
            return "it raised " + Spot(self.raised).message
        if not self.reached or (function and not self.called):
            return "the test function was never called"
        return self.silenced


def asks(item: Any) -> str:
    """Digest what a doctest asks: it stands in the code's own file, so that a changed file does not tell."""
    examples = getattr(getattr(item, "dtest", getattr(item, "_dt_test", None)), "examples", None) or ()
    told = repr([(example.source, example.want) for example in examples])
    return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:16] if examples else ""


def why(report: Any) -> str:
    """Tell the reason that was given for skipping."""
    told = getattr(report, "wasxfail", "") or (report.longrepr[2] if isinstance(report.longrepr, tuple) else "")
    return str(told)[:LONGEST]
