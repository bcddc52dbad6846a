"""Whether a change has to answer for something that was not found."""

from pathlib import Path

import pytest

from bot.core.check import CaseResult, CheckResult, Rung
from bot.verify.blame import Change, settle
from tests.verify.conftest import write

CODE = "import yaml\nfrom app.store import load\n\nDATA = open('/srv/data.csv')\n"
OLD = {"app/main.py": b"import redis.client\n", "app/gone.py": b""}


def cause_of(root: Path, lacks: str, *paths: str, cause: str = "missing") -> str:
    case = CaseResult(id="t.py::a", outcome="failed", cause=cause, lacks=lacks)
    result = CheckResult(check="pytest", rung=Rung.UNIT, status="failed", cases=(case,))
    return settle(result, root, Change(paths, OLD.get)).cases[0].cause


@pytest.fixture
def root(tmp_path: Path) -> Path:
    now = "import requests\n"
    return write(tmp_path, {"app/code.py": CODE, "app/main.py": now, "app/store.py": "", "app/new.py": "import attr\n"})


PATHS = ("app/main.py", "app/new.py", "app/gone.py")


@pytest.mark.parametrize("lacks", ["yaml", "redis", "redis.client", "/srv/data.csv"])
def test_what_was_asked_for_before_is_nobodys_fault(root: Path, lacks: str) -> None:
    assert cause_of(root, lacks, *PATHS) == "missing"


@pytest.mark.parametrize(
    "lacks",
    ["requests", "attr", "numpy", "", "gone", "app.gone", "app.store", "store", "/srv/other.csv", "data/file.txt"],
)
def test_what_only_the_change_asks_for_or_took_away_is_its_fault(root: Path, lacks: str) -> None:
    assert cause_of(root, lacks, *PATHS) == ""


def test_an_unknown_change_answers_for_everything_that_is_missing(root: Path) -> None:
    assert cause_of(root, "yaml") == ""


@pytest.mark.parametrize("cause", ["network", "service", "disk", "memory"])
def test_other_causes_stay(root: Path, cause: str) -> None:
    assert cause_of(root, "", cause=cause) == cause
