"""How the end of a command is told, in words that claim no more than is known."""

import os
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from bot.protocols import Bound, Completed
from bot.sandbox.capture import Captured
from bot.sandbox.limits import GIB, Bounds, make_ceilings
from bot.sandbox.supervisor import Answer

Ended: TypeAlias = Literal["exited", "signalled", "timed_out", "killed"]

LAST_WORDS = 2000
"""Characters at the end of the output in which a command that failed may say why."""

IDLE, BUSY = 0.1, 0.8
"""Shares of the time that it ran from which on a command counts as waiting and as computing."""

_SHORT_OF_FILES = re.compile(r"Too many open files(?! in system)|\bEMFILE\b")
_SHORT_OF_FILE = re.compile(r"File too large|File size limit exceeded|\bEFBIG\b")
_SHORT_OF_TASKS = re.compile(r"Cannot fork|can't start new thread|fork: (?:retry: )?Resource temporarily unavailable")
_SHORT_OF_MEMORY = re.compile(
    r"MemoryError|[Cc]annot allocate memory|bad_alloc|OutOfMemoryError|\bENOMEM\b|[Oo]ut of memory|memory exhausted"
)
"""How programs tell that a limit refused them something."""
_DIED_OF_MEMORY = re.compile(r"\n?[\w.]*MemoryError(?::[^\n]*)?\s*\Z|what\(\):\s+std::bad_alloc\s*\Z")
"""The very last words of a program that ended because it got no more."""


class Ran(NamedTuple):
    """What is known of a command once it and all that it started are gone."""

    answer: Answer
    printed: Captured
    seconds: float
    pipes: tuple[bytes, ...] = ()
    note: str = ""
    """What happened to the supervisor, if something did."""
    starved: bool = False
    """Whether the kernel killed something on this machine for memory meanwhile."""

    @property
    def returncode(self) -> int:
        """The exit code, or the negative signal."""
        return os.waitstatus_to_exitcode(self.answer.status)


class Reason(NamedTuple):
    """Why a command did not end well."""

    words: str
    hit: Bound | None = None
    """The limit that it ran into, where that is known; a guess has words only."""


def tell(ran: Ran, returncode: int, bounds: Bounds, timeout: float, *, isolation: str, report: bytes) -> Completed:
    """Put the whole story of a command together."""
    reasons = tuple(explain(ran, returncode, bounds, timeout))
    notes = (ran.note or "; ".join(reason.words for reason in reasons), leftovers(ran))
    written = "".join(f"[git agent: {note}]\n" for note in notes if note)
    gap = "\n" if written and ran.printed.text and not ran.printed.text.endswith("\n") else ""
    return Completed(
        returncode=returncode,
        ended=word(ran.answer, returncode),
        output=ran.printed.text + gap + written,
        seconds=ran.seconds,
        report=report,
        truncated=ran.printed.truncated,
        isolation=isolation,
        hit=tuple(reason.hit for reason in reasons if reason.hit is not None),
    )


def word(answer: Answer, returncode: int) -> Ended:
    """Say in one word how a command ended."""
    if answer.ending == "exited":
        return "signalled" if returncode < 0 else "exited"
    return "timed_out" if answer.ending == "timed_out" else "killed"


def leftovers(ran: Ran) -> str:
    """Say that something could not be swept."""
    return "" if ran.answer.clean else "something that it started could not be ended"


def explain(ran: Ran, returncode: int, bounds: Bounds, timeout: float) -> Iterator[Reason]:
    """Say why a command did not end well, where that can be known or is worth a guess that is marked as one."""
    if ran.answer.ending == "timed_out":
        yield Reason(f"ended after {timeout:g} s, the time limit{pastime(ran.answer.processor / timeout)}", "time")
    elif ran.answer.passed:
        yield explain_kill(ran.answer, bounds, timeout)
    elif returncode < 0:
        yield from explain_signal(-returncode, bounds, starved=ran.starved)
    elif returncode > 0:
        yield from explain_failure(ran, bounds)


def pastime(busy: float) -> str:
    """Say roughly how a command spent its time: the same in words each time, as a figure would not be."""
    if busy > BUSY:
        return ", computing all the while"
    return ", nearly all of which it spent waiting" if 0 < busy < IDLE else ""


def explain_kill(answer: Answer, bounds: Bounds, timeout: float) -> Reason:
    """Say for what git agent ended a command. Needs an answer that names it."""
    ceilings = make_ceilings(bounds, timeout)
    match answer.passed:
        case "memory":
            held = f"held more than {ceilings.memory / GIB:.3g} GiB of memory"
            return Reason(f"ended because its processes together {held}", "memory")
        case "processes":
            return Reason(f"ended because it ran more than {ceilings.tasks} processes and threads at once", "processes")
        case "processor":
            return Reason(f"ended because it used more than {ceilings.processor:g} s of processor time", "processor")
        case "disk":
            most = f"{bounds.disk / GIB:.3g} GiB, or three quarters of what was free"
            return Reason(f"ended because the disk lost more than it may while it ran: {most}", "disk")
        case _:
            return Reason(f"ended because it printed more than {bounds.output >> 20} MB", "output")


def explain_signal(number: int, bounds: Bounds, *, starved: bool) -> Iterator[Reason]:
    """Say what a signal means that git agent did not send itself."""
    if number == signal.SIGKILL and starved:
        yield Reason("killed: memory ran out on this machine", "memory")
    elif number == signal.SIGKILL:
        yield Reason("killed by a signal that git agent did not send")
    elif number == signal.SIGXFSZ:
        yield Reason(f"killed: a file grew beyond {bounds.file / GIB:.3g} GiB", "file size")
    elif number == signal.SIGXCPU:
        yield Reason("killed: it used more processor time than its time limit allows", "processor")


def explain_failure(ran: Ran, bounds: Bounds) -> Iterator[Reason]:
    """Read in the last words of a command that failed whether a limit refused it something."""
    said = ran.printed.text[-LAST_WORDS:]
    # These two the system says of nothing else; a lack of processes or memory may also be the machine's own.
    if _SHORT_OF_FILES.search(said):
        yield Reason(f"short of open files: a process may have {bounds.files}", "open files")
    if _SHORT_OF_FILE.search(said):
        yield Reason(f"a file would have grown beyond {bounds.file / GIB:.3g} GiB", "file size")
    if _SHORT_OF_TASKS.search(said):
        yield Reason(f"possibly short of processes: it may have {bounds.processes}")
    if _SHORT_OF_MEMORY.search(said):
        known = ran.starved or ran.answer.memory > bounds.memory // 2 or bool(_DIED_OF_MEMORY.search(said))
        possibly = "" if known else "possibly "
        yield Reason(
            f"{possibly}short of memory: a process may have {bounds.memory / GIB:.3g} GiB", "memory" if known else None
        )


def memory_kills() -> int:
    """Count the processes that the kernel has killed for memory since it started."""
    try:
        counters = Path("/proc/vmstat").read_text().split()
        return int(counters[counters.index("oom_kill") + 1])
    except (OSError, ValueError, IndexError):
        return 0
