"""What is ordered where there is a pull request: one of ours is gone on with, commits of others stay as they are."""

import json
from pathlib import Path

from bot.core.publication.marker import read_marker
from tests.app.github.jobs import FIX, MORE, Runner
from tests.core.redness.logs import PYTEST, log, step
from tests.hub.events import review_event, run_event
from tests.hub.fixtures import fill
from tests.hub.standin import READ_TOKEN, JobSeed
from tests.product import FINISH, Ran, calls, checkpoint, edit


def test_a_retry_on_the_issue_takes_the_place_of_what_there_was(runner: Runner, worked: Path) -> None:
    assert runner.job("publish", "issue_comment", runner.take(worked)).code == 0
    first, body = runner.pull()
    assert "Fixes #1" in body
    before = first.head_sha
    runner.push("main", {"notes.txt": "more\n"})
    runner.play(*FIX)
    assert runner.codes(runner.order(runner.hub.world.issues[1], "/agent retry")) == (0, 0)
    pull, _ = runner.pull()
    assert (pull.head_ref, len(runner.hub.pulls())) == (first.head_ref, 1)
    assert pull.head_sha != before
    assert runner.show(pull.head_sha, "notes.txt") == "more"
    (told,) = runner.said(1)
    state = read_marker(told)
    assert state is not None
    assert [attempt.verb for attempt in state.attempts] == ["fix", "retry"]


def test_a_remark_is_a_task_on_the_same_branch_and_is_taken_back_alone(runner: Runner, worked: Path) -> None:
    hub = runner.hub
    assert runner.job("publish", "issue_comment", runner.take(worked)).code == 0
    pull, _ = runner.pull()
    first, (page,) = pull.head_sha, hub.pulls()
    runner.play(*MORE)
    hub.pass_time(2)
    remark = hub.review_comment(page.number, "/agent fix say so as well", path="other.txt", line=1)
    assert runner.codes(runner.both("pull_request_review_comment", review_event(hub, remark))) == (0, 0)
    pull, body = runner.pull()
    assert (page.title, len(hub.pulls())) == ("fix: say yes", 1)
    assert hub.git.git("rev-parse", f"{pull.head_sha}~1") == first
    assert "Fixes #1" in body
    assert "where run `" in body
    assert "hides" not in body

    assert runner.codes(runner.order(page, "/agent undo")) == (0, 0)
    pull, body = runner.pull()
    assert pull.head_sha == first
    assert body.startswith("> [!NOTE]\n> **Changed since:** taken back: step 1 (feat: say so)")
    assert "Taken back" in runner.said(page.number)[0]
    assert runner.outputs("publish")["outcome"] == "undone"


def test_commits_of_others_on_our_branch_stay(runner: Runner, worked: Path) -> None:
    assert runner.job("publish", "issue_comment", runner.take(worked)).code == 0
    pull, _ = runner.pull()
    theirs = runner.push(pull.head_ref, {"mine.txt": "mine\n"})
    runner.play(*FIX)
    runner.hub.pass_time(2)
    assert runner.codes(runner.order(runner.hub.pulls()[0], "/agent retry")) == (0, 0)
    old, new = runner.pull(0)[0], runner.pull(1)[0]
    assert old.head_sha == theirs
    assert new.head_ref != old.head_ref
    assert f"{old.head_ref} has commits that are not ours: it is left as it is" in runner.pull(1)[1]


def test_on_somebodys_pull_request_each_order_asks_for_itself(runner: Runner) -> None:
    hub = runner.hub
    hub.git.git("update-ref", "refs/heads/feature", "refs/heads/main")
    runner.push("feature", {"feature.txt": "newer\n"})
    theirs = runner.push("feature", {"feature.txt": "new\n"})
    page = hub.pull("feature")
    runner.play(*FIX)
    for words in ("/agent fix", "/agent fix say yes"):
        assert runner.codes(runner.order(page, words)) == (0, 0)
        assert runner.pull()[0].base_ref == "feature"
    assert len(hub.pulls()) == 3
    assert hub.git.git("rev-parse", "refs/heads/feature") == theirs
    # What is on trial is what the branch brought since it left the one that it is for
    records = hub.git.git("for-each-ref", "--format=%(refname)", "refs/agent/runs/").split()
    begun = [json.loads(hub.git.git("show", f"{record}:trace.jsonl").partition("\n")[0]) for record in records]
    assert {each["task"]["since"] for each in begun} == {hub.git.git("rev-parse", "refs/heads/main")}
    assert len(runner.said(page.number)) == 1


STEPS = (("Set up job", "success"), ("Run pytest -q", "failure"))
RED = JobSeed("test", steps=STEPS, log=log(PYTEST))
LOST = JobSeed("test", log=log(step("pytest", "##[error]The runner has received a shutdown signal.")))
ADD = (calls(edit("a - b", "a + b"), checkpoint("fix: add adds")), calls(FINISH))


def red(runner: Runner, job: JobSeed = RED, branch: str = "main", *pulls: int) -> tuple[Ran, Ran | None]:
    """Have a CI run fail."""
    run = runner.hub.run(branch, job, pulls=pulls)
    return runner.both("workflow_run", run_event(runner.hub, run))


def test_red_ci_is_mended_once_for_each_commit_and_followed_on_our_branch(runner: Runner, templates: Path) -> None:
    hub = runner.hub
    fill(hub, templates)
    runner.play(*ADD)
    assert runner.codes(red(runner, LOST)) == (0, 0)
    assert runner.outputs("work")["outcome"] == "infrastructure"
    may = hub.world.tokens[READ_TOKEN]
    may.permissions = {"contents": "read", "issues": "read", "pull_requests": "read"}
    assert runner.codes(red(runner)) == (0, 0)
    assert "give the workflow the permission" in runner.summary("work")
    may.permissions = {**may.permissions, "actions": "read", "checks": "read"}
    assert (hub.pulls(), runner.refs()) == ([], [])

    assert runner.codes(red(runner)) == (0, 0)
    ours, body = runner.pull()
    assert ours.base_ref == "main"
    assert "it failed here on the head as well; it passes on the tip" in body
    assert runner.codes(red(runner)) == (0, 0)
    assert runner.outputs("work")["outcome"] == "nothing"

    # Somebody breaks our branch: it is mended there, though its base is as red
    theirs = runner.push(ours.head_ref, {"calc.py": "def add(a, b):\n    return a - b\n"})
    assert runner.codes(red(runner, RED, ours.head_ref, 1)) == (0, 0)
    assert hub.git.git("rev-parse", f"refs/heads/{ours.head_ref}~1") == theirs
    assert len(hub.pulls()) == 1
    # It does not go round for ever
    runner.env["GIT_AGENT_ATTEMPTS"] = "2"
    runner.push(ours.head_ref, {"calc.py": "def add(a, b):\n    return a - b\n"})
    assert runner.codes(red(runner, RED, ours.head_ref, 1)) == (0, None)
