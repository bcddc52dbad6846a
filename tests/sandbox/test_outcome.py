import signal

import pytest

from bot.protocols import Completed
from bot.sandbox.capture import Captured
from bot.sandbox.limits import GIB, Bounds
from bot.sandbox.outcome import Ran, tell
from bot.sandbox.supervisor import Answer, Ending
from bot.sandbox.usage import Ceiling


def told(
    ending: Ending, status: int, text: str = "", *, starved: bool = False, clean: bool = True, passed: Ceiling = ""
) -> tuple[str, str]:
    done = complete(Answer(ending, status, clean, passed), text, starved=starved)
    return done.ended, done.output


def complete(answer: Answer, text: str = "", *, starved: bool = False) -> Completed:
    ran = Ran(answer, Captured(text, truncated=False), 1.0, starved=starved)
    return tell(ran, ran.returncode, Bounds(), 7.0, isolation="process", report=b"")


@pytest.mark.parametrize(
    ("ending", "status", "ended", "output"),
    [
        ("exited", 0, "exited", ""),
        ("exited", 3 << 8, "exited", ""),
        ("exited", signal.SIGSEGV, "signalled", ""),
        ("exited", signal.SIGKILL, "signalled", "[git agent: killed by a signal that git agent did not send]\n"),
        ("timed_out", signal.SIGKILL, "timed_out", "[git agent: ended after 7 s, the time limit]\n"),
    ],
)
def test_each_end_has_its_words(ending: Ending, status: int, ended: str, output: str) -> None:
    assert told(ending, status) == (ended, output)


@pytest.mark.parametrize(
    ("passed", "words"),
    [
        ("output", "printed more than 64 MB"),
        ("processes", "processes and threads at once"),
        ("processor", "s of processor time"),
        ("memory", "GiB of memory"),
    ],
)
def test_what_git_agent_ended_a_command_for_is_named(passed: Ceiling, words: str) -> None:
    done = complete(Answer("killed", signal.SIGKILL, clean=True, passed=passed))
    assert (done.ended, done.hit) == ("killed", (passed,))
    assert done.output.startswith("[git agent: ended because ")
    assert done.output.endswith(f"{words}]\n")


def test_a_lack_of_memory_is_told_only_with_evidence() -> None:
    assert "memory ran out" in told("exited", signal.SIGKILL, starved=True)[1]
    assert "memory" not in told("exited", signal.SIGKILL)[1]
    assert "possibly short of memory" in told("exited", 1 << 8, "MemoryError\n1 failed")[1]
    assert told("exited", 0, "MemoryError") == ("exited", "MemoryError")


def hit(text: str, memory: int = 0) -> tuple[str, ...]:
    return complete(Answer("exited", 1 << 8, clean=True, memory=memory), text).hit


def test_a_guess_is_told_and_is_no_limit_that_was_hit() -> None:
    assert hit("E   MemoryError\n1 failed") == ()
    assert hit("E   MemoryError\n1 failed", memory=3 * GIB) == ("memory",)
    assert hit("Traceback\nnumpy.ArrayMemoryError: Unable to allocate 9 GiB\n") == ("memory",)
    assert hit("terminate called\n  what():  std::bad_alloc") == ("memory",)
    assert hit("RuntimeError: can't start new thread") == ()
    assert hit("OSError: [Errno 23] Too many open files in system") == ()
    assert hit("a: Too many open files\nb: File too large") == ("open files", "file size")
    assert complete(Answer("exited", 0, clean=True), "Too many open files").hit == ()


def test_time_is_told_roughly_so_that_it_is_told_the_same_again() -> None:
    ends = [complete(Answer("timed_out", 9, clean=True, processor=used)).output for used in (0.1, 0.2, 3, 6, 7)]
    assert ends[0] == ends[1] == "[git agent: ended after 7 s, the time limit, nearly all of which it spent waiting]\n"
    assert ends[2] == "[git agent: ended after 7 s, the time limit]\n"
    assert ends[3] == ends[4] == "[git agent: ended after 7 s, the time limit, computing all the while]\n"


def test_notes_stand_on_lines_of_their_own() -> None:
    assert told("timed_out", 9, "half a line")[1] == "half a line\n[git agent: ended after 7 s, the time limit]\n"


def test_what_could_not_be_swept_is_told() -> None:
    assert "could not be ended" in told("exited", 0, clean=False)[1]
