"""Finding runs, and reading what happened in them."""

import time
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.core.talk import Told
from bot.errors import UsageError, WorkspaceError
from bot.git import journal
from bot.git.record import RunRef
from bot.git.repository import Repository, open_repository
from bot.git.runs import find_run, list_runs, new_run_id, read_all, read_events
from tests.conftest import Repo
from tests.git.past import DONE, RUN, render, started


def with_runs(repo: Repo, *runs: str) -> Repository:
    for run in runs:
        repo.git("update-ref", f"refs/agent/runs/{run}", "HEAD")
    return open_repository(repo.path)


def test_a_run_is_found_by_the_beginning_of_its_id_its_branch_or_its_ref(repo: Repo) -> None:
    repository = with_runs(repo, "k1aa", "k1ab", "k2cc")
    assert list_runs(repository) == ("k2cc", "k1ab", "k1aa")
    assert find_run(repository, "k2") == "k2cc"
    assert find_run(repository, "k1ab") == "k1ab"
    assert find_run(repository, "agent/fix-k1aa") == "k1aa"
    assert find_run(repository, "refs/agent/runs/k2cc") == "k2cc"


@pytest.mark.parametrize(("prefix", "hint"), [("k1", "k1ab or k1aa"), ("k2cd", "k2cc"), ("zz", "k2cc"), ("", "k2cc")])
def test_a_run_that_is_not_clear_is_a_usage_error_with_near_ones(repo: Repo, prefix: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        find_run(with_runs(repo, "k1aa", "k1ab", "k2cc"), prefix)
    assert hint in caught.value.hint


def test_without_runs_the_first_one_is_proposed(repo: Repo) -> None:
    with pytest.raises(UsageError, match="no runs here"):
        find_run(open_repository(repo.path), "x")


@given(st.lists(st.floats(1_704_067_200, 4_000_000_000), min_size=2, max_size=5))
def test_ids_are_short_and_sort_by_time(moments: list[float]) -> None:
    ids = [new_run_id(moment) for moment in sorted(moments)]
    assert all(len(run) == 11 and run.isalnum() and run == run.lower() for run in ids)
    assert all(a[:7] <= b[:7] for a, b in pairwise(ids))
    assert new_run_id() < new_run_id(time.time() + 1)


@pytest.mark.parametrize(
    "content", [b"", b'{"event": "star', b"{}\n", b"\xff\n"], ids=["empty", "cut", "foreign", "bytes"]
)
def test_a_journal_that_says_nothing_hides_no_other_run(repo: Repo, content: bytes) -> None:
    repository = open_repository(repo.path)
    with RunRef(repository, RUN, render) as record:
        record.record(started(repo))
        record.record(DONE[0])
    repo.write({".git/agent/runs/r2/trace.jsonl": content})
    repo.git("update-ref", "refs/agent/runs/r0", "HEAD")
    told = dict(read_all(repository))
    assert [event.event for event in told.pop(RUN)] == ["started", "ended"]
    assert set(told.values()) == {()}


def test_a_trace_that_does_not_begin_with_its_start_is_refused(repo: Repo) -> None:
    repo.write({".git/agent/runs/r2/trace.jsonl": journal.encode(Told(text="hello"))})
    with pytest.raises(WorkspaceError, match="begin"):
        read_events(open_repository(repo.path), "r2")
