"""What a run costs in input: a scripted run of many steps, and one that outgrows the model's window.

Counts the prompts as they would be sent to a service that takes chat messages: tokens as bytes by four, and by the
vocabulary cl100k where the package tiktoken has it at hand. What a perfect cache of prefixes leaves to be read anew
counts 1.25, the rest 0.1; a request whose beginning is not the whole of the one before breaks the prefix.

Usage: context.py [--turns N] [--long N] [--window TOKENS] [--most MILLIONS].
"""

import argparse
import importlib
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parent))

from steps import FILES, make_repository, script

from bot.agent.loop import Agent
from bot.app.survey import survey
from bot.core.approval import Decision, Question
from bot.core.check import Check, Rung
from bot.core.event import Ended, Event, Started
from bot.core.message import Message, Prompt, Reply, ToolCall
from bot.core.redact import Redactor
from bot.core.talk import Compressed, Replied
from bot.core.task import Limits, Task
from bot.git.repository import open_repository
from bot.git.workspace import open_workspace
from bot.models.scripted import ScriptedModel
from bot.sandbox.process import ProcessExecutor
from bot.tools.catalog import ALL
from bot.tools.tool import Bench
from bot.verify.interpreter import own
from bot.verify.ladder import Ladder

CHECK = Check(name="tests", rung=Rung.UNIT, argv=("true",))
NEW, CACHED = 1.25, 0.1
UNLIMITED = Limits(turns=None, steps=None, seconds=None)
NEEDLES = ("the port of the broker is 47113", "ValueError: unknown unit 'furlong'", "keep the old wire format")
LINE = 70
"""Bytes of one line of a large file."""


@dataclass(frozen=True)
class Nobody:
    """Allows nothing."""

    def answer(self, question: Question) -> Decision:
        return Decision(question=question, answer="deny", by="policy")


@dataclass
class Watch:
    """A model that follows a script, and looks at the clock whenever it is asked."""

    script: ScriptedModel
    asked: list[float] = field(default_factory=list)
    answered: list[float] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self.script.name

    def reply(self, prompt: Prompt, seconds: float | None = None) -> Reply:
        self.asked.append(time.perf_counter())
        said = self.script.reply(prompt, seconds)
        self.answered.append(time.perf_counter())
        return said

    @property
    def gaps(self) -> list[float]:
        """Milliseconds between an answer and the next question."""
        return [(after - before) * 1000 for before, after in zip(self.answered, self.asked[1:], strict=False)]


class Played(NamedTuple):
    """A run, and all that its model was sent."""

    prompts: Sequence[Prompt]
    events: Sequence[Event]
    gaps: Sequence[float]


class Count(NamedTuple):
    """Tokens of all the prompts of a run."""

    first: int
    last: int
    sum: int
    weighted: float
    breaks: int


def play(files: dict[str, str], replies: Sequence[Reply], window: int = 0) -> Played:
    """Let the loop follow a script in a new repository."""
    with tempfile.TemporaryDirectory() as folder:
        repository = open_repository(make_repository(Path(folder) / "repository", files))
        base = repository.default_base()
        task = Task(goal="Fix the failing test in this repository.", base=base, limits=UNLIMITED)
        with open_workspace(repository, base=base, run="r1", branch="agent/count-r1") as workspace:
            executor = ProcessExecutor()
            bench = Bench(workspace, executor, Ladder((CHECK,), executor, own()), task, workspace.temp)
            project = survey(workspace.root, workspace.files())
            started = Started(run="r1", task=task, branch=workspace.branch, checks=(CHECK,), project=project)
            model = Watch(ScriptedModel(replies))
            tools = {tool.name: tool for tool in ALL}
            agent = Agent(model, tools, Nobody(), Redactor(()), window=window)
            events = list(agent.work(started, bench))
    return Played(model.script.prompts, events, model.gaps)


def as_replies(lines: Sequence[dict[str, object]], text: str = "Next step.") -> list[Reply]:
    """Make the replies of a script, with a sentence each."""
    made: list[Reply] = []
    for number, line in enumerate(lines):
        calls = line["calls"]
        assert isinstance(calls, list)
        named = tuple(ToolCall.model_validate({"id": f"call_{number}_{at}", **call}) for at, call in enumerate(calls))
        made.append(Reply(text=text, calls=named, finish="tool_calls"))
    return made


def without_commits(lines: Sequence[dict[str, object]]) -> Iterator[dict[str, object]]:
    """Leave every checkpoint out but the last, as agents do that do not commit."""
    for line in lines:
        calls = line["calls"]
        assert isinstance(calls, list)
        last = any(call["name"] == "finish" for call in calls)
        kept = [call for call in calls if call["name"] != "checkpoint"]
        yield {"calls": [{"name": "checkpoint", "arguments": {"subject": "Count"}}, *kept] if last else kept}


def grow(turns: int) -> tuple[dict[str, str], list[Reply]]:
    """Make a script that reads another file of 7.8 KB each turn, with things in it that should not be forgotten."""
    files = dict(FILES)
    replies: list[Reply] = []
    for turn in range(turns):
        rows = [f"{turn} {n} {'y' * LINE}" for n in range(100)]
        if turn in (turns // 8, turns // 6):
            rows[50] = NEEDLES[0] if turn == turns // 8 else f"E   {NEEDLES[1]}"
        name = f"data/out{turn}.txt"
        files[name] = "\n".join(rows) + "\n"
        call = ToolCall(id=f"call_{turn}", name="run_command", arguments={"argv": ["cat", name]})
        text = f"I decided to {NEEDLES[2]}." if turn == turns // 5 else "Next step."
        replies.append(Reply(text=text, calls=(call,), finish="tool_calls"))
    end = ToolCall(id="call_end", name="finish", arguments={"summary": "read"})
    return files, [*replies, Reply(calls=(end,), finish="tool_calls")]


def wire(message: Message) -> str:
    """Write a message as services take it."""
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": json.dumps(call.arguments)}}
        for call in message.calls
    ]
    body = {"role": message.role, "content": message.text, "tool_calls": calls, "tool_call_id": message.call_id}
    return json.dumps({name: value for name, value in body.items() if value})


def parts(prompt: Prompt) -> list[str]:
    """Part a prompt into what is sent one after the other: tools, system prompt, messages."""
    tools = [{"type": "function", "function": tool.model_dump()} for tool in prompt.tools]
    system = json.dumps({"role": "system", "content": prompt.system})
    return [json.dumps(tools), system, *map(wire, prompt.messages)]


def count(prompts: Sequence[Prompt], tokens: Callable[[str], int]) -> Count:
    """Count what was sent, and what of it was new to a cache of prefixes."""
    sums: list[int] = []
    weighted, breaks, before = 0.0, 0, list[str]()
    for prompt in prompts:
        sent = parts(prompt)
        pairs = zip(before, sent, strict=False)
        same = next((at for at, (one, other) in enumerate(pairs) if one != other), min(len(before), len(sent)))
        sums.append(sum(map(tokens, sent)))
        cached = sum(map(tokens, sent[:same]))
        weighted += NEW * (sums[-1] - cached) + CACHED * cached
        breaks += same < len(before)
        before = sent
    return Count(sums[0], sums[-1], sum(sums), weighted, breaks)


def counters() -> dict[str, Callable[[str], int]]:
    """Return the ways to count tokens that there are."""
    ways: dict[str, Callable[[str], int]] = {"bytes/4": lambda text: len(text.encode()) // 4}
    try:
        encoding = importlib.import_module("tiktoken").get_encoding("cl100k_base")
    except (ImportError, OSError):
        return ways
    ways["cl100k"] = lru_cache(maxsize=None)(lambda text: len(encoding.encode(text, disallowed_special=())))
    return ways


def show(name: str, played: Played) -> list[float]:
    """Print a line for each way to count, and return the weighted sums in millions."""
    weighted: list[float] = []
    for way, tokens in counters().items():
        counted = count(played.prompts, tokens)
        weighted.append(counted.weighted / 1e6)
        told = f"{counted.first:7} {counted.last:7} {counted.sum:10} {counted.weighted / 1e6:9.3f} {counted.breaks:7}"
        print(f"{name:24} {len(played.prompts):6} {way:8} {told}")
    return weighted


def show_time(name: str, played: Played) -> None:
    """Print the time of a step, and whether it grows."""
    fifth = max(1, len(played.gaps) // 5)
    first, last = statistics.median(played.gaps[:fifth]), statistics.median(played.gaps[-fifth:])
    print(f"{name:24} median {statistics.median(played.gaps):.1f} ms a turn, last/first fifth {last / first:.2f}")


def main() -> None:
    """Play and count all runs; fail where one costs more than it may, or forgets something."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--long", type=int, default=170)
    parser.add_argument("--window", type=int, default=200_000)
    parser.add_argument("--most", type=float, default=0.13, help="millions of weighted tokens, bytes by four")
    options = parser.parse_args()
    print(f"{'run':24} {'asked':>6} {'tokens':8} {'first':>7} {'last':>7} {'sum':>10} {'weighted':>9} {'breaks':>7}")
    lines = list(script(options.turns))
    failed = False
    runs = {"without commits": list(without_commits(lines)), "a commit for each edit": lines}
    for name, wanted in runs.items():
        played = play(FILES, as_replies(wanted))
        assert isinstance(played.events[-1], Ended), played.events[-1]
        assert played.events[-1].stop == "done", played.events[-1]
        failed |= show(name, played)[0] > options.most
        show_time(name, played)
    files, replies = grow(options.long)
    played = play(files, replies, options.window)
    show("outgrows the window", played)
    last = "\n".join(message.text for message in played.prompts[-1].messages)
    made = [event for event in played.events if isinstance(event, Compressed)]
    lost = [needle for needle in NEEDLES if needle not in last]
    asked = sum(isinstance(event, Replied) for event in played.events)
    print(f"{'':24} {len(made)} times shorter: {', '.join(f'{e.before:,} → {e.after:,} bytes' for e in made)}")
    print(f"{'':24} forgotten: {', '.join(lost) or 'nothing'}; {asked - 1} of {options.long} files read")
    sys.exit(failed or bool(lost) or asked <= options.long)


if __name__ == "__main__":
    os.environ.setdefault("GIT_CONFIG_NOSYSTEM", "1")
    main()
