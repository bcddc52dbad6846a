"""Searches in small real projects, each in its own process."""

import hashlib
import os
import shutil
import subprocess
import sys
import time
import venv
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import iniconfig
import pytest

from bot.core.message import Searching
from bot.errors import SandboxUnavailable, ToolError
from bot.protocols import Command, Completed
from bot.repair.engine import BOOT, locate, search, try_patches
from bot.repair.found import Search
from bot.repair.subject import Subject
from bot.repair.worker.nursery import shares_code
from bot.repair.worker.tree import Tree
from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.process import ProcessExecutor
from bot.sandbox.site import Site
from bot.verify.interpreter import own
from tests.conftest import Repo, executor

PYTHON = Path(sys.executable)
PACKAGE = BOOT.parents[2]
QUICK = 20.0


def subject(root: Path) -> Subject:
    """Have a project repaired that has no environment of its own."""
    return Subject(root, PYTHON, executor(), own().variables)


def make(root: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(text.encode())
    return root


def snapshot(root: Path) -> dict[str, str]:
    return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(root.rglob("*")) if p.is_file()}


def passes(root: Path, found: Search) -> bool:
    """Apply the best patch with git and run the tests the way a person would."""
    subprocess.run(["git", "apply", "-"], cwd=root, input=found.candidates[0].patch.encode(), check=True)
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    env = {**os.environ, **dict(own().variables)}
    return subprocess.run(argv, cwd=root, env=env, capture_output=True, check=False).returncode == 0


def test_a_wrong_operator_is_found_and_the_tree_is_not_written_to(repo: Repo) -> None:
    # With the plugins of pytest that lie beside us, as in an environment of the project's own
    make(repo.path, {"pytest.ini": "[pytest]\nfilterwarnings = error\n"})
    before = snapshot(repo.path)
    found = search(Subject(repo.path, PYTHON, ProcessExecutor()), ["test_calc.py::test_add"], QUICK)
    assert snapshot(repo.path) == before
    assert found.reason == "found"
    assert found.candidates[0].patch == (
        "--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n"
    )
    assert (found.candidates[0].path, found.candidates[0].line) == ("calc.py", 2)
    assert found.suspects[0].path == "calc.py"
    assert found.tried > 0
    assert passes(repo.path, found)


def test_the_search_works_behind_walls(repo: Repo) -> None:
    executor = BubblewrapExecutor(Site(repo.path, repo.path / ".git", [PYTHON], readable=[PACKAGE]))
    try:
        executor.execute(Command(("true",), repo.path))
    except SandboxUnavailable as error:
        pytest.skip(f"no bubblewrap here: {error.message}")
    found = search(Subject(repo.path, PYTHON, executor), [], QUICK, limit=1)
    assert "+    return a + b" in found.candidates[0].patch


def test_lines_are_ranked_by_the_tests_that_fail(tmp_path: Path) -> None:
    root = make(
        tmp_path,
        {
            "src/shop/__init__.py": "",
            "src/shop/price.py": (
                "def total(prices, member):\n    result = sum(prices)\n"
                "    if member:\n        result = result * 2\n    return result\n"
            ),
            "tests/test_price.py": (
                "from shop.price import total\n\ndef test_guest():\n    assert total([1, 2], False) == 3\n\n"
                "def test_member():\n    assert total([1, 3], True) == 2\n"
            ),
        },
    )
    suspects = locate(subject(root), [], QUICK)
    assert (suspects[0].path, suspects[0].line) == ("src/shop/price.py", 4)
    assert suspects[0].text == "result = result * 2"
    assert 1 >= suspects[0].score > suspects[-1].score > 0


HAZARDS = {
    "bot/__init__.py": "",
    "bot/registry.py": (
        "import functools\n\nCALLS = []\n\n\ndef noted(function):\n    @functools.wraps(function)\n"
        "    def wrapper(*args):\n        CALLS.append(function.__name__)\n"
        "        return function(*args)\n    return wrapper\n\n\n"
        "@noted\ndef clamp(value, low, high):\n    # Keep the value between its bounds.\n"
        "    if value < low:\n        return low\n    if value > high:\n        return low\n    return value\n"
    ),
    "test_registry.py": (
        "import subprocess, sys, unittest\nimport pytest\nfrom bot.registry import CALLS, clamp\n\nseen = []\n\n"
        "def test_first():\n    seen.append(1)\n    assert clamp(5, 0, 9) == 5\n\n"
        "def test_second():\n    assert seen == [1]\n    assert clamp(-5, 0, 9) == 0\n\n"
        "class TestClamp(unittest.TestCase):\n"
        "    def test_high(self):\n        self.assertEqual(clamp(50, 0, 9), 9)\n\n"
        "    def test_low(self):\n        self.assertEqual(clamp(-1, 0, 9), 0)\n\n"
        "def test_process():\n    code = 'from bot.registry import clamp; print(clamp(3, 0, 9))'\n"
        "    assert subprocess.run([sys.executable, '-c', code], capture_output=True, text=True).stdout == '3\\n'\n\n"
        "def test_calls():\n    clamp(1, 0, 2)\n    assert CALLS[-1] == 'clamp'\n\n"
        "def test_logs(caplog):\n    assert caplog.text == ''\n\n"
        "@pytest.mark.xfail(strict=True)\ndef test_known():\n    assert clamp(0, 0, 0) == 1\n\n"
        "@pytest.mark.skip\ndef test_skipped():\n    raise SystemExit(1)\n\n"
        "def test_hopeless():\n    assert clamp(2, 0, 9) == 'two'\n"
    ),
}
"""A package of our own name, module state, a decorator, an order that matters, a subprocess, marks, a lost cause."""


def test_a_defect_among_every_hazard_is_found(tmp_path: Path) -> None:
    root = make(tmp_path, HAZARDS)
    before = snapshot(root)
    found = search(subject(root), ["test_registry.py::TestClamp::test_high"], QUICK, limit=2)
    assert snapshot(root) == before
    assert found.reason == "found"
    assert "-        return low\n+        return high\n" in found.candidates[0].patch


def test_candidates_that_never_end_are_given_up(tmp_path: Path) -> None:
    root = make(
        tmp_path,
        {
            "count.py": (
                "def digits(n):\n    found = 0\n    while n > 0:\n"
                "        n = n * 10\n        found += 1\n    return found\n"
            ),
            "test_count.py": (
                "from count import digits\n\ndef test_three():\n    assert digits(123) == 3\n\n"
                "def test_none():\n    assert digits(0) == 0\n"
            ),
        },
    )
    found = search(subject(root), [], QUICK, limit=1)
    assert "n // 10" in found.candidates[0].patch


def test_a_project_that_is_part_of_pytest_is_run_by_a_new_interpreter(tmp_path: Path) -> None:
    root = make(
        tmp_path,
        {
            "iniconfig/__init__.py": "def three():\n    return 2\n",
            "test_it.py": "from iniconfig import three\n\ndef test_it():\n    assert three() == 3\n",
        },
    )
    assert search(subject(root), [], QUICK).candidates == ()
    assert shares_code(Tree(root))
    assert not shares_code(Tree(make(tmp_path / "other", {"unheard_of.py": ""})))


def test_a_defect_in_code_that_pytest_runs_on_is_mended_where_it_is_installed_from_the_tree(tmp_path: Path) -> None:
    root = tmp_path / "project"
    installed = Path(iniconfig.__file__).parent
    shutil.copytree(installed, root / "src/iniconfig", ignore=shutil.ignore_patterns("__pycache__"))
    with (root / "src/iniconfig/__init__.py").open("a") as code:
        code.write("\n\ndef minus(a: int, b: int) -> int:\n    return a + b\n")
    make(root, {"test_it.py": "from iniconfig import minus\n\ndef test_it():\n    assert minus(3, 1) == 2\n"})
    venv.create(tmp_path / "venv", symlinks=True)
    library = next((tmp_path / "venv/lib").glob("python*/site-packages"))
    (library / "editable.pth").write_text(f"{root / 'src'}\n")
    asked = Subject(root, tmp_path / "venv/bin/python", ProcessExecutor(), lender=installed.parent)
    found = search(asked, ["test_it.py::test_it"], QUICK)
    assert {candidate.path for candidate in found.candidates} == {"src/iniconfig/__init__.py"}


def test_a_missing_guard_for_none_is_found(tmp_path: Path) -> None:
    root = make(
        tmp_path,
        {
            "chain.py": (
                "class Node:\n    def __init__(self, after=None):\n        self.after = after\n\n\n"
                "def last(node):\n    if node.after is None:\n        return node\n    return last(node.after)\n"
            ),
            "test_chain.py": (
                "from chain import Node, last\n\ndef test_none():\n    assert last(None) is None\n\n"
                "def test_two():\n    end = Node()\n    assert last(Node(end)) is end\n"
            ),
        },
    )
    found = search(subject(root), [], QUICK, limit=2)
    assert any("node is None or node.after is None" in candidate.patch for candidate in found.candidates)


def test_a_constant_and_a_default_outside_of_functions_are_reached(tmp_path: Path) -> None:
    root = make(
        tmp_path,
        {
            "limits.py": "LIMIT = 9\n\n\ndef full(count):\n    return count >= LIMIT\n",
            "test_limits.py": "from limits import full\n\ndef test_full():\n    assert full(10) and not full(9)\n",
        },
    )
    found = search(subject(root), [], QUICK)
    assert found.reason == "found"
    assert passes(root, found)


def test_a_file_that_does_not_compile_is_mended(tmp_path: Path) -> None:
    root = make(
        tmp_path,
        {
            "calc.py": "def add(a, b)\r\n    return a + b\r\n",
            "test_calc.py": "from calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n",
            "test_other.py": "def test_other():\n    assert True\n",
        },
    )
    found = search(subject(root), [], QUICK, limit=1)
    assert found.reason == "found"
    assert found.candidates[0].template == "syntax_colon"
    assert passes(root, found)
    assert (root / "calc.py").read_bytes() == b"def add(a, b):\r\n    return a + b\r\n"


@pytest.mark.parametrize(
    ("broken", "wanted"),
    [
        ("def area(r):\n    return math.pi * r\n\nHALF = area(1)\n", "+import math\n"),
        ("from math import squirt as root\nHALF = root(4)\n", "+from math import sqrt as root\n"),
    ],
    ids=["missing import", "misspelt import"],
)
def test_what_breaks_at_import_is_mended(tmp_path: Path, broken: str, wanted: str) -> None:
    test = "from shape import HALF\n\ndef test_half():\n    assert HALF > 1\n"
    root = make(tmp_path, {"shape.py": broken.replace("squirt", "sqrd"), "test_shape.py": test})
    found = search(subject(root), ["test_shape.py::test_half"], QUICK, limit=2)
    assert any(wanted in candidate.patch for candidate in found.candidates)


def test_tests_and_configuration_are_never_edited(tmp_path: Path) -> None:
    root = make(
        tmp_path,
        {
            "conftest.py": "import pytest\n\n@pytest.fixture\ndef three():\n    return 4\n",
            "tests/__init__.py": "",
            "tests/tools.py": "def same(a, b):\n    return a != b\n",
            "tests/test_it.py": (
                "from tests.tools import same\n\ndef test_it(three):\n"
                "    assert same(three, 3)\n    assert three == 3\n"
            ),
        },
    )
    found = search(subject(root), [], QUICK)
    assert found.candidates == ()
    assert "no line of the project" in found.reason


def test_a_healthy_project_has_nothing_to_repair(tmp_path: Path) -> None:
    root = make(tmp_path, {"test_it.py": "def test_it():\n    assert True\n"})
    assert search(subject(root), [], QUICK).reason == "nothing failed"
    assert search(subject(root), ["test_it.py::test_gone"], QUICK).reason == "no test of that name was collected"


def test_each_given_patch_is_judged_alone(repo: Repo) -> None:
    right = "--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n"
    breaks = right.replace("+    return a + b", "+    return 3")
    useless = right.replace("+    return a + b", "+    return b - a")
    syntax = right.replace("+    return a + b", "+    return a +")
    leaving = right.replace("+    return a + b", "+    import os; os._exit(0)")
    before = snapshot(repo.path)
    trials = try_patches(
        subject(repo.path), [useless, right, breaks, "junk", syntax, leaving], ["test_calc.py::test_add"], QUICK
    )
    assert snapshot(repo.path) == before
    assert [trial.passed for trial in trials] == [False, True, False, False, False, False]
    assert [trial.index for trial in trials] == list(range(6))
    assert trials[0].detail.startswith("still failing: test_calc.py::test_add (test_calc.py:5: ")
    assert "broken: test_calc.py::test_zero" in trials[2].detail
    assert trials[3].detail == "this is no unified diff"
    assert "could not be collected" in trials[4].detail
    assert "did not come to an end" in trials[5].detail
    assert not any("\n" in trial.detail for trial in trials)


EVIL = {
    "sleeps": "import time; time.sleep(60)",
    "hoards": "return len('x' * (1 << 34))",
    "kills where it came from": "import os; os.kill(os.getppid(), 9); os._exit(0)",
    "leaves another behind": (
        "\n    import os, time\n    if os.fork() == 0:\n        os.setsid()\n        time.sleep(60)\n    return 3"
    ),
    "writes over the tree": "open('calc.py', 'w').write('broken('); return 4",
}


def test_candidates_that_misbehave_cost_the_others_nothing(repo: Repo) -> None:
    right = "--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-    return a - b\n+    return a + b\n"
    evil = [
        "--- a/calc.py\n+++ b/calc.py\n@@ -1,2 +1,9 @@\n def add(a, b):\n-    return a - b\n"
        + "".join(f"+{line}\n" for line in f"    {code}".split("\n"))
        for code in EVIL.values()
    ]
    before = snapshot(repo.path)
    begun = time.monotonic()
    trials = try_patches(subject(repo.path), [right, *evil, right], ["test_calc.py"], 3.0)
    assert time.monotonic() - begun < QUICK
    assert snapshot(repo.path) == before
    assert [trial.passed for trial in trials] == [True, *(False for _ in EVIL), True], trials


class Saying:
    """An executor whose command said something else than it should."""

    isolation = "none"

    def __init__(self, report: bytes, output: str = "") -> None:
        self.report = report
        self.output = output

    def execute(self, command: Command) -> Completed:
        return Completed(1, "exited", self.output, 0.1, self.report)


def test_a_worker_that_cannot_start_is_an_error_in_one_line(repo: Repo) -> None:
    with pytest.raises(ToolError, match="could not run in the project's interpreter: no such file"):
        search(Subject(repo.path, PYTHON, Saying(b"", "no such\nfile")), [])


def test_forged_answers_reach_no_file_that_may_not_be_repaired(repo: Repo, tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text("x = 1\n")
    line = (
        '{"kind": "candidate", "path": "%s", "start": 0, "end": %d, '
        '"text": "y", "template": "t", "line": 1, "score": 1.0}\n'
    )
    named = [
        ("test_calc.py", 1),
        ("../outside.py", 1),
        (str(tmp_path / "outside.py"), 1),
        ("calc.py", 999),
        ("conftest.py", 0),
    ]
    report = "".join(line % pair for pair in named) + "no json\n" + '{"kind": "end", "reason": "found"}\n'
    assert search(Subject(repo.path, PYTHON, Saying(report.encode())), []).candidates == ()


PACKAGES = {
    "one/pytest.ini": "[pytest]\npythonpath = src\n",
    "one/src/calc.py": "def add(a, b):\n    return a - b\n",
    "one/tests/test_core.py": "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n",
    "two/tests/test_core.py": "def test_add():\n    assert True\n",
}


def test_package_is_repaired_under_its_own_settings(tmp_path: Path) -> None:
    root = make(tmp_path, PACKAGES)
    package = replace(subject(root), folder="one")
    tests = ["one/tests/test_core.py::test_add"]
    found = search(package, tests, QUICK)
    assert found.candidates[0].path == "one/src/calc.py"
    assert "+++ b/one/src/calc.py" in found.candidates[0].patch
    assert {suspect.path for suspect in locate(package, tests, QUICK)} == {"one/src/calc.py"}
    outside = "--- a/two/tests/test_core.py\n+++ b/two/tests/test_core.py\n@@ -2 +2 @@\n-    assert True\n+    pass\n"
    trials = try_patches(package, [found.candidates[0].patch, outside], tests, QUICK)
    assert [(trial.passed, trial.detail) for trial in trials][1] == (False, "it edits files outside of one")
    assert trials[0].passed


def test_a_search_tells_how_far_it_is_while_it_goes_on(tmp_path: Path) -> None:
    (tmp_path / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    (tmp_path / "test_calc.py").write_text("from calc import add\n\n\ndef test_add():\n    assert add(2, 3) == 'x'\n")
    told: list[Searching] = []
    found = search(subject(tmp_path), [], 20, watch=told.append)
    assert (found.candidates, bool(told)) == ((), True)
    assert all(one.tried <= two.tried and one.left >= two.left for one, two in pairwise(told))
    assert {one.place for one in told} <= {"", "calc.py:2", "calc.py:1"}
    few = search(subject(tmp_path), [], 20, most=1)
    assert (few.reason, few.tried < found.tried) == ("out of candidates", True)
