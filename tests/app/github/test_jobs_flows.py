"""What a maintainer sees of each kind of order, from both jobs: texts, branches, exit codes."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.app.github.jobs import Runner
from tests.conftest import make_repo
from tests.hub.events import dispatch_event, label_event, review_event
from tests.hub.fixtures import hub  # noqa: F401
from tests.hub.standin import Standin
from tests.hub.world import Issue
from tests.product import FINISH, Ran, calls, checkpoint, edit, script

CHECK = {"pyproject.toml": '[tool.git-agent.checks]\nok = "grep -q yes say.txt"\n'}
SMALL = {"say.txt": "no\n", "old.txt": "x\n", "other.txt": "no\n", **CHECK}
FIX = (calls(edit("no", "yes", "say.txt"), checkpoint("fix: say yes")), calls(FINISH))
MORE = (calls(edit("no", "so", "other.txt"), checkpoint("feat: say so")), calls(FINISH))


@pytest.fixture
def runner(hub: Standin, tmp_path: Path) -> Runner:  # noqa: F811
    """A project with one check that is red, which takes no time."""
    made = make_repo(tmp_path / "seed")
    commit = made.commit(SMALL, "small")
    hub.git.git("fetch", "-q", str(made.path), f"+{commit}:refs/heads/main")
    hub.world.settle()
    return Runner(hub, tmp_path / "rooms")


def play(runner: Runner, *lines: Mapping[str, Any]) -> None:
    runner.env["GIT_AGENT_MODEL"] = script(runner.folder.parent / "script", *lines)


def said(runner: Runner, number: int) -> list[str]:
    told = runner.hub.comments(number)
    return [each.body for each in told if each.author is not None and each.author.login == "github-actions[bot]"]


def codes(jobs: tuple[Ran, Ran | None]) -> tuple[int, int | None]:
    return jobs[0].code, jobs[1].code if jobs[1] is not None else None


def pull(runner: Runner, at: int = -1) -> Issue:
    return runner.hub.pulls()[at]


def show(runner: Runner, rev: str, path: str) -> str:
    return runner.hub.git.git("show", f"{rev}:{path}")


def test_a_base_that_moved_is_built_upon_and_one_that_conflicts_makes_a_draft(runner: Runner) -> None:
    play(runner, *FIX)
    runner.meanwhile.append(lambda: runner.push("main", {"notes.txt": "more\n"}))
    assert codes(runner.order(runner.hub.issue("say yes"), "/agent fix")) == (0, 0)
    made = pull(runner).pull
    assert made is not None
    assert show(runner, made.head_sha, "notes.txt") == "more"
    assert not made.draft
    assert "moved from" in (pull(runner).body or "")

    runner.meanwhile.append(lambda: runner.push("main", {"say.txt": "perhaps\n"}))
    assert codes(runner.order(runner.hub.issue("say yes again"), "/agent fix"))[1] == 0
    made = pull(runner).pull
    assert made is not None
    assert made.draft
    assert "conflict" in (pull(runner).body or "")


def test_what_may_not_be_opened_is_pushed_with_a_link_and_what_may_not_be_pushed_is_kept(runner: Runner) -> None:
    play(runner, *FIX)
    runner.hub.world.settings.actions_may_create_pulls = False
    issue = runner.hub.issue("say yes")
    assert codes(runner.order(issue, "/agent fix")) == (0, 1)
    (told,) = said(runner, issue.number)
    assert "/compare/main...agent" in told
    branch = runner.outputs("publish")["branch"]
    assert show(runner, f"refs/heads/{branch}", "say.txt") == "yes"

    runner.hub.world.settings.actions_may_create_pulls = True
    runner.hub.fail("POST", "git-receive-pack", 500, times=9)
    issue = runner.hub.issue("say yes once more")
    before = runner.hub.git.git("for-each-ref")
    assert codes(runner.order(issue, "/agent fix")) == (0, 1)
    assert runner.hub.git.git("for-each-ref") == before
    (told,) = said(runner, issue.number)
    assert "No pull request" in told


def test_what_needs_a_person_waits_for_exactly_what_was_shown(runner: Runner) -> None:
    play(runner, calls(("delete_file", {"path": "old.txt"})), *FIX)
    issue = runner.hub.issue("say yes, and drop the old file")
    assert codes(runner.order(issue, "/agent fix"))[0] == 1
    assert runner.hub.pulls() == []
    named = re.search(r"agent approve ([0-9a-f]{10})", said(runner, issue.number)[0])
    assert named is not None
    runner.order(issue, "/agent approve 0123456789")
    assert runner.hub.pulls() == []
    assert codes(runner.order(issue, f"/agent approve {named[1]}", "eve")) == (0, None)
    assert codes(runner.order(issue, f"/agent approve {named[1]}")) == (0, 0)
    made = pull(runner).pull
    assert made is not None
    assert "old.txt" not in runner.hub.git.git("ls-tree", "--name-only", made.head_sha)


def test_talk_plans_and_mistakes_change_nothing(runner: Runner) -> None:
    hub = runner.hub  # noqa: F811
    play(runner, calls(("update_plan", {"steps": ["look", "mend"]}), FINISH))
    issue, before = hub.issue("say yes"), hub.git.git("for-each-ref")
    for words, answer in (
        ("/agent plan", "look"),
        ("/agent status", "run"),
        ("/agent help", "begins"),
        ("/agent fxi", "did you mean"),
        ("/agent stop", ""),
    ):
        assert codes(runner.order(issue, words)) == (0, 0), words
        assert answer in said(runner, issue.number)[-1] or words in ("/agent plan", "/agent help")
    assert "mend" in "".join(said(runner, issue.number))
    assert (hub.git.git("for-each-ref"), hub.pulls()) == (before, [])
    count = len(said(runner, issue.number))
    for words in ("/agent fix", "/agent help", "/agent fxi"):
        assert codes(runner.order(issue, words, "eve")) == (0, None)
    assert len(said(runner, issue.number)) == count


def test_a_label_and_a_start_by_hand_order_too(runner: Runner) -> None:
    play(runner, *FIX)
    runner.env["GIT_AGENT_LABEL"] = "agent"
    issue = runner.hub.issue("say yes")
    runner.hub.label(issue.number, "agent")
    assert codes(runner.both("issues", label_event(runner.hub, issue.number, "agent"))) == (0, 0)
    assert codes(runner.both("workflow_dispatch", dispatch_event(runner.hub, {"task": "say yes"}))) == (0, 0)
    assert len(runner.hub.pulls()) == 2


def test_remarks_on_a_pull_request_are_tasks_on_its_branch_and_commits_of_others_stay(runner: Runner) -> None:
    hub = runner.hub  # noqa: F811
    play(runner, *FIX)
    runner.order(hub.issue("say yes"), "/agent fix")
    ours = pull(runner)
    assert ours.pull is not None
    first, branch = ours.pull.head_sha, ours.pull.head_ref
    play(runner, *MORE)
    hub.pass_time(2)
    remark = hub.review_comment(ours.number, "/agent fix say so as well", path="say.txt", line=1)
    assert codes(runner.both("pull_request_review_comment", review_event(hub, remark))) == (0, 0)
    assert (ours.pull.head_ref, len(hub.pulls())) == (branch, 1)
    assert hub.git.git("rev-parse", f"{ours.pull.head_sha}~1") == first
    assert len(hub.replies(ours.number)) <= 1

    theirs = runner.push(branch, {"mine.txt": "mine\n"})
    play(runner, *FIX)
    hub.pass_time(5)
    runner.order(ours, "/agent retry")
    assert hub.git.git("rev-parse", f"refs/heads/{branch}") == theirs
