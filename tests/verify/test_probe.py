"""What the probe tells of each test beside its outcome, in every interpreter that is here."""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from bot.core.check import CaseResult
from bot.verify import suite
from bot.verify.interpreter import Interpreter, own
from bot.verify.place import Place
from tests.conftest import executor
from tests.verify.conftest import FIXED, PYTEST, TESTS, bare, outcomes, run_tests, write

MOST_INTERPRETERS = 4


def cases(root: Path, files: Mapping[str, str]) -> dict[str, CaseResult]:
    """Run files' tests and sort what is said by the name of the test alone."""
    return {case.id.rpartition("::")[2]: case for case in run_tests(write(root, files)).cases}


CAUSES = """
import errno, fcntl, os, socket, sqlite3, urllib.request
from unittest import mock
import pytest

def closed():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]

def test_refused(): socket.create_connection(("127.0.0.1", closed()))
def test_wrapped(): urllib.request.urlopen(f"http://127.0.0.1:{closed()}/")
def test_behind():
    try:
        socket.create_connection(("127.0.0.1", closed()))
    except OSError as error:
        raise RuntimeError("no answer") from error
def test_unknown_host(): socket.getaddrinfo("no such host", 80)
def test_late():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0)); listener.listen()
        with socket.create_connection(listener.getsockname()) as client:
            client.settimeout(0.01)
            client.recv(1)
def test_forbidden():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as talker: talker.sendto(b"x", ("255.255.255.255", 9))
def test_forbidden_otherwise():
    sealed = os.memfd_create("x", os.MFD_ALLOW_SEALING)
    fcntl.fcntl(sealed, fcntl.F_ADD_SEALS, fcntl.F_SEAL_WRITE)
    os.write(sealed, b"x")
def test_full():
    with open("/dev/full", "w") as file:
        file.write("x"); file.flush()
def test_memory(): bytearray(1 << 60)
def test_module(): import nowhere.at_all
def test_own_module(): import calc.nothing
def test_standard_module(): import json.nothing
def test_distribution():
    import importlib.metadata
    importlib.metadata.version("not-installed-anywhere")
def test_file_of_tree(): open("data/answers.json")
def test_file_outside(): open("/etc/not/there")
def test_program():
    import subprocess
    subprocess.run(["no-such-program"])
def test_said(): raise ConnectionRefusedError(errno.ECONNREFUSED, "no")
def test_said_full(): raise OSError(errno.ENOSPC, "no")
def test_pretended():
    with mock.patch("socket.create_connection", side_effect=ConnectionRefusedError(111, "no")):
        socket.create_connection(("x", 1))
def test_assertion(): assert 1 == 2
def test_broken_pipe():
    reading, writing = os.pipe(); os.close(reading)
    os.write(writing, b"x")
@pytest.fixture
def service(): socket.create_connection(("127.0.0.1", closed()))
def test_fixture(service): pass
"""


def test_causes_outside_of_the_tree_are_told_apart(tmp_path: Path) -> None:
    found = cases(tmp_path, {"calc.py": "", "test_causes.py": CAUSES})
    assert {name: (case.error, case.cause, case.lacks) for name, case in found.items()} == {
        "test_refused": ("ConnectionRefusedError", "service", ""),
        "test_wrapped": ("URLError", "service", ""),
        "test_behind": ("RuntimeError", "service", ""),
        "test_unknown_host": ("gaierror", "network", ""),
        "test_late": (found["test_late"].error, "network", ""),
        "test_forbidden": ("PermissionError", "network", ""),
        "test_forbidden_otherwise": ("PermissionError", "", ""),
        "test_full": ("OSError", "disk", ""),
        "test_memory": ("MemoryError", "memory", ""),
        "test_module": ("ModuleNotFoundError", "missing", "nowhere"),
        "test_own_module": ("ModuleNotFoundError", "", "calc.nothing"),
        "test_standard_module": ("ModuleNotFoundError", "", "json.nothing"),
        "test_distribution": ("PackageNotFoundError", "missing", "not-installed-anywhere"),
        "test_file_of_tree": ("FileNotFoundError", "", "data/answers.json"),
        "test_file_outside": ("FileNotFoundError", "missing", "/etc/not/there"),
        "test_program": ("FileNotFoundError", "", "no-such-program"),
        "test_said": ("ConnectionRefusedError", "", ""),
        "test_said_full": ("OSError", "", ""),
        "test_pretended": ("ConnectionRefusedError", "", ""),
        "test_assertion": ("AssertionError", "", ""),
        "test_broken_pipe": ("BrokenPipeError", "", ""),
        "test_fixture": ("ConnectionRefusedError", "service", ""),
    }


def test_module_that_a_file_cannot_import_is_named(tmp_path: Path) -> None:
    result = run_tests(write(tmp_path, {"test_lost.py": "import nowhere\n\ndef test_x(): pass\n"}))
    case = result.cases[0]
    assert (case.id, case.error, case.cause, case.lacks) == (
        "test_lost.py", "ModuleNotFoundError", "missing", "nowhere",
    )  # fmt: skip


def test_code_is_the_same_under_any_name_and_at_any_place(tmp_path: Path) -> None:
    body = '    """What it asks."""\n    numbers = {1, 2} | {3}\n    inner = lambda n: [m for m in range(n)]\n'
    body += (
        "    class Local:\n        def value(self): return inner(2)\n    assert Local().value() == [0, 1], numbers\n"
    )
    many = "@pytest.mark.parametrize('n', [1, 2])\ndef test_n(n): assert n"
    files = {
        "test_one.py": f"import pytest\n\ndef test_a():\n{body}\n{many}",
        "test_two.py": f"# moved down\n\n\n\ndef test_b():\n{body}\n\ndef test_m(n=1): assert n\ndef test_c(): pass\n",
    }
    found = cases(tmp_path, files)
    assert found["test_a"].code == found["test_b"].code != ""
    assert found["test_n[1]"].code == found["test_n[2]"].code != ""
    assert len({found[name].code for name in ("test_a", "test_n[1]", "test_m", "test_c")}) == 4


@pytest.mark.parametrize(
    "change", ["assert add(1, 2) == 4", "assert add(1, 3) == 3", "assert add(1, 2) >= 3", "add(1, 2) == 3", "pass"]
)
def test_code_changes_with_what_a_test_asks(change: str, tmp_path: Path) -> None:
    kept = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"
    changed = kept.replace("test_add", "test_sum").replace("assert add(1, 2) == 3", change)
    found = cases(tmp_path, {"calc.py": FIXED, "test_a.py": kept, "test_b.py": changed})
    assert found["test_add"].code != found["test_sum"].code


def test_code_behind_a_decorator_is_known_only_where_it_can_be_seen(tmp_path: Path) -> None:
    source = """
import functools

def seen(function):
    @functools.wraps(function)
    def wrapper():
        return function()
    return wrapper

KEPT = []

def unseen(function):
    KEPT.append(function)
    def wrapper():
        return KEPT[0]()
    return wrapper

class Hidden:
    def __init__(self, function): self.function = function

def hidden(function):
    held = Hidden(function)
    @functools.wraps(function)
    def wrapper():
        return held.function()
    return wrapper

@seen
def test_one(): assert 1
@seen
def test_two(): assert 2
@seen
def test_one_again(): assert 1
@unseen
def test_three(): assert 3
@hidden
def test_four(): assert 4
def other(): assert 5
test_five = other
"""
    found = cases(tmp_path, {"test_all.py": source})
    assert found["test_one"].code == found["test_one_again"].code != ""
    assert found["test_two"].code not in ("", found["test_one"].code)
    assert [found[name].code for name in ("test_three", "test_four", "test_five")] == ["", "", ""]


def test_files_that_the_tests_imported_are_named(tmp_path: Path) -> None:
    files = {"src/deep/__init__.py": "", "src/deep/used.py": "", "src/deep/unused.py": "", "conftest.py": ""}
    result = run_tests(write(tmp_path, {**files, "tests/test_a.py": "import deep.used\n\ndef test_a(): pass\n"}))
    assert result.imported == ("conftest.py", "src/deep/__init__.py", "src/deep/used.py", "tests/test_a.py")


def test_a_library_under_a_name_of_the_project_is_still_a_library(tmp_path: Path) -> None:
    source = "import sys, packaging.version\nsys.modules['deep.packages'] = packaging.version\n"
    stale = "import sys, types, pluggy\nsys.modules['deep.old'] = old = types.ModuleType('deep.old')\n"
    test = "import deep.packages\n\ndef test_a(): pass\n"
    result = run_tests(write(tmp_path, {"src/deep/__init__.py": source, "tests/test_a.py": test}))
    assert (result.status, outcomes(result)) == ("passed", {"tests/test_a.py::test_a": "passed"})
    write(
        tmp_path,
        {
            "src/deep/__init__.py": f"{stale}old.__file__ = pluggy.__file__\n",
            "tests/test_a.py": "import deep\n\ndef test_a(): pass\n",
        },
    )
    assert "not imported from the tree: deep from" in run_tests(tmp_path).summary


def test_programs_that_a_test_starts_find_the_modules_of_the_tree(tmp_path: Path) -> None:
    test = (
        "import subprocess, sys\n\ndef test_a(tmp_path):\n"
        "    subprocess.run([sys.executable, '-c', 'import deep.used'], cwd=tmp_path, check=True)\n"
    )
    files = {"src/deep/__init__.py": "", "src/deep/used.py": "", "tests/test_a.py": test}
    assert outcomes(run_tests(write(tmp_path, files))) == {"tests/test_a.py::test_a": "passed"}


def test_check_of_a_package_speaks_of_it_as_the_repository_would(tmp_path: Path) -> None:
    files = {
        "conftest.py": "raise RuntimeError\n",
        "one/src/deep/__init__.py": "V = 1\n",
        "one/tests/conftest.py": "",
        "one/tests/test_deep.py": "import deep\n\ndef test_v(): assert deep.V == 2\n\ndef test_w(): pass\n",
        "two/tests/conftest.py": "",
        "two/tests/test_other.py": "def test_x(): assert 0\n",
    }
    check = PYTEST.model_copy(update={"folder": "one"})
    result = run_tests(write(tmp_path, files), check=check)
    assert outcomes(result) == {"one/tests/test_deep.py::test_v": "failed", "one/tests/test_deep.py::test_w": "passed"}
    assert (result.cases[0].path, result.cases[0].line) == ("one/tests/test_deep.py", 3)
    assert result.imported == ("one/src/deep/__init__.py", "one/tests/conftest.py", "one/tests/test_deep.py")
    narrowed = run_tests(tmp_path, "one/tests/test_deep.py::test_w", "two/tests/test_other.py", check=check)
    assert outcomes(narrowed) == {"one/tests/test_deep.py::test_w": "passed"}
    elsewhere = run_tests(tmp_path, "two/tests/test_other.py", check=check)
    assert (elsewhere.status, elsewhere.summary) == (
        "errored",
        "none of what was asked for lies in one, which is all that it looks at",
    )


def test_configuration_of_the_repository_counts_for_its_packages(tmp_path: Path) -> None:
    files = {
        "pytest.ini": "[pytest]\npython_functions = check_*\n",
        "one/test_a.py": "def check_a(): pass\n\ndef test_b(): assert 0\n",
    }
    result = run_tests(write(tmp_path, files), check=PYTEST.model_copy(update={"folder": "one"}))
    assert outcomes(result) == {"one/test_a.py::check_a": "passed"}


def test_process_that_is_killed_speaks_of_memory(project: Path) -> None:
    write(project, {"calc.py": "import os\n\ndef add(a, b): os.kill(os.getpid(), 9)\n"})
    result = run_tests(project)
    assert result.status == "errored"
    assert "memory" in result.summary
    assert [(case.outcome, case.cause) for case in result.cases] == [("error", "memory")]


def test_process_that_finds_no_space_says_so(project: Path) -> None:
    text = "import os\n\ndef add(a, b):\n    os.write(2, b'OSError: No space left on device')\n    os._exit(1)\n"
    write(project, {"calc.py": text, "pytest.ini": "[pytest]\naddopts = -s\n"})
    result = run_tests(project)
    assert "no space left" in result.summary
    assert result.cases[0].cause == "disk"


def test_interpreter_hook_of_the_tree_is_named(project: Path) -> None:
    write(project, {"calc.py": FIXED, "src/sitecustomize.py": ""})
    assert "src/sitecustomize.py runs before everything else" in run_tests(project).hidden


def test_project_without_a_cache_may_be_strict(project: Path) -> None:
    write(project, {"calc.py": FIXED, "pytest.ini": "[pytest]\naddopts = -p no:cacheprovider --strict-config\n"})
    assert run_tests(project).status == "passed"
    write(project, {"pytest.ini": "[pytest]\naddopts = --strict-config\n"})
    assert run_tests(project).status == "passed"
    assert not (project / ".pytest_cache").exists()


def test_modules_of_ours_are_not_found_by_the_project(project: Path) -> None:
    names = "'bot', 'start', 'tree', 'share', 'guard', 'seen', 'pipe', 'watch'"
    found = f"[n for n in ({names}) if importlib.util.find_spec(n)]"
    test = f"import importlib.util\n\ndef test_none():\n    assert {found} == []\n"
    write(project, {"calc.py": FIXED, "test_none.py": test})
    assert outcomes(run_tests(project))["test_none.py::test_none"] == "passed"


def test_plugin_that_repeats_a_test_has_the_last_word(project: Path) -> None:
    repeating = """
from _pytest.runner import runtestprotocol

def pytest_runtest_protocol(item, nextitem):
    for again in range(3):
        reports = runtestprotocol(item, log=False, nextitem=nextitem)
        if all(report.passed for report in reports) or again == 2:
            break
    for report in reports:
        item.ihook.pytest_runtest_logreport(report=report)
    return True
"""
    flaky = "count = []\n\ndef test_late():\n    count.append(1)\n    assert len(count) == 3\n\n"
    flaky += "def test_never(): assert 0\n"
    write(project, {"calc.py": FIXED, "conftest.py": repeating, "test_flaky.py": flaky})
    found = outcomes(run_tests(project))
    assert (found["test_flaky.py::test_late"], found["test_flaky.py::test_never"]) == ("passed", "failed")


def interpreters() -> Iterator[str]:
    """Name the Pythons of this machine that have pytest, ours left out."""
    folders = [*map(Path, os.environ.get("PATH", "").split(":")), *Path.home().glob(".pyenv/versions/*/bin")]
    extra = os.environ.get("TEST_PYTHONS", "")
    found = [Path(name) for name in extra.split(":") if name]
    found += [folder / f"python3.{minor}" for folder in folders for minor in range(8, 20)]
    seen = {Path(sys.executable).resolve()}
    for path in found:
        if path.is_file() and path.resolve() not in seen and "shims" not in path.parts:
            seen |= set() if path in map(Path, extra.split(":")) else {path.resolve()}
            asked = "import sys, pytest; assert sys.version_info >= (3, 8) and pytest.__version__ >= '6'"
            if subprocess.run([path, "-c", asked], capture_output=True, check=False, timeout=30).returncode == 0:
                yield str(path)


def test_probe_says_the_same_in_every_interpreter(project: Path) -> None:
    tests = TESTS + "\n\ndef test_lost():\n    import nowhere\n"
    case = "import unittest\n\nclass TestIt(unittest.TestCase):\n    def test_it(self): self.assertEqual(1, 2)\n"
    write(project, {"test_calc.py": tests, "test_it.py": case})
    check = PYTEST.model_copy(update={"reader": "unittest", "argv": ("unittest", "discover")})
    ours = suite.run(PYTEST, Place(project, executor(), bare()), ())
    cases = suite.run(check, Place(project, executor(), bare()), ())
    assert (ours.status, cases.status) == ("failed", "failed")
    names = list(interpreters())[:MOST_INTERPRETERS]
    for name in names:
        theirs: Interpreter = replace(own(), path=Path(name), origin="--python", modules=frozenset({"pytest"}))
        place = Place(project, executor(), theirs)
        assert told(suite.run(PYTEST, place, ()).cases) == told(ours.cases), name
        assert told(suite.run(check, place, ()).cases) == told(cases.cases), name
    if not names:
        pytest.skip("no other Python with pytest is here")


def told(cases: tuple[CaseResult, ...]) -> list[tuple[object, ...]]:
    return sorted((c.id, c.outcome, c.path, c.line, c.error, c.cause, c.lacks, bool(c.code)) for c in cases)
