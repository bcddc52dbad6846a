import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.git.names import choose_branch
from bot.git.repository import open_repository
from tests.conftest import Repo


def test_a_branch_is_named_after_the_task_and_the_run(repo: Repo) -> None:
    assert (
        choose_branch(open_repository(repo.path), "Fix the *add* function!", "k2ab")
        == "agent/fix-the-add-function-k2ab"
    )


@pytest.mark.parametrize("ref", ["refs/heads/agent", "refs/remotes/origin/agent", "refs/heads/Agent"])
def test_a_ref_in_the_way_of_the_prefix_makes_the_name_flat(repo: Repo, ref: str) -> None:
    repo.git("update-ref", ref, "HEAD")
    assert choose_branch(open_repository(repo.path), "fix", "r1") == "agent-fix-r1"


@pytest.mark.parametrize(
    "ref",
    [
        "refs/heads/agent/fix-r1",
        "refs/remotes/origin/agent/fix-r1",
        "refs/remotes/my/fork/agent/fix-r1",
        "refs/tags/agent/fix-r1",
        "refs/heads/agent/FIX-r1",
        "refs/heads/agent/fix-r1/below",
    ],
)
def test_a_name_that_is_taken_is_not_chosen(repo: Repo, ref: str) -> None:
    repo.git("update-ref", ref, "HEAD")
    assert choose_branch(open_repository(repo.path), "fix", "r1") == "agent/fix-r1-2"
    repo.git("update-ref", "refs/heads/agent/fix-r1-2", "HEAD")
    assert choose_branch(open_repository(repo.path), "fix", "r1") == "agent/fix-r1-3"


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(slug=st.text(max_size=200), run=st.text("abcdefghijklmnopqrstuvwxyz0123456789-", min_size=1, max_size=20))
def test_any_task_gives_a_safe_name(repo: Repo, slug: str, run: str) -> None:
    name = choose_branch(open_repository(repo.path), slug, run)
    assert len(name) <= 60
    assert re.fullmatch(r"agent/[a-z0-9]+(-[a-z0-9]+)*", name) or not re.search("[a-z0-9]", run)
