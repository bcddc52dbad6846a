"""What holds at every isolation level: bounds, ends, sweeping, output."""

import os
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from bot.protocols import Command, Executor
from bot.sandbox.environment import REPORT
from bot.sandbox.landlock import LandlockExecutor
from bot.sandbox.limits import Bounds
from bot.sandbox.process import ProcessExecutor
from tests.sandbox.conftest import Ground, Runner, alive, eventually

RUN = os.getpid()
"""Tells the processes of this run from those of another one on the same machine."""
SLOW = pytest.mark.parametrize("run", ["sealing", "boxing"], indirect=True)
"""For tests that take their time: what is closed in takes the way of the weakest level, and more."""


def test_all_levels_are_executors(sealing: LandlockExecutor, common: Ground) -> None:
    levels: list[Executor] = [ProcessExecutor(), sealing, common.bubblewrap]
    assert [level.isolation for level in levels] == ["process", "landlock", "bubblewrap"]


def test_a_command_runs_in_its_tree(run: Runner) -> None:
    done = run.shell("cat pkg/__init__.py; echo problem >&2")
    assert (done.returncode, done.ended, done.output) == (0, "exited", "WHERE = 'tree'\nproblem\n")
    assert (done.isolation, done.truncated, done.report) == (run.executor.isolation, False, b"")
    assert 0 < done.seconds < 10


@pytest.mark.parametrize("code", [0, 1, 2, 5, 120, 255])
def test_exit_codes_are_told_exactly(run: Runner, code: int) -> None:
    done = run.shell(f"exit {code}")
    assert (done.returncode, done.ended) == (code, "exited")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM, signal.SIGABRT])
def test_ends_by_signal_are_told_exactly(run: Runner, number: signal.Signals) -> None:
    done = run.shell(f"ulimit -c 0; kill -{number.value} $$")
    assert (done.returncode, done.ended) == (-number, "signalled")


def test_an_exit_code_that_looks_like_a_signal_is_an_exit_without_namespaces(plain: Runner) -> None:
    assert (plain.shell("exit 137").returncode, plain.shell("exit 137").ended) == (137, "exited")


def test_a_foreign_kill_is_not_called_a_lack_of_memory(run: Runner) -> None:
    assert "git agent did not send" in run.shell("kill -9 $$").output


def test_an_unknown_program_is_a_result(run: Runner) -> None:
    done = run("no-such-program-here", "x")
    assert (done.returncode, done.ended, done.output) == (127, "exited", "no-such-program-here: no such program\n")


def test_a_closed_folder_of_the_search_path_does_not_hide_that_a_program_is_unknown(
    plain: Runner, tmp_path: Path
) -> None:
    (tmp_path / "closed").mkdir(mode=0)
    (tmp_path / "open").mkdir()
    (tmp_path / "open/data").touch()
    search = (("PATH", f"{tmp_path}/closed:{tmp_path}/open"),)
    assert plain("no-such-program-here", environment=search).returncode == 127
    assert plain("data", environment=search).returncode == 126


def test_a_file_that_is_no_program_is_a_result(run: Runner) -> None:
    done = run("./pkg/__init__.py")
    assert (done.returncode, done.ended) == (126, "exited")
    assert "cannot be run" in done.output


def test_a_null_character_in_an_argument_is_a_result(plain: Runner) -> None:
    assert plain("echo", "a\0b").returncode == 126


def test_a_missing_folder_is_told(plain: Runner, tmp_path: Path) -> None:
    done = plain.executor.execute(Command(("true",), tmp_path / "gone"))
    assert done.returncode != 0
    assert "folder is not there" in done.output


@pytest.mark.parametrize("source", ["input()", "open('/dev/tty').read()", "import getpass; getpass.getpass()"])
def test_a_command_that_asks_gets_an_error_at_once(run: Runner, source: str) -> None:
    done = run.python(source)
    assert done.returncode == 1
    assert done.seconds < 2
    assert "Error" in done.output


@SLOW
def test_the_time_limit_ends_the_whole_tree(run: Runner) -> None:
    done = run.shell(f"setsid sh -c 'sleep 4711.{RUN} & sleep 4711.{RUN}' & sleep 4711.{RUN}", timeout=0.25)
    assert (done.returncode, done.ended) == (-signal.SIGKILL, "timed_out")
    assert "0.25 s" in done.output
    assert done.seconds < 3
    assert not alive(f"sleep 4711.{RUN}")


@SLOW
def test_a_command_that_ignores_signals_is_ended(run: Runner) -> None:
    assert run.shell("trap '' TERM INT HUP; while :; do sleep 0.1; done", timeout=0.25).ended == "timed_out"


def test_a_background_child_does_not_delay_the_answer(run: Runner) -> None:
    done = run.shell(f"sleep 4712.{RUN} & exit 3")
    assert (done.returncode, done.ended) == (3, "exited")
    assert done.seconds < 2
    assert not alive(f"sleep 4712.{RUN}")


DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for fd in range(3, 50):
            try: os.close(fd)
            except OSError: pass
        os.execvpe("sleep", ["sleep", sys.argv[1]], {})
    os._exit(0)
os.wait()
print("left it behind")
"""


def test_a_double_forked_daemon_is_gone_afterwards(run: Runner) -> None:
    assert run.python(DAEMON, f"4713.{RUN}").output == "left it behind\n"
    assert not alive(f"sleep 4713.{RUN}")


REFORKER = """
import os
if os.fork() == 0:
    os.setsid()
    while True:
        if os.fork():
            os._exit(0)
        os.execl({python!r}, {python!r}, "-I", "-c", {again!r}, {mark!r})
"""


@SLOW
def test_a_daemon_that_forks_without_end_is_gone_afterwards(run: Runner) -> None:
    again, mark = "import os\nwhile os.fork() == 0: pass", f"refork-{RUN}"
    started = time.monotonic()
    run.python(REFORKER.format(python=sys.executable, again=again, mark=mark), timeout=10)
    assert time.monotonic() - started < 8
    assert not alive(mark)


@SLOW
def test_a_parallel_command_is_left_alone(run: Runner) -> None:
    with ThreadPoolExecutor(4) as pool:
        long = [pool.submit(run.shell, f"sleep 4715.{RUN}{n} & sleep 0.5; kill -0 $! && echo alive") for n in range(2)]
        assert eventually(lambda: len(alive(f"sleep 4715.{RUN}")) >= 2)
        for _ in range(4):
            pool.submit(run.shell, f"setsid sleep 4716.{RUN} & exit 0").result()
        assert [future.result().output for future in long] == ["alive\n", "alive\n"]
    assert not alive(f"sleep 4715.{RUN}")
    assert not alive(f"sleep 4716.{RUN}")


def test_a_child_of_git_agents_own_is_left_alone(plain: Runner) -> None:
    pid = os.posix_spawnp("sleep", ["sleep", "4717.1"], os.environ, setpgroup=0)
    try:
        plain.shell(f"setsid sleep 4718.{RUN} & exit 0")
        assert os.waitpid(pid, os.WNOHANG) == (0, 0)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def test_a_command_that_kills_its_parent_ends_only_itself(plain: Runner) -> None:
    done = plain.shell(f"sleep 4719.{RUN} & kill -9 $PPID; sleep 4719.{RUN}")
    assert (done.ended, done.returncode) == ("killed", -signal.SIGKILL)
    assert "supervisor" in done.output
    assert alive(f"sleep 4719.{RUN}") == []
    assert plain.shell("echo next").output == "next\n"


def test_groups_of_its_own_do_not_outlive_a_command_that_killed_its_parent(plain: Runner) -> None:
    done = plain.shell(f"bash -c 'set -m; sleep 4720.{RUN} & kill -9 '$PPID'; sleep 4720.{RUN}'")
    assert (done.ended, done.returncode) == ("killed", -signal.SIGKILL)
    assert alive(f"sleep 4720.{RUN}") == []


def test_a_supervisor_that_was_killed_while_idle_is_replaced(plain: Runner) -> None:
    parent = int(plain.shell("echo $PPID").output)
    os.kill(parent, signal.SIGKILL)
    assert plain.shell("echo next").output == "next\n"


def test_nothing_is_left_when_the_executor_goes(common: Ground) -> None:
    executor = ProcessExecutor()
    parent = int(executor.execute(Command(("sh", "-c", "echo $PPID"), common.tree)).output)
    del executor
    assert eventually(lambda: not Path(f"/proc/{parent}").exists())


AGENT = """
import sys
from pathlib import Path
from bot.protocols import Command
from bot.sandbox.process import ProcessExecutor
ProcessExecutor().execute(Command(("sh", "-c", sys.argv[2]), Path(sys.argv[1])))
"""


def test_killing_git_agent_ends_its_commands(common: Ground) -> None:
    script = f"setsid sleep 4720.{RUN} & sleep 4720.{RUN}"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *sys.path])}
    pid = os.posix_spawn(sys.executable, [sys.executable, "-c", AGENT, str(common.tree), script], environment)
    assert eventually(lambda: len(alive(f"sleep 4720.{RUN}")) >= 3, 10)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    assert eventually(lambda: not alive(f"sleep 4720.{RUN}"))


def test_an_interrupt_ends_the_command(plain: Runner) -> None:
    timer = threading.Timer(0.25, signal.raise_signal, [signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        plain.shell(f"setsid sleep 4721.{RUN} & sleep 4721.{RUN}")
    timer.join()
    assert not alive(f"sleep 4721.{RUN}")
    assert plain.shell("echo next").output == "next\n"


@SLOW
def test_long_output_keeps_both_ends(run: Runner) -> None:
    source = "print('first'); [print('x' * 999) for _ in range(50_000)]; print('last')"
    done = run.python(source)
    assert (done.ended, done.truncated) == ("exited", True)
    assert done.output.startswith("first\n")
    assert done.output.endswith("\nlast\n")
    assert "bytes left out" in done.output
    assert len(done.output) < 70_000


def test_output_is_fit_for_a_terminal(run: Runner) -> None:
    done = run("printf", r"\033[31mred\033[0m \033]0;title\007 a\000b\r\nold\rnew\n\377 \342\200\256x\302\233")
    for unwanted in "\x1b\x07\0\r\u202e\x9b":
        assert unwanted not in done.output
    assert "red" in done.output
    assert "new" in done.output
    assert "title" not in done.output


def test_a_report_comes_through_its_own_pipe(run: Runner) -> None:
    done = run.python(f"import os; os.write(int(os.environ['{REPORT}']), b'proof'); print('talk')", report=True)
    assert (done.report, done.output) == (b"proof", "talk\n")


def test_a_large_report_arrives_whole(run: Runner) -> None:
    source = f"import os; f = open(int(os.environ['{REPORT}']), 'wb'); f.write(b'x' * 3_000_000); f.close()"
    assert run.python(source, report=True).report == b"x" * 3_000_000


def test_a_child_that_keeps_the_report_open_does_not_delay_the_answer(run: Runner) -> None:
    done = run.shell(f"setsid sleep 4722.{RUN} & echo proof >&3", report=True)
    assert done.report == b"proof\n"
    assert done.seconds < 2


def test_without_a_report_there_is_no_pipe(run: Runner) -> None:
    source = f"import os; print('{REPORT}' in os.environ, sorted(map(int, os.listdir('/proc/self/fd')))[:3])"
    assert run.python(source).output.startswith("False [0, 1, 2]")
    assert "3" not in run.shell("ls /proc/$$/fd").output.split()


def test_files_are_bounded(common: Ground) -> None:
    done = Runner(ProcessExecutor(Bounds(file=1 << 20)), common.tree).shell(
        "exec dd if=/dev/zero of=big bs=64k count=99"
    )
    assert (done.returncode, done.hit) == (-signal.SIGXFSZ, ("file size",))
    assert "a file grew beyond" in done.output


def test_nobody_can_gain_rights(run: Runner) -> None:
    assert "NoNewPrivs:\t1" in run("cat", "/proc/self/status").output


def test_signals_are_as_in_a_fresh_session(run: Runner) -> None:
    ignored, blocked = run.python(
        "import re; s = open('/proc/thread-self/status').read(); print(*re.findall('Sig(?:Blk|Ign):.(.*)', s))"
    ).output.split()
    # Python itself ignores two; the C library keeps those above 31 for itself.
    assert int(blocked, 16) & 0x7FFFFFFF == 1 << (signal.SIGPIPE - 1) | 1 << (signal.SIGXFSZ - 1)
    assert int(ignored, 16) == 0


def test_secrets_are_not_in_the_environment(run: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_TOKEN", "SECRET", "VIRTUAL_ENV", "PYTHONPATH", "PYTEST_ADDOPTS", "GIT_DIR", "SSH_AUTH_SOCK"):
        monkeypatch.setenv(name, "marker-4723")
    assert "marker-4723" not in run("env").output


def test_the_supervisor_knows_no_secret(plain: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "marker-4724")
    assert "marker-4724" not in plain.shell("cat /proc/$PPID/environ").output


def test_own_folders_are_there_and_gone_afterwards(run: Runner) -> None:
    done = run.shell('echo x > "$HOME/a"; mkdir -m 000 "$TMPDIR/closed"; echo "$HOME $TMPDIR"')
    assert done.returncode == 0
    home, temporary = done.output.split()
    assert home != temporary
    assert not Path(home, "a").exists()
    assert not Path(temporary, "closed").exists()


def test_given_variables_are_set(run: Runner) -> None:
    assert run.shell('echo "$EXTRA"', environment=(("EXTRA", "value"),)).output == "value\n"
