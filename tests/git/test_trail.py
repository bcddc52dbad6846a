"""Reading what a run's ref holds, also where a stranger made it."""

import subprocess

import pytest

from bot.core.event import Event
from bot.core.talk import Told
from bot.errors import WorkspaceError
from bot.git import journal
from bot.git.repository import open_repository
from bot.git.runs import find_run, list_runs, read_all, read_events
from bot.git.trail import is_run, read_saved, tips
from tests.conftest import Repo
from tests.git.past import DONE, REF, RUN, record_all, started


def read(repo: Repo, longest: int = 10_000) -> bytes:
    repository = open_repository(repo.path)
    return read_saved(repository, tips(repository)[RUN], longest)


def plant(repo: Repo, entries: str, *parents: str) -> str:
    """Let the run's ref stand at a commit with a tree of these entries."""
    made = subprocess.run(["git", "mktree"], cwd=repo.path, input=entries, capture_output=True, text=True, check=True)
    given = [word for parent in parents for word in ("-p", parent)]
    commit = repo.git("commit-tree", made.stdout.strip(), *given, "-m", "planted")
    repo.git("update-ref", REF, commit)
    return commit


def blob(repo: Repo, content: bytes) -> str:
    done = subprocess.run(
        ["git", "hash-object", "-w", "--stdin"], cwd=repo.path, input=content, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


def test_a_trace_is_read_over_as_many_entries_as_it_has(repo: Repo) -> None:
    events: tuple[Event, ...] = (started(repo), *(Told(text=str(number)) for number in range(200)))
    ref = record_all(repo, events[:1])
    for event in events[1:]:
        ref.record(event)
        ref._subjects.append("said")
        ref.save()
    whole = b"".join(map(journal.encode, events))
    assert read(repo, len(whole)) == whole
    assert read_events(open_repository(repo.path), RUN) == events
    with pytest.raises(WorkspaceError, match="longer"):
        read(repo, len(whole) - 1)


def test_a_long_trace_is_refused_by_its_size_before_it_is_read(repo: Repo) -> None:
    line = journal.encode(started(repo))
    plant(repo, f"100644 blob {blob(repo, line + b'x' * 50_000)}\ttrace.jsonl\n")
    with pytest.raises(WorkspaceError, match="longer than 10,000 bytes"):
        read(repo)


@pytest.mark.parametrize(
    "content", [b"", b"\xff\n", b"{}\n", b"[1]\n", b"[" * 5000 + b"\n", b'{"event": "started"}', b"9" * 5000 + b"\n"]
)
def test_what_is_no_trace_is_refused(repo: Repo, content: bytes) -> None:
    plant(repo, f"100644 blob {blob(repo, content)}\ttrace.jsonl\n")
    with pytest.raises(WorkspaceError, match="begin"):
        read(repo)


def test_a_link_is_its_own_text_and_never_followed(repo: Repo) -> None:
    plant(repo, f"120000 blob {blob(repo, b'/etc/passwd')}\ttrace.jsonl\n")
    with pytest.raises(WorkspaceError, match="begin"):
        read(repo)


def test_a_folder_or_a_submodule_in_the_place_of_the_trace_is_refused(repo: Repo) -> None:
    head = repo.git("rev-parse", "HEAD")
    for entry in (f"040000 tree {repo.git('rev-parse', 'HEAD^{tree}')}", f"160000 commit {head}"):
        plant(repo, f"{entry}\ttrace.jsonl\n", head)
        with pytest.raises(WorkspaceError, match="begin"):
            read(repo)


def test_other_things_beside_the_trace_do_no_harm(repo: Repo) -> None:
    line = blob(repo, journal.encode(started(repo)))
    link = blob(repo, b"/etc")
    plant(repo, f"100644 blob {line}\ttrace.jsonl\n120000 blob {link}\treport.md\n100755 blob {link}\ttask.json\n")
    assert read_events(open_repository(repo.path), RUN) == (started(repo),)


def test_a_ref_that_stands_at_no_commit_hides_no_other_run(repo: Repo) -> None:
    record_all(repo, (started(repo), DONE[0]))
    repo.git("tag", "-a", "-m", "tag", "sometag")
    for name, target in (("r2", "sometag"), ("r3", "HEAD:calc.py"), ("r4", "HEAD^{tree}"), ("r5", "HEAD")):
        repo.git("update-ref", f"refs/agent/runs/{name}", repo.git("rev-parse", target))
    repo.git("symbolic-ref", "refs/agent/runs/r6", "refs/heads/main")
    repo.git("symbolic-ref", "refs/agent/runs/r7", "refs/heads/nowhere")
    repository = open_repository(repo.path)
    told = dict(read_all(repository))
    assert [event.event for event in told.pop(RUN)] == ["started", "ended"]
    assert set(told) == {"r2", "r3", "r4", "r5", "r6"}
    assert set(told.values()) == {()}
    with pytest.raises(WorkspaceError, match="no record"):
        read_events(repository, "r3")


def test_names_that_are_none_of_ours_are_not_runs(repo: Repo) -> None:
    record_all(repo, (started(repo), DONE[0]))
    for name in ("UPPER", "na\u00efve", "a/b", "x" * 61, "\u202ehsif", "-dash", "a.b"):
        assert not is_run(name)
        repo.git("update-ref", f"refs/agent/runs/{name}", "HEAD")
    repository = open_repository(repo.path)
    assert list_runs(repository) == (RUN,)
    assert find_run(repository, "r") == RUN


def test_the_trace_of_another_run_is_not_taken_for_this_ones(repo: Repo) -> None:
    record_all(repo, (started(repo), DONE[0]))
    repo.git("update-ref", "refs/agent/runs/r2", REF)
    with pytest.raises(WorkspaceError, match="another run"):
        read_events(open_repository(repo.path), "r2")
