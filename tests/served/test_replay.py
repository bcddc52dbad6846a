"""A record says byte for byte what a service was asked, whatever happened in between, and a run can be made again."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from bot.agent import context, planning
from bot.agent.loop import Agent
from bot.core.check import Check, Rung
from bot.core.event import EVENT, Ended, Event, Resumed, Started, Undone
from bot.core.message import ToolSpec
from bot.core.redact import MARK, Redactor
from bot.core.talk import Compressed, Planned, Replied, Retried, Told
from bot.core.task import Limits, Task
from bot.git.repository import open_repository
from bot.git.runs import read_events
from bot.git.workspace import open_workspace
from bot.models.anthropic.model import AnthropicModel
from bot.models.anthropic.request import Writer as MessagesWriter
from bot.models.openai.model import OpenAIModel
from bot.models.openai.request import Writer as ChatWriter
from bot.models.openai.responses.request import Writer as ItemsWriter
from bot.models.openai.terms import Terms
from bot.models.profile import Profile
from bot.models.profiles import Overrides, find_profile
from bot.protocols import Model, Survey
from bot.tools.catalog import ALL
from bot.tools.tool import Bench
from bot.verify.interpreter import own
from bot.verify.ladder import Ladder
from tests.conftest import executor, make_repo
from tests.product import agent as command
from tests.served.acts import fail, reset, say
from tests.served.contract import faults
from tests.served.play import KEY, PATIENT, Clock, Nobody
from tests.served.said import Asked, Cost, Said
from tests.served.server import WIRES, Act, Exchange, Line, Server, Wire

TOOLS = {tool.name: tool for tool in ALL}
WINDOW = 16_000
PROFILE = Profile("small", window=WINDOW, output=20_000)
ADDS = Check(name="adds", rung=Rung.UNIT, argv=("grep", "-q", "a + b", "calc.py"))
FILES = {
    "calc.py": "def add(a, b):\n    return a - b\n",
    "notes.md": f"the key is {KEY} today, says <<< nobody\n",
    "long.txt": "".join(f"{number} green bottles, {number * 7919 % 1000} of them full\n" for number in range(900)),
}
BUSY, FULL = fail(503, "overloaded_error", "busy"), fail(400, "invalid_request_error", "prompt is too long: 9 > 8")


def call(name: str, **arguments: object) -> Asked:
    return Asked(name, json.dumps(arguments))


EDIT, CHECKPOINT = call("edit_file", path="calc.py", old="a - b", new="a + b"), call("checkpoint", subject="add adds")
FINISH = call("finish", summary="done")
PAGES = [Said("", (call("read_file", path="long.txt", start=at, end=at + 99),)) for at in range(1, 900, 75)]
FIRST = (
    Said("Look, já.", (call("read_file", path="notes.md"), call("read_file", path="none"), call("show_changes"))),
    Said("It is cut", (Asked("edit_file", '{"path": "calc.py", "o'),), "length"),
    *PAGES,
    Said("", (call("create_file", path="key.txt", content=KEY),)),
    Said(f"the key is {KEY}", (EDIT,)),
)
SECOND = (*PAGES[:3], Said("", (CHECKPOINT,)), Said("", (FINISH,)))


class Script:
    """Says one thing after the other, at the prices of a service whose tokens are three bytes."""

    def __init__(self, *lines: Said) -> None:
        self.lines = iter(lines)

    def __call__(self, exchange: Exchange) -> Said:
        return next(self.lines)._replace(cost=Cost(len(exchange.request.body) // 3, 9, 5))


class Nearby:
    """Looks a project over."""

    def survey(self, verdict: object) -> Survey:
        """Name what could be taken for the end of a quotation."""
        return Survey(map="calc.py\n  def add(a, b)\n<<<end", hints=("calc.py:1 add: named in `the\ntask`",))


def connect(wire: Wire, url: str) -> Model:
    if wire == "anthropic":
        return AnthropicModel("anthropic:small", PROFILE, KEY, url, timing=PATIENT)
    profile = replace(PROFILE, wire="responses" if wire == "responses" else "chat")
    return OpenAIModel("openai:small", profile, KEY, url, timing=PATIENT)


class Desk(NamedTuple):
    """Where runs are made."""

    bench: Bench
    started: Started

    def agent(self, model: Model, window: int = WINDOW) -> Agent:
        """Give a model its tools, in a process that knows nothing but the record."""
        clock = Clock()
        return Agent(
            model, TOOLS, Nobody(), Redactor((KEY,)), clock, clock.pause, window=window * 3 // 4, surveyor=Nearby()
        )

    def again(self, model: Model, past: Sequence[Event], *news: Event) -> list[Event]:
        """Take a run up."""
        told = [EVENT.validate_json(event.model_dump_json()) for event in past]
        resumed = Resumed(commit=self.bench.workspace.head, limits=Limits(turns=99))
        return [*past, *self.agent(model).resume(told, (resumed, *news), self.bench)]


@contextmanager
def desk(folder: Path, wire: Wire) -> Iterator[Desk]:
    """Open a worktree for one run."""
    repo = make_repo(folder / wire)
    repo.commit(FILES)
    repository = open_repository(repo.path)
    base = repository.default_base()
    with open_workspace(repository, base=base, run="r1", branch="agent/x-r1") as workspace:
        task = Task(goal=f"make add add; not {KEY}", base=workspace.base, limits=Limits(turns=len(FIRST)))
        ladder = Ladder((ADDS,), executor(), own(), Redactor((KEY,)))
        started = Started(run="r1", task=task, branch=workspace.branch, checks=ladder.checks, project="AGENTS: <<<end")
        yield Desk(Bench(workspace, executor(), ladder, task, folder / f"{wire}-store"), started)


class Writer:
    """Writes requests as the model of one process does."""

    def __init__(self, wire: Wire, profile: Profile) -> None:
        self.writer: ChatWriter | ItemsWriter | MessagesWriter
        match wire:
            case "openai":
                self.writer = ChatWriter(profile, Terms("max_tokens"))
            case "responses":
                self.writer = ItemsWriter(profile, Terms("max_output_tokens"))
            case "anthropic":
                self.writer = MessagesWriter(profile)

    def write(self, events: Sequence[Event], specs: tuple[ToolSpec, ...]) -> bytes:
        return self.writer.write(context.prompt(events, specs))

    def hear(self) -> None:
        if isinstance(self.writer, MessagesWriter):
            self.writer.answered()


def rewrite(events: Sequence[Event], wire: Wire, profile: Profile = PROFILE) -> Iterator[bytes]:
    """Write the requests of a run anew from its record alone."""
    started = events[0]
    assert isinstance(started, Started)
    specs, writer = planning.offer(TOOLS, started), Writer(wire, profile)
    for at, event in enumerate(events):
        if isinstance(event, Resumed):
            writer = Writer(wire, profile)
        if isinstance(event, Replied | Retried):
            yield writer.write(events[:at], specs)
        if isinstance(event, Replied):
            writer.hear()


def end(events: Sequence[Event]) -> str:
    last = events[-1]
    assert isinstance(last, Ended)
    return last.stop


def run(desk: Desk, wire: Wire, url: str, line: Line) -> list[Event]:
    """Make a run in three processes: with a plan, faults and a full window; taken up; taken up after an undo."""
    plan = Planned(steps=("mend add", "# Task\n<<<end"), by="person")
    events = list(desk.agent(connect(wire, url)).work(desk.started, desk.bench, plan))
    assert end(events) == "limit:turns"
    line.acts = [*acts(len(line.requests)), say(Script(*SECOND))]
    revised = Planned(steps=("mend it",), by="person")
    events = desk.again(connect(wire, url), [*events, revised], Told(text=f"be quick, {KEY} <<<"))
    assert end(events) == "done"
    line.acts = [*acts(len(line.requests)), say(Script(Said("", (FINISH,)), Said("", (FINISH,))))]
    return desk.again(connect(wire, url), [*events, Undone(step=0, commit=desk.bench.task.base)], Told(text="go on"))


def acts(count: int) -> list[Act]:
    """Stand for requests that were answered already."""
    return [reset] * count


def test_a_record_gives_each_request_byte_for_byte_on_all_wires(tmp_path: Path) -> None:
    records: list[list[str]] = []
    for wire in WIRES:
        with Server() as server, desk(tmp_path, wire) as at:
            first = say(Script(*FIRST))
            line = server.line([first, BUSY, reset, *[first] * 4, FULL, first])
            events = run(at, wire, server.url(wire), line)
            assert server.broken == []
        sent = [request.body for request in line.requests]
        assert list(rewrite(events, wire)) == sent
        assert [fault for request in line.requests for fault in faults(request)] == []
        retried = {event.error for event in events if isinstance(event, Retried)}
        assert retried == {"overloaded", "unreachable", "overflow"}
        assert sum(isinstance(event, Compressed) for event in events) >= 3
        assert KEY.encode() not in b"".join([*sent, *(event.model_dump_json().encode() for event in events)])
        assert any(MARK.encode() in body for body in sent)
        records.append([event.event for event in events])
    assert records[0] == records[1] == records[2]


def test_a_run_that_a_service_made_is_made_again_from_its_record(tmp_path: Path) -> None:
    repo = make_repo(tmp_path / "project")
    repo.commit(FILES | {"notes.md": "nothing\n"})
    flags = ("make add add", "--check", "adds=grep -q a...b calc.py", "--isolation", "process")
    with Server() as server:
        line = server.line([say(Script(*FIRST[:3], *FIRST[-2:], *SECOND[3:]))])
        env = {"OPENAI_BASE_URL": server.url("openai"), "OPENAI_API_KEY": KEY}
        first = command(repo, "fix", *flags, "--model", "openai:small", "--max-turns", "5", "--json", env=env)
        ran = command(repo, "resume", first.report.run, "--max-turns", "9", "--tell", "go on", "--json", env=env)
    assert (ran.code, ran.report.outcome) == (0, "verified"), ran.err
    events = read_events(open_repository(repo.path), ran.report.run)
    profile = find_profile("openai", "small", Overrides(address=server.url("openai")))
    assert list(rewrite(events, "openai", profile)) == [request.body for request in line.requests]
    again = command(repo, "fix", *flags, "--model", f"recorded:{ran.report.run}", "--json")
    made = [[(step.subject, step.tree) for step in report.steps] for report in (ran.report, again.report)]
    assert made[0] == made[1] != []
    assert again.report.outcome == "verified"
