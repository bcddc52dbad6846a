"""Plays a misbehaviour to the product's own loop, and keeps what happened."""

import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from bot.agent.loop import Agent
from bot.core.approval import Decision, Question
from bot.core.check import Check, Rung
from bot.core.event import Baselined, Event, Resumed, Started
from bot.core.message import Reply, ToolCall
from bot.core.redact import Redactor
from bot.core.talk import Replied
from bot.core.task import Limits, Task
from bot.git.repository import Repository
from bot.git.workspace import open_workspace
from bot.models.anthropic.model import AnthropicModel
from bot.models.openai.model import OpenAIModel
from bot.models.profile import Price, Profile
from bot.models.profile import Wire as Form
from bot.models.scripted import ScriptedModel
from bot.models.service.guard import Timing
from bot.protocols import Model
from bot.tools.control import FINISH
from bot.tools.files import READ_FILE
from bot.tools.tool import Access, Arguments, Bench, Done, Tool
from bot.verify.interpreter import own
from bot.verify.ladder import Ladder
from tests.conftest import executor
from tests.served.acts import say
from tests.served.row import Row
from tests.served.said import Asked, Said
from tests.served.server import WIRES, Exchange, Line, Request, Server, Wire

KEY = "sk-correct-horse-battery-staple-0123456789"
NOTES = "notes.txt"
"""Tells how often something was executed; the project ignores it, so that nothing has to be judged."""
LINES, PART = 800, 80
"""Of a long file, and of what is read of it at once."""
FILES = {
    ".gitignore": f"{NOTES}\n",
    "calc.py": "def add(a, b):\n    return a + b\n",
    "long.txt": "".join(f"{number} green bottles are standing on the wall\n" for number in range(LINES)),
}
PATIENT = Timing(connect=10.0, first=20.0, idle=20.0, tail=0.3, rest=0.02)
"""For those who answer, however slow this machine is."""
HASTY = Timing(connect=1.0, first=0.2, idle=0.2, tail=0.3, rest=0.02)
"""For those who do not."""
LEISURELY = Timing(connect=10.0, first=1.5, idle=1.5, tail=1.0, rest=0.02)
"""For those who do not, where the machine was busy with something else the first time."""
_CHECK = Check(name="adds", rung=Rung.UNIT, argv=("grep", "-q", "a + b", "calc.py"))


class Note(Arguments):
    """Write a line down."""

    text: str = Field(description="the line")


def _note(args: Note, bench: Bench) -> Done:
    with (bench.workspace.root / NOTES).open("a", encoding="utf-8") as file:
        file.write(f"{args.text}\n")
    return Done(f"noted: {args.text}")


TOOLS = {tool.name: tool for tool in (Tool("note", Note, Access.WRITE, _note), READ_FILE, FINISH)}


def well(exchange: Exchange) -> Said:
    """Say what a good model would: note two things, then finish."""
    body = exchange.request.body
    if b"noted: one" not in body:
        return Said("First of all I note one.", (Asked("note", '{"text": "one"}'),))
    if b"noted: two" not in body:
        return Said("Now I note two, too.", (Asked("note", '{"text": "two"}'),))
    return Said("Both are noted.", (Asked("finish", '{"summary": "both are noted"}'),))


class Played(NamedTuple):
    """One run, and what the service and the worktree saw of it."""

    row: Row
    wire: Wire
    often: bool
    """Whether the service misbehaved from then on; else it did so once."""
    events: tuple[Event, ...]
    requests: tuple[Request, ...]
    waits: tuple[float, ...]
    notes: tuple[str, ...]
    seconds: float


@dataclass
class Clock:
    """A real clock in which waiting takes no time."""

    waits: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        """Tell the time."""
        return time.time() + sum(self.waits)

    def pause(self, seconds: float) -> None:
        """Let time pass."""
        self.waits.append(seconds)


class Nobody:
    """An approver whom nobody asks."""

    def answer(self, question: Question) -> Decision:
        """Refuse."""
        return Decision(question=question, answer="deny", by="policy")


@dataclass(frozen=True)
class Stage:
    """A worktree in which one run after the other is played, and the models that live as long."""

    server: Server
    bench: Bench
    begun: tuple[Event, ...]
    """How each run begins: up to the verdict on the base, which is the same each time."""
    long: tuple[Event, ...]
    """How one begins that has said much already, of which something can be left out."""
    name: str
    models: Mapping[Wire, Model]

    def play(self, row: Row, wire: Wire, *, often: bool) -> Played:
        """Let a run meet a misbehaviour: at its second request where a server hears of it, else at once."""
        notes = self.bench.workspace.root / NOTES
        notes.unlink(missing_ok=True)
        good = say(well)
        bad = row.play(well)
        acts = [bad] if row.early else [good, bad] if often else [good, bad, good]
        line = self.server.line(acts, f"{self.name}-{wire}")
        clock, since = Clock(), time.monotonic()
        with _address(row, wire, line) as url:
            own_url = url or (self.server.url(wire, f"{self.name}-{wire}") if wire in row.learned else "")
            model = connect(wire, own_url, PATIENT) if own_url else self.models[wire]
            events = tuple(self._run(row, model, clock))
        line.over.set()
        told = notes.read_text(encoding="utf-8").splitlines() if notes.exists() else []
        took = time.monotonic() - since
        return Played(row, wire, often, events, tuple(line.requests), tuple(clock.waits), tuple(told), took)

    def _run(self, row: Row, model: Model, clock: Clock) -> Iterator[Event]:
        resumed = Resumed(commit=self.bench.workspace.head, limits=Limits(seconds=row.seconds))
        past = self.long if row.means == "overflow" else self.begun
        return make_agent(model, clock).resume(past, (resumed,), self.bench)


@contextmanager
def stage(server: Server, repository: Repository, folder: Path, name: str, timing: Timing) -> Iterator[Stage]:
    """Open a worktree for runs."""
    models = {wire: connect(wire, server.url(wire, f"{name}-{wire}"), timing) for wire in WIRES}
    base = repository.default_base()
    with open_workspace(repository, base=base, run=name, branch=f"agent/x-{name}") as workspace:
        task = Task(goal="note two things", base=workspace.base)
        bench = Bench(workspace, executor(), Ladder((_CHECK,), executor(), own()), task, folder)
        started = Started(run=name, task=task, branch=workspace.branch, checks=bench.ladder.checks)
        work = make_agent(ScriptedModel(_read_on()), Clock()).work(started, bench)
        long = tuple(takewhile(lambda event: not isinstance(event, Replied) or event.reply.calls, work))
        begun = next(number for number, event in enumerate(long, 1) if isinstance(event, Baselined))
        yield Stage(server, bench, long[:begun], long, name, models)


def _read_on() -> Sequence[Reply]:
    """Make replies of a model that reads a long file part by part."""
    reads = [
        ToolCall(id=f"r{start}", name="read_file", arguments={"path": "long.txt", "start": start, "end": start + PART})
        for start in range(1, LINES, PART)
    ]
    return [Reply(calls=(read,), finish="tool_calls") for read in reads]


def make_agent(model: Model, clock: Clock) -> Agent:
    """Give a model its tools."""
    return Agent(model=model, tools=TOOLS, approver=Nobody(), redactor=Redactor((KEY,)), clock=clock, pause=clock.pause)


def connect(wire: Wire, url: str, timing: Timing) -> Model:
    """Make the product's own model for a service."""
    form: Form = "responses" if wire == "responses" else "chat"
    profile = Profile(name="small", window=200_000, output=4_000, price=Price(1.0, 4.0, 0.1, 1.25), wire=form)
    if wire == "anthropic":
        return AnthropicModel("anthropic:small", profile, KEY, url, timing=timing)
    return OpenAIModel("openai:small", profile, KEY, url, timing=timing)


@contextmanager
def _address(row: Row, wire: Wire, line: Line) -> Iterator[str]:
    """Give the address of a service that cannot be found, or not be understood; none for one that is served."""
    end = "" if wire == "anthropic" else "/v1"
    match row.place:
        case "closed":
            with socket.socket() as taken:
                # Nobody else gets this port, and nobody listens there
                taken.bind(("127.0.0.1", 0))
                yield f"http://127.0.0.1:{taken.getsockname()[1]}{end}"
        case "nowhere":
            yield f"https://nowhere.invalid{end}"
        case "tls":
            with Server() as server:
                server.lines[""] = line
                yield server.url(wire, scheme="https")
        case "served":
            yield ""
