"""A run that was made without a model: its commits, its branch and its record are real."""

import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bot.app.perform import render
from bot.core.check import CaseResult, CheckResult, Rung, Verdict
from bot.core.event import Baselined, Committed, Ended, Event, Started, Verified
from bot.core.lineage import follow
from bot.core.render import commit_message
from bot.core.task import Source, Task
from bot.git.audit import changes
from bot.git.record import RunRef
from bot.git.repository import Repository, open_repository
from bot.git.runs import read_events
from bot.git.workspace import open_workspace
from tests.conftest import Repo, make_repo

RUN = "aa11bb22c"
BRANCH = f"agent/walk-{RUN}"
Files = Mapping[str, bytes | None]
STEPS: Sequence[Files] = (
    {"calc.py": b"def add(a, b):\n    return a + b\n", "new/one.py": b"1\n"},
    {"two.py": b"2\n", "old": None},
)
"""Two steps on a small project: an edit and new files, then one that is gone."""


@dataclass(frozen=True)
class Walk:
    """A run of some steps."""

    repo: Repo
    base: str
    commits: tuple[str, ...]
    run: str = RUN
    branch: str = BRANCH

    @property
    def repository(self) -> Repository:
        return open_repository(self.repo.path, unborn=True)

    @property
    def events(self) -> tuple[Event, ...]:
        return read_events(self.repository, self.run)

    @property
    def live(self) -> list[int]:
        """Numbers of the steps that count."""
        return [step.step for step in follow(self.events).live]

    def at(self, ref: str) -> str:
        return self.repo.git("rev-parse", ref)

    def tree(self, ref: str) -> str:
        return self.repo.git("rev-parse", f"{ref}^{{tree}}")

    def tree_of(self, step: int) -> str:
        """Return the tree that was verified for a step; 0 is the base."""
        return self.tree(self.commits[step - 1] if step else self.base)


def make_project(path: Path) -> Repo:
    """Make what STEPS are made on."""
    repo = make_repo(path)
    repo.commit(
        {
            "calc.py": "def add(a, b):\n    return a - b\n",
            "test_calc.py": "from calc import add\n\n\ndef test_zero():\n    assert add(0, 0) == 0\n",
            "old": "old\n",
            "far": "".join(f"{number}\n" for number in range(30)),
        },
        "a small project",
    )
    return repo


def copy_walk(kept: Walk, path: Path) -> Walk:
    """Lay out a run that was made before, in a repository of its own."""
    shutil.copytree(kept.repo.path, path, symlinks=True)
    # What stands in the index of the times of files is true of the copy, too
    repo = Repo(path)
    repo.git("update-index", "-q", "--refresh", check=False)
    return replace(kept, repo=repo)


def make_walk(
    repo: Repo,
    steps: Sequence[Files],
    *,
    base: str = "",
    end: bool = True,
    run: str = RUN,
    source: Source | None = None,
) -> Walk:
    """Make a run with these changes, one step each, and record it as the loop does."""
    repository = open_repository(repo.path, unborn=True)
    start = base or repository.default_base()
    task = Task(goal="" if source else "walk", base=start, source=source or Source())
    branch = f"agent/walk-{run}"
    commits: list[str] = []
    opened = open_workspace(repository, base=start, run=run, branch=branch)
    with RunRef(repository, run, render) as record, opened as workspace:
        record.record(Started(at=time.time(), run=run, task=task, branch=branch, model="none"))
        record.record(Baselined(at=time.time(), verdict=judged(workspace.tree())))
        for number, files in enumerate(steps, 1):
            for name, content in files.items():
                path = workspace.root / name
                if content is None:
                    path.unlink()
                    continue
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            workspace.disturb()
            tree = workspace.tree()
            verdict, change = judged(tree), changes(repository, workspace.head, tree)
            record.record(Verified(at=time.time(), verdict=verdict, change=change))
            words = commit_message(f"Step {number}", "", run=run, step=number, verdict=verdict, model="none", task=task)
            commits.append(workspace.commit(tree, words))
            record.record(
                Committed(at=time.time(), step=number, commit=commits[-1], tree=tree, subject=f"Step {number}")
            )
        if end:
            record.record(Ended(at=time.time(), stop="done"))
    return Walk(repo, start, tuple(commits), run, branch)


def judged(tree: str) -> Verdict:
    """Say of a tree that its one test passed."""
    case = CaseResult(id="test_calc.py::test_zero", outcome="passed")
    return Verdict(tree=tree, results=(CheckResult(check="pytest", rung=Rung.UNIT, status="passed", cases=(case,)),))


def push(repo: Repo, *branches: str) -> None:
    """Let a remote have branches, as after a push."""
    for branch in branches:
        repo.git("update-ref", f"refs/remotes/origin/{branch}", f"refs/heads/{branch}")
