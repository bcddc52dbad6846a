import signal

import pytest

from bot.sandbox.capture import Captured
from bot.sandbox.limits import Bounds, resource_limits
from bot.sandbox.outcome import Ran, tell
from bot.sandbox.supervisor import Answer, Ending


def told(ending: Ending, status: int, text: str = "", *, starved: bool = False, clean: bool = True) -> tuple[str, str]:
    ran = Ran(Answer(ending, status, clean), Captured(text, truncated=False), 1.0, starved=starved)
    done = tell(ran, ran.returncode, Bounds(), 7.0, isolation="process", report=b"")
    return done.ended, done.output


@pytest.mark.parametrize(
    ("ending", "status", "ended", "output"),
    [
        ("exited", 0, "exited", ""),
        ("exited", 3 << 8, "exited", ""),
        ("exited", signal.SIGSEGV, "signalled", ""),
        ("exited", signal.SIGKILL, "signalled", "[git agent: killed by a signal that git agent did not send]\n"),
        ("timed_out", signal.SIGKILL, "timed_out", "[git agent: ended after 7 s, the time limit]\n"),
        ("killed", signal.SIGKILL, "killed", "[git agent: ended because it printed more than 64 MB]\n"),
    ],
)
def test_each_end_has_its_words(ending: Ending, status: int, ended: str, output: str) -> None:
    assert told(ending, status) == (ended, output)


def test_a_lack_of_memory_is_told_only_with_evidence() -> None:
    assert "memory ran out" in told("exited", signal.SIGKILL, starved=True)[1]
    assert "memory" not in told("exited", signal.SIGKILL)[1]
    assert "possibly short of memory" in told("exited", 1 << 8, "x\nMemoryError")[1]
    assert told("exited", 0, "MemoryError") == ("exited", "MemoryError")


def test_notes_stand_on_lines_of_their_own() -> None:
    assert told("timed_out", 9, "half a line")[1] == "half a line\n[git agent: ended after 7 s, the time limit]\n"


def test_what_could_not_be_swept_is_told() -> None:
    assert "could not be ended" in told("exited", 0, clean=False)[1]


def test_limits_leave_room_for_a_whole_command() -> None:
    limits = dict(resource_limits(Bounds(), 2.5))
    assert len(limits) == 7
    assert all(value >= 0 for value in limits.values())
