"""What the probe saw of one test, and what may be concluded from it.

Imported only by the probe, inside the project's interpreter (Python 3.8 or newer).
"""

from __future__ import annotations

import hashlib
import linecache
import time
import traceback
from types import TracebackType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bot.verify.probed import TREE, in_tree, relative
else:
    from probed import TREE, in_tree, relative

LONGEST = 1000
"""Characters of a message."""


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
        source = linecache.getline(TREE + "/" + self.path, self.line).strip() if self.path else ""
        self.message = type(error).__name__ + self._text(error) + ("\n> " + source[:200] if source else "")

    @staticmethod
    def _text(error: BaseException) -> str:
        # The project's own __str__ may raise anything; the standard library stands that.
        told = "".join(traceback.format_exception_only(type(error), error)).strip()
        text = str(error.msg) if isinstance(error, SyntaxError) else told.partition(": ")[2]
        return ": " + text[:LONGEST] if text else ""


class Test:
    """What was seen of one test."""

    def __init__(self, location: tuple[str, int | None, str]) -> None:
        self.started = time.perf_counter()
        self.path, self.line = location[0], (location[1] or 0) + 1
        self.forget()

    def forget(self) -> None:
        """Begin anew, as a plugin that repeats failing tests does."""
        self.reports: list[Any] = []
        self.raised: BaseException | None = None
        self.skipped_call = False
        """A plugin of the tree took the call, and the test function was never entered."""

    def seconds(self) -> float:
        """Tell how long it has been running."""
        return round(time.perf_counter() - self.started, 4)

    def saw(self, error: BaseException | None) -> None:
        """Remember the first exception that speaks against the test."""
        self.raised = self.raised or error

    def outcome(self) -> tuple[str, str]:
        """Conclude from all reports and from what was seen."""
        failed = [report for report in self.reports if report.outcome == "failed"]
        own = [report for report in self.reports if not hasattr(report, "context")]
        skipped = [report for report in own if report.outcome == "skipped"]
        phases = {report.when for report in own if report.outcome == "passed"}
        if failed:
            seen = Spot(self.raised).message if self.raised is not None else str(failed[0].longrepr)[-LONGEST:]
            return ("failed" if any(report.when == "call" for report in failed) else "error"), seen
        if skipped:
            return ("xfailed" if hasattr(skipped[0], "wasxfail") else "skipped"), why(skipped[0])
        if self.raised is not None:
            return "failed", "reported as passed although it raised " + Spot(self.raised).message
        if self.skipped_call:
            return "failed", "reported as passed although the test function was never called"
        if phases != {"setup", "call", "teardown"}:
            return "error", "not run to its end: only " + (", ".join(sorted(map(str, phases))) or "nothing") + " passed"
        return ("xpassed" if any(hasattr(report, "wasxfail") for report in own) else "passed"), ""


def asks(item: Any) -> str:
    """Digest what a doctest asks: it stands in the code's own file, so that a changed file does not tell."""
    examples = getattr(getattr(item, "dtest", None), "examples", None) or ()
    told = repr([(example.source, example.want) for example in examples])
    return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:16] if examples else ""


def why(report: Any) -> str:
    """Tell the reason that was given for skipping."""
    told = getattr(report, "wasxfail", "") or (report.longrepr[2] if isinstance(report.longrepr, tuple) else "")
    return str(told)[:LONGEST]
