"""Where commits of a run are pushed to, and which pull request asks for them."""

import pytest

from bot.app.github.destination import Destination, Earlier, Work, aim
from bot.core.handover import Base, Handover
from bot.core.hub import PullRequest
from bot.errors import UsageError

BASE, TIP, OTHER = "b" * 40, "a" * 40, "c" * 40
RUN = "20260101-120000-abcd"
OURS = f"agent/12-totals-{RUN}"


def claim(**given: object) -> Handover:
    said = {"repository": "o/n", "run": RUN, "branch": OURS, "base": Base(ref="main", then=BASE, now=BASE)}
    return Handover.model_validate({**said, **given})


def pull(head: str, sha: str = BASE, base: str = "main") -> PullRequest:
    return PullRequest(number=7, head_sha=sha, head_ref=head, base_ref=base)


HEAD = "agent/12-totals-20250101-120000-0000"
MADE = Work(frozenset({BASE, "d" * 40}), frozenset({"d" * 40}))


def test_an_issue_gets_a_branch_and_a_pull_request_of_its_own() -> None:
    assert aim(claim(), MADE, None, Earlier()) == Destination(OURS, "", "main")


def test_what_was_asked_for_on_somebodys_pull_request_is_offered_to_their_branch() -> None:
    asked = claim(base=Base(ref="topic", then=BASE, now=BASE))
    assert aim(asked, MADE, pull("topic"), Earlier()) == Destination(OURS, "", "topic")


def test_what_was_asked_for_on_our_pull_request_goes_on_its_branch() -> None:
    mine = pull(HEAD)
    assert aim(claim(), MADE, mine, Earlier()) == Destination(HEAD, BASE, "main", mine)


def test_a_branch_of_ours_that_moved_is_gone_on_with_only_on_top_of_where_it_is() -> None:
    mine = pull(HEAD, sha=OTHER)
    assert aim(claim(), MADE, mine, Earlier()).pull is None
    assert "not of this run" in aim(claim(), MADE, mine, Earlier()).why
    assert aim(claim(), Work(frozenset({OTHER, TIP})), mine, Earlier()) == Destination(HEAD, OTHER, "main", mine)


def test_steps_of_ours_may_be_taken_back_and_nobody_elses() -> None:
    back = Work(frozenset({BASE}), frozenset({TIP}), back=True)
    mine, theirs = pull(HEAD, sha=TIP), pull(HEAD, sha=OTHER)
    assert aim(claim(), back, mine, Earlier()) == Destination(HEAD, TIP, "main", mine)
    assert aim(claim(), back._replace(back=False), mine, Earlier()).pull is None
    assert aim(claim(), back, theirs, Earlier()).pull is None


def test_another_run_for_an_issue_takes_the_place_of_the_one_before() -> None:
    mine = pull(HEAD, sha=TIP)
    assert aim(claim(), MADE, None, Earlier(HEAD, TIP, mine)) == Destination(HEAD, TIP, "main", mine)


def test_what_somebody_built_on_is_never_replaced() -> None:
    there = aim(claim(), MADE, None, Earlier(HEAD, TIP, pull(HEAD, sha=OTHER)))
    assert (there.branch, there.expected, there.pull) == (OURS, "", None)
    assert "not ours" in there.why


@pytest.mark.parametrize("branch", ["main", "agent/x", "refs/heads/main", "", "agent/12-other-20250101-120000-0000"])
def test_no_other_branch_is_ever_named(branch: str) -> None:
    with pytest.raises(UsageError):
        aim(claim(branch=branch), MADE, None, Earlier())
