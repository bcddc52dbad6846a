"""That what a command uses is limited at every level, that limits are named, and that all of it is gone afterwards."""

import sys
from pathlib import Path

import pytest

from bot.protocols import Executor
from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.landlock import LandlockExecutor
from bot.sandbox.limits import GIB, Bounds, machine_memory, make_ceilings, resource_limits
from bot.sandbox.process import ProcessExecutor
from bot.sandbox.site import Site
from tests.sandbox.conftest import Ground, Runner, alive
from tests.sandbox.test_process import RUN

MB = 1 << 20
TIGHT = Bounds(memory=192 * MB, together=128 * MB, file=2 * MB, files=64, processes=60, processors=0.05, output=1 * MB)


@pytest.fixture(params=["process", "sealing", "boxing"])
def tight(request: pytest.FixtureRequest, common: Ground) -> Runner:
    """Each test that takes this is run at all levels, with little of everything."""
    place = common.repo.path, common.repo.path / ".git", [Path(sys.executable)]
    if request.param == "process":
        executor: Executor = ProcessExecutor(TIGHT)
    elif request.getfixturevalue(request.param) and request.param == "sealing":
        executor = LandlockExecutor(Site(*place), bounds=TIGHT)
    else:
        executor = BubblewrapExecutor(Site(*place), bounds=TIGHT)
    return Runner(executor, common.tree)


REFUSED = {
    "x = bytearray(1 << 30)": ("memory", "[git agent: short of memory: a process may have 0.188 GiB]"),
    "x = [open('/dev/null') for _ in range(100_000)]": (
        "open files",
        "[git agent: short of open files: a process may have 64]",
    ),
    "open(__import__('tempfile').mkstemp()[1], 'wb').write(bytes(3 << 20))": (
        "file size",
        "[git agent: a file would have grown beyond 0.00195 GiB]",
    ),
}


def test_what_a_limit_refused_is_named(tight: Runner) -> None:
    for source, (bound, words) in REFUSED.items():
        done = tight.python(source)
        assert (done.ended, done.returncode, done.hit) == ("exited", 1, (bound,))
        assert done.output.endswith(f"{words}\n")


FORK = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
for _ in range(8):
    if os.fork() == 0 and sys.argv[2:]:
        os.setsid()
time.sleep(60)
"""


def test_too_many_processes_end_the_command_and_all_of_them(tight: Runner) -> None:
    for more in ((), ("apart",)):
        done = tight.python(FORK, f"fork-{RUN}", *more)
        assert (done.ended, done.hit) == ("killed", ("processes",))
        assert done.output == "[git agent: ended because it ran more than 60 processes and threads at once]\n"
        assert not alive(f"fork-{RUN}")


TOGETHER = "import os, time\nos.fork()\nos.fork()\nx = b'x' * (48 << 20)\ntime.sleep(60)"
SHARED = "import os, time\nx = b'x' * (48 << 20)\nos.fork()\nos.fork()\ntime.sleep(0.2)"


def test_memory_is_counted_for_all_processes_together(tight: Runner) -> None:
    done = tight.python(TOGETHER)
    assert (done.ended, done.hit) == ("killed", ("memory",))
    assert done.output == "[git agent: ended because its processes together held more than 0.125 GiB of memory]\n"


NAMELESS = """
import os, time
os.fork()
os.fork()
files = [os.memfd_create('x') for _ in range(50)]
for file in files:
    os.posix_fallocate(file, 0, 2 << 20)
time.sleep(60)
"""


def test_memory_in_files_that_only_memory_holds_is_counted(tight: Runner) -> None:
    done = tight.python(NAMELESS)
    assert (done.ended, done.hit) == ("killed", ("memory",))


FILL = """
import os, tempfile, time
for _ in range(100):
    os.posix_fallocate(tempfile.mkstemp()[0], 0, 2 << 20)
    time.sleep(0.02)
"""


def test_a_disk_is_not_filled(common: Ground) -> None:
    bounds = Bounds(disk=MB, file=8 * MB)
    done = Runner(ProcessExecutor(bounds), common.tree).python(FILL)
    assert (done.ended, done.hit) == ("killed", ("disk",))
    assert done.output.startswith("[git agent: ended because the disk lost more than it may while it ran: ")


def test_what_processes_share_is_counted_once(tight: Runner) -> None:
    done = tight.python(SHARED)
    assert (done.returncode, done.hit, done.output) == (0, (), "")


def test_processor_time_is_counted_for_all_processes_together(tight: Runner) -> None:
    done = tight.shell("for n in 1 2 3; do while :; do :; done & done; wait", timeout=4.0)
    assert (done.ended, done.hit) == ("killed", ("processor",))
    assert done.output == "[git agent: ended because it used more than 0.2 s of processor time]\n"


def test_output_is_limited_however_fast_it_comes(tight: Runner) -> None:
    # All levels have the same way of seeing to it
    endless = ["cat /dev/zero"] if tight.executor.isolation == "process" else []
    for script in ("head -c 1500000 /dev/zero", *endless):
        done = tight.shell(script)
        assert (done.ended, done.hit, done.truncated) == ("killed", ("output",), True)
        assert done.output.endswith("[git agent: ended because it printed more than 1 MB]\n")


def test_the_time_is_named_and_how_it_was_spent(plain: Runner) -> None:
    done = plain.shell("sleep 9", timeout=0.3)
    assert done.hit == ("time",)
    assert done.output == "[git agent: ended after 0.3 s, the time limit, nearly all of which it spent waiting]\n"


STOPPED = """
import os, signal, sys
for n in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.kill(os.getpid(), signal.SIGSTOP)
        os._exit(0)
"""


def test_stopped_daemons_that_hold_the_output_are_gone_afterwards(tight: Runner) -> None:
    done = tight.python(STOPPED, f"stopped-{RUN}")
    assert (done.ended, done.hit, done.seconds < 2) == ("exited", (), True)
    assert not alive(f"stopped-{RUN}")


def test_the_kernel_would_take_a_command_before_git_agent(plain: Runner) -> None:
    assert int(plain("cat", "/proc/self/oom_score_adj").output) > int(Path("/proc/self/oom_score_adj").read_text())


def test_all_processes_together_may_not_have_all_memory_of_the_machine() -> None:
    assert make_ceilings(Bounds(together=1 << 60), 5.0).memory < machine_memory()
    assert make_ceilings(Bounds(together=1), 5.0).memory == 1
    assert make_ceilings(Bounds(), 5.0).processor == 5.0 * Bounds().processors


def test_limits_leave_room_for_a_whole_command() -> None:
    limits = dict(resource_limits(Bounds(), 2.5))
    assert len(limits) == 7
    assert all(value >= 0 for value in limits.values())
    assert machine_memory() > GIB // 4
