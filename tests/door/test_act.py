"""The whole door as GitHub would open it: an event in, a pull request out, through the real workflow and action."""

import re
from pathlib import Path

import pytest

from tests.conftest import Repo
from tests.door.acting import Runners, has_isolation, tell_comment, tell_pull, tell_run
from tests.hub.fixtures import hub  # noqa: F401
from tests.hub.standin import JobSeed, Standin

pytestmark = pytest.mark.skipif(not has_isolation(), reason="untrusted text wants bubblewrap, which does not work here")

LOG = """2024-01-01T00:00:00.0000000Z ##[group]Run pytest
2024-01-01T00:00:00.1000000Z pytest
2024-01-01T00:00:00.2000000Z ##[endgroup]
2024-01-01T00:00:01.0000000Z FAILED test_calc.py::test_add - assert -1 == 3
2024-01-01T00:00:01.1000000Z 1 failed in 0.02s
2024-01-01T00:00:01.2000000Z ##[error]Process completed with exit code 1.
"""


@pytest.fixture
def runners(hub: Standin, tmp_path: Path) -> Runners:  # noqa: F811
    folder = tmp_path / "act"
    folder.mkdir()
    return Runners(hub, folder)


def test_a_comment_becomes_a_pull_request(hub: Standin, runners: Runners) -> None:  # noqa: F811
    issue = hub.issue("add subtracts", "`add(1, 2)` should be 3.", author="stranger")
    order = hub.comment(issue.number, "> it is broken\n\n/agent fix")
    acted = runners.act("issue_comment", tell_comment(hub, issue, order))
    assert acted.jobs() == {"work": "succeeded", "publish": "succeeded"}, acted.log
    (pull,) = hub.pulls()
    assert pull.pull
    assert pull.pull.head_ref.startswith("agent/")
    assert not pull.pull.draft
    assert b"a + b" in (hub.git.text(pull.pull.head_sha, "calc.py") or b"")
    assert hub.git.refs("refs/agent/runs/")
    (answer,) = [comment for comment in hub.comments(issue.number) if comment is not order]
    assert f"#{pull.number}" in answer.body or f"/pull/{pull.number}" in answer.body
    assert "set up at a small project" in acted.log
    assert f"[agent/agent/publish]   ⚙  ::set-output:: pr-number={pull.number}\n" in acted.log
    assert "ghs_" not in acted.log
    refused = runners.act(
        "issue_comment", tell_comment(hub, issue, hub.comment(issue.number, "/agent fix", "stranger"))
    )
    assert refused.jobs() == {"work": "succeeded"}
    assert "refused (permission)" in refused.log
    assert len(hub.comments(issue.number)) == 3


def test_red_ci_becomes_a_pull_request(hub: Standin, runners: Runners) -> None:  # noqa: F811
    red = hub.git.branches()["main"]
    repo = clone(hub.git_folder, runners.folder / "work")
    repo.commit({"calc.py": "def add(a, b):\n    return a + b\n"}, "main is green")
    hub.git.git("fetch", "-q", str(repo.path), "+HEAD:refs/heads/main")
    hub.git.git("update-ref", "refs/heads/topic", red)
    acted = runners.act("workflow_run", tell_run(hub, hub.run("topic", JobSeed("test", log=LOG), name="ci")))
    assert acted.jobs() == {"work": "succeeded", "publish": "succeeded"}, acted.log
    (pull,) = hub.pulls()
    assert pull.pull
    assert (pull.pull.base_ref, pull.pull.draft) == ("topic", False)
    assert b"a + b" in (hub.git.text(pull.pull.head_sha, "calc.py") or b"")
    assert "test_calc.py::test_add" in (pull.body or "")
    assert hub.git.branches()["topic"] == red
    assert "ghs_" not in acted.log


def clone(place: Path, folder: Path) -> Repo:
    folder.mkdir()
    Repo(folder).git("clone", "-q", str(place), ".")
    return Repo(folder)


def test_talk_starts_no_job(hub: Standin, runners: Runners) -> None:  # noqa: F811
    issue = hub.issue()
    said = hub.comment(issue.number, "see src/agent/loop.py, and /agent fix\u200b is in the middle")
    acted = runners.act("issue_comment", tell_comment(hub, issue, said))
    assert (acted.code, acted.jobs(), hub.requests) == (0, {}, [])


def test_commits_of_a_stranger_are_proved_with_a_token_that_reads(hub: Standin, runners: Runners) -> None:  # noqa: F811
    fork = hub.fork("stranger/widgets")
    repo = clone(fork.path, runners.folder / "work")
    repo.commit(
        {"calc.py": "def add(a, b):\n    return a - b - 1\n", "test_calc.py": "def test_add():\n    assert 0\n"},
        "worse",
    )
    repo.git("push", "-q", "origin", "HEAD:refs/heads/topic")
    pull = hub.pull("topic", fork="stranger/widgets", author="stranger")
    acted = runners.act("pull_request", tell_pull(hub, pull), workflow="verify", actor="stranger")
    assert acted.jobs() == {"verify": "failed"}, acted.log
    assert "::warning title=git-agent/weakened-evidence,file=test_calc.py::" in acted.log
    assert re.search(r"^\| `[0-9a-f]{10}` \| worse \|.* needs a person \|$", acted.log, re.MULTILINE)
    assert {asked.path.rpartition("/")[0] for asked in hub.requests} <= {"/ann/widgets", "/ann/widgets/info"}
