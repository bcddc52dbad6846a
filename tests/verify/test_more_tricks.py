"""Tricks from inside of the test process, each tried against a wrong function; none may make it look right."""

import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from bot.core.check import Check, CheckResult, Rung, Verdict
from bot.errors import SandboxUnavailable
from bot.protocols import Command
from bot.sandbox.bubblewrap import BubblewrapExecutor
from bot.sandbox.site import Site
from bot.verify import suite
from bot.verify.compare import compare
from bot.verify.place import Place
from tests.conftest import Repo
from tests.verify.conftest import CALC, FIXED, PYTEST, TESTS, Files, bare, outcomes, run_tests, write

UNITTEST = Check(
    name="unittest",
    rung=Rung.UNIT,
    reader="unittest",
    argv=("python", "-m", "unittest", "discover"),
    timeout=60,
)
CASES = """
import unittest

from calc import add


class TestCalc(unittest.TestCase):
    def test_add(self):
        self.assertEqual(add(1, 2), 3)

    def test_zero(self):
        self.assertEqual(add(0, 0), 0)
"""
APPROX = """
import pytest

from calc import add


def test_add():
    assert add(1.0, 2.0) == pytest.approx(3.0)


def test_text():
    with pytest.raises(TypeError):
        add(1, "2")
"""
RAISES = """
import pytest

from calc import add


def test_add():
    with pytest.raises(ValueError):
        add(1, 2)
"""
FORGED_REPORTS = """
from _pytest.reports import TestReport

def pytest_runtest_protocol(item, nextitem):
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for when in ("setup", "call", "teardown"):
        report = TestReport(item.nodeid, item.location, {}, "passed", None, when, [], 0.0)
        item.ihook.pytest_runtest_logreport(report=report)
    return True
"""
RAN_AND_FORGED = """
from _pytest.reports import TestReport
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    runtestprotocol(item, log=False, nextitem=nextitem)
    item.ihook.pytest_runtest_setup(item=item)
    for when in ("setup", "call", "teardown"):
        report = TestReport(item.nodeid, item.location, {}, "passed", None, when, [], 0.0)
        item.ihook.pytest_runtest_logreport(report=report)
    return True
"""
SWALLOWED_INSIDE = """
import pytest

@pytest.hookimpl(hookwrapper=True, trylast=True)
def pytest_pyfunc_call(pyfuncitem):
    outcome = yield
    outcome.force_result(True)
"""
REGISTERED_LATE = """
import pytest

class Late:
    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_call(self, item):
        outcome = yield
        outcome.force_result(None)

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    if not item.config.pluginmanager.has_plugin("late"):
        item.config.pluginmanager.register(Late(), "late")
"""
HOOKS_EXECUTED_ELSEWHERE = """
def pytest_configure(config):
    manager = config.pluginmanager
    inner = manager._inner_hookexec
    def execute(name, methods, arguments, first):
        if name == "pytest_pyfunc_call":
            methods = [m for m in methods if m.hookwrapper or m.plugin_name != "python"]
            inner(name, methods, arguments, first)
            return True
        return inner(name, methods, arguments, first)
    manager._inner_hookexec = execute
"""
CODE_REPLACED = """
def pytest_collection_modifyitems(items):
    for item in items:
        item.obj.__code__ = (lambda: None).__code__
"""
WRAPPED = """
def quiet(old):
    def call(**given):
        try:
            old(**given)
        except BaseException:
            pass
    return call

def pytest_collection_modifyitems(items):
    for item in items:
        item.obj = quiet(item.obj)
"""
OWN_ITEMS = """
import pytest

class Silent(pytest.Function):
    def runtest(self):
        pass

def pytest_pycollect_makeitem(collector, name, obj):
    if name.startswith("test_"):
        return Silent.from_parent(collector, name=name)
"""
STRIPPED_ASSERTIONS = """
import ast, importlib.abc, importlib.util, sys

class Strip(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.copy_location(ast.Pass(), node)

class Loader(importlib.abc.Loader):
    def __init__(self, path):
        self.path = path
    def create_module(self, spec):
        return None
    def exec_module(self, module):
        tree = ast.fix_missing_locations(Strip().visit(ast.parse(open(self.path).read())))
        exec(compile(tree, self.path, "exec"), module.__dict__)

class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name == "test_calc":
            return importlib.util.spec_from_file_location(name, "test_calc.py", loader=Loader("test_calc.py"))

def pytest_collection(session):
    sys.meta_path.insert(0, Finder())
"""
REWRITER_REPLACED = """
import ast
from _pytest.assertion.rewrite import AssertionRewriter
original = AssertionRewriter.visit_Assert
AssertionRewriter.visit_Assert = lambda self, node: [ast.copy_location(ast.Pass(), node)]

def pytest_collection_finish(session):
    AssertionRewriter.visit_Assert = original
"""
REWRITTEN_ON_DISK = """
kept = open("test_calc.py").read()
open("test_calc.py", "w").write(kept.replace("== 3", "!= 3"))

def pytest_unconfigure():
    open("test_calc.py", "w").write(kept)
"""
GOOD_COPY = f"""
import pathlib, sys, tempfile
folder = tempfile.mkdtemp()
pathlib.Path(folder, "calc.py").write_text({FIXED!r})
sys.path.insert(0, folder)
"""
MADE_UP = f"""
import sys, types
module = types.ModuleType("calc")
exec({FIXED!r}, module.__dict__)
sys.modules["calc"] = module
"""
FORGED_WITH_THE_TOKEN = """
import json, os, re
for pid in ("self", os.getppid(), 1):
    try:
        known = open(f"/proc/{pid}/environ", "rb").read() + open(f"/proc/{pid}/cmdline", "rb").read()
        for path in re.findall(rb"[^\\0]*/secret", known):
            if os.path.exists(path):
                known += b"=" + open(path, "rb").read()
        found = re.search(rb"=([0-9a-f]{32})", known)
    except OSError:
        continue
    if found:
        names = ["test_calc.py::test_add", "test_calc.py::test_zero"]
        told = [{"kind": "case", "id": n, "outcome": "passed", "message": "", "path": "test_calc.py", "line": 1}
                for n in names]
        told.append({"kind": "end", "exit": 0, "collected": 2, "share": 2, "same": "x", "missing": [], "tampered": [],
                     "foreign": [], "hidden": []})
        lines = [json.dumps({"token": found[1].decode(), "number": n, **t}) for n, t in enumerate(told, 1)]
        for fd in range(3, 300):
            try:
                os.write(fd, "".join(line + "\\n" for line in lines).encode())
            except OSError:
                pass
        os._exit(0)
"""
JUMPED_OVER = """
import sys

def jump(frame, event, argument):
    if frame.f_code.co_name == "test_add":
        if event == "line" and frame.f_lineno == frame.f_code.co_firstlineno + 2:
            frame.f_lineno += 1
        return jump

def pytest_runtest_setup():
    sys.settrace(jump)
"""
STEPS = """
from calc import add


def test_add():
    result = add(1, 2)
    assert result == 3
    print(result)
"""


class Trick(NamedTuple):
    """A change that makes nothing right."""

    files: Files
    tests: str = TESTS
    check: Check = PYTEST


def conftest(text: str, tests: str = TESTS, check: Check = PYTEST) -> Trick:
    return Trick({"conftest.py": text}, tests, check)


def calc(text: str) -> Trick:
    return Trick({"calc.py": text + "\n\n" + CALC})


def ini(text: str) -> Trick:
    return Trick({"pytest.ini": f"[pytest]\n{text}\n"})


def modified(text: str) -> Trick:
    return conftest(
        f"import pytest\n\ndef pytest_collection_modifyitems(items):\n    for item in items:\n        {text}\n"
    )


def case(text: str) -> Trick:
    return Trick({"helping.py": text, "test_calc.py": "import helping\n" + CASES}, CASES, UNITTEST)


TRICKS: dict[str, Trick] = {
    "thread that exits": calc("import os, threading\nthreading.Timer(0, os._exit, (0,)).start()"),
    "another program in our place": calc("import os\nos.execv('/bin/true', ['true'])"),
    "child goes on, parent leaves": calc("import os\nif os.fork():\n    os.wait()\n    os._exit(0)"),
    "parent goes on after a child": calc("import os\nif not os.fork():\n    os._exit(0)\nos.wait()"),
    "descriptors closed": calc("import os\nos.closerange(3, 300)"),
    "descriptors turned away": calc(
        "import os\nnull = os.open('/dev/null', 1)\nfor fd in range(3, 300):\n    os.dup2(null, fd)"
    ),
    "alarm that exits": calc(
        "import os, signal\nsignal.signal(signal.SIGALRM, lambda *_: os._exit(0))\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.001)\nsignal.pause()"
    ),
    "terminated": calc("import os\nos.kill(os.getpid(), 15)"),
    "exit turned into another": conftest("import os, sys\nsys.exit = lambda *_: os._exit(0)"),
    "report with the token that was given to us": calc(FORGED_WITH_THE_TOKEN),
    "os.write replaced": conftest(
        "import os\nwrite = os.write\n"
        "os.write = lambda fd, data: write(fd, data.replace(b'failed', b'passed')) and len(data)"
    ),
    "json replaced": conftest(
        "import json, json.encoder\nold = json.encoder.encode_basestring_ascii\n"
        "new = lambda text: old(text.replace('failed', 'passed'))\n"
        "json.encoder.encode_basestring_ascii = json.encoder.c_make_encoder = new\njson.dumps = lambda *_, **__: '{}'"
    ),
    "any and all replaced": conftest(
        "import builtins\nbuiltins.any = lambda *_: False\nbuiltins.all = lambda *_: True\n"
    ),
    "isinstance replaced": conftest(
        "import builtins\nold = builtins.isinstance\n"
        "builtins.isinstance = lambda o, k: old(o, k) or old(o, AssertionError)"
    ),
    "AssertionError replaced by a skip": conftest(
        "import builtins, pytest\nbuiltins.AssertionError = pytest.skip.Exception"
    ),
    "reports forged by the protocol": conftest(FORGED_REPORTS),
    "run, then forged": conftest(RAN_AND_FORGED),
    "report changed as it is logged": conftest(
        "import pytest\n@pytest.hookimpl(tryfirst=True)\ndef pytest_runtest_logreport(report):\n"
        "    report.outcome, report.longrepr = 'passed', None\n"
    ),
    "exception swallowed at the function": conftest(SWALLOWED_INSIDE),
    "exception swallowed by a late plugin": conftest(REGISTERED_LATE),
    "hooks executed by another": conftest(HOOKS_EXECUTED_ELSEWHERE),
    "runtest of an item replaced": modified("item.runtest = lambda: None"),
    "function of an item replaced": modified("item.obj = lambda: None"),
    "function of an item wrapped": conftest(WRAPPED),
    "function of an item taken from a library": modified("item.obj = type(None)"),
    "code of a test replaced": conftest(CODE_REPLACED),
    "code of Function.runtest replaced": conftest(
        "from _pytest.python import Function\nFunction.runtest.__code__ = (lambda self: None).__code__\n"
    ),
    "code of the report replaced": conftest(
        "from _pytest.runner import call_and_report\nfrom _pytest.reports import TestReport\n"
        "def fine(cls, item, call):\n    call.excinfo = None\n"
        "    return cls(item.nodeid, item.location, {}, 'passed', None, call.when, [], 0.0)\n"
        "TestReport.from_item_and_call.__func__.__code__ = fine.__code__\n"
    ),
    "items of another kind": conftest(OWN_ITEMS),
    "parametrized with nothing": conftest(
        "def pytest_generate_tests(metafunc):\n    metafunc.fixturenames.append('none')\n"
        "    metafunc.parametrize('none', [])\n"
    ),
    "marked to be skipped": modified("item.add_marker(pytest.mark.skip)"),
    "marked to fail": modified("item.add_marker(pytest.mark.xfail(strict=False))"),
    "fixture that expects failure": conftest(
        "import pytest\n@pytest.fixture(autouse=True)\ndef no(request):\n"
        "    request.applymarker(pytest.mark.xfail(raises=AssertionError))\n"
    ),
    "ids changed": modified("item._nodeid = item.nodeid.replace('test_add', 'test_sum')"),
    "file ignored by a hook": conftest("def pytest_ignore_collect():\n    return True\n"),
    "module that collects nothing": conftest(
        "import pytest\nclass Empty(pytest.Module):\n    def collect(self):\n        return []\n"
        "def pytest_pycollect_makemodule(module_path, parent):\n"
        "    return Empty.from_parent(parent, path=module_path)\n"
    ),
    "main answered": conftest("def pytest_cmdline_main(config):\n    return 0\n"),
    "other arguments": Trick(
        {
            "conftest.py": "def pytest_configure(config):\n    config.args[:] = ['test_other.py']\n",
            "test_other.py": "def test_fine(): pass\n",
        }
    ),
    "chosen by keyword": ini("addopts = -k zero"),
    "only a plan": ini("addopts = --setup-plan"),
    "only the help": ini("addopts = --help"),
    "only the version": ini("addopts = --version"),
    "only the fixtures": ini("addopts = --fixtures"),
    "other files": ini("python_files = check_*.py"),
    "other folders": ini("testpaths = nowhere\nnorecursedirs = *"),
    "without what calls functions": ini("addopts = -p no:python"),
    "without assertions": ini("addopts = -p no:assertion -p no:runner"),
    "plugin of pyproject": Trick(
        {
            "pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-p evil'\n",
            "evil.py": "import pytest\n" + SWALLOWED_INSIDE,
        }
    ),
    "plugin named by conftest": Trick(
        {"conftest.py": "pytest_plugins = ['evil']\n", "evil.py": "import os\nos._exit(0)\n"}
    ),
    "plugin of an egg": Trick(
        {
            "evil.egg-info/PKG-INFO": "Metadata-Version: 2.1\nName: evil\nVersion: 1.0\n",
            "evil.egg-info/entry_points.txt": "[pytest11]\nevil = evil\n",
            "evil.py": "import os\nos._exit(0)\n",
        }
    ),
    "exit when all is over": conftest("import os\ndef pytest_unconfigure():\n    os._exit(0)\n"),
    "a run within the run": conftest(
        "import os, pytest\ndef pytest_collection():\n    os._exit(pytest.main(['--version']))\n"
    ),
    "assertions stripped on import": conftest(STRIPPED_ASSERTIONS),
    "assertions stripped by the rewriter": conftest(REWRITER_REPLACED),
    "test file rewritten and put back": conftest(REWRITTEN_ON_DISK),
    "good copy from elsewhere": conftest(GOOD_COPY),
    "module made up": conftest(MADE_UP),
    "assertion jumped over": conftest(JUMPED_OVER, STEPS),
    "assertion jumped over for the function": Trick(
        {
            "calc.py": "import sys\n" + JUMPED_OVER.partition("def pytest")[0]
            + "def add(a, b):\n    sys.settrace(jump)\n    sys._getframe(1).f_trace = jump\n    return a - b\n"
        },
        STEPS,
    ),
    "approx equal to all": conftest(
        "import pytest\n@pytest.fixture(autouse=True)\ndef lax(monkeypatch):\n"
        "    getattr(monkeypatch, 'setattr')(type(pytest.approx(1.0)), '__eq__', lambda *_: True)\n",
        APPROX,
    ),
    "approx that is something else": conftest(
        "import pytest\nfrom unittest import mock\n@pytest.fixture(autouse=True)\ndef lax(monkeypatch):\n"
        "    getattr(monkeypatch, 'setattr')(pytest, 'approx', lambda *_: mock.ANY)\n",
        APPROX,
    ),
    "raises that takes nothing as well": conftest(
        "import contextlib, pytest\n@pytest.fixture(autouse=True)\ndef lax(monkeypatch):\n"
        "    getattr(monkeypatch, 'setattr')(pytest, 'raises', contextlib.suppress)\n",
        RAISES,
    ),
    "assertions of a case given by a fixture": conftest(
        "import pytest\n@pytest.fixture(autouse=True)\ndef lax(request):\n"
        "    request.instance.assertEqual = lambda *_: None\n",
        CASES,
    ),
    "assertions of all cases for a while": conftest(
        "import pytest, unittest\n@pytest.fixture(autouse=True)\ndef lax(monkeypatch):\n"
        "    getattr(monkeypatch, 'setattr')(unittest.TestCase, 'assertEqual', lambda *_: None)\n",
        CASES,
    ),
    "code of an assertion": conftest(
        "import unittest\nunittest.TestCase.assertEqual.__code__ = (lambda self, a, b, msg=None: None).__code__\n",
        CASES,
    ),
    "run of cases replaced for pytest": conftest(
        "import unittest\nunittest.TestCase.run = lambda self, result: result.addSuccess(self)\n", CASES
    ),
    "unittest: assertion replaced": case("import unittest\nunittest.TestCase.assertEqual = lambda *_: None\n"),
    "unittest: code of an assertion": case(
        "import unittest\nunittest.TestCase.assertEqual.__code__ = (lambda self, a, b, msg=None: None).__code__\n"
    ),
    "unittest: run replaced": case(
        "import unittest\ndef run(self, result=None):\n    result.startTest(self)\n    result.addSuccess(self)\n"
        "    result.stopTest(self)\nunittest.TestCase.run = run\n"
    ),
    "unittest: result replaced": case(
        "import unittest\nunittest.TestResult.addFailure = unittest.TestResult.addError = lambda *_: None\n"
    ),
    "unittest: our result replaced": case(
        "import gc, unittest\nfor kind in unittest.TestResult.__subclasses__():\n"
        "    kind.addFailure = lambda self, test, err: self.addSuccess(test)\n"
    ),
    "unittest: suite replaced": case(
        "import unittest\nunittest.TestSuite.run = lambda self, result, debug=False: result\n"
    ),
    "unittest: program replaced": case("import unittest\nunittest.TestProgram.runTests = lambda self: None\n"),
    "unittest: failures that skip": case(
        "import unittest\nunittest.TestCase.failureException = unittest.SkipTest\n"
    ),
    "unittest: exit": case("import os\nos._exit(0)\n"),
    "unittest: SystemExit": case("import sys\nsys.exit(0)\n"),
    "unittest: exit at the end": case("import atexit, os\natexit.register(os._exit, 0)\n"),
    "unittest: nothing loaded": Trick(
        {"test_calc.py": CASES + "\n\ndef load_tests(loader, tests, pattern):\n    return unittest.TestSuite()\n"},
        CASES,
        UNITTEST,
    ),
    "unittest: method replaced when the module is set up": Trick(
        {"test_calc.py": CASES + "\n\ndef setUpModule():\n    TestCalc.test_add = lambda self: None\n"}, CASES, UNITTEST
    ),
    "unittest: class that runs itself": Trick(
        {
            "test_calc.py": CASES.replace(
                "    def test_add",
                "    def run(self, result=None):\n        result.startTest(self)\n        result.addSuccess(self)\n"
                "        result.stopTest(self)\n\n    def test_add",
            )
        },
        CASES,
        UNITTEST,
    ),
    "unittest: stopped": Trick(
        {
            "test_calc.py": CASES.replace(
                "    def test_add", "    def run(self, result=None):\n        result.stop()\n\n    def test_add"
            )
        },
        CASES,
        UNITTEST,
    ),
    "unittest: folder of that name": Trick(
        {"unittest/__init__.py": "print('OK')\n", "unittest/__main__.py": "print('OK')\n"}, CASES, UNITTEST
    ),
}  # fmt: skip
BASES: dict[tuple[str, str], Verdict] = {}


def base(root: Path, trick: Trick) -> Verdict:
    """Judge the tree before a trick; it is the same for many."""
    key = (trick.tests, trick.check.name)
    if key not in BASES:
        result = run_tests(write(root, {"calc.py": CALC, "test_calc.py": trick.tests}), check=trick.check)
        assert "failed" in outcomes(result).values()
        BASES[key] = Verdict(tree="base", results=(result,))
    return BASES[key]


@pytest.mark.parametrize("trick", TRICKS.values(), ids=TRICKS)
def test_trick_does_not_make_a_wrong_function_look_right(trick: Trick, tmp_path: Path) -> None:
    before = base(tmp_path / "base", trick)
    root = write(tmp_path / "tree", {"calc.py": CALC, "test_calc.py": trick.tests, **trick.files})
    result = run_tests(root, check=trick.check)
    after = Verdict(tree="after", results=(result,), comparison=compare(before, [result]))
    assert not (after.ok and after.better and not after.comparison.changed), told(result)


def told(result: CheckResult) -> str:
    cases = [(case.id, case.outcome, case.message) for case in result.cases]
    return f"{result.status}: {result.summary}\n{cases}\n{result.hidden}\n{result.output[-1500:]}"


@pytest.mark.parametrize(("tests", "check"), [(TESTS, PYTEST), (APPROX, PYTEST), (CASES, PYTEST), (CASES, UNITTEST)])
def test_right_function_looks_right(tests: str, check: Check, tmp_path: Path) -> None:
    before = base(tmp_path / "base", Trick({}, tests, check))
    result = run_tests(write(tmp_path / "tree", {"calc.py": FIXED, "test_calc.py": tests}), check=check)
    after = Verdict(tree="after", results=(result,), comparison=compare(before, [result]))
    assert after.ok, told(result)
    assert after.better
    assert not after.comparison.changed


def test_secret_of_the_report_is_not_found_inside_of_the_sandbox(tmp_path: Path, repo: Repo) -> None:
    tree = write(tmp_path / "tree", {"calc.py": FORGED_WITH_THE_TOKEN + CALC, "test_calc.py": TESTS})
    executor = BubblewrapExecutor(Site(repo.path, repo.path / ".git", [bare().path, Path(sys.executable)]))
    try:
        executor.execute(Command(argv=["true"], cwd=tree))
    except SandboxUnavailable as error:
        pytest.skip(f"no bubblewrap here: {error.message}")
    result = suite.run(PYTEST, Place(tree, executor, bare()), ())
    assert outcomes(result)["test_calc.py::test_add"] == "failed"
