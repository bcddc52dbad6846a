"""A run that is handed over, made without a model and in one process; every part of it can be told as a lie."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import pygit2

from bot.app.github.inspection import Expectation, Inspection, inspect
from bot.core.check import CaseResult, CheckResult, Comparison, Rung, Verdict
from bot.core.event import Baselined, Committed, Ended, Event, Proved, Started, Verified
from bot.core.handover import Base, Handover
from bot.core.proof import Audit, Proof
from bot.core.render import commit_message
from bot.core.task import Source, Task
from bot.git.audit import changes
from bot.git.journal import FILE, encode, plain_json
from bot.git.library import Library
from bot.git.objects import AGENT, Entry, Identity
from bot.git.repository import Repository, open_repository
from tests.app.walk import make_project
from tests.conftest import Repo

RUN = "aa11bb22c"
BRANCH = f"agent/walk-{RUN}"
PLACE = "octo/demo"
SOURCE = Source(kind="issue", ref="7", url="https://github.com/octo/demo/issues/7", author="ada")
GOOD = b"def add(a, b):\n    return a + b\n"

HANDOVER = Handover(repository=PLACE, workflow_run="99", run=RUN, branch=BRANCH)

Content = bytes | tuple[int, bytes] | None
"""A file, a file with its mode, or none; in the mode of a submodule the content is an id."""
Files = Mapping[str, Content]


def judged(tree: str, before: Sequence[str] = ()) -> Verdict:
    """Say of a tree that its test passed, or on the base that it failed."""
    case = CaseResult(id="test_calc.py::test_add", outcome="passed" if before else "failed")
    result = CheckResult(check="pytest", rung=Rung.UNIT, status="passed" if before else "failed", cases=(case,))
    return Verdict(tree=tree, results=(result,), comparison=Comparison(fixed=tuple(before)))


@dataclass
class Lab:
    """A repository in which runs are made up."""

    repo: Repo
    base: str
    repository: Repository

    @property
    def store(self) -> Library:
        return Library(self.repository.shared, AGENT, lambda: 1_800_000_000.0)

    def tree(self, parent: str, files: Files) -> str:
        """Write a tree: that of a commit, with some files changed."""
        made = pygit2.Repository(str(self.repo.path))
        index = pygit2.Index()
        index.read_tree(made[parent].peel(pygit2.Tree))
        for path, content in files.items():
            mode, data = content if isinstance(content, tuple) else (0o100644, content)
            if data is None:
                index.remove(path)
                continue
            blob = pygit2.Oid(hex=data.decode()) if mode == 0o160000 else made.create_blob(data)
            index.add(pygit2.IndexEntry(path, blob, pygit2.enums.FileMode(mode)))
        return str(index.write_tree(made))

    def tell(self, *steps: Files) -> "Tale":
        """Make a run with these steps, and its story."""
        task = Task(goal="mend add", base=self.base, source=SOURCE)
        tale = Tale(self, task, [])
        tale.events += [
            Started(at=1.0, run=RUN, task=task, branch=BRANCH, model="none"),
            Baselined(at=2.0, verdict=judged(self.store.tree(self.base))),
        ]
        tale.tip = self.base
        for files in steps:
            tale.step(files)
        proof = Proof(red=("test_add",), green=("test_add",), mode="reproduction")
        tale.events += [Proved(at=3.0, commit=tale.tip, proof=proof, audit=Audit()), Ended(at=4.0, stop="done")]
        return tale


@dataclass
class Tale:
    """What is handed over."""

    lab: Lab
    task: Task
    events: list[Event]
    tip: str = ""
    branch: str = BRANCH
    more: tuple[str, ...] = ()
    """What else the record's entry keeps."""
    extra: Mapping[str, bytes] = field(default_factory=dict)
    """Files of the record that are not what they should be."""
    handover: Handover = HANDOVER
    who: Identity = AGENT
    run: str = RUN

    def again(self) -> "Tale":
        """Tell the same, to be changed."""
        return replace(self, events=[*self.events])

    def step(self, files: Files, message: str = "", parents: Sequence[str] = (), tree: str = "") -> None:
        """Make a step and tell of it."""
        number = 1 + sum(isinstance(event, Committed) for event in self.events)
        made = tree or self.lab.tree(self.tip, files)
        verdict, change = judged(made, ["test_add"]), changes(self.lab.repository, self.tip, made)
        said = message or self.words(number, verdict)
        commit = replace(self.lab.store, identity=self.who).commit(made, parents or [self.tip], said)
        self.events += [
            Verified(at=2.0, verdict=verdict, change=change),
            Committed(at=2.0, step=number, commit=commit, tree=made, subject=f"Step {number}"),
        ]
        self.tip = commit

    def words(self, number: int, verdict: Verdict, task: Task | None = None) -> str:
        return commit_message(
            f"Step {number}", "", run=self.run, step=number, verdict=verdict, model="none", task=task or self.task
        )

    def change(self, kind: type[Event], **told: object) -> None:
        """Tell the last event of a kind otherwise."""
        at = max(number for number, event in enumerate(self.events) if isinstance(event, kind))
        self.events[at] = self.events[at].model_copy(update=told)

    def drop(self, kind: type[Event]) -> None:
        self.events = [event for event in self.events if not isinstance(event, kind)]

    def record(self) -> str:
        """Write the record's entry."""
        store = self.lab.store
        task = self.events[0].task if isinstance(self.events[0], Started) else self.task
        parts = {
            "report.md": b"",
            "task.json": plain_json(task) + b"\n",
            FILE: b"".join(map(encode, self.events)),
            **self.extra,
        }
        tree = store.write_tree([Entry(name, store.write_blob(data)) for name, data in parts.items()])
        return store.commit(tree, [self.tip, *self.more], f"handed over\n\nAgent-Run: {self.run}\n")

    def show(self) -> None:
        """Let refs stand where they would after the bundle was taken in."""
        made = pygit2.Repository(str(self.lab.repo.path))
        made.references.create(f"refs/agent/runs/{RUN}", self.record(), force=True)
        made.references.create(f"refs/heads/{self.branch}", self.tip, force=True)

    def inspect(self, expected: Expectation | None = None) -> Inspection:
        self.show()
        return inspect(self.lab.repository, self.handover, expected or self.expect())

    def expect(self) -> Expectation:
        wanted = self.task.model_copy(update={"base": self.lab.base})
        return Expectation(PLACE, frozenset({self.lab.base}), wanted, workflow_run="99")

    def claim(self, **told: object) -> None:
        self.handover = self.handover.model_copy(update=told)


def rebased(onto: str, then: str) -> Base:
    """Say that steps were made again."""
    return Base(ref="main", then=then, now=onto, state="rebased")


def make_lab(path: Path) -> Lab:
    """Make the repository."""
    repo = make_project(path)
    repo.commit(
        {".github/workflows/ci.yml": "on: push\n", "pyproject.toml": "[project]\nname = 'demo'\n"}, "with a workflow"
    )
    return Lab(repo, repo.git("rev-parse", "HEAD"), open_repository(path))
