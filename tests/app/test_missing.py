"""Suggestions of what to carry."""

from pathlib import Path

import pytest

from bot.app.missing import suggest_carry
from bot.core.check import CaseResult, CheckResult, Rung
from bot.git.repository import Repository, open_repository
from tests.conftest import Repo


def failed(message: str = "", lacks: str = "") -> CheckResult:
    case = CaseResult(id="t.py::test", outcome="error", message=message, lacks=lacks)
    return CheckResult(check="pytest", rung=Rung.UNIT, status="failed", cases=(case,))


@pytest.fixture
def checkout(repo: Repo) -> Repository:
    """A checkout with ignored things of several kinds."""
    repo.commit({".gitignore": "gen/\n*.so\n_version.py\ndata/\n.env\nodd name/\n", "src/pkg/__init__.py": ""})
    made = ("src/gen/api.py", "src/pkg/_speed.abi3.so", "src/pkg/_version.py", "data/big.json", ".env", "odd name/x")
    repo.write(dict.fromkeys(made, "x"))
    return open_repository(repo.path)


@pytest.mark.parametrize(
    ("result", "path"),
    [
        (failed("ModuleNotFoundError: No module named 'gen'"), "src/gen"),
        (failed("ModuleNotFoundError: No module named 'gen.api'"), "src/gen"),
        (failed("ModuleNotFoundError: No module named 'pkg._speed'"), "src/pkg/_speed.abi3.so"),
        (failed("ImportError: cannot import name '_version' from 'pkg' (somewhere)"), "src/pkg/_version.py"),
        (failed(lacks="pkg._version"), "src/pkg/_version.py"),
        (failed("FileNotFoundError: [Errno 2] No such file or directory: 'data/big.json'"), "data"),
        (failed("FileNotFoundError: [Errno 2] No such file or directory: '/tmp/x/agent-1/data/big.json'"), "data"),
    ],
)
def test_what_the_checkout_has_is_suggested(checkout: Repository, result: CheckResult, path: str) -> None:
    told = suggest_carry(checkout, [result], ())
    assert told == (f"the checks lack {path}, which no commit holds; to carry it: git config --add agent.carry {path}",)
    assert suggest_carry(checkout, [result], (path,)) == ()


@pytest.mark.parametrize(
    "message",
    [
        "ModuleNotFoundError: No module named 'requests'",
        "AssertionError: assert 1 == 2",
        "FileNotFoundError: [Errno 2] No such file or directory: 'data/other.json'",
        "FileNotFoundError: [Errno 2] No such file or directory: '.env'",
        "FileNotFoundError: [Errno 2] No such file or directory: '../../etc/passwd'",
    ],
)
def test_nothing_is_suggested_for_what_is_not_there_or_secret(checkout: Repository, message: str) -> None:
    assert suggest_carry(checkout, [failed(message)], ()) == ()


def test_a_path_that_git_config_cannot_hold_is_written_for_the_project_file(checkout: Repository) -> None:
    told = suggest_carry(checkout, [failed("No such file or directory: 'odd name/x'")], ())
    assert told == (
        "the checks lack odd name, which no commit holds; to carry it: carry = ['odd name'] in [tool.git-agent]",
    )


def test_a_check_that_passes_lacks_nothing(checkout: Repository) -> None:
    passed = CheckResult(check="x", rung=Rung.UNIT, status="passed", output="No module named 'gen'")
    assert suggest_carry(checkout, [passed], ()) == ()


def test_a_check_without_cases_is_read_by_what_it_printed(checkout: Repository) -> None:
    text = "Traceback\nModuleNotFoundError: No module named 'gen'\n"
    errored = CheckResult(check="x", rung=Rung.UNIT, status="errored", output=text)
    assert len(suggest_carry(checkout, [errored], ())) == 1
    assert Path(checkout.root, "src/gen").is_dir()
