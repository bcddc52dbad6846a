"""A job that worked and is in an attacker's hand: it hands over whatever it likes."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from bot.app.github.tasks import tell_goal
from bot.core.branches import Place
from bot.core.event import Baselined, Committed, Ended, Proved, Started, Undone, Verified
from bot.core.handover import BUNDLE, NAME, Base, Handover
from bot.core.proof import Audit, Proof
from bot.core.task import Source, Task
from bot.core.trigger.order import read_order
from bot.core.trigger.payload import read_trigger
from bot.git import bundle
from bot.git.audit import changes
from bot.git.repository import open_repository
from tests.app.github.handed import RUN, Files, Lab, Tale, judged
from tests.conftest import Repo
from tests.hub.events import comment_event
from tests.hub.world import Issue
from tests.redteam.door import Entrance

Json: TypeAlias = Any


@dataclass
class Liar:
    """One order, and what is handed over for it."""

    entrance: Entrance
    page: Issue
    words: str = "/agent fix"
    run: str = RUN

    def __post_init__(self) -> None:
        hub = self.entrance.hub
        self.entrance.number += 1
        hub.pass_time(2)
        self.event = comment_event(hub, hub.comment(self.page.number, self.words, "ann"))
        self.entrance.handover.mkdir(parents=True)

    @property
    def branch(self) -> str:
        """The branch of its run."""
        return f"agent/walk-{self.run}"

    @property
    def main(self) -> str:
        """Where the default branch stands."""
        return self.entrance.hub.git.branches()["main"]

    @cached_property
    def lab(self) -> Lab:
        """A clone in which runs are made up."""
        desk = Repo(self.entrance.folder / str(self.entrance.number) / "liar")
        desk.path.mkdir(parents=True)
        desk.git("clone", "-q", str(self.entrance.hub.git_folder), ".")
        return Lab(desk, self.main, open_repository(desk.path))

    def task(self, base: str = "") -> Task:
        """What the order asks for, as it is asked here."""
        trigger = read_trigger("issue_comment", json.dumps(self.event).encode(), self.entrance.hub.full_name)
        order = read_order(trigger.text)
        assert order is not None
        kind = "comment" if trigger.pull else "issue"
        source = Source(kind=kind, ref=str(trigger.number), url=trigger.url, author="ann")
        return Task(goal=tell_goal(trigger, order), base=base or self.main, source=source)

    def tell(self, *steps: Files, message: str = "", base: str = "") -> Tale:
        """Make a run up, with these steps."""
        lab, task = self.lab, self.task(base)
        tale = Tale(lab, task, [], run=self.run)
        tale.events += [
            Started(at=1.0, run=self.run, task=task, branch=self.branch, model="none"),
            Baselined(at=2.0, verdict=judged(lab.store.tree(task.base))),
        ]
        tale.tip = task.base
        for files in steps:
            tale.step(files, message)
        if steps:
            proof = Proof(red=("test_add",), green=("test_add",), mode="reproduction")
            tale.events.append(Proved(at=3.0, commit=tale.tip, proof=proof, audit=Audit()))
        tale.events.append(Ended(at=4.0, stop="done"))
        return tale

    def steal(self, commit: str, base: str = "") -> Tale:
        """Make up a run that calls somebody's commit its own, and takes it back."""
        tale = self.tell(base=base)
        lab, begun = self.lab, base or self.main
        tree = lab.repo.git("rev-parse", f"{commit}^{{tree}}")
        place = Place(ref=f"refs/heads/{self.branch}", before=commit, after=begun)
        tale.events[2:2] = [
            Verified(at=2.0, verdict=judged(tree, ["x"]), change=changes(lab.repository, begun, tree)),
            Committed(at=2.0, step=1, commit=commit, tree=tree, subject="mine"),
            Undone(at=3.0, step=0, commit=begun, places=(place,)),
        ]
        tale.tip = begun
        return tale

    def hand(self, tale: Tale, refs: Mapping[str, str] | None = None, needs: Sequence[str] = (), **claim: Json) -> None:
        """Hand a run over, with these refs where the usual ones are not wanted."""
        record = tale.record()
        begun = tale.task.base
        usual = {
            f"refs/agent/runs/{self.run}": record,
            **({f"refs/heads/{self.branch}": tale.tip} if tale.tip != begun else {}),
        }
        named = list((refs or usual).items())
        needed = [*(needs or (begun,))]
        data = bundle._head(needed, named) + bundle._pack(self.lab.repository, needed, named)
        (self.entrance.handover / BUNDLE).write_bytes(data)
        branch = self.branch if tale.tip != begun else ""
        told = {"run": self.run, "branch": branch, "base": Base(ref="main", then=begun, now=begun), **claim}
        self.claim(**told)

    def claim(self, **told: Json) -> None:
        """Write a claim."""
        hub = self.entrance.hub
        honest = Handover(repository=hub.full_name, workflow_run=str(self.entrance.number))
        made = honest.model_copy(update=told)
        (self.entrance.handover / NAME).write_text(made.model_dump_json(warnings=False))

    def write(self, text: str | bytes, name: str = NAME) -> None:
        """Write a file of the folder, whatever it is."""
        data = text if isinstance(text, bytes) else text.encode()
        (self.entrance.handover / name).write_bytes(data)

    def publish(self) -> None:
        """Let the other job find it."""
        self.entrance.job("publish", "issue_comment", self.event)
