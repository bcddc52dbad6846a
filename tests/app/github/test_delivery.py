"""What is pushed with the commits of a run."""

from pathlib import Path

import pytest

from tests.app.github.jobs import Runner
from tests.hub.fixtures import hub  # noqa: F401
from tests.hub.standin import Standin


@pytest.fixture
def runner(hub: Standin, tmp_path: Path) -> Runner:  # noqa: F811
    return Runner(hub, tmp_path / "rooms")


def test_workflows_of_a_project_do_not_keep_a_record_from_being_pushed(runner: Runner) -> None:
    workflow = "on: push\njobs: {}\n"
    runner.push("main", {".github/workflows/lock.yaml": workflow, ".github/workflows/ci.yml": workflow})
    work, publish = runner.order(runner.hub.issue("add subtracts"), "/agent fix")
    assert publish is not None
    assert (work.code, publish.code) == (0, 0), publish.err
    run = runner.outputs("work")["run"]
    record = runner.hub.git.git("ls-tree", "--name-only", f"refs/agent/runs/{run}").split()
    assert record == ["report.md", "task.json", "trace.jsonl"]
    assert len(runner.hub.pulls()) == 1
