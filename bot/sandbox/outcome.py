"""How the end of a command is told, in words that claim no more than is known."""

import os
import signal
from pathlib import Path
from typing import Literal, NamedTuple, TypeAlias

from bot.protocols import Completed
from bot.sandbox.capture import Captured
from bot.sandbox.limits import GIB, Bounds
from bot.sandbox.supervisor import Answer

Ended: TypeAlias = Literal["exited", "signalled", "timed_out", "killed"]


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


def tell(ran: Ran, returncode: int, bounds: Bounds, timeout: float, *, isolation: str, report: bytes) -> Completed:
    """Put the whole story of a command together."""
    notes = (ran.note or explain(ran, returncode, bounds, timeout), leftovers(ran))
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
    )


def word(answer: Answer, returncode: int) -> Ended:
    """Say in one word how a command ended."""
    if answer.ending == "exited":
        return "signalled" if returncode < 0 else "exited"
    return "timed_out" if answer.ending == "timed_out" else "killed"


def leftovers(ran: Ran) -> str:
    """Say that something could not be swept."""
    return "" if ran.answer.clean else "something that it started could not be ended"


def explain(ran: Ran, returncode: int, bounds: Bounds, timeout: float) -> str:
    """Say why a command did not end well, where that can be known or is worth a guess that is marked as one."""
    if ran.answer.ending == "timed_out":
        return f"ended after {timeout:g} s, the time limit"
    if ran.answer.ending == "killed":
        return f"ended because it printed more than {bounds.output >> 20} MB"
    if returncode > 0 and "MemoryError" in ran.printed.text[-2000:]:
        return f"possibly short of memory: a process may have {bounds.memory / GIB:g} GiB"
    return explain_signal(-returncode, bounds, starved=ran.starved)


def explain_signal(number: int, bounds: Bounds, *, starved: bool) -> str:
    """Say what a signal means that git agent did not send itself."""
    if number == signal.SIGKILL and starved:
        return "killed: memory ran out on this machine"
    meanings = {
        int(signal.SIGKILL): "killed by a signal that git agent did not send",
        int(signal.SIGXFSZ): f"killed: a file grew beyond {bounds.file / GIB:g} GiB",
        int(signal.SIGXCPU): "killed: it used more processor time than its time limit allows",
    }
    return meanings.get(number, "")


def memory_kills() -> int:
    """Count the processes that the kernel has killed for memory since it started."""
    try:
        counters = Path("/proc/vmstat").read_text().split()
        return int(counters[counters.index("oom_kill") + 1])
    except (OSError, ValueError, IndexError):
        return 0
