"""What tests and candidates do to the process that they run in."""

import os
import signal
import sys
import threading
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from bot.repair.engine import search
from bot.repair.worker import fork
from bot.repair.worker.cold import CANARY, Patch, apply, read
from bot.repair.worker.fork import OutOfTime, alarm, disarm, rang, waited
from bot.repair.worker.roll import _lines
from bot.repair.worker.source import Edit
from bot.repair.worker.spectra import difference_of
from bot.repair.worker.state import State
from bot.repair.worker.tree import Tree
from bot.tools.repair import tell_search
from tests.repair.test_engine import QUICK, make, snapshot, subject

WRONG = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "data.txt": "1",
    "test_calc.py": (
        "import os, pathlib, signal, sys, threading, time\nfrom calc import add\n\n"
        "HERE = pathlib.Path(__file__).parent\n\n"
        "def test_add():\n    assert add(1, 2) == 3\n\n"
        "def test_exit():\n    os._exit(0)\n\n"
        "def test_close():\n    os.closerange(3, 300)\n\n"
        "def test_fork():\n    child = os.fork()\n    if child == 0:\n        os._exit(0)\n"
        "    assert os.waitpid(child, 0)[1] == 0\n\n"
        "def test_alarm():\n    rung = []\n    signal.signal(signal.SIGALRM, lambda *_: rung.append(1))\n"
        "    signal.setitimer(signal.ITIMER_REAL, 0.01)\n    time.sleep(0.02)\n    assert rung\n\n"
        "def test_folder():\n    assert open('data.txt').read() == '1'\n    os.chdir('/')\n\n"
        "def test_thread():\n    threading.Thread(target=time.sleep, args=(30,)).start()\n    assert add(1, 0) == 1\n\n"
        "def test_write():\n    (HERE / 'calc.py.new').write_text(str(add(2, 0)))\n\n"
        "def test_hopeless():\n    assert add(2, 2) == 'four'\n\n"
        "def test_chance():\n    import random\n    assert random.random() <= 1\n"
    ),
}


def test_no_test_and_no_candidate_takes_the_search_down_with_it(tmp_path: Path) -> None:
    root = make(tmp_path, WRONG)
    before = {name: text for name, text in snapshot(root).items() if not name.endswith(".new")}
    found = search(subject(root), ["test_calc.py::test_add"], QUICK, limit=1)
    after = {name: text for name, text in snapshot(root).items() if not name.endswith(".new")}
    assert after == before
    assert "+    return a + b" in found.candidates[0].patch
    assert found.left_out == (("test_calc.py::test_exit", "it ends the process that it runs in"),)
    assert "\nLEFT OUT test_calc.py::test_exit: it ends the process that it runs in" in tell_search(found)


def ring(wall: float, work: Callable[[], object]) -> tuple[bool, bool, bool]:
    """Run something in a child under an alarm; tells whether it was ended, whether it rang, and for the clock."""

    def watched() -> tuple[bool, bool, bool]:
        try:
            alarm(0.05, wall)
            work()
        except OutOfTime:
            return True, rang(), waited()
        finally:
            disarm()
        return False, rang(), waited()

    answer = fork.ask(watched, 10.0)
    assert isinstance(answer, tuple)
    return answer


def wait_for_a_lock() -> None:
    lock = threading.Lock()
    lock.acquire()
    lock.acquire()


def swallow() -> None:
    end = time.process_time() + 0.15
    while time.process_time() < end:
        try:
            sum(range(2000))
        except BaseException:  # noqa: BLE001 - the hazard
            continue


def spin() -> None:
    while True:
        pass


@pytest.mark.parametrize(
    ("work", "wall", "wanted"),
    [
        (lambda: time.sleep(5), 0.05, (True, True, True)),
        (wait_for_a_lock, 0.05, (True, True, True)),
        (spin, 9.0, (True, True, False)),
        (lambda: None, 9.0, (False, False, False)),
    ],
    ids=["sleeping", "a lock", "a loop", "nothing"],
)
def test_what_does_not_end_is_ended_by_one_clock_or_the_other(
    work: Callable[[], object], wall: float, wanted: tuple[bool, bool, bool]
) -> None:
    assert ring(wall, work) == wanted


def test_time_that_was_up_is_known_though_the_code_swallowed_it() -> None:
    assert ring(0.0, swallow)[1]


def test_memory_of_a_child_is_bounded() -> None:
    def grow() -> str:
        try:
            bytearray(fork.MEMORY * 2)
        except MemoryError:
            return "bounded"
        return "boundless"

    assert fork.ask(grow, 5.0) == "bounded"


def test_a_child_that_closes_every_low_descriptor_still_answers() -> None:
    def close() -> str:
        os.closerange(3, 300)
        return "here"

    assert fork.ask(close, 5.0) == "here"


def test_a_child_that_dies_is_no_answer() -> None:
    assert fork.ask(lambda: os._exit(0), 5.0) is None
    assert fork.ask(lambda: os.kill(os.getpid(), signal.SIGKILL), 5.0) is None


def test_a_run_in_which_the_test_that_must_fail_passes_is_not_believed() -> None:
    case = b'["case", "test_it.py::test_it", "passed"]\n["end", "0", ""]\n'
    failing, passing = (f'["case", "::cold.py::{CANARY}", "{word}"]\n'.encode() for word in ("failed", "passed"))
    assert read(failing + case).complete
    assert not read(passing + case).complete
    assert not read(case).complete
    assert not read(failing + case.split(b"\n")[0]).complete


def test_operands_of_an_assertion_are_read_unless_they_are_cut_short() -> None:
    assert difference_of(AssertionError("assert [1, 2] == [1]\n  more")) == ("[1, 2]", "[1]")
    assert difference_of(AssertionError("1 != 2 : a message")) == ("1", "2")
    assert difference_of(AssertionError("assert [1, 2, ...] == [0, 1, ...1, 2, 3]")) is None
    assert difference_of(ValueError("assert 1 == 2")) is None


@pytest.fixture
def module(tmp_path: Path) -> Iterator[types.ModuleType]:
    text = (
        "import functools\n\nNAME = 'one'\nTABLE = {'a': [1]}\n\n\nclass Shop:\n    rate = 2\n    seen = []\n\n"
        "    def __init__(self):\n        self.sold = 0\n\n\nSHOP = Shop()\n\n\n"
        "@functools.lru_cache(maxsize=None)\ndef cached(n):\n    return n * Shop.rate\n\n\n"
        "def grow(item, to=[]):\n    to.append(item)\n    return to\n"
    )
    file = tmp_path / "left_behind.py"
    file.write_text(text)
    made = types.ModuleType("left_behind")
    made.__file__ = str(file)
    sys.modules["left_behind"] = made
    exec(compile(text, str(file), "exec"), vars(made))
    yield made
    del sys.modules["left_behind"]


def test_what_a_candidate_leaves_behind_is_taken_back(module: types.ModuleType, tmp_path: Path) -> None:
    folder = Path.cwd()
    state = State(Tree(tmp_path))
    own = module.Shop.__init__
    vars(module).update(NAME="two", NEW=1)
    module.SHOP.sold, module.SHOP.extra = 5, 6
    module.TABLE["a"].append(2)
    module.TABLE["b"] = 3
    module.Shop.rate, module.Shop.__init__, module.Shop.later = 9, None, 1
    module.Shop.seen.append(1)
    module.cached(1)
    module.grow(1)
    os.chdir(tmp_path)
    os.environ["LEFT_BEHIND"] = "1"
    try:
        state.restore()
        assert Path.cwd() == folder
    finally:
        os.chdir(folder)
    assert (module.NAME, module.TABLE, vars(module.SHOP)) == ("one", {"a": [1]}, {"sold": 0})
    assert (module.Shop.rate, module.Shop.seen, module.Shop.__init__) == (2, [], own)
    assert not hasattr(module, "NEW")
    assert not hasattr(module.Shop, "later")
    assert module.cached(1) == 2
    assert module.grow(2) == [2]
    assert "LEFT_BEHIND" not in os.environ


def test_silence_is_told_from_the_end_of_a_child() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"[1]\n[2")
    assert list(_lines(reading, time.monotonic() + 9, 0.01)) == [b"[1]", b""]
    os.write(writing, b"[3]\n")
    os.close(writing)
    assert list(_lines(reading, time.monotonic() + 9, 9.0)) == [b"[3]"]
    os.close(reading)


def test_a_patch_is_not_written_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "out").symlink_to(tmp_path)
    for patch in (Patch(created=(("out/new.py", ""),)), Patch((Edit("out/copy/m.py", 0, 0, "x"),))):
        with pytest.raises(FileNotFoundError):
            apply(tmp_path / "copy", patch)
    assert not (tmp_path / "new.py").exists()
