"""What plain git sees of a run: its entries, what they say, and what they keep."""

import os
from pathlib import Path

from bot.core.event import Committed, Started, Undone
from bot.core.message import Reply
from bot.core.talk import Replied
from bot.git import journal
from bot.git.record import RunRef, append_events
from bot.git.repository import open_repository
from bot.git.runs import read_events
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
    stepped,
    write_commit,
    write_tree,
)


def test_plain_git_log_tells_the_story(repo: Repo) -> None:
    record_all(repo, (*live_through(repo), *DONE))
    told = repo.git("log", "--first-parent", "--reverse", "--format=%s", f"HEAD..{REF}").splitlines()
    assert told == [
        "started: fix it",
        "draft: edit_file calc.py",
        "step 1: Do 1",
        "draft: edit_file calc.py",
        "rolled back to step 1: 3 attempts did not pass",
        "draft: edit_file calc.py",
        "step 2: Do 2",
        "ended: interrupted",
        "undone to step 1",
        "redone to step 2",
        "resumed at step 2",
        "draft: edit_file calc.py",
        "ended: done: all is well",
        "accepted onto main (fast-forward)",
    ]
    assert repo.git("log", "-1", "--format=%(trailers:key=Agent-Run,valueonly)", REF) == RUN


def test_the_second_parent_of_an_entry_is_where_the_branch_stands(repo: Repo) -> None:
    events = live_through(repo)
    one, two = (event.commit for event in events if isinstance(event, Committed))
    record_all(repo, (*events, *DONE))
    at = repo.git("log", "--first-parent", "--reverse", "--format=%s %P", f"HEAD..{REF}").splitlines()
    where = {line.partition(":")[0].strip(): line.split()[-2:] for line in at if "ended" not in line}
    assert two in where["step 2"]
    assert repo.git("rev-parse", f"{REF}^2") == two
    undone = next(line for line in at if line.startswith("undone"))
    assert undone.split()[-1] == one


def test_entries_that_a_kill_came_before_are_written_when_the_run_is_taken_up(repo: Repo) -> None:
    events = live_through(repo)
    kill(record_all(repo, events[:1]))
    with (folder(repo) / journal.FILE).open("ab") as stream:
        stream.write(b"".join(map(journal.encode, events[1:])))
    with RunRef(open_repository(repo.path), RUN, render, resume=True) as record:
        assert tuple(record.events) == events
    subjects = repo.git("log", "--first-parent", "--format=%s", f"HEAD..{REF}").splitlines()
    assert len(subjects) == 13
    assert subjects[0] == "recorded up to told"
    assert {"step 1: Do 1", "step 2: Do 2", "resumed at step 2"} <= set(subjects)
    assert named(events) <= reachable(repo)


def test_a_draft_and_all_else_survives_garbage_collection_also_before_the_end(repo: Repo) -> None:
    events = live_through(repo)
    ref = record_all(repo, events)
    kill(ref)
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    for name in named(events):
        repo.git("cat-file", "-e", name)
    assert not repo.git("fsck", "--unreachable", "--no-reflogs")


def test_undone_steps_stay_reachable_when_the_branch_is_gone(repo: Repo) -> None:
    first = started(repo)
    _, step = stepped(repo, 1, first.task.base, "one\n")
    record_all(repo, (first, *live_through(repo)[1:2], *stepped(repo, 1, first.task.base, "one\n"), DONE[0]))
    append_events(open_repository(repo.path), RUN, [Undone(step=0, commit=first.task.base)], render)
    repo.git("reflog", "expire", "--expire=now", "--all")
    repo.git("gc", "-q", "--prune=now")
    assert repo.git("cat-file", "-t", step.commit) == "commit"
    told = [event.event for event in read_events(open_repository(repo.path), RUN)]
    assert told == ["started", "baselined", "verified", "committed", "ended", "undone"]


def test_each_event_is_written_once_until_the_end_however_many_steps_there_are(repo: Repo) -> None:
    first = started(repo)
    judged, step = stepped(repo, 1, first.task.base, "one\n")
    ref = record_all(repo, (first, live_through(repo)[1]))
    for number in range(33):
        for _ in range(3):
            ref.record(Replied(reply=Reply(text=os.urandom(500).hex())))
        ref.record(judged)
        ref.record(step.model_copy(update={"step": number + 1}))
    entries = repo.git("rev-list", "--first-parent", f"HEAD..{REF}").split()
    sizes = [int(repo.git("cat-file", "-s", f"{entry}:trace.jsonl")) for entry in entries]
    assert len(entries) == 34
    assert sum(sizes) == len(saved(repo)) == len(ref._trace)
    ref.record(DONE[0])
    assert int(repo.git("cat-file", "-s", f"{REF}:trace.jsonl")) == len(saved(repo)) == len(ref._trace)


def test_a_tree_that_is_kept_by_nothing_else_is_found_by_its_entry(repo: Repo) -> None:
    first = started(repo)
    tree = write_tree(repo, "draft\n")
    record_all(repo, (first, edited(tree, 1))).close()
    wrapped = repo.git("rev-parse", f"{REF}^3")
    assert repo.git("rev-parse", f"{wrapped}^{{tree}}", f"{wrapped}^").split() == [tree, first.task.base]
    assert write_commit(repo, tree, first.task.base) != wrapped
    assert isinstance(read_events(open_repository(repo.path), RUN)[0], Started)


def test_a_subject_is_one_short_line_that_nobody_obeys(repo: Repo) -> None:
    goal = "\x1b[31mred\x1b]0;t\x07 @team fixes #1\nsecond " + "word " * 50_000
    first = started(repo)
    record_all(repo, (first.model_copy(update={"task": first.task.model_copy(update={"goal": goal})}),)).close()
    (subject,) = repo.git("log", "--first-parent", "--format=%s", f"HEAD..{REF}").splitlines()
    assert subject.startswith("started: red @ team fixes # 1 second word")
    assert len(subject) <= 100


def test_a_repository_that_libgit2_cannot_read_keeps_runs_just_the_same(tmp_path: Path) -> None:
    repo = Repo(tmp_path)
    repo.git("init", "-q", "-b", "main", "--object-format=sha256")
    repo.commit({"calc.py": "x\n"})
    events = live_through(repo)
    kill(record_all(repo, events))
    with RunRef(open_repository(repo.path), RUN, render, resume=True) as record:
        assert tuple(record.events) == events
    assert read_events(open_repository(repo.path), RUN) == events
    assert named(events) <= reachable(repo)
