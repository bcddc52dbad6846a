"""Where commits of a run are pushed to, and which pull request asks for them."""

import pytest

from bot.app.github.destination import Destination, Earlier, aim
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


def test_an_issue_gets_a_branch_and_a_pull_request_of_its_own() -> None:
    assert aim(claim(), None, Earlier()) == Destination(OURS, "", "main")


def test_what_was_asked_for_on_somebodys_pull_request_is_offered_to_their_branch() -> None:
    assert aim(claim(base=Base(ref="topic", then=BASE, now=BASE)), pull("topic"), Earlier()) == Destination(
        OURS, "", "topic"
    )


def test_what_was_asked_for_on_our_pull_request_goes_on_its_branch() -> None:
    mine = pull("agent/12-totals-20250101-120000-0000")
    assert aim(claim(), mine, Earlier()) == Destination(mine.head_ref, BASE, "main", mine)


def test_a_branch_of_ours_that_moved_is_gone_on_with_only_on_top_of_where_it_is() -> None:
    mine = pull("agent/12-totals-20250101-120000-0000", sha=OTHER)
    assert aim(claim(), mine, Earlier()).pull is None
    assert "changed meanwhile" in aim(claim(), mine, Earlier()).why
    moved = claim(base=Base(ref=mine.head_ref, then=BASE, now=OTHER, state="rebased"))
    assert aim(moved, mine, Earlier()) == Destination(mine.head_ref, OTHER, "main", mine)


def test_another_run_for_an_issue_takes_the_place_of_the_one_before() -> None:
    mine = pull("agent/12-totals-20250101-120000-0000", sha=TIP)
    assert aim(claim(), None, Earlier(mine.head_ref, TIP, mine)) == Destination(mine.head_ref, TIP, "main", mine)


def test_what_somebody_built_on_is_never_replaced() -> None:
    mine = pull("agent/12-totals-20250101-120000-0000", sha=OTHER)
    there = aim(claim(), None, Earlier(mine.head_ref, TIP, mine))
    assert (there.branch, there.expected, there.pull) == (OURS, "", None)
    assert "not ours" in there.why


@pytest.mark.parametrize("branch", ["main", "agent/x", "refs/heads/main", "", "agent/12-other-20250101-120000-0000"])
def test_no_other_branch_is_ever_named(branch: str) -> None:
    with pytest.raises(UsageError):
        aim(claim(branch=branch), None, Earlier())
