"""Runs the offline model through the real loop, tools, checks and git."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from bot.agent.loop import Agent
from bot.core.approval import Decision, Question
from bot.core.event import Acted, Committed, Ended, Event, Started
from bot.core.message import Message, Prompt, Reply, ToolCall, ToolSpec
from bot.core.redact import Redactor
from bot.core.task import Task
from bot.git.names import choose_branch
from bot.git.repository import open_repository
from bot.git.runs import new_run_id
from bot.git.workspace import open_workspace
from bot.models.offline.model import OfflineModel
from bot.tools.catalog import ALL
from bot.tools.tool import Bench
from bot.verify.detection.detect import detect
from bot.verify.interpreter import OWN, Interpreter
from bot.verify.ladder import Ladder
from tests.conftest import Repo, executor

TOOLS = {tool.name: tool for tool in ALL}


class Nobody:
    """Approves nothing."""

    def answer(self, question: Question) -> Decision:
        """Say no."""
        return Decision(question=question, answer="deny", by="policy")


def work(repo: Repo, store: Path, goal: str = "", scope: tuple[str, ...] = ()) -> tuple[Event, ...]:
    """Let the offline model work on a repository and return what happened."""
    repository = open_repository(repo.path)
    run, base = new_run_id(), repository.resolve("HEAD")
    interpreter = Interpreter(Path(sys.executable), OWN, frozenset({"pytest", "ruff", "mypy"}))
    task = Task(goal=goal, base=base, scope=scope)
    branch = choose_branch(repository, "fix", run)
    with open_workspace(repository, base=base, run=run, branch=branch) as workspace:
        with workspace.clean(workspace.tree()) as root:
            ladder = Ladder(detect(root, interpreter), executor(), interpreter)
        bench = Bench(workspace, executor(), ladder, task, store)
        agent = Agent(model=OfflineModel(), tools=TOOLS, approver=Nobody(), redactor=Redactor(()))
        started = Started(run=run, task=task, branch=branch, checks=ladder.checks)
        return tuple(agent.work(started, bench))


def subjects(events: tuple[Event, ...]) -> list[str]:
    """List the commits that were made."""
    return [event.subject for event in events if isinstance(event, Committed)]


def ending(events: tuple[Event, ...]) -> Ended:
    """Return how a run ended."""
    last = events[-1]
    assert isinstance(last, Ended)
    return last


def touched(events: tuple[Event, ...]) -> set[str]:
    """List the files that calls edited."""
    return {edit.path for event in events if isinstance(event, Acted) for edit in event.result.metadata.edits}


def converse(
    opening: str, answer: Callable[[ToolCall], str], tools: Iterable[str] = tuple(TOOLS), turns: int = 200
) -> list[Reply]:
    """Talk to the model in memory until it makes no call or has finished."""
    specs = tuple(ToolSpec(name=name, description="", parameters={}) for name in tools)
    messages: list[Message] = [Message(role="user", text=opening)]
    replies: list[Reply] = []
    for _ in range(turns):
        reply = OfflineModel().reply(Prompt(system="", messages=tuple(messages), tools=specs))
        replies.append(reply)
        if not reply.calls or any(call.name == "finish" for call in reply.calls):
            break
        messages.append(Message(role="assistant", text=reply.text, calls=reply.calls))
        messages += [Message(role="tool", text=answer(call), call_id=call.id) for call in reply.calls]
    return replies
