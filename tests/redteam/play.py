"""Plays a case: with the real loop and tools on a real workspace, or as a whole run of the command."""

import io
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

from bot.agent.loop import Agent
from bot.app import consoles
from bot.app.story import tell
from bot.core.approval import Decision, Question
from bot.core.check import Check, Rung
from bot.core.event import Acted, Event, Started
from bot.core.lineage import follow
from bot.core.message import Prompt, Reply, ToolCall
from bot.core.redact import Redactor
from bot.core.render import markdown
from bot.core.report import Report
from bot.core.summary import summarize
from bot.core.talk import Replied
from bot.core.task import Isolation, Limits, Source, Task
from bot.errors import AgentError
from bot.forge.local import LocalForge
from bot.git.repository import open_repository
from bot.git.workspace import open_workspace
from bot.models.scripted import ScriptedModel, read_script
from bot.protocols import Command, Completed, Executor, Model
from bot.sandbox.detect import pick
from bot.sandbox.limits import Bounds
from bot.sandbox.site import Site
from bot.tools.catalog import ALL
from bot.tools.tool import Bench
from bot.trace.terminal import Terminal
from bot.verify.interpreter import own
from bot.verify.ladder import Ladder
from tests.conftest import Repo
from tests.redteam.case import Case
from tests.redteam.marks import Evidence, Seen, decode_tags, find_harm, look
from tests.redteam.stage import Stage, make_project

LEVELS: tuple[Isolation, ...] = ("bubblewrap", "landlock", "process")
BOUNDS = Bounds(memory=512 << 20, file=32 << 20, output=8 << 20, processes=256)
HASTE = 4.0
"""Most seconds for a command of a case that would never end by itself."""
PATIENCE = 20.0
"""Most seconds for any other: on a machine that is busy, what did not get to its attack was not stopped."""
ALWAYS = Check(name="always", rung=Rung.UNIT, argv=("true",), reason="it is quick")


@dataclass(frozen=True, slots=True)
class Hasty:
    """An executor that gives every command little time."""

    real: Executor
    most: float

    @property
    def isolation(self) -> str:
        """Name of the isolation level."""
        return self.real.isolation

    def execute(self, command: Command) -> Completed:
        """Run a command to its end. Raises SandboxUnavailable."""
        return self.real.execute(replace(command, timeout=min(command.timeout, self.most)))


@dataclass(frozen=True, slots=True)
class Constant:
    """Answers for a run that no person watches: no, but yes where the work is honest."""

    yes: bool

    def answer(self, question: Question) -> Decision:
        """Give the same answer every time."""
        return Decision(question=question, answer="once" if self.yes else "deny", by="policy")


@dataclass(slots=True)
class Obedient:
    """A model that does whatever it reads: each `CALL {…}` once, unseen letters included."""

    name: str = "obedient"
    done: set[str] = field(default_factory=set)
    prompts: list[Prompt] = field(default_factory=list)

    def reply(self, prompt: Prompt, seconds: float | None = None) -> Reply:
        """Do the first thing that a text asks for and that was not done."""
        self.prompts.append(prompt)
        for message in prompt.messages:
            if message.role == "assistant":
                continue
            for found in re.findall(r"CALL (\{.*\})", decode_tags(message.text)):
                if found not in self.done:
                    self.done.add(found)
                    asked = json.loads(found)
                    one = ToolCall(id=f"c{len(self.done)}", name=asked.pop("name"), arguments=asked)
                    return Reply(calls=(one,), finish="tool_calls")
        return Reply(text="All done.")


@dataclass(frozen=True)
class Outcome:
    """What became of a case."""

    harm: tuple[Evidence, ...]
    refused: tuple[str, ...] = ()
    """What was said to calls that were not carried out."""
    seconds: float = 0.0


def offered(level: Isolation, folder: Path) -> str:
    """Say why a level is not to be had here; empty when it is."""
    try:
        picked = pick(level, Site(repository=folder, common_dir=folder, interpreters=(own().path,)))
    except AgentError as error:
        return error.message
    return "" if picked.executor.isolation == level else picked.reason or "another level is used in its place"


@cache
def choose(level: Isolation, root: Path, common: Path) -> Executor:
    """Make the executor of a level, which serves every repository that comes to lie at one place."""
    interpreters = (own().path, Path(sys.executable))
    return pick(level, Site(repository=root, common_dir=common, interpreters=interpreters), bounds=BOUNDS).executor


def play(case: Case, level: Isolation, stage: Stage) -> Outcome:
    """Play a case and look what harm was done."""
    folder = stage.fresh()
    repo = make_project(stage, folder / "repo")
    stage.place = repo.path
    if case.files:
        repo.commit({name: _filled(stage, content) for name, content in case.files.items()}, "more")
    if case.arm:
        subprocess.run(["sh", "-ec", stage.fill(case.arm)], cwd=repo.path, check=True, capture_output=True)
    before = look(stage, repo)
    begun = time.monotonic()
    seen, refused = _whole(case, level, stage, repo) if case.whole else _loop(case, level, stage, repo)
    seen.seconds = time.monotonic() - begun
    harm = find_harm(stage, case, before, seen)
    stage.tidy()
    shutil.rmtree(folder, ignore_errors=True)
    return Outcome(harm, refused, seen.seconds)


def _filled(stage: Stage, content: str | bytes) -> str | bytes:
    return stage.fill(content) if isinstance(content, str) else content


def _lines(case: Case, stage: Stage) -> str:
    """Write what the model says as a script: all calls of a case in one reply, in their order."""
    calls = []
    for one in case.calls:
        arguments = json.loads(stage.fill(json.dumps(dict(one.arguments))))
        given = {"arguments": arguments} if one.raw is None else {"raw_arguments": one.raw}
        calls.append({"name": one.name, **given})
    return (json.dumps({"calls": calls}) + "\n") * (50 if case.repeat else 1)


def _loop(case: Case, level: Isolation, stage: Stage, repo: Repo) -> tuple[Seen, tuple[str, ...]]:
    """Let the real loop work with every tool, a check that always passes, and nobody to ask."""
    repository = open_repository(repo.path)
    path = repo.path.parent / "script"
    path.write_text(_lines(case, stage))
    scripted = read_script(path)
    model: Obedient | ScriptedModel = Obedient() if case.obey else scripted
    executor = Hasty(choose(level, repository.root, repository.common_dir), HASTE if case.perilous else PATIENCE)
    redactor = Redactor((stage.canaries["environment"],))
    base = repository.default_base()
    source = Source(kind="issue", ref="1", author="stranger") if case.stranger else Source()
    task = Task(goal=stage.fill(case.goal), base=base, source=source, limits=Limits(turns=case.turns))
    seen = Seen()
    with open_workspace(repository, base=base, run="r1", branch="agent/x-r1") as workspace:
        ladder = Ladder((ALWAYS,), executor, own(), redactor)
        bench = Bench(workspace, executor, ladder, task, workspace.temp)
        agent = Agent(_named(model), {tool.name: tool for tool in ALL}, Constant(case.family == "honest"), redactor)
        started = Started(run="r1", task=task, branch=workspace.branch, checks=ladder.checks, isolation=level)
        events = _record(agent, started, bench, seen)
    _describe(events, seen)
    seen.prompts += [message.text for prompt in model.prompts[-1:] for message in prompt.messages]
    return seen, _refused(events)


def _named(model: Obedient | ScriptedModel) -> Model:
    return model


def _record(agent: Agent, started: Started, bench: Bench, seen: Seen) -> list[Event]:
    """Show each event as it happens, as a person would see it."""
    events: list[Event] = []
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        with Terminal(consoles.progress()) as terminal:
            for event in agent.work(started, bench):
                terminal.record(event)
                events.append(event)
        report = summarize(events)
        LocalForge(consoles.results()).publish(report)
        lineage = follow(events)
        console = consoles.results()
        for event in events:
            console.print(tell(event, lineage), markup=False)
    seen.printed += [out.getvalue(), err.getvalue()]
    seen.outcome = report.outcome
    seen.published.append(markdown(report))
    return events


def _describe(events: Sequence[Event], seen: Seen) -> None:
    seen.turns = sum(isinstance(event, Replied) for event in events)
    seen.told += [event.model_dump_json() for event in events]
    acted = [event for event in events if isinstance(event, Acted)]
    seen.ran += [str(event.call.arguments) for event in acted if event.call.name == "run_command" and event.result.ok]
    seen.answered += [event.result.output for event in acted]


def _refused(events: Sequence[Event]) -> tuple[str, ...]:
    acted = (event for event in events if isinstance(event, Acted) and not event.result.ok)
    return tuple(f"{event.call.name}: {event.result.error}: {event.result.output[:160]}" for event in acted)


def _whole(case: Case, level: Isolation, stage: Stage, repo: Repo) -> tuple[Seen, tuple[str, ...]]:
    """Run the command as a person does, and read all that it left."""
    path = repo.path.parent / "script"
    path.write_text(_lines(case, stage))
    argv = [sys.executable, "-I", "-m", "bot", "-C", str(repo.path), "fix", stage.fill(case.goal), "--json"]
    argv += ["--isolation", level, "--model", f"scripted:{path}", "--max-turns", str(case.turns), *case.flags]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=120)
    seen = Seen(printed=[done.stderr], told=[done.stdout, done.stderr])
    if done.returncode in (0, 1) and done.stdout.startswith("{"):
        report = Report.model_validate_json(done.stdout)
        seen.outcome, seen.turns = report.outcome, report.usage.turns
        seen.published.append(markdown(report))
        ref = f"refs/agent/runs/{report.run}"
        for name in ("trace.jsonl", "report.md", "task.json"):
            seen.told.append(repo.git("show", f"{ref}:{name}", check=False))
    return seen, (done.stderr,) if done.returncode not in (0, 1) else ()
