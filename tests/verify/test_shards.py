"""A suite that several processes share."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.check import CaseResult, Check, CheckResult
from bot.verify import suite
from bot.verify.interpreter import own
from bot.verify.place import Place
from bot.verify.probe.share import Share
from bot.verify.shards import merge, processors, splits
from tests.conftest import executor
from tests.verify.conftest import PYTEST, bare, outcomes, write

FILES = {
    f"tests/test_{number}.py": f"def test_a():\n    assert {number}\n\ndef test_b(): pass\n" for number in range(6)
}
MORE = {
    "tests/test_lost.py": "import nowhere\n",
    "tests/test_skip.py": "import pytest\npytest.skip('no', allow_module_level=True)\n",
}


def place(root: Path, workers: int = 1) -> Place:
    return Place(root, executor(), bare(), workers)


def test_shares_say_what_one_process_says(tmp_path: Path) -> None:
    conftest = (
        "def pytest_collection_modifyitems(items):\n    items[:] = [i for i in items if '5.py' not in i.nodeid]\n"
    )
    write(tmp_path, {**FILES, **MORE, "conftest.py": conftest})
    alone = suite.run(PYTEST, place(tmp_path), ())
    if processors() < 2:
        pytest.skip("one processor shares with nobody")
    shared = suite.run(PYTEST, place(tmp_path, 2), ())
    assert outcomes(shared) == outcomes(alone)
    assert len(shared.cases) == len(alone.cases)
    assert (shared.status, shared.summary, shared.imported) == (alone.status, alone.summary, alone.imported)
    assert "\n" in shared.output.strip()


def test_each_test_runs_in_one_process_only(tmp_path: Path) -> None:
    if processors() < 2:
        pytest.skip("one processor shares with nobody")
    count = "import os, pathlib\n\n\ndef test_a():\n    pathlib.Path(f'{__file__}.{os.getpid()}').touch()\n"
    write(tmp_path, {f"test_{number}.py": count for number in range(6)})
    assert suite.run(PYTEST, place(tmp_path, 2), ()).status == "passed"
    ran = [path.suffixes for path in tmp_path.glob("test_*.py.*")]
    assert len(ran) == 6
    assert len({suffixes[-1] for suffixes in ran}) == 2


def test_names_that_change_are_left_to_one_process(tmp_path: Path) -> None:
    if processors() < 2:
        pytest.skip("one processor shares with nobody")
    random = "import os, pytest\n\n\n@pytest.mark.parametrize('n', [os.getpid()])\ndef test_a(n): pass\n"
    write(tmp_path, {**FILES, "tests/test_random.py": random, "tests/test_0.py": "def test_a(): pass\n"})
    result = suite.run(PYTEST, place(tmp_path, 2), ())
    assert result.status == "passed"
    assert len(result.cases) == 12


def test_process_that_leaves_takes_the_verdict_with_it(tmp_path: Path) -> None:
    if processors() < 2:
        pytest.skip("one processor shares with nobody")
    write(tmp_path, {**FILES, "tests/test_0.py": "import os\n\ndef test_a(): os._exit(0)\n"})
    result = suite.run(PYTEST, place(tmp_path, 2), ())
    assert result.status == "errored"
    assert outcomes(result)["tests/test_0.py::test_a"] == "error"


@given(st.dictionaries(st.text(min_size=1), st.integers(1, 50), max_size=30), st.integers(1, 8))
def test_every_file_belongs_to_one_share(counts: Mapping[str, int], total: int) -> None:
    shares = [Share(number, total).files(counts) for number in range(total)]
    assert sorted(name for share in shares for name in share) == sorted(counts)
    loads = [sum(counts[name] for name in share) for share in shares]
    if len(counts) >= 4:
        assert max(loads) - min(loads) <= max(counts.values())


def theirs(root: Path, *modules: str) -> Place:
    return Place(root, executor(), replace(own(), origin=".venv", modules=frozenset({"pytest", *modules})))


@pytest.mark.parametrize(
    ("files", "argv"),
    [
        ({"pytest.ini": "[pytest]\naddopts = -q -n 2\n"}, ()),
        ({"pytest.ini": "[pytest]\naddopts = -n2 -q\n"}, ()),
        ({"setup.cfg": "[tool:pytest]\naddopts = --numprocesses=auto\n"}, ()),
        ({"pyproject.toml": "[tool.pytest.ini_options]\naddopts = ['-q', '-n', 'auto']\n"}, ()),
        ({"pyproject.toml": "[tool.pytest.ini_options]\naddopts = '-q --numprocesses 4'\n"}, ()),
        ({}, ("python", "-m", "pytest", "-n", "2")),
    ],
)
def test_suite_that_runs_in_parallel_anyway_is_shared(
    files: Mapping[str, str], argv: tuple[str, ...], tmp_path: Path
) -> None:
    write(tmp_path, files)
    check = PYTEST.model_copy(update={"argv": argv})
    assert splits(check, theirs(tmp_path, "xdist"), (), FILES) == min(2, processors())
    assert splits(check, theirs(tmp_path), (), FILES) == 1


@pytest.mark.parametrize("addopts", ["-q", "-n 0", "-n 1", "-k not-n", "--new 4", "-p no:xdist", "-nope"])
def test_suite_that_does_not_run_in_parallel_is_left_whole(addopts: str, tmp_path: Path) -> None:
    write(tmp_path, {"pytest.ini": f"[pytest]\naddopts = {addopts}\n"})
    assert splits(PYTEST, theirs(tmp_path, "xdist"), (), FILES) == 1


def test_few_files_are_not_shared(tmp_path: Path) -> None:
    names = list(FILES)
    assert splits(PYTEST, place(tmp_path, 2), (), names[:3]) == 1
    assert splits(PYTEST, place(tmp_path, 2), names[:3], names) == 1
    assert splits(PYTEST, place(tmp_path, 2), (), names) == min(2, processors())
    assert splits(PYTEST.model_copy(update={"reader": "unittest"}), place(tmp_path, 2), (), names) == 1


def said(*names: str, status: str = "passed") -> CheckResult:
    cases = tuple(CaseResult(id=name, outcome="passed") for name in names)
    return CheckResult.model_validate(
        {"check": "pytest", "rung": "unit", "status": status, "cases": cases, "summary": status}
    )


def test_shares_that_overlap_or_stop_are_no_evidence() -> None:
    assert merge([said("a", "b"), said("c")]).summary == "3 passed"
    twice = merge([said("a", "b"), said("b")])
    assert (twice.status, twice.summary) == ("errored", "1 tests were run by two processes, such as b")
    stopped = merge([said("a"), said("b", status="errored")])
    assert (stopped.status, stopped.summary) == ("errored", "errored")
    assert merge([said("a"), said("b", status="failed")]).status == "failed"


def test_check_of_another_kind_is_never_shared(tmp_path: Path) -> None:
    other = Check(name="x", rung=PYTEST.rung, argv=("true",))
    assert splits(other, place(tmp_path, 2), (), FILES) == 1
