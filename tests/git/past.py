"""A run that never went through a model: its events, with objects that exist."""

import subprocess
from collections.abc import Sequence
from pathlib import Path

from bot.core.change import ChangeSet
from bot.core.check import Verdict
from bot.core.event import (
    Acted,
    Baselined,
    Committed,
    Ended,
    Event,
    Published,
    Redone,
    Resumed,
    RolledBack,
    Started,
    Undone,
    Verified,
)
from bot.core.message import Reply, ToolCall, ToolResult
from bot.core.talk import Replied, Told
from bot.core.task import Task
from bot.git.record import RunRef
from bot.git.repository import open_repository
from bot.git.trail import read_saved, tips
from tests.conftest import Repo

RUN = "r1"
BRANCH = "agent/fix-r1"
REF = f"refs/agent/runs/{RUN}"


def render(events: Sequence[Event]) -> str:
    return f"# {len(events)} events\n"


def started(repo: Repo, run: str = RUN) -> Started:
    return Started(run=run, task=Task(goal="fix it", base=repo.git("rev-parse", "HEAD")), branch=BRANCH)


def write_tree(repo: Repo, content: str) -> str:
    """Write a tree of one file, which nothing refers to."""
    blob = _pipe(repo, content, "hash-object", "-w", "--stdin")
    return _pipe(repo, f"100644 blob {blob}\tcalc.py\n", "mktree")


def write_commit(repo: Repo, tree: str, parent: str) -> str:
    return repo.git("commit-tree", tree, "-p", parent, "-m", "made")


def _pipe(repo: Repo, text: str, *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=repo.path, input=text, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def edited(tree: str, number: int) -> Acted:
    call = ToolCall(id=f"c{number}", name="edit_file", arguments={"path": "calc.py", "old": "a", "new": "é"})
    return Acted(call=call, result=ToolResult(call_id=call.id, ok=True, output="edited"), tree=tree)


def verified(base: str, tree: str) -> Verified:
    return Verified(verdict=Verdict(tree=tree), change=ChangeSet(base=base, tree=tree, patch=""))


def stepped(repo: Repo, number: int, parent: str, content: str) -> tuple[Verified, Committed]:
    """Make a step: the verdict and the commit."""
    tree = write_tree(repo, content)
    commit = write_commit(repo, tree, parent)
    return verified(parent, tree), Committed(step=number, commit=commit, tree=tree, subject=f"Do {number}")


def live_through(repo: Repo) -> tuple[Event, ...]:
    """Return a run with something of everything in it; the last edit is held by no commit."""
    first = started(repo)
    base = first.task.base
    judged, one = stepped(repo, 1, base, "one\n")
    bad = write_tree(repo, "bad\n")
    again, two = stepped(repo, 2, one.commit, "two\n")
    return (
        first,
        Baselined(verdict=Verdict(tree=base)),
        Replied(reply=Reply(text="let me see")),
        edited(one.tree, 1),
        judged,
        one,
        edited(bad, 2),
        RolledBack(to=one.commit, kept=write_commit(repo, bad, one.commit), reason="3 attempts did not pass"),
        edited(two.tree, 3),
        again,
        two,
        Ended(stop="interrupted"),
        Undone(step=1, commit=one.commit),
        Redone(step=2, commit=two.commit),
        Resumed(commit=two.commit),
        edited(write_tree(repo, "draft\n"), 4),
        Told(text="go on"),
    )


DONE: tuple[Event, ...] = (Ended(stop="done", detail="all is well"), Published(where="main (fast-forward)"))


def folder(repo: Repo, run: str = RUN) -> Path:
    return repo.path / ".git/agent/runs" / run


def record_all(repo: Repo, events: Sequence[Event], *, resume: bool = False) -> RunRef:
    ref = RunRef(open_repository(repo.path), RUN, render, resume=resume)
    for event in events:
        ref.record(event)
    return ref


def kill(ref: RunRef) -> None:
    """Let go of a run as the kernel does it for a process that was killed."""
    if ref._journal is not None:
        ref._journal.leave()


def saved(repo: Repo) -> bytes:
    repository = open_repository(repo.path)
    return read_saved(repository, tips(repository)[RUN])


def reachable(repo: Repo) -> set[str]:
    listed = repo.git("rev-list", "--objects", REF).splitlines()
    return {line.partition(" ")[0] for line in listed}


def named(events: Sequence[Event]) -> set[str]:
    """Name every commit and tree that must never be lost."""
    names = set()
    for event in events:
        match event:
            case Acted():
                names.add(event.tree)
            case Committed():
                names |= {event.commit, event.tree}
            case RolledBack():
                names |= {event.to, event.kept}
            case Undone():
                names.add(event.commit)
            case _:
                pass
    return names
