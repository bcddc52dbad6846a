import os
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.core.change import ChangeSet
from bot.core.check import Verdict
from bot.core.event import (
    Acted,
    Baselined,
    Committed,
    Ended,
    Event,
    Published,
    Replied,
    RolledBack,
    Started,
    Told,
    Undone,
    Verified,
)
from bot.core.message import Reply, ToolCall, ToolResult
from bot.core.task import Task
from bot.errors import UsageError, WorkspaceError
from bot.git import journal
from bot.git.repository import Repository, open_repository
from bot.git.runs import (
    RunRef,
    append_events,
    close_journal,
    dead_journals,
    find_run,
    is_live,
    list_runs,
    new_run_id,
    read_all,
    read_events,
)
from tests.conftest import Repo
from tests.git.scene import FIXED, opened, write

RUN = "r1"


def render(events: Sequence[Event]) -> str:
    return f"# {len(events)} events\n"


def started(repo: Repo, run: str = RUN) -> Started:
    return Started(run=run, task=Task(goal="fix it", base=repo.git("rev-parse", "HEAD")), branch="agent/fix-r1")


def files_of(repo: Repo, run: str = RUN) -> list[str]:
    return repo.git("ls-tree", "--name-only", f"refs/agent/runs/{run}").splitlines()


def folder(repo: Repo, run: str = RUN) -> Path:
    return repo.path / ".git/agent/runs" / run


def test_a_run_is_kept_in_its_ref_and_the_journal_goes(repo: Repo) -> None:
    before = repo.state()
    repository = open_repository(repo.path)
    events = (started(repo), Told(text="é"), Ended(stop="done"))
    record = RunRef(repository, RUN, render)
    record.record(events[0])
    assert files_of(repo) == ["report.md", "task.json", "trace.jsonl"]
    record.record(events[1])
    assert is_live(repository, RUN)
    assert read_events(repository, RUN) == events[:2]
    record.record(events[2])
    assert read_events(repository, RUN) == events
    assert not is_live(repository, RUN)
    assert not (repo.path / ".git/agent").exists()
    assert repo.git("cat-file", "blob", "refs/agent/runs/r1:report.md") == "# 3 events"
    assert Task.model_validate_json(repo.git("cat-file", "blob", "refs/agent/runs/r1:task.json")) == events[0].task
    record.record(Published(where="main"))
    assert len(read_events(repository, RUN)) == 4
    assert not (repo.path / ".git/agent").exists()
    assert repo.state() == before


def test_everything_a_run_made_survives_garbage_collection(repo: Repo) -> None:
    repository = open_repository(repo.path)
    with RunRef(repository, RUN, render) as record, opened(repo) as workspace:
        record.record(started(repo))
        write(workspace, "calc.py", FIXED)
        commit = workspace.commit(workspace.tree(), "one")
        record.record(Committed(step=1, commit=commit, tree=workspace.tree(), subject="one"))
        rejected = []
        for content in (b"worse\n", b"worst\n"):
            write(workspace, "calc.py", content)
            done = workspace.rollback()
            record.record(RolledBack(to=done.to, kept=done.kept))
            rejected.append(done.kept)
            repo.git("gc", "-q", "--prune=now")
    assert [repo.git("cat-file", "blob", f"{kept}:calc.py") for kept in rejected] == ["worse", "worst"]
    parents = repo.git("log", "--first-parent", "--format=%P", "refs/agent/runs/r1").split()
    assert all(parents.count(commit) == 1 for commit in (*rejected, commit))


def test_undone_steps_stay_reachable_when_the_branch_is_gone(repo: Repo) -> None:
    repository = open_repository(repo.path)
    with RunRef(repository, RUN, render) as record, opened(repo) as workspace:
        first = started(repo)
        record.record(first)
        write(workspace, "calc.py", FIXED)
        commit = workspace.commit(workspace.tree(), "one")
        record.record(Committed(step=1, commit=commit, tree=workspace.tree(), subject="one"))
        record.record(Ended(stop="done"))
    append_events(repository, RUN, [Undone(step=0, commit=first.task.base)], render)
    repo.git("branch", "-q", "-D", "agent/fix-r1")
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    assert repo.git("cat-file", "-t", commit) == "commit"
    assert [event.event for event in read_events(repository, RUN)] == ["started", "committed", "ended", "undone"]


DIES = """
import os, signal, sys
from pathlib import Path
from bot.core.event import EVENT
from bot.git.repository import open_repository
from bot.git.runs import RunRef
record = RunRef(open_repository(Path(sys.argv[1])), "r1", lambda events: "")
for line in sys.stdin:
    record.record(EVENT.validate_json(line))
os.kill(os.getpid(), signal.SIGKILL)
"""


def die(repo: Repo, events: Sequence[Event]) -> None:
    lines = b"".join(map(journal.encode, events))
    done = subprocess.run([sys.executable, "-c", DIES, str(repo.path)], input=lines, check=False, capture_output=True)
    assert done.returncode == -9, done.stderr


def test_a_killed_run_is_read_from_its_journal_and_continued(repo: Repo) -> None:
    events = (started(repo), Told(text="one"), Told(text="two"))
    die(repo, events)
    repository = open_repository(repo.path)
    with (folder(repo) / "trace.jsonl").open("ab") as stream:
        stream.write(b'{"event": "told", "te')
    assert read_events(repository, RUN) == events
    assert list_runs(repository) == (RUN,)
    assert not is_live(repository, RUN)
    with pytest.raises(UsageError, match="already"):
        RunRef(repository, RUN, render).record(started(repo))
    with RunRef(repository, RUN, render, resume=True) as record:
        record.record(Ended(stop="done"))
        assert len(record.events) == 4
    assert read_events(repository, RUN) == (*events, Ended(stop="done"))
    assert not (repo.path / ".git/agent").exists()


def test_a_run_that_another_process_records_is_not_touched(repo: Repo) -> None:
    repository = open_repository(repo.path)
    record = RunRef(repository, RUN, render)
    record.record(started(repo))
    with pytest.raises(UsageError, match="still going"):
        append_events(repository, RUN, [Ended(stop="done")])
    record.close()


def test_a_later_event_without_a_report_keeps_the_report(repo: Repo) -> None:
    repository = open_repository(repo.path)
    with RunRef(repository, RUN, render) as record:
        record.record(started(repo))
    append_events(repository, RUN, [Published(where="main")])
    assert repo.git("cat-file", "blob", "refs/agent/runs/r1:report.md") == "# 1 events"
    with pytest.raises(UsageError, match="no run"):
        append_events(repository, "r2", [Published(where="main")])
    with pytest.raises(UsageError, match="no run"):
        read_events(repository, "r2")


def test_a_trace_with_a_broken_line_is_not_read_past(repo: Repo) -> None:
    line = journal.encode(Told(text="x"))
    assert journal.decode(line + line[:-3]) == (Told(text="x"),)
    with pytest.raises(WorkspaceError, match="line 2"):
        journal.decode(line + b"{}\n" + line)


@given(st.text(st.characters(categories=["L", "Cs", "Cc", "Zl"])), st.text())
@example("lone \ud800", "\n")
def test_any_text_is_recorded_on_one_line_and_read_back(text: str, name: str) -> None:
    call = ToolCall(id="1", name=name, arguments={"deep": [{text: text}], "n": 1, "b": True})
    event = Acted(call=call, result=ToolResult(call_id="1", ok=True, output=text))
    line = journal.encode(event)
    assert line.count(b"\n") == 1
    (read,) = journal.decode(line)
    assert isinstance(read, Acted)
    assert read.result.output == text.encode("utf-8", "backslashreplace").decode()
    assert read.call.name == name
    assert read == event or "\\ud" in read.result.output


@given(st.lists(st.text(), max_size=5), st.integers(0, 60))
def test_a_trace_cut_anywhere_loses_at_most_its_last_event(texts: list[str], cut: int) -> None:
    events = [Told(text=text) for text in texts]
    data = b"".join(map(journal.encode, events))
    kept = journal.decode(data[: max(0, len(data) - cut)])
    assert list(kept) == events[: len(kept)]
    if cut == 0:
        assert len(kept) == len(events)


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
    assert all(len(run) == 9 and run.isalnum() and run == run.lower() for run in ids)
    assert all(a[:7] <= b[:7] for a, b in pairwise(ids))
    assert new_run_id() < new_run_id(time.time() + 1)


def test_a_long_run_costs_little_to_record(repo: Repo) -> None:
    repository = open_repository(repo.path)
    base = repo.git("rev-parse", "HEAD")
    verdict = Verdict(tree=base)
    begun = time.process_time()
    with RunRef(repository, RUN, render) as record:
        record.record(started(repo))
        record.record(Baselined(verdict=verdict))
        for step in range(100):
            record.record(Replied(reply=Reply(text=os.urandom(1000).hex())))
            if step % 3 == 0:
                record.record(Verified(verdict=verdict, change=ChangeSet(base=base, tree=base, patch="x" * 4000)))
                record.record(Committed(step=step + 1, commit=base, tree=base, subject="s"))
        record.record(Ended(stop="done"))
    assert time.process_time() - begun < 0.5
    commits = int(repo.git("rev-list", "--count", "--first-parent", f"{base}..refs/agent/runs/r1"))
    assert 4 <= commits <= 12


@pytest.mark.parametrize(
    "content", [b"", b'{"event": "star', b"{}\n", b"\xff\n"], ids=["empty", "cut", "foreign", "bytes"]
)
def test_a_journal_that_says_nothing_hides_no_other_run(repo: Repo, content: bytes) -> None:
    repository = open_repository(repo.path)
    with RunRef(repository, RUN, render) as record:
        record.record(started(repo))
        record.record(Ended(stop="done"))
    repo.write({".git/agent/runs/r2/trace.jsonl": content})
    repo.git("update-ref", "refs/agent/runs/r0", "HEAD")
    told = dict(read_all(repository))
    assert [event.event for event in told.pop(RUN)] == ["started", "ended"]
    assert set(told.values()) == {()}


def test_a_trace_that_does_not_begin_with_its_start_is_refused(repo: Repo) -> None:
    repo.write({".git/agent/runs/r2/trace.jsonl": journal.encode(Told(text="hello"))})
    with pytest.raises(WorkspaceError, match="begin"):
        read_events(open_repository(repo.path), "r2")


def test_the_journal_of_a_dead_run_is_closed_with_an_end(repo: Repo) -> None:
    repository = open_repository(repo.path)
    died(repo)
    assert dead_journals(repository) == (RUN,)
    close_journal(repository, RUN, Ended(stop="interrupted"), render)
    assert [event.event for event in read_events(repository, RUN)] == ["started", "told", "ended"]
    assert dead_journals(repository) == ()
    assert not (repo.path / ".git/agent").exists()
    assert repo.git("show", f"refs/agent/runs/{RUN}:report.md") == "# 3 events"


def test_a_dead_run_that_had_ended_gets_no_second_end(repo: Repo) -> None:
    repository = open_repository(repo.path)
    died(repo, Ended(stop="done"))
    close_journal(repository, RUN, Ended(stop="interrupted"), render)
    assert [event.event for event in read_events(repository, RUN)] == ["started", "told", "ended"]


def test_an_empty_journal_of_a_dead_run_goes_and_an_unreadable_one_stays(repo: Repo) -> None:
    repository = open_repository(repo.path)
    repo.write({".git/agent/runs/r2/trace.jsonl": b"", ".git/agent/runs/r3/trace.jsonl": b"{}\n"})
    close_journal(repository, "r2", Ended(stop="interrupted"), render)
    with pytest.raises(WorkspaceError):
        close_journal(repository, "r3", Ended(stop="interrupted"), render)
    assert dead_journals(repository) == ("r3",)


def died(repo: Repo, *more: Event) -> None:
    """Leave behind what a process that was killed leaves."""
    lines = b"".join(journal.encode(event) for event in (started(repo), Told(text="hello"), *more))
    repo.write({f".git/agent/runs/{RUN}/trace.jsonl": lines + b'{"event": "cut o'})


def test_a_record_that_cannot_be_kept_is_an_error_of_ours(repo: Repo) -> None:
    repo.write({".git/agent": "in the way"})
    with pytest.raises(WorkspaceError, match="record"), RunRef(open_repository(repo.path), RUN, render) as record:
        record.record(started(repo))
