"""What was worked out once is published: where the base moved since, where something is denied, and once more."""

import shutil
from pathlib import Path

from bot.core.publication.marker import read_marker
from tests.app.github.jobs import Runner


def test_a_base_that_went_on_before_publishing_is_told_of(runner: Runner, worked: Path) -> None:
    event = runner.take(worked)
    runner.push("main", {"notes.txt": "more\n"})
    assert runner.job("publish", "issue_comment", event).code == 0
    pull, body = runner.pull()
    assert not pull.draft
    assert "main went on from" in body
    assert "where no check was run on it" in body
    assert runner.outputs("publish")["outcome"] == "verified"


def test_a_base_that_conflicts_before_publishing_makes_a_draft(runner: Runner, worked: Path) -> None:
    event = runner.take(worked)
    runner.push("main", {"say.txt": "perhaps\n"})
    assert runner.job("publish", "issue_comment", event).code == 0
    pull, body = runner.pull()
    assert pull.draft
    assert "the change conflicts with that: in say.txt" in body
    assert "Merging this leaves #1 open" in body
    assert "where `main` stands by now" in runner.said(1)[0]
    assert runner.outputs("publish")["outcome"] == "partial"


def test_a_pull_request_that_may_not_be_opened_is_a_link_until_it_may_be(runner: Runner, worked: Path) -> None:
    event = runner.take(worked)
    runner.hub.world.settings.actions_may_create_pulls = False
    runner.hub.world.label("git-agent")
    assert runner.job("publish", "issue_comment", event).code == 1
    outputs = runner.outputs("publish")
    assert (outputs["pr-number"], outputs["outcome"]) == ("", "verified")
    assert runner.show(f"refs/heads/{outputs['branch']}", "say.txt") == "yes"
    (told,) = runner.said(1)
    assert "[open it by hand](" in told
    assert "/compare/main...agent%2F" in told
    assert "[open it by hand](" in runner.summary("publish")

    # The same job once more: what is there is gone on with, and nothing of it is done twice
    before = runner.refs()
    runner.hub.world.settings.actions_may_create_pulls = True
    assert runner.job("publish", "issue_comment", event).code == 0
    assert (runner.refs(), len(runner.hub.pulls())) == (before, 1)
    assert runner.hub.labels(2) == ["git-agent"]
    (told,) = runner.said(1)
    state = read_marker(told)
    assert state is not None
    assert (state.pull, len(state.attempts)) == (2, 1)


def test_what_may_not_be_pushed_is_kept_in_the_artifact(runner: Runner, worked: Path) -> None:
    event = runner.take(worked)
    runner.hub.world.settings.protected.add(runner.outputs("work")["branch"])
    assert runner.job("publish", "issue_comment", event).code == 1
    assert (runner.refs(), runner.hub.pulls(), runner.outputs("publish")["branch"]) == ([], [], "")
    for told in (runner.said(1)[0], runner.summary("publish")):
        assert "rules of the repository protect the branch" in told
        assert "the commits are in the artifact [`git-agent-701-1`](" in told
    assert "exactly what the run made" in runner.said(1)[0]


def test_without_a_right_to_comment_the_pull_request_is_opened_all_the_same(runner: Runner, worked: Path) -> None:
    event = runner.take(worked)
    for path in ("/comments$", "/check-runs$", "/reactions$"):
        runner.hub.fail("POST", path, 403, times=9)
    done = runner.job("publish", "issue_comment", event)
    assert done.code == 0
    assert "no check run" in done.err
    assert runner.outputs("publish")["pr-number"] == "2"
    assert "the comment could not be written" in runner.summary("publish")


def test_a_job_that_left_nothing_to_publish_is_told_of_once(runner: Runner) -> None:
    event = runner.first_order()
    handover = runner.folder / f"{runner.number}" / "handover"
    for left, code, why in ((None, 1, "ended without a result"), ("{", 2, "cannot be read")):
        if left is not None:
            handover.mkdir()
            (handover / "handover.json").write_text(left)
        assert runner.job("publish", "issue_comment", event).code == code
        (told,) = runner.said(1)
        assert "Something went wrong" in told
        assert why in told
        assert "/actions/runs/701)" in told
        assert why in runner.summary("publish")
    assert runner.outputs("publish")["outcome"] == "failed"
    shutil.rmtree(handover)
