"""A red CI run is read, held against what fails here on the same commit, and mended only where that is the same."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from bot.app.desk import make_request, open_desk
from bot.app.github.redci import Examination, Inquiry, examine, find_base
from bot.app.perform import perform
from bot.core.hub import PullRequest
from bot.core.report import Report
from bot.core.trigger.trigger import CiRun, Head, Trigger
from bot.errors import ForgeError
from bot.forge.github.client import GitHub
from tests.conftest import Repo
from tests.core.redness.logs import PYTEST, log, step
from tests.hub.standin import READ_TOKEN, READS, JobSeed, Standin
from tests.product import FINISH, calls, checkpoint, edit, script

STEPS = (("Set up job", "success"), ("Run pytest -q", "failure"))
RED = JobSeed("test (3.9)", steps=STEPS, log=log(PYTEST))
NAMED = "test_calc.py::test_add"
UNASKED: tuple[dict[str, Any], ...] = ({"text": "nobody should have asked me"},)


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Standin]:
    """One stand-in for all: each test puts its own run in."""
    with Standin(tmp_path_factory.mktemp("hub")) as made:
        yield made
        assert made.violations == []
        assert made.lies == []


def ask(hub: Standin, *jobs: JobSeed, token: str = READ_TOKEN, cause: str = "push") -> Examination:
    """Examine a run that had these jobs."""
    run = hub.run("main", *jobs, sha="1" * 40, event=cause)
    trigger = Trigger(
        event="workflow_run",
        repository=hub.full_name,
        head=Head(sha=run.sha, ref="main", repository=hub.full_name),
        run=CiRun(id=run.id, attempt=run.attempt, name="CI", conclusion="failure", cause=cause),
    )
    github = GitHub(hub.api, token, hub.full_name, server_url=hub.server)
    try:
        return examine(github, trigger)
    finally:
        github.close()


class Done(NamedTuple):
    report: Report
    inquiry: Inquiry


def carry_out(
    repo: Repo, examination: Examination, tmp_path: Path, lines: Sequence[dict[str, Any]], base: str = ""
) -> Done:
    """Do what the door does with an examination that goes on."""
    assert examination.goes_on
    model = script(tmp_path / "script", *lines)
    desk = open_desk(repo.path, {"model": model})
    inquiry = examination.inquire(desk.repository, base)
    report = perform(desk, make_request(desk, examination.goal, quiet=True), inquiry)
    return Done(report, inquiry)


def stopped(done: Done, reason: str) -> str:
    """Look that a run ended before a model was asked, with this reason; return what a person is told."""
    assert (done.report.stop, done.report.usage.turns, done.inquiry.reason) == ("needs_human", 0, reason)
    told = done.inquiry.tell(done.report)
    assert told[-1] in done.report.detail
    return told[-1]


def test_a_failure_that_is_the_same_here_is_mended_and_the_proof_says_how_ci_relates_to_it(
    hub: Standin, repo: Repo, tmp_path: Path
) -> None:
    found = ask(hub, RED, JobSeed("lint", "success", log=""))
    assert (found.diagnosis.kind, found.reason) == ("tests", "")
    assert NAMED in found.goal
    base = repo.git("rev-parse", "HEAD")
    head = repo.commit({"README": "a change that does not mend it"})
    lines = (calls(edit("a - b", "a + b"), checkpoint()), calls(FINISH))
    done = carry_out(repo, found, tmp_path, lines)
    assert done.report.outcome == "verified"
    assert done.report.base == head
    assert done.inquiry.reason == ""
    assert done.inquiry.tell(done.report) == (
        f'CI: job test (3.9), step "Run pytest -q" failed with exit code 1, 1 case: {NAMED}',
        "it failed here on the head as well; it passes on the tip",
    )
    # The same, but for whom the failure is not new
    red_before = carry_out(repo, found, tmp_path, UNASKED, base)
    assert stopped(red_before, "red-before") == f"red before: it fails on the base {base[:10]} as well: {NAMED}"


def test_what_passes_here_or_fails_otherwise_is_left_alone(hub: Standin, repo: Repo, tmp_path: Path) -> None:
    found = ask(hub, RED, cause="pull_request")
    repo.commit({"calc.py": "def add(a, b):\n    return a + b\n"})
    told = stopped(carry_out(repo, found, tmp_path, UNASKED), "not-reproduced")
    assert told.startswith(f"could not reproduce: nothing that CI names ({NAMED}) fails here on the same commit")
    assert "ran Python 3.9.19" in told
    assert "merged into its base" in told
    repo.commit({"test_more.py": "def test_more():\n    assert False\n"})
    told = stopped(carry_out(repo, found, tmp_path, UNASKED), "other")
    assert told.endswith("something else fails here: test_more.py::test_more")


def test_what_fails_only_now_and_then_is_called_flaky(hub: Standin, repo: Repo, tmp_path: Path) -> None:
    times = str(tmp_path / "times")
    repo.git("config", "agent.isolation", "process")
    lines = (
        "import os",
        "def test_add():",
        f"    with open({times!r}, 'a') as file:",
        "        file.write('x')",
        f"    assert os.path.getsize({times!r}) != 3",
    )
    repo.commit({"test_calc.py": "\n".join(lines)}, "a test that fails the third time")
    told = stopped(carry_out(repo, ask(hub, RED), tmp_path, UNASKED), "flaky")
    assert told == f"flaky: it passes and fails here on the same commit: {NAMED}"


def test_what_is_nobodys_fault_in_the_code_stops_before_anything_is_run(hub: Standin) -> None:
    dns = step("pip install -r r.txt", "Temporary failure in name resolution", code=1)
    found = ask(hub, JobSeed("test", steps=STEPS, log=log(dns)))
    assert (found.reason, found.said[-1]) == (
        "infrastructure", "nothing of this is the code's fault: a name could not be resolved"
    )  # fmt: skip
    assert ask(hub, JobSeed("test", "cancelled", log="")).reason == "cancelled"
    assert ask(hub, JobSeed("test", "success", log="")).reason == "not-red"


def test_a_log_that_has_expired_is_made_up_for_by_annotations(hub: Standin) -> None:
    note = {
        "path": "test_calc.py",
        "start_line": 5,
        "end_line": 5,
        "annotation_level": "failure",
        "message": f"FAILED {NAMED} - x",
    }
    found = ask(hub, JobSeed("test", steps=STEPS, log=None, annotations=(note,)))
    assert found.goes_on
    assert [claim.name for claim in found.diagnosis.claims] == [NAMED]
    assert "this is from what CI noted beside it" in found.said[0]
    assert "logs of CI are gone" in found.said[1]
    bare = ask(hub, JobSeed("test", steps=STEPS, log=None))
    assert (bare.goes_on, bare.diagnosis.claims, bare.diagnosis.tools) == (True, (), ("pytest",))


def test_the_branch_to_compare_with_is_the_one_that_the_head_is_to_be_merged_into() -> None:
    told = Trigger(event="workflow_run", repository="o/n", default_branch="main", head=Head(ref="topic"))
    assert find_base(told) == "main"
    assert find_base(told, PullRequest(number=1, head_sha="a", head_ref="topic", base_ref="release")) == "release"
    assert find_base(told.model_copy(update={"head": Head(ref="main")})) == ""


def test_without_the_permission_to_read_ci_it_is_left_alone_with_a_note(hub: Standin) -> None:
    hub.token("ghs_noactions", permissions={**READS, "actions": "none"})
    found = ask(hub, RED, token="ghs_noactions")
    assert found.reason == "unreadable"
    assert "actions: read" in found.said[-1]
    hub.fail("GET", "/jobs$", 404)
    assert ask(hub, RED).reason == "unreadable"
    hub.fail("GET", "/logs$", 403)
    assert "some logs could not be read" in ask(hub, RED).said[-1]
    hub.fail("GET", "/jobs$", 422)
    with pytest.raises(ForgeError):
        ask(hub, RED)
