"""Orders on an issue, by hand and by the clock, from both jobs: what they lead to, and what they leave as it is."""

import re
import signal
import time
from os import devnull
from pathlib import Path

from bot.core.handover import BUNDLE, NAME
from tests.app.github.jobs import FIX, SMALL, Runner
from tests.hub.events import comment_event, dispatch_event, label_event, schedule_event
from tests.product import FINISH, await_event, calls, checkpoint, edit, start


def test_steps_are_made_again_where_the_base_moved_meanwhile_and_left_where_they_conflict(runner: Runner) -> None:
    runner.play(*FIX)
    issue = runner.hub.issue("say yes")
    runner.meanwhile.append(lambda: runner.push("main", {"notes.txt": "more\n"}))
    assert runner.codes(runner.order(issue, "/agent fix")) == (0, 0)
    pull, body = runner.pull()
    assert not pull.draft
    assert runner.show(pull.head_sha, "notes.txt") == "more"
    assert "the steps were made and judged again on top of that, where all passes" in body
    assert f"git agent verify {pull.base_sha}..{pull.head_sha}" in body
    assert "Made again on `main` at" in runner.said(issue.number)[0]

    runner.meanwhile.append(lambda: runner.push("main", {"say.txt": "no, or perhaps\n"}))
    issue = runner.hub.issue("say yes")
    before, after = runner.refs(), pull.base_sha
    assert runner.codes(runner.order(issue, "/agent fix")) == (1, 0)
    pull, body = runner.pull()
    assert pull.draft
    assert f"Verified on {after[:10]} only" in body
    assert "and the change conflicts with that: in say.txt" in body
    # Its branch and its record: nothing of an attempt to make it again
    assert len(runner.refs()) == len(before) + 2
    assert [runner.outputs(mode)["outcome"] for mode in ("work", "publish")] == ["partial", "partial"]


def test_what_needs_a_person_waits_for_exactly_what_was_shown(runner: Runner) -> None:
    hub = runner.hub
    hub.allow("bob", "write")
    runner.play(calls(("delete_file", {"path": "old.txt"})), *FIX)
    issue = hub.issue("say yes, and drop the old file")
    assert runner.codes(runner.order(issue, "/agent fix")) == (1, 0)
    assert hub.pulls() == []
    (told,) = runner.said(issue.number)
    named = re.search(r"`/agent approve ([0-9a-f]{10})` allows exactly this", told)
    assert named is not None
    for page in (told, runner.summary("work"), runner.summary("publish")):
        assert "Waits for you" in page
        assert "- it deletes the file old.txt" in page

    # Other questions than those, by others than those who may
    assert runner.codes(runner.order(issue, "/agent approve 0123456789")) == (0, 0)
    assert "waits for something else by now: it deletes the file old.txt" in runner.said(issue.number)[-1]
    assert runner.codes(runner.order(issue, f"/agent approve {named[1]}", "eve")) == (0, None)
    assert runner.said(issue.number)[0] == told
    assert hub.pulls() == []

    assert runner.codes(runner.order(issue, f"/agent approve {named[1]}", "bob")) == (0, 0)
    pull, body = runner.pull()
    assert "old.txt" not in hub.git.git("ls-tree", "--name-only", pull.head_sha)
    assert "files were deleted, allowed by bob" in body
    assert runner.codes(runner.order(issue, f"/agent approve {named[1]}")) == (0, 0)
    assert "no run waits for approval here" in runner.said(issue.number)[-1]
    assert "Pull request [#2]" in runner.said(issue.number)[0]


def test_talk_plans_and_mistakes_change_nothing(runner: Runner) -> None:
    hub = runner.hub
    runner.play(calls(("update_plan", {"steps": ["look", "mend"]})), calls(FINISH))
    issue, before = hub.issue("say yes"), hub.git.git("for-each-ref")
    assert runner.codes(runner.order(issue, "/agent plan")) == (0, 0)
    (plan,) = runner.said(issue.number)
    for page in (plan, runner.summary("publish")):
        assert "**A plan.** Nothing was changed." in page
        assert "1. look\n2. mend" in page
    assert runner.outputs("publish")["outcome"] == runner.outputs("work")["outcome"] == "planned"
    for words, answer in (
        ("/agent status", "1 run so far"),
        ("/agent fxi", "did you mean `fix`?"),
        ("/agent undo", "no step is left to undo here"),
    ):
        assert runner.codes(runner.order(issue, words)) == (0, 0), words
        assert answer in runner.said(issue.number)[-1]
    # What was answered once is no order again
    assert runner.job("gate", "issue_comment", comment_event(hub, hub.comments(issue.number)[-1])).code == 0
    assert runner.outputs("gate")["admitted"] == "false"
    assert (hub.git.git("for-each-ref"), hub.pulls(), runner.said(issue.number)[0]) == (before, [], plan)
    said = hub.comments(issue.number)
    assert [[reaction.content for reaction in each.reactions] for each in said if each.body == "/agent fxi"] == [
        ["confused"]
    ]


def test_what_is_started_by_hand_or_by_the_clock_leaves_one_pull_request_or_no_trace(runner: Runner) -> None:
    hub = runner.hub
    runner.play(*FIX)
    issue = hub.issue("say yes", "it says no")
    runner.env["GIT_AGENT_LABEL"] = "agent"
    assert runner.job("gate", "issues", label_event(hub, issue.number, "agent")).code == 0
    assert runner.outputs("gate")["work"] == "true"
    by_hand = dispatch_event(hub, {"task": "", "issue": str(issue.number), "base": ""})
    assert runner.codes(runner.both("workflow_dispatch", by_hand)) == (0, 0)
    assert "> **say yes**" in runner.pull()[1]
    assert "Fixes #1" in runner.pull()[1]
    nowhere = dispatch_event(hub, {"task": "say yes", "issue": "", "base": "nowhere"})
    assert runner.codes(runner.both("workflow_dispatch", nowhere)) == (2, 1)

    assert runner.codes(runner.both("schedule", schedule_event(hub))) == (0, 0)
    assert (len(hub.pulls()), len(runner.refs())) == (2, 4)
    assert runner.codes(runner.both("schedule", schedule_event(hub))) == (0, 0)
    assert "in pull request 3 already" in runner.summary("publish")
    runner.push("main", {"say.txt": "yes\n"})
    assert runner.codes(runner.both("schedule", schedule_event(hub))) == (0, 0)
    assert (len(hub.pulls()), len(runner.refs())) == (2, 4)
    assert runner.outputs("publish")["outcome"] == "nothing"


def test_a_job_that_is_cancelled_hands_over_what_was_verified(runner: Runner, tmp_path: Path) -> None:
    slow = {**SMALL, "pyproject.toml": '[tool.git-agent.checks]\nok = "sh ok.sh"\n'}
    runner.push("main", {**slow, "ok.sh": "test ! -e slow || sleep 60\ngrep -q yes say.txt\n"})
    more = (("create_file", {"path": "slow", "content": "x"}), checkpoint("more"))
    runner.play(calls(edit("no", "yes", "say.txt"), checkpoint("fix: say yes")), calls(*more))
    event = runner.first_order()
    repo, env = runner.prepare("work", "issue_comment", event)
    with Path(devnull).open("wb") as nothing:
        args = ("-C", str(repo.path), "action", "work")
        going = start(*args, cwd=repo.path, env=env, out=nothing.fileno(), err=nothing.fileno())
        await_event(repo, going, "replied", 2)
        began = time.monotonic()
        # As a runner does: the second one follows soon, and then there is no third
        going.send_signal(signal.SIGINT)
        going.send_signal(signal.SIGTERM)
        assert going.wait(20) == 130
    assert time.monotonic() - began < 5
    assert sorted(path.name for path in (tmp_path / "rooms/701/handover").iterdir()) == sorted([NAME, BUNDLE])
    assert runner.job("publish", "issue_comment", event).code == 0
    pull, body = runner.pull()
    assert pull.draft
    assert "the run was interrupted" in body
    assert runner.show(pull.head_sha, "say.txt") == "yes"


def test_whoever_says_stop_is_named(runner: Runner) -> None:
    runner.play(*FIX)
    runner.push("main", {**SMALL, "pyproject.toml": '[tool.git-agent.checks]\nok = "sleep 60"\n'})
    issue = runner.hub.issue("say yes")
    runner.meanwhile.append(lambda: runner.hub.pass_time(2))
    runner.meanwhile.append(lambda: runner.hub.comment(issue.number, "/agent stop"))
    assert runner.codes(runner.order(issue, "/agent fix")) == (130, 0)
    (told,) = runner.said(issue.number)
    assert "**Interrupted.**" in told
    assert "> ann said stop" in told
