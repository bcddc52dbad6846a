"""A real workspace, a cheap check, and a model that says what the test wants."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.agent.loop import Agent
from bot.core.approval import Decision, Question
from bot.core.check import Check, Rung
from bot.core.event import Event, Started
from bot.core.message import Prompt, Reply
from bot.core.redact import Redactor
from bot.core.task import Limits, Task
from bot.git.repository import open_repository
from bot.git.workspace import GitWorkspace, open_workspace
from bot.models.scripted import ScriptedModel
from bot.protocols import Approver
from bot.tools.catalog import ALL
from bot.tools.tool import Bench
from bot.verify.interpreter import own
from bot.verify.ladder import Ladder
from tests.conftest import Repo, executor

ADDS = Check(name="adds", rung=Rung.UNIT, argv=("grep", "-q", "a + b", "calc.py"))
LOADS = Check(name="loads", rung=Rung.STATIC, argv=("grep", "-q", "def add", "calc.py"))

Line = Reply | Callable[[Prompt], Reply]


@dataclass(frozen=True)
class Answer:
    """An approver that remembers what it was asked."""

    yes: bool
    asked: list[str] = field(default_factory=list)

    def answer(self, question: Question) -> Decision:
        """Give the same answer every time."""
        self.asked.append(question.why)
        return Decision(question=question, answer="once" if self.yes else "deny", by="person")


@dataclass
class Clock:
    """A clock that moves only when somebody waits, or by a fixed step."""

    now: float = 1000.0
    waits: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        """Tell the time."""
        return self.now

    def pause(self, seconds: float) -> None:
        """Let time pass."""
        self.waits.append(seconds)
        self.now += seconds


@dataclass(frozen=True)
class Scene:
    """Everything that a run of the loop needs."""

    bench: Bench
    workspace: GitWorkspace
    clock: Clock

    def run(
        self,
        *lines: Line,
        goal: str = "make add add",
        limits: Limits | None = None,
        approver: Approver | None = None,
        secrets: tuple[str, ...] = (),
    ) -> list[Event]:
        """Let a scripted model work, and return what happened."""
        agent = self.agent(ScriptedModel(list(lines)), approver=approver, secrets=secrets)
        task = Task(goal=goal, base=self.workspace.base, limits=limits or Limits())
        started = Started(run="r1", task=task, branch=self.workspace.branch, checks=self.bench.ladder.checks)
        bench = Bench(self.bench.workspace, self.bench.executor, self.bench.ladder, task, self.bench.store)
        return list(agent.work(started, bench))

    def agent(self, model: ScriptedModel, approver: Approver | None = None, secrets: tuple[str, ...] = ()) -> Agent:
        """Give a model its tools."""
        return Agent(
            model=model,
            tools={tool.name: tool for tool in ALL},
            approver=approver or Answer(yes=False),
            redactor=Redactor(secrets),
            clock=self.clock,
            pause=self.clock.pause,
        )


@pytest.fixture
def scene(repo: Repo, tmp_path: Path) -> Iterator[Scene]:
    """Open a workspace on the small project."""
    repository = open_repository(repo.path)
    with open_workspace(repository, base=repository.default_base(), run="r1", branch="agent/x-r1") as workspace:
        ladder = Ladder((LOADS, ADDS), executor(), own())
        bench = Bench(workspace, executor(), ladder, Task(base=workspace.base), tmp_path)
        yield Scene(bench, workspace, Clock())


def reply(*named: tuple[str, Mapping[str, object]], text: str = "", finish: str = "tool_calls") -> Reply:
    """Make a reply with calls."""
    calls = [{"id": f"c{n}", "name": name, "arguments": arguments} for n, (name, arguments) in enumerate(named, 1)]
    return Reply.model_validate({"text": text, "calls": calls, "finish": finish if calls else "stop"})


def edit(old: str, new: str) -> tuple[str, Mapping[str, object]]:
    """Make a call of edit_file."""
    return ("edit_file", {"path": "calc.py", "old": old, "new": new})


CHECKPOINT: tuple[str, Mapping[str, object]] = ("checkpoint", {"subject": "Add adds"})
FINISH: tuple[str, Mapping[str, object]] = ("finish", {"summary": "done"})
RIGHT = edit("a - b", "a + b")
