"""What judges the trees of one repository: its checks, its interpreter, its isolation."""

import os
import shlex
import sys
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bot.app.carry import choose_carriage
from bot.app.desk import Desk
from bot.app.secrecy import take_secrets
from bot.core.check import Check
from bot.core.declared import quote
from bot.core.installers import is_installer
from bot.core.redact import Redactor
from bot.core.stale import stale_builds
from bot.core.task import Isolation
from bot.errors import ConfigError, SandboxUnavailable
from bot.git.results import GitShelf
from bot.git.sensitive import read_secrets
from bot.protocols import Executor, Shelf
from bot.sandbox.carrying import find_carried
from bot.sandbox.detect import Picked, pick
from bot.sandbox.site import Site
from bot.sandbox.trial import Trial
from bot.settings import Settings
from bot.verify.detection.detect import detect
from bot.verify.fingerprint import Outside
from bot.verify.interpreter import ENVIRONMENTS, OWN, Interpreter, find
from bot.verify.ladder import Ladder
from bot.verify.prepare import Preparation

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
    redactor: Redactor = field(default_factory=lambda: Redactor(()))
    only: tuple[Check, ...] = ()
    """The checks that are asked, where not those that a tree's own files ask for."""
    aside: frozenset[str] = frozenset()
    """Cases that nobody is to mend; see verify.ladder."""

    def stale(self, changed: Collection[str]) -> tuple[str, ...]:
        """List what is carried although it was not built from a base with these changes."""
        return tuple(dict.fromkeys((*self.outdated, *stale_builds(changed, self.built))))

    def ladder(self, root: Path, declared: Sequence[Check], *, reuse: bool = False) -> Ladder:
        """Find the checks of the tree at `root`; `reuse` lets them answer with what they said of a tree before."""
        return Ladder(
            self.only or detect(root, self.interpreter, declared),
            self.executor,
            self.interpreter,
            self.redactor,
            self.preparation,
            self.workers,
            self.shelf if reuse else None,
            self.outside if reuse else None,
            aside=self.aside,
        )

    def ladder_again(
        self, root: Path, declared: Sequence[Check], before: Sequence[Check], *, reuse: bool = False
    ) -> Ladder:
        """Find the checks of a tree for a run that had some before: what its flags declared then still counts."""
        ladder = self.ladder(root, declared, reuse=reuse)
        found = {check.name for check in ladder.checks}
        missing = tuple(check for check in before if check.name not in found)
        return self.ladder(root, (*declared, *missing), reuse=reuse) if missing else ladder


def choose_bay(desk: Desk, trial: Trial | None = None) -> Bay:
    """Find the project's interpreter and the strongest isolation. Raises ConfigError, SandboxUnavailable."""
    secrets = take_secrets()
    repository, settings = desk.repository, desk.settings
    tracked = repository.tracked(ENVIRONMENTS)
    committed = tuple(name for name in ENVIRONMENTS if name in tracked)
    interpreter = find(repository.root, settings.python, os.environ, committed)
    carriage = choose_carriage(desk)
    picked = pick(
        _level(settings),
        Site(
            repository=repository.root,
            common_dir=repository.common_dir,
            interpreters=(interpreter.path, Path(sys.executable)),
            carry=carriage.patterns,
            search=() if interpreter.origin == OWN else (interpreter.path.parent,),
        ),
        trial=trial,
    )
    executor = picked.executor
    refuse_gaps(picked, settings)
    _refuse_installers(executor, settings)
    # What a preparation makes may depend on the world, so that nothing said of a tree holds another time
    shelf = None if settings.prepare else GitShelf(repository)
    carried = tuple(repository.root / place for place in find_carried(repository.root, carriage.patterns))
    folders = executor.isolation != "process"
    left = () if folders else _left_behind(repository.root, carried)
    return Bay(
        executor=executor,
        interpreter=interpreter,
        notes=(*filter(None, (picked.reason,)), *map(_left_alone, committed), *carriage.notes(folders=folders), *left),
        preparation=Preparation(executor, settings.prepare, network=settings.network),
        workers=count_workers(settings),
        built=(*carriage.built, *(carriage.places if folders else ())),
        outdated=carriage.stale,
        shelf=shelf,
        outside=Outside(repository.root, carried, carriage.facts),
        redactor=Redactor((*secrets.values, *read_secrets(repository, desk.base, settings.scope, carried))),
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


def _level(settings: Settings) -> Isolation:
    """Choose the isolation to ask for. Raises ConfigError when it is less than the task needs."""
    if settings.trust == "trusted":
        return settings.isolation
    if settings.isolation == "process":
        text = "an untrusted task is not run with process isolation, which hides no files and leaves the network open"
        raise ConfigError(text, "leave --isolation out, or name bubblewrap or landlock")
    return "landlock" if settings.isolation == "landlock" else "bubblewrap"


def refuse_gaps(picked: Picked, settings: Settings) -> None:
    """Give an untrusted task a weaker level only where the kernel has all of it. Raises SandboxUnavailable."""
    if settings.trust == "untrusted" and not picked.whole:
        text = f"an untrusted task is not run with {picked.executor.isolation} isolation as it is here: {picked.reason}"
        raise SandboxUnavailable(text, "it takes Linux 6.12 or newer, or bubblewrap")


def _left_alone(environment: str) -> str:
    return f"{environment} is committed, so its interpreter is not used; name it with --python if it is yours"
