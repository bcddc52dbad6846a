"""Picks the parts of a run."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.agent.loop import Agent
from bot.app.desk import Desk
from bot.core.check import Check
from bot.core.message import ToolCall
from bot.core.redact import Redactor
from bot.core.task import Consent, Isolation
from bot.errors import ConfigError
from bot.git.repository import Repository
from bot.git.runs import find_run, read_events
from bot.models.offline.model import OfflineModel
from bot.models.recorded import RecordedModel
from bot.models.scripted import read_script
from bot.protocols import Approver, Executor, Model
from bot.sandbox.bubblewrap import CARRY
from bot.sandbox.detect import pick
from bot.sandbox.secrecy import conceal
from bot.settings import Settings
from bot.tools.catalog import ALL
from bot.tools.tool import Access
from bot.verify.detect import detect
from bot.verify.interpreter import Interpreter, find
from bot.verify.ladder import Ladder

SECRET = ("TOKEN", "KEY", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL")
"""Parts of variable names whose values never leave this process."""

SHORTEST_SECRET = 8
"""Characters; shorter values would redact ordinary words."""


@dataclass(frozen=True, slots=True)
class Bay:
    """What judges the trees of one repository."""

    executor: Executor
    interpreter: Interpreter
    notes: tuple[str, ...]

    def ladder(self, root: Path, declared: Sequence[Check]) -> Ladder:
        """Find the checks of the tree at `root`."""
        redactor = Redactor(held_secrets(os.environ))
        return Ladder(detect(root, self.interpreter, declared), self.executor, self.interpreter, redactor)


def choose_bay(desk: Desk) -> Bay:
    """Find the project's interpreter and the strongest isolation. Raises ConfigError, SandboxUnavailable."""
    conceal()
    repository, settings = desk.repository, desk.settings
    interpreter = find(repository.root, settings.python, os.environ)
    carry = (*CARRY, *settings.carry)
    executor, reason = pick(
        _level(settings),
        repository=repository.root,
        common_dir=repository.common_dir,
        interpreters=(interpreter.path, Path(sys.executable)),
        carry=carry,
    )
    return Bay(executor, interpreter, (reason,) if reason else ())


def choose_model(spec: str, repository: Repository) -> Model:
    """Make the model that a spec names; without one, the offline model. Raises ConfigError, UsageError."""
    kind, _, name = (spec or "offline").partition(":")
    makers: dict[str, Callable[[], Model]] = {
        "offline": OfflineModel,
        "scripted": lambda: read_script(Path(name)),
        "recorded": lambda: _recorded(repository, find_run(repository, name)),
    }
    if kind not in makers or bool(name) == (kind == "offline"):
        raise ConfigError(f"there is no model {spec!r}", "offline, scripted:FILE and recorded:RUN are known")
    return makers[kind]()


def _recorded(repository: Repository, run: str) -> Model:
    return RecordedModel(run, read_events(repository, run))


def _level(settings: Settings) -> Isolation:
    """Choose the isolation to ask for. Raises ConfigError when it is less than the task needs."""
    if settings.trust == "trusted":
        return settings.isolation
    if settings.isolation == "process":
        text = "an untrusted task is not run with process isolation, which hides no files and leaves the network open"
        raise ConfigError(text, "leave --isolation out, or name bubblewrap")
    return "bubblewrap"


@dataclass(frozen=True, slots=True)
class Constant:
    """The approver of a run that nobody watches."""

    answer: bool

    def approve(self, call: ToolCall, why: str) -> bool:
        """Give the same answer every time."""
        return self.answer


@dataclass(frozen=True, slots=True)
class Person:
    """Asks whoever sits at the terminal."""

    ask: Callable[[str], bool]

    def approve(self, call: ToolCall, why: str) -> bool:
        """Ask, with the reason."""
        return self.ask(f"The next call {why}. Allow it?")


def choose_approver(consent: Consent, ask: Callable[[str], bool]) -> Approver:
    """Pick who answers a risky call."""
    return Person(ask) if consent == "ask" else Constant(consent == "yes")


def make_agent(model: Model, approver: Approver, *, planning: bool) -> Agent:
    """Give a model its tools; one that only plans gets no tool that writes."""
    tools = {tool.name: tool for tool in ALL if not planning or _harmless(tool.name, tool.access)}
    return Agent(model=model, tools=tools, approver=approver, redactor=Redactor(held_secrets(os.environ)))


def _harmless(name: str, access: Access) -> bool:
    return access is Access.READ or name in ("update_plan", "ask", "finish", "run_check", "locate_fault")


def held_secrets(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Collect the values of this process's environment that must not show up anywhere."""
    named = (value for name, value in environ.items() if any(part in name.upper() for part in SECRET))
    return tuple(value for value in named if len(value) >= SHORTEST_SECRET)
