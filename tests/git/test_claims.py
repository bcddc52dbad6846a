"""A record that calls commits or branches of others its own is not acted upon."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.core.branches import Place
from bot.core.event import Committed, Event, Started, Undone
from bot.errors import UsageError
from bot.git import claims
from bot.git.claims import refuse_false
from bot.git.names import is_ours
from tests.app.walk import BRANCH, RUN, STEPS, Walk, copy_walk, make_project, make_walk

ZERO = "0" * 40


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Walk:
    return make_walk(make_project(tmp_path_factory.mktemp("made") / "repo"), STEPS)


@pytest.fixture
def walk(kept: Walk, tmp_path: Path) -> Walk:
    return copy_walk(kept, tmp_path / "repo")


def refuse(walk: Walk, events: Sequence[Event] = (), branch: str = BRANCH) -> None:
    refuse_false(walk.repository, walk.run, branch, events or walk.events)


def changed(walk: Walk, step: int, commit: str, tree: str = "") -> tuple[Event, ...]:
    """Tell the story of the walk with another commit for a step."""
    told: dict[str, str] = {"commit": commit, **({"tree": tree} if tree else {})}
    return tuple(
        event.model_copy(update=told) if isinstance(event, Committed) and event.step == step else event
        for event in walk.events
    )


def test_a_record_of_ours_is_believed_also_after_its_steps_went_back(walk: Walk) -> None:
    refuse(walk)
    refuse(walk, (*walk.events, Undone(step=1, commit=walk.commits[0])))
    refuse(walk, (*walk.events, Undone(step=0, commit=walk.base)))


def test_objects_that_are_not_here_are_no_reason_to_refuse(walk: Walk) -> None:
    refuse(walk, changed(walk, 2, ZERO))


@pytest.mark.parametrize("branch", ["main", "feature", "agent-smith", "agent/walk-another1", "agent/../main", "agent/"])
def test_no_branch_but_the_runs_own_is_touched(walk: Walk, branch: str) -> None:
    with pytest.raises(UsageError, match="names the branch"):
        refuse(walk, branch=branch)
    assert not is_ours(branch, RUN)


@pytest.mark.parametrize("branch", [BRANCH, f"agent/{RUN}", f"agent-fix-{RUN}", f"agent/fix-{RUN}-2"])
def test_every_name_that_a_run_is_given_is_its_own(branch: str) -> None:
    assert is_ours(branch, RUN)


def test_a_commit_of_somebody_else_is_no_step(walk: Walk) -> None:
    mine = walk.repo.git("commit-tree", walk.tree_of(2), "-p", walk.commits[0], "-m", "mine")
    with pytest.raises(UsageError, match=f"calls {mine[:10]} a step of its own"):
        refuse(walk, changed(walk, 2, mine))
    with pytest.raises(UsageError, match="a step of its own"):
        refuse(walk, (*walk.events, Undone(step=1, commit=mine)))


def test_neither_is_a_commit_of_another_tree_than_was_judged_nor_a_step_of_another_run(walk: Walk) -> None:
    with pytest.raises(UsageError, match="a step of its own"):
        refuse(walk, changed(walk, 2, walk.commits[1], walk.tree_of(1)))
    other = make_walk(walk.repo, STEPS, run="zz11bb22c")
    with pytest.raises(UsageError, match="a step of its own"):
        refuse(walk, changed(walk, 2, other.commits[1]))


def test_what_lies_between_the_base_and_the_steps_is_the_runs_own(walk: Walk) -> None:
    words = walk.repo.git("log", "-1", "--format=%B", walk.commits[1])
    hidden = walk.repo.git("commit-tree", walk.tree_of(1), "-p", walk.commits[0], "-m", "hidden")
    on_top = walk.repo.git("commit-tree", walk.tree_of(2), "-p", hidden, "-m", words)
    with pytest.raises(UsageError, match=f"does not know {hidden[:10]}"):
        refuse(walk, changed(walk, 2, on_top))
    place = Place(ref=f"refs/heads/{BRANCH}", before=hidden, after=walk.base)
    with pytest.raises(UsageError, match=f"does not know {hidden[:10]}"):
        refuse(walk, (*walk.events, Undone(step=0, commit=walk.base, places=(place,))))


def test_a_start_in_another_history_is_not_gone_on_from_unseen(walk: Walk) -> None:
    strange = walk.repo.git("commit-tree", walk.tree_of(0), "-m", "a history of its own")
    first = walk.events[0]
    assert isinstance(first, Started)
    elsewhere = first.model_copy(update={"task": first.task.model_copy(update={"base": strange})})
    with pytest.raises(UsageError, match="does not know"):
        refuse(walk, (elsewhere, *walk.events[1:]))
    assert claims.MOST > 1
