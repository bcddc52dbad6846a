"""A person's repository, opened, and what they have set for it."""

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from bot.app.onlooker import on_terminal
from bot.core.task import Consent, Mode, Request, Source, Task
from bot.git.orders import find_orders
from bot.git.repository import Repository, open_repository
from bot.git.signing import Signer, make_signer
from bot.git.since import find_since, resolve_since
from bot.git.store import open_store
from bot.settings import Settings, Sources, gather

GIVEN = ("GIT_CONFIG_PARAMETERS",)


@dataclass(frozen=True, slots=True)
class Desk:
    """Where a command works."""

    repository: Repository
    settings: Settings
    base: str
    """The commit that a run starts from, as a full id."""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Asked:
    """What a run is asked to do, and by what it is settled."""

    goal: str
    flags: Mapping[str, object]
    source: Source | None = None
    notes: tuple[str, ...] = ()

    def tell(self, desk: Desk) -> Desk:
        """Add what a person should know before reading on."""
        return replace(desk, notes=(*desk.notes, *self.notes)) if self.notes else desk


def open_desk(directory: Path, flags: Mapping[str, object], base: str = "", *, unborn: bool = False) -> Desk:
    """Open the repository around a folder and read its settings, the project's own from `base`.

    `unborn` takes a repository without a commit, too, where no project speaks yet. Raises UsageError.
    """
    repository = open_repository(directory, unborn=unborn)
    if not repository.head:
        return settle(repository, flags, "")
    return settle(repository, flags, repository.resolve(base) if base else repository.default_base())


def settle(repository: Repository, flags: Mapping[str, object], base: str, notes: tuple[str, ...] = ()) -> Desk:
    """Read the settings, the project's own from the base, a full id or empty for none. Raises ConfigError."""
    told = blob(repository, base, "pyproject.toml") if base else None
    sources = Sources(flags, os.environ, configured(repository), told)
    settings, strays = gather(sources)
    return Desk(repository=repository, settings=settings, base=base, notes=(*strays, *notes))


def start_of(desk: Desk, named: str = "") -> str:
    """Return the commit from which on changes are on trial: the one a person named, or what can be found out.

    Empty where none is known. Raises UsageError.
    """
    repository = desk.repository
    return resolve_since(repository, desk.base, named) if named else find_since(repository, desk.base)


def make_request(
    desk: Desk, goal: str, *, planning: bool = False, quiet: bool = False, source: Source | None = None, since: str = ""
) -> Request:
    """Put what a person asked for and what they have set into a request; `since` is a full commit id, or empty."""
    settings = desk.settings
    task = Task(
        goal=goal,
        source=source or Source(kind="local"),
        base=desk.base,
        since=since,
        scope=settings.scope,
        protected=(*settings.protect, *find_orders(desk.repository)),
        limits=settings.limits(),
    )
    return Request(task=task, mode=make_mode(desk, planning=planning, quiet=quiet))


def make_mode(desk: Desk, *, planning: bool = False, quiet: bool = False) -> Mode:
    """Put how a person wants a run carried out into one value."""
    forge: Literal["local", "none"] = "none" if quiet else "local"
    settings = desk.settings
    return Mode(
        forge=forge,
        consent=_consent(desk),
        model=settings.model,
        planning=planning,
        sign=settings.sign and not planning,
    )


def choose_signer(desk: Desk, tree: str) -> Signer:
    """Make what signs steps, and try it on a tree or the tree of a commit. Raises UsageError when it cannot sign."""
    signer = make_signer(desk.repository)
    signer.check(open_store(desk.repository).tree(tree))
    return signer


def _consent(desk: Desk) -> Consent:
    wish = desk.settings.consent
    if wish != "auto":
        return wish
    return "ask" if on_terminal(sys.stdin) and on_terminal(sys.stderr) else "no"


def configured(repository: Repository) -> tuple[tuple[str, str], ...]:
    """Read the person's settings from git's configuration, lower-case keys and values."""
    # What `git -c agent.key=value agent …` hands on; it reaches this one question and no other
    given = {name: os.environ[name] for name in GIVEN if name in os.environ}
    answer = repository.git.ask("config", "--null", "--get-regexp", r"^agent\.", environ=given)
    pairs = (entry.partition("\n") for entry in os.fsdecode(answer.output).split("\0") if entry)
    return tuple((key, value) for key, _, value in pairs)


def blob(repository: Repository, commit: str, path: str) -> bytes | None:
    """Return a file's content in a commit; None when it is no file there."""
    answer = repository.git.ask("cat-file", "blob", f"{commit}:{path}")
    return None if answer.code else answer.output
