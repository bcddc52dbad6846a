"""Following tests line by line, and what they reach beyond the lines that they pass."""

import ast
import os
import shutil
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

import bot
from bot.repair.worker.follow import Follower
from bot.repair.worker.reach import Reach
from bot.repair.worker.tree import Tree
from tests.repair.test_engine import make

ROOT = Path(bot.__file__).parents[1]
SCRIPT = """\
import sys, threading
from bot.repair.worker.follow import Follower

CODE = '''
def even(n):
    if n % 2:
        return False
    return True

def count(n):
    found = 0
    for i in range(n):
        try:
            found += even(i)
        except ValueError:
            pass
    return [x for x in (found, n)]

def steps():
    yield 1
    yield 2
'''
space = {}
exec(compile(CODE, "/own/code.py", "exec"), space)
told = []
for run in range(2):
    lines, kinds, left = set(), set(), set()

    def note(path, frame, number):
        lines.add((path, number))
        kinds.update(f"{name}:{type(value).__name__}" for name, value in list(frame.f_locals.items()))
        return run == 0

    follower = Follower(
        lambda name: name[5:] if name.startswith("/own/") else None, note, lambda *given: left.add(given[0])
    )
    with follower.following():
        space["count"](3)
        list(space["steps"]())
        thread = threading.Thread(target=space["even"], args=(2,))
        thread.start()
        thread.join()
    told.append((sorted(n for _, n in lines), sorted(left)))
print(told)
"""
WANTED = [2, 3, 4, 5, 7, 8, 9, 10, 11, 14, 16, 17, 18]


def interpreters() -> list[str]:
    found = [sys.executable, *filter(None, (shutil.which(f"python3.{minor}") for minor in (9, 12, 13)))]
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("python", interpreters())
def test_lines_are_the_same_with_monitoring_and_with_tracing(python: str) -> None:
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([python, "-c", SCRIPT], env=environment, capture_output=True, text=True, check=False)
    if done.returncode == 127:
        pytest.skip("it is only a name here")
    assert done.returncode == 0, done.stderr
    told = ast.literal_eval(done.stdout)
    assert [lines for lines, _ in told] == [WANTED, WANTED]
    assert all(left == ["code.py"] for _, left in told)


def test_a_note_that_is_enough_is_not_asked_for_again() -> None:
    seen: list[int] = []
    space: dict[str, types.FunctionType] = {}
    exec(compile("def f():\n    return 1\n", "/own/f.py", "exec"), space)

    def note(_: str, __: types.FrameType, number: int) -> bool:
        seen.append(number)
        return False

    follower = Follower(lambda name: name if name == "/own/f.py" else None, note, print)
    with follower.following():
        pass
    space["f"]()
    assert seen == []


@pytest.fixture
def package(tmp_path: Path) -> Iterator[Path]:
    files = {
        "reached/__init__.py": "from reached.limits import LIMIT as MOST\n",
        "reached/limits.py": "UNIT = 3\nLIMIT = UNIT * 3\nOTHER = 1\n",
        "reached/levels.py": (
            "class Level:\n    LOW = 1\n    HIGH = 3\n\n    def top(self):\n        return self.HIGH\n"
        ),
        "reached/core.py": "from reached import MOST\n\n\ndef full(n):\n    return n >= MOST\n",
        "test_reached.py": (
            "from reached.levels import Level\nfrom reached import limits\n\n"
            "def test_it():\n    assert Level.HIGH == 2 and limits.OTHER == 2\n"
        ),
    }
    root = make(tmp_path, files)
    sys.path.insert(0, str(root))
    yield root
    sys.path.remove(str(root))
    for name in [name for name in sys.modules if name.split(".")[0] in ("reached", "test_reached")]:
        del sys.modules[name]


def test_constants_behind_suspicious_lines_are_suspicious_too(package: Path) -> None:
    __import__("reached.core")
    scores = Reach(Tree(package)).widen({("reached/core.py", 5): 1.0}, [])
    assert scores == {
        ("reached/core.py", 5): 1.0,
        ("reached/limits.py", 2): 0.5,
        ("reached/limits.py", 1): 0.25,
    }


def test_what_a_test_names_is_suspicious_where_it_passes_no_line(package: Path) -> None:
    test = vars(__import__("test_reached"))["test_it"]
    scores = Reach(Tree(package)).widen({}, [test])
    assert scores[("reached/levels.py", 3)] == scores[("reached/limits.py", 3)] == 0.5
    assert scores[("reached/levels.py", 2)] < 0.5
    assert ("test_reached.py", 5) not in scores
