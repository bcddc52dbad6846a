"""The whole way through repositories that libgit2 cannot read: fix, rollback, views, steps back and forth, accept."""

from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.git.kinds import can_make_reftable, filled
from tests.git.scene import FIXED
from tests.product import FINISH, agent, calls, checkpoint, edit, leftovers, script

TESTS = "from calc import add\n\n\ndef test_add():\n    assert add(1, 2) == 3\n"


def make(kind: str, path: Path) -> Repo:
    """Make a repository with one failing test."""
    if kind == "reftable" and not can_make_reftable(path / "tried"):
        pytest.skip("the git here is older than 2.45 and knows no reftables")
    repo = filled(path / "r", {"sha256": "--object-format=sha256", "reftable": "--ref-format=reftable"}[kind])
    repo.commit({"test_calc.py": TESTS, "pyproject.toml": ""})
    return repo


@pytest.mark.parametrize("kind", ["sha256", "reftable"])
def test_every_command_works_through_the_executable_alone(tmp_path: Path, kind: str) -> None:
    repo = make(kind, tmp_path)
    base = repo.git("rev-parse", "HEAD")
    repo.write({"notes": "mine"})
    model = script(
        tmp_path / "script",
        calls(edit("a - b", "a * b")),
        calls(("run_check", {"name": "pytest"})),
        calls(edit("a * b", "a + b"), checkpoint()),
        calls(FINISH),
    )
    ran = agent(repo, "fix", "add", "--model", model, "--json", "--isolation", "process")
    assert (ran.code, ran.report.outcome) == (0, "verified"), ran.err
    run, tip = ran.report.run, ran.report.tip
    assert repo.git("diff-tree", "-r", "--name-only", "--no-commit-id", base, tip) == "calc.py"
    assert repo.git("rev-parse", "HEAD") == base
    for view in (("show", run), ("diff", run), ("log", run), ("status",)):
        shown = agent(repo, *view)
        assert (shown.code, shown.err) == (0, ""), view
    assert agent(repo, "undo", run).code == 0
    assert repo.git("rev-parse", f"refs/heads/{ran.report.branch}") == base
    assert agent(repo, "redo", run).code == 0
    assert repo.git("rev-parse", f"refs/heads/{ran.report.branch}") == tip
    assert agent(repo, "verify", run).code == 0
    accepted = agent(repo, "accept", run)
    assert accepted.code == 0, accepted.err
    assert (repo.git("rev-parse", "HEAD"), (repo.path / "calc.py").read_bytes()) == (tip, FIXED)
    assert repo.git("status", "--porcelain") == "?? notes"
    assert agent(repo, "clean").code == 0
    assert not leftovers(repo)
