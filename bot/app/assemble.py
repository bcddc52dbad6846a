"""Picks the parts of a run."""

import os
import shlex
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bot.agent.loop import Agent
from bot.app.carry import choose_carriage
from bot.app.desk import Desk
from bot.core.approval import Answer, Decision, Question
from bot.core.check import Check
from bot.core.declared import quote
from bot.core.installers import is_installer
from bot.core.redact import Redactor
from bot.core.stale import stale_builds
from bot.core.task import Consent, Isolation
from bot.errors import ConfigError
from bot.git.repository import Repository
from bot.git.results import GitShelf
from bot.git.runs import find_run, read_events
from bot.models.offline.model import OfflineModel
from bot.models.recorded import RecordedModel
from bot.models.scripted import read_script
from bot.protocols import Approver, Executor, Model, Shelf
from bot.sandbox.carrying import find_carried
from bot.sandbox.detect import pick
from bot.sandbox.secrecy import conceal
from bot.settings import Settings
from bot.tools.catalog import ALL
from bot.tools.tool import Access
from bot.verify.detection.detect import detect
from bot.verify.fingerprint import Outside
from bot.verify.interpreter import ENVIRONMENTS, OWN, Interpreter, find
from bot.verify.ladder import Ladder
from bot.verify.prepare import Preparation

SECRET = ("TOKEN", "KEY", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL")
"""Parts of variable names whose values never leave this process."""

SHORTEST_SECRET = 8
"""Characters; shorter values would redact ordinary words."""
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Bay:
    """What judges the trees of one repository."""

    executor: Executor
    interpreter: Interpreter
    notes: tuple[str, ...]
    preparation: Preparation
    workers: int = 1
    built: tuple[str, ...] = ()
    """What was built in the person's checkout and is carried into each tree; submodules, with a slash behind each."""
    outdated: tuple[str, ...] = ()
    """Those of it whose sources in the checkout are not those of the base."""
    shelf: Shelf | None = None
    outside: Outside | None = None

    def stale(self, changed: Collection[str]) -> tuple[str, ...]:
        """List what is carried although it was not built from a base with these changes."""
        return tuple(dict.fromkeys((*self.outdated, *stale_builds(changed, self.built))))

    def ladder(self, root: Path, declared: Sequence[Check], *, reuse: bool = False) -> Ladder:
        """Find the checks of the tree at `root`; `reuse` lets them answer with what they said of a tree before."""
        return Ladder(
            detect(root, self.interpreter, declared),
            self.executor,
            self.interpreter,
            Redactor(held_secrets(os.environ)),
            self.preparation,
            self.workers,
            self.shelf if reuse else None,
            self.outside if reuse else None,
        )

    def ladder_again(
        self, root: Path, declared: Sequence[Check], before: Sequence[Check], *, reuse: bool = False
    ) -> Ladder:
        """Find the checks of a tree for a run that had some before: what its flags declared then still counts."""
        ladder = self.ladder(root, declared, reuse=reuse)
        found = {check.name for check in ladder.checks}
        missing = tuple(check for check in before if check.name not in found)
        return self.ladder(root, (*declared, *missing), reuse=reuse) if missing else ladder


def choose_bay(desk: Desk) -> Bay:
    """Find the project's interpreter and the strongest isolation. Raises ConfigError, SandboxUnavailable."""
    conceal()
    repository, settings = desk.repository, desk.settings
    committed = tuple(name for name in ENVIRONMENTS if repository.tracks(name))
    interpreter = find(repository.root, settings.python, os.environ, committed)
    carriage = choose_carriage(desk)
    executor, reason = pick(
        _level(settings),
        repository=repository.root,
        common_dir=repository.common_dir,
        interpreters=(interpreter.path, Path(sys.executable)),
        carry=carriage.patterns,
        search=() if interpreter.origin == OWN else (interpreter.path.parent,),
    )
    _refuse_installers(executor, settings)
    # What a preparation makes may depend on the world, so that nothing said of a tree holds another time
    shelf = None if settings.prepare else GitShelf(repository)
    carried = tuple(repository.root / place for place in find_carried(repository.root, carriage.patterns))
    folders = executor.isolation != "process"
    left = () if folders else _left_behind(repository.root, carried)
    return Bay(
        executor=executor,
        interpreter=interpreter,
        notes=(*filter(None, (reason,)), *map(_left_alone, committed), *carriage.notes(folders=folders), *left),
        preparation=Preparation(executor, settings.prepare, network=settings.network),
        workers=count_workers(settings),
        built=(*carriage.built, *(carriage.places if folders else ())),
        outdated=carriage.stale,
        shelf=shelf,
        outside=Outside(repository.root, carried, carriage.facts),
    )


def _refuse_installers(executor: Executor, settings: Settings) -> None:
    """Keep what is installed for one tree out of the person's own environment. Raises ConfigError."""
    if executor.isolation != "process" or settings.installs:
        return
    for argv in (*settings.prepare, *(check.argv for check in settings.checks)):
        if is_installer(argv):
            text = f"with process isolation {quote(shlex.join(argv))} would change your own environment: it is not run"
            raise ConfigError(text, "to let it: git config agent.installs true")


def _left_behind(root: Path, carried: Sequence[Path]) -> Iterator[str]:
    """Say which folders cannot go along; an interpreter is called by its own path and needs not to."""
    folders = [path.relative_to(root) for path in carried if path.is_dir() and not (path / "pyvenv.cfg").is_file()]
    if folders:
        yield f"not carried with process isolation, as folders: {', '.join(map(str, folders[:MOST_NAMED]))}"


def count_workers(settings: Settings) -> int:
    """Return over how many processes a check may spread its work; 1 leaves it at what the project does itself."""
    return 1 if settings.workers == "auto" else settings.workers


def choose_model(spec: str, repository: Repository, asked: int = 0) -> Model:
    """Make the model that a spec names; without one, the offline model. Raises ConfigError, UsageError.

    One that reads its replies from somewhere goes on after those that a run was given before.
    """
    kind, _, name = (spec or "offline").partition(":")
    makers: dict[str, Callable[[], Model]] = {
        "offline": OfflineModel,
        "scripted": lambda: read_script(Path(name), asked),
        "recorded": lambda: _recorded(repository, find_run(repository, name), asked),
    }
    if kind not in makers or bool(name) == (kind == "offline"):
        raise ConfigError(f"there is no model {spec!r}", "offline, scripted:FILE and recorded:RUN are known")
    return makers[kind]()


def _recorded(repository: Repository, run: str, asked: int) -> Model:
    return RecordedModel(run, read_events(repository, run), asked)


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

    yes: bool

    def answer(self, question: Question) -> Decision:
        """Give the same answer every time."""
        return Decision(question=question, answer="once" if self.yes else "deny", by="policy")


@dataclass(frozen=True, slots=True)
class Person:
    """Asks whoever sits at the terminal."""

    ask: Callable[[Question], Answer]

    def answer(self, question: Question) -> Decision:
        """Ask, with the reason."""
        return Decision(question=question, answer=self.ask(question), by="person")


def choose_approver(consent: Consent, ask: Callable[[Question], Answer]) -> Approver:
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


def _left_alone(environment: str) -> str:
    return f"{environment} is committed, so its interpreter is not used; name it with --python if it is yours"
