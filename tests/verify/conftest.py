"""Projects on disk, judged for real."""

import functools
import tempfile
import venv
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from bot.core.check import Check, CheckResult, Rung, Verdict
from bot.verify.interpreter import Interpreter, find
from bot.verify.ladder import Ladder
from tests.conftest import executor

CALC = "def add(a, b):\n    return a - b\n"
FIXED = "def add(a, b):\n    return a + b\n"
TESTS = """from calc import add


def test_add():
    assert add(1, 2) == 3


def test_zero():
    assert add(0, 0) == 0
"""
PYTEST = Check(name="pytest", rung=Rung.UNIT, reader="pytest", timeout=60)

Files = Mapping[str, str | bytes]
_FOLDER = tempfile.TemporaryDirectory(prefix="git-agent-tests-")


def write(root: Path, files: Files) -> Path:
    """Write files below a folder."""
    for name, content in files.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


@functools.cache
def bare() -> Interpreter:
    """Make an environment that has no pytest of its own, nor any plugin."""
    venv.create(_FOLDER.name, symlinks=True)
    return find(Path("/nowhere"), "", {"VIRTUAL_ENV": _FOLDER.name})


def ladder_for(root: Path, *checks: Check) -> Ladder:
    """Make a ladder with the real executor and an interpreter that starts fast."""
    return Ladder(checks, executor(), bare())


@dataclass
class Climb:
    """A climb that keeps what it yielded and what it returned."""

    climbing: Generator[Check, None, Verdict]
    verdict: Verdict | None = None

    def __iter__(self) -> Iterator[Check]:
        self.verdict = yield from self.climbing


def climb(ladder: Ladder, root: Path, before: Verdict | None = None) -> tuple[list[str], Verdict]:
    """Climb to the end; return the names of the checks that ran and the verdict."""
    climbing = Climb(ladder.climb(root, "tree", before))
    names = [check.name for check in climbing]
    assert climbing.verdict is not None
    return names, climbing.verdict


_BASES: dict[tuple[tuple[str, bytes], ...], Verdict] = {}


def base_of(root: Path) -> Verdict:
    """Judge a folder by its tests, as a base to hold a change against; one that holds the same is not judged again."""
    held = tuple(sorted((str(path), path.read_bytes()) for path in root.rglob("*") if path.is_file()))
    held = tuple((path.removeprefix(str(root)), content) for path, content in held)
    if held not in _BASES:
        _BASES[held] = climb(ladder_for(root, PYTEST), root)[1]
    return _BASES[held]


def run_tests(root: Path, *targets: str, check: Check = PYTEST) -> CheckResult:
    """Run a folder's tests."""
    return ladder_for(root, check).run(check, root, targets)


def outcomes(result: CheckResult) -> dict[str, str]:
    """Tell what became of each case."""
    return {case.id: case.outcome for case in result.cases}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder that holds a wrong function and its two tests, one of which fails."""
    return write(tmp_path / "project", {"calc.py": CALC, "test_calc.py": TESTS})
