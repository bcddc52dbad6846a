"""Recording: what survives which end of the process, and what the run's ref then holds."""

import os
import subprocess
import sys

import pytest

from bot.core.event import Committed, Ended, Event, Published
from bot.core.talk import Told
from bot.core.task import Task
from bot.errors import UsageError, WorkspaceError
from bot.git import journal
from bot.git.journal import is_live
from bot.git.record import RunRef, append_events, close_journal
from bot.git.repository import open_repository
from bot.git.runs import dead_journals, list_runs, read_events
from tests.conftest import Repo
from tests.git.past import (
    DONE,
    REF,
    RUN,
    edited,
    folder,
    kill,
    live_through,
    named,
    reachable,
    record_all,
    render,
    saved,
    started,
)


def files_of(repo: Repo) -> list[str]:
    return repo.git("ls-tree", "--name-only", REF).splitlines()


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
    assert repo.git("cat-file", "blob", f"{REF}:report.md") == "# 3 events"
    assert Task.model_validate_json(repo.git("cat-file", "blob", f"{REF}:task.json")) == events[0].task
    record.record(Published(where="main"))
    assert len(read_events(repository, RUN)) == 4
    assert not (repo.path / ".git/agent").exists()
    assert repo.state() == before


def test_wherever_a_run_is_killed_it_is_taken_up_whole_and_nothing_is_lost(repo: Repo) -> None:
    events = live_through(repo)
    lines = [journal.encode(event) for event in (*events, *DONE)]
    for number in range(1, len(events) + 1):
        kill(record_all(repo, events[:number]))
        if folder(repo).exists():
            with (folder(repo) / journal.FILE).open("ab") as stream:
                stream.write(lines[number][: (0, 1, len(lines[number]) // 2, -1)[number % 4]])
        with RunRef(open_repository(repo.path), RUN, render, resume=True) as record:
            assert tuple(record.events) == events[:number]
            record.record(Told(text="more"))
        assert saved(repo) == b"".join(lines[:number]) + journal.encode(Told(text="more"))
        assert named(events[:number]) <= reachable(repo)
        assert not (repo.path / ".git/agent").exists()
        repo.git("update-ref", "-d", REF)


def test_what_garbage_collection_took_before_it_was_kept_stops_nobody(repo: Repo) -> None:
    events = live_through(repo)
    kill(record_all(repo, events[:1]))
    gone = "0" * 39 + "1"
    lost: tuple[Event, ...] = (edited(gone, 9), Told(text="x"))
    with (folder(repo) / journal.FILE).open("ab") as stream:
        stream.write(b"".join(map(journal.encode, lost)))
    with RunRef(open_repository(repo.path), RUN, render, resume=True) as record:
        assert tuple(record.events) == (events[0], *lost)
    assert len(read_events(open_repository(repo.path), RUN)) == 3


DIES = """
import os, signal, sys
from pathlib import Path
from bot.core.event import EVENT
from bot.git.repository import open_repository
from bot.git.record import RunRef
record = RunRef(open_repository(Path(sys.argv[1])), "r1", lambda events: "")
for line in sys.stdin:
    record.record(EVENT.validate_json(line))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_lets_go_and_its_run_is_continued(repo: Repo) -> None:
    events: tuple[Event, ...] = (started(repo), Told(text="one"), Told(text="two"))
    lines = b"".join(map(journal.encode, events))
    done = subprocess.run([sys.executable, "-c", DIES, str(repo.path)], input=lines, check=False, capture_output=True)
    assert done.returncode == -9, done.stderr
    repository = open_repository(repo.path)
    assert read_events(repository, RUN) == events
    assert list_runs(repository) == dead_journals(repository) == (RUN,)
    assert not is_live(repository, RUN)
    with pytest.raises(UsageError, match="already"):
        RunRef(repository, RUN, render).record(started(repo))
    with RunRef(repository, RUN, render, resume=True) as record:
        record.record(Ended(stop="done"))
        assert len(record.events) == 4
    assert read_events(repository, RUN) == (*events, Ended(stop="done"))
    assert not (repo.path / ".git/agent").exists()


FULL = """
import resource, sys
from pathlib import Path
from bot.core.event import EVENT, Ended
from bot.core.talk import Told
from bot.errors import WorkspaceError
from bot.git.repository import open_repository
from bot.git.record import RunRef
record = RunRef(open_repository(Path(sys.argv[1])), "r1", lambda events: "")
record.record(EVENT.validate_json(sys.stdin.readline()))
resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, -1))
for count in range(100):
    try:
        record.record(Told(text=str(count) * 2_000))
    except WorkspaceError as error:
        print(error.message)
        break
resource.setrlimit(resource.RLIMIT_FSIZE, (-1, -1))
record.record(Told(text="room again"))
record.record(Ended(stop="workspace"))
"""


def test_a_full_disk_ends_in_one_line_and_leaves_a_journal_that_can_be_added_to(repo: Repo) -> None:
    line = journal.encode(started(repo))
    done = subprocess.run([sys.executable, "-c", FULL, str(repo.path)], input=line, check=False, capture_output=True)
    assert (done.returncode, done.stdout) == (0, b"the run's trace cannot be written: File too large\n"), done.stderr
    events = read_events(open_repository(repo.path), RUN)
    told = [event.text for event in events if isinstance(event, Told)]
    assert len(told) > 10
    assert told[-1] == "room again"
    assert told[-2] == str(len(told) - 2) * 2_000
    assert isinstance(events[-1], Ended)


TAKES = """
import sys
from pathlib import Path
from bot.core.talk import Told
from bot.errors import UsageError
from bot.git.repository import open_repository
from bot.git.record import RunRef
repository = open_repository(Path(sys.argv[1]))
print("ready", flush=True)
sys.stdin.readline()
try:
    with RunRef(repository, "r1", lambda events: "", resume=True) as record:
        record.record(Told(text="mine"))
        print("won", flush=True)
        sys.stdin.readline()
except UsageError as error:
    print(error.message, flush=True)
"""


def test_of_two_processes_that_take_up_a_run_at_once_exactly_one_gets_it(repo: Repo) -> None:
    kill(record_all(repo, (started(repo),)))
    command = [sys.executable, "-c", TAKES, str(repo.path)]
    two = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    for child in two:
        assert child.stdout is not None
        assert child.stdout.readline() == "ready\n"
    for child in two:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    told = sorted(child.stdout.readline().strip() for child in two if child.stdout is not None)
    assert is_live(open_repository(repo.path), RUN)
    for child in two:
        child.communicate("end\n")
    assert told == ["run r1 is still going", "won"]
    assert [event.event for event in read_events(open_repository(repo.path), RUN)] == ["started", "told"]


def test_a_run_that_another_process_records_is_not_touched(repo: Repo) -> None:
    record = record_all(repo, (started(repo),))
    with pytest.raises(UsageError, match="still going") as caught:
        append_events(record.repository, RUN, [Ended(stop="done")])
    assert str(os.getpid()) in caught.value.hint
    record.close()


def test_a_later_event_without_a_report_keeps_the_report(repo: Repo) -> None:
    repository = open_repository(repo.path)
    record_all(repo, (started(repo),)).close()
    append_events(repository, RUN, [Published(where="main")])
    assert repo.git("cat-file", "blob", f"{REF}:report.md") == "# 1 events"
    with pytest.raises(UsageError, match="no run"):
        append_events(repository, "r2", [Published(where="main")])
    assert not (repo.path / ".git/agent").exists()


@pytest.mark.parametrize("name", ["../../x", "", "a/b", "A", "r1\n", "\x1b[2J", "é", "x" * 61])
def test_what_is_no_name_of_ours_becomes_no_path(repo: Repo, name: str) -> None:
    with pytest.raises(UsageError, match="not the name of a run"):
        RunRef(open_repository(repo.path), name, render)


def test_a_ref_that_was_moved_elsewhere_is_not_written_over(repo: Repo) -> None:
    events = live_through(repo)
    kill(record_all(repo, events[:8]))
    left = (folder(repo) / journal.FILE).read_bytes()
    tip = repo.git("rev-parse", REF)
    kept = repo.path.parent / "kept"
    folder(repo).parent.parent.rename(kept)
    repo.git("update-ref", "-d", REF)
    record_all(repo, (started(repo), Told(text="elsewhere"), DONE[0]))
    other = repo.git("rev-parse", REF)
    kept.rename(repo.path / ".git/agent")
    with pytest.raises(WorkspaceError, match="was moved"), RunRef(open_repository(repo.path), RUN, render, resume=True):
        pass
    assert (folder(repo) / journal.FILE).read_bytes() == left
    assert repo.git("rev-parse", REF) == other
    repo.git("update-ref", REF, tip)
    with RunRef(open_repository(repo.path), RUN, render, resume=True) as record:
        assert tuple(record.events) == events[:8]


def died(repo: Repo, *more: Event) -> None:
    """Leave behind what a process that was killed leaves."""
    kill(record_all(repo, (started(repo), Told(text="hello"), *more)))


def test_the_journal_of_a_dead_run_is_closed_with_an_end(repo: Repo) -> None:
    repository = open_repository(repo.path)
    died(repo)
    assert dead_journals(repository) == (RUN,)
    close_journal(repository, RUN, Ended(stop="interrupted"), render)
    assert [event.event for event in read_events(repository, RUN)] == ["started", "told", "ended"]
    assert dead_journals(repository) == ()
    assert not (repo.path / ".git/agent").exists()
    assert repo.git("show", f"{REF}:report.md") == "# 3 events"


def test_a_dead_run_that_had_ended_gets_no_second_end(repo: Repo) -> None:
    repository = open_repository(repo.path)
    lines = journal.encode(started(repo)) + journal.encode(Ended(stop="done"))
    repo.write({f".git/agent/runs/{RUN}/trace.jsonl": lines + b'{"event": "cut o'})
    close_journal(repository, RUN, Ended(stop="interrupted"), render)
    assert [event.event for event in read_events(repository, RUN)] == ["started", "ended"]


def test_a_run_that_was_resumed_and_died_gets_its_end(repo: Repo) -> None:
    events = (*live_through(repo),)
    record_all(repo, events[:12])
    kill(record_all(repo, events[12:], resume=True))
    close_journal(open_repository(repo.path), RUN, Ended(stop="interrupted"), render)
    told = [event.event for event in read_events(open_repository(repo.path), RUN)]
    assert told[-4:] == ["resumed", "acted", "told", "ended"]


def test_an_empty_journal_of_a_dead_run_goes_and_an_unreadable_one_stays(repo: Repo) -> None:
    repository = open_repository(repo.path)
    repo.write({".git/agent/runs/r2/trace.jsonl": b"", ".git/agent/runs/r3/trace.jsonl": b"{}\n"})
    close_journal(repository, "r2", Ended(stop="interrupted"), render)
    with pytest.raises(WorkspaceError):
        close_journal(repository, "r3", Ended(stop="interrupted"), render)
    assert dead_journals(repository) == ("r3",)


def test_a_record_that_cannot_be_kept_is_an_error_of_ours(repo: Repo) -> None:
    repo.write({".git/agent": "in the way"})
    with pytest.raises(WorkspaceError, match="record"), RunRef(open_repository(repo.path), RUN, render) as record:
        record.record(started(repo))


def test_a_record_that_is_none_of_ours_is_not_taken_up_and_leaves_nothing_behind(repo: Repo) -> None:
    first = started(repo)
    lie = first.model_copy(update={"task": first.task.model_copy(update={"base": "--output=x"})})
    repo.write({"../lie": journal.encode(lie)})
    blob = repo.git("hash-object", "-w", "../lie")
    repo.git("read-tree", "--empty")
    repo.git("update-index", "--add", "--cacheinfo", f"100644,{blob},trace.jsonl")
    repo.git("update-ref", REF, repo.git("commit-tree", repo.git("write-tree"), "-m", "x"))
    with pytest.raises(WorkspaceError, match="no object of git"):
        append_events(open_repository(repo.path), RUN, [DONE[0]], render)
    assert not (repo.path / ".git/agent").exists()


def test_a_step_that_is_not_there_any_more_is_named(repo: Repo) -> None:
    past = live_through(repo)
    lost = past[5]
    assert isinstance(lost, Committed)
    ref = record_all(repo, past[:5])
    kill(ref)
    with (folder(repo) / "trace.jsonl").open("ab") as file:
        file.write(journal.encode(lost.model_copy(update={"commit": "1" * 40})))
    with pytest.raises(WorkspaceError, match=f"{RUN} stood at 1111111111, which is not in this repository any more"):
        record_all(repo, DONE, resume=True)
