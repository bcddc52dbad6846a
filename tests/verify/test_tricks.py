"""Tricks that make a wrong function look right; none of them may turn a verdict green."""

from pathlib import Path

import pytest

from bot.core.check import Verdict
from tests.verify.conftest import PYTEST, TESTS, Files, base_of, climb, ladder_for, outcomes, run_tests, write

FORCED = """
import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    report.outcome, report.longrepr = "passed", None
"""
FORCED_EARLY = """
import pytest
@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    call.excinfo = None
    yield
"""
REPLACED_REPORT = """
import _pytest.reports
original = _pytest.reports.TestReport.from_item_and_call.__func__
def kind(cls, item, call):
    call.excinfo = None
    return original(cls, item, call)
_pytest.reports.TestReport.from_item_and_call = classmethod(kind)
"""
SWALLOWED = """
import pytest
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    outcome = yield
    outcome.force_result(None)
"""
FORGED_LINES = """
import os
for fd in range(3, 300):
    try:
        os.write(fd, b'{"token": "x", "number": 1, "kind": "end", "exit": 0, "collected": 2}\\n2 passed\\n')
    except OSError:
        pass
os._exit(0)
"""
FAKE_PYTEST = """
def main(*args, **kwargs):
    print("2 passed in 0.01s")
    return 0
"""

MARK = "@pytest.mark.{}\ndef test_add"

TRICKS: dict[str, Files] = {
    "makereport says passed": {"conftest.py": FORCED},
    "makereport forgets the exception": {"conftest.py": FORCED_EARLY},
    "report class replaced": {"conftest.py": REPLACED_REPORT},
    "exception swallowed around the call": {"conftest.py": SWALLOWED},
    "Function.runtest replaced": {
        "conftest.py": "from _pytest.python import Function\nFunction.runtest = lambda self: None\n"
    },
    "call answered by conftest": {"conftest.py": "def pytest_pyfunc_call(pyfuncitem):\n    return True\n"},
    "protocol answered by conftest": {"conftest.py": "def pytest_runtest_protocol(item, nextitem):\n    return True\n"},
    "run loop answered by conftest": {"conftest.py": "def pytest_runtestloop(session):\n    return True\n"},
    "exit at import": {"calc.py": "import os\nos._exit(0)\n"},
    "forged lines in every descriptor": {"calc.py": FORGED_LINES},
    "exit at the end": {"conftest.py": "import atexit, os\natexit.register(os._exit, 0)\n"},
    "session.exitstatus": {"conftest.py": "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"},
    "pytest.exit in a hook": {
        "conftest.py": "import pytest\ndef pytest_sessionstart():\n    pytest.exit('done', returncode=0)\n"
    },
    "pytest.exit in a test": {
        "test_calc.py": "import pytest\n\ndef test_add():\n    pytest.exit('done', returncode=0)\n\n"
        "def test_zero():\n    pass\n"
    },
    "deselected in ini": {"pytest.ini": "[pytest]\naddopts = --deselect test_calc.py::test_add\n"},
    "deselected by conftest": {
        "conftest.py": "def pytest_collection_modifyitems(items):\n"
        "    items[:] = [i for i in items if i.name != 'test_add']\n"
    },
    "collect only": {"pytest.ini": "[pytest]\naddopts = --co\n"},
    "stop at the first failure": {"pytest.ini": "[pytest]\naddopts = -x\n"},
    "collect_ignore": {"conftest.py": "collect_ignore = ['test_calc.py']\n"},
    "python_functions": {"pytest.ini": "[pytest]\npython_functions = check_*\n"},
    "test deleted": {"test_calc.py": TESTS.replace("def test_add", "def gone_add")},
    "test renamed": {
        "test_calc.py": TESTS.replace("def test_add():\n    assert add(1, 2) == 3", "def test_sum():\n    pass")
    },
    "test skipped": {
        "test_calc.py": "import pytest\n" + TESTS.replace("def test_add", "@pytest.mark.skip\ndef test_add")
    },
    "test expected to fail": {"test_calc.py": "import pytest\n" + TESTS.replace("def test_add", MARK.format("xfail"))},
    "file skipped": {"test_calc.py": "import pytest\npytest.skip('no', allow_module_level=True)\n" + TESTS},
    "autouse fixture skips": {
        "conftest.py": "import pytest\n@pytest.fixture(autouse=True)\ndef no():\n    pytest.skip('no')\n"
    },
    "pytest folder in the tree": {"pytest/__init__.py": FAKE_PYTEST, "pytest/__main__.py": "print('2 passed')\n"},
    "pytest module in the tree": {"pytest.py": FAKE_PYTEST, "_pytest/__init__.py": "", "pluggy.py": ""},
    "plugin from ini": {"pytest.ini": "[pytest]\naddopts = -p evil\n", "evil.py": "import os\nos._exit(0)\n"},
    "sys.exit at import": {"calc.py": "import sys\nsys.exit(0)\n"},
    "planted interpreter hooks": {
        "sitecustomize.py": "import os\nos._exit(0)\n",
        "usercustomize.py": "import os\nos._exit(0)\n",
    },
    "probe taken out": {
        "conftest.py": "def pytest_configure(config):\n    for p in config.pluginmanager.get_plugins():\n"
        "        if type(p).__name__ == 'Watch':\n            config.pluginmanager.unregister(p)\n"
    },
    "unittest assertions emptied": {
        "conftest.py": "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n",
        "test_calc.py": "import unittest\nfrom calc import add\nclass TestCalc(unittest.TestCase):\n"
        "    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n",
    },
    "pytest.raises replaced by the code": {
        "calc.py": "import contextlib\nimport pytest\npytest.raises = contextlib.suppress\n\n"
        "def add(a, b):\n    return a - b\n",
    },
    "plugin from planted metadata": {
        "evil-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n",
        "evil-1.0.dist-info/entry_points.txt": "[pytest11]\nevil = evil\n",
        "evil.py": "import os\nos._exit(0)\n",
    },
    "killed": {"calc.py": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n"},
}


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> Verdict:
    root = write(
        tmp_path_factory.mktemp("base"), {"calc.py": "def add(a, b):\n    return a - b\n", "test_calc.py": TESTS}
    )
    verdict = base_of(root)
    assert outcomes(verdict.results[0]) == {"test_calc.py::test_add": "failed", "test_calc.py::test_zero": "passed"}
    return verdict


@pytest.mark.parametrize("files", TRICKS.values(), ids=TRICKS)
def test_trick_does_not_turn_the_verdict_green(files: Files, project: Path, before: Verdict) -> None:
    write(project, files)
    _, verdict = climb(ladder_for(project, PYTEST), project, before)
    assert not (verdict.green and verdict.ok), verdict
    assert "test_calc.py::test_add" not in verdict.comparison.fixed


def test_failure_beside_a_forged_pass_does_not_make_the_pass_believed(project: Path) -> None:
    tests = TESTS + "\n\ndef test_other():\n    assert add(5, 5) == 10\n"
    write(project, {"test_calc.py": tests})
    _, before = climb(ladder_for(project, PYTEST), project)
    selective = (
        "from _pytest.python import Function\noriginal = Function.runtest\n"
        "Function.runtest = lambda self: None if self.name == 'test_add' else original(self)\n"
    )
    write(project, {"conftest.py": selective})
    _, verdict = climb(ladder_for(project, PYTEST), project, before)
    assert verdict.results[0].status == "errored"
    assert verdict.comparison.fixed == ()
    assert not verdict.ok


def test_caller_cannot_choose_tests_by_environment(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_ADDOPTS", "--deselect test_calc.py::test_add")
    assert run_tests(project).status == "failed"


def test_honest_fix_is_green(project: Path, before: Verdict) -> None:
    write(project, {"calc.py": "def add(a, b):\n    return a + b\n"})
    _, verdict = climb(ladder_for(project, PYTEST), project, before)
    assert verdict.green
    assert verdict.ok
    assert verdict.comparison.fixed == ("test_calc.py::test_add",)
