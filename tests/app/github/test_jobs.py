"""An order goes in, a pull request with its evidence comes out: both jobs, each on a checkout of its own."""

from pathlib import Path

import pytest

from bot.core.publication.marker import read_marker
from tests.app.github.jobs import Runner
from tests.hub.fixtures import hub  # noqa: F401
from tests.hub.standin import Standin
from tests.hub.world import Issue


@pytest.fixture
def runner(hub: Standin, tmp_path: Path) -> Runner:  # noqa: F811
    return Runner(hub, tmp_path / "rooms")


def ours(runner: Runner, number: int) -> list[str]:
    """Return what we said on a page."""
    return [
        comment.body
        for comment in runner.hub.comments(number)
        if comment.author is not None and comment.author.login == "github-actions[bot]"
    ]


def fixed(runner: Runner) -> tuple[Issue, Issue]:
    """Have an issue fixed; return it and the pull request."""
    issue = runner.hub.issue("add subtracts", "add(1, 2) gives -1", "ann")
    work, publish = runner.order(issue, "/agent fix")
    assert work.code == 0, work.err
    assert publish is not None
    assert publish.code == 0, publish.err
    (pull,) = runner.hub.pulls()
    return issue, pull


def test_an_issue_becomes_one_pull_request_that_later_orders_go_on_with(runner: Runner) -> None:
    hub = runner.hub  # noqa: F811
    issue, pull = fixed(runner)
    assert pull.pull is not None
    assert (pull.pull.base_ref, pull.pull.draft) == ("main", False)
    assert "Fixes #1" in (pull.body or "")
    assert hub.git.git("show", f"{pull.pull.head_sha}:calc.py") == "def add(a, b):\n    return a + b"
    assert [check.told["conclusion"] for check in hub.checks(pull.pull.head_sha)] == ["success"]
    outputs = runner.outputs("publish")
    assert (outputs["outcome"], outputs["pr-number"], outputs["commits"]) == ("verified", "2", "1")
    (told,) = ours(runner, issue.number)
    assert "Pull request [#2]" in told

    # Again on the issue: the same pull request and the same comment, made anew from where the base is now
    runner.push("main", {"notes.txt": "more\n"})
    before = pull.pull.head_sha
    _, publish = runner.order(issue, "/agent retry")
    assert publish is not None
    assert publish.code == 0, publish.err
    assert len(hub.pulls()) == 1
    assert pull.pull.head_sha != before
    assert hub.git.git("show", f"{pull.pull.head_sha}:notes.txt") == "more"
    (told,) = ours(runner, issue.number)
    state = read_marker(told)
    assert state is not None
    assert [attempt.verb for attempt in state.attempts] == ["fix", "retry"]

    # Steps are taken back where the pull request is talked about, and with the last one it asks for nothing
    _, publish = runner.order(pull, "/agent undo")
    assert publish is not None
    assert publish.code in (0, 1), publish.err
    assert not pull.open
