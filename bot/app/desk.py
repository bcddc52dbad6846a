"""A person's repository, opened, and what they have set for it."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bot.git.repository import Repository, open_repository
from bot.settings import Settings, Sources, gather

GIVEN = ("GIT_CONFIG_PARAMETERS",)


@dataclass(frozen=True, slots=True)
class Desk:
    """Where a command works."""

    repository: Repository
    settings: Settings
    notes: tuple[str, ...] = ()


def open_desk(directory: Path, flags: Mapping[str, object], base: str = "") -> Desk:
    """Open the repository around a folder and read its settings, the project's own from `base`. Raises UsageError."""
    repository = open_repository(directory)
    commit = repository.resolve(base) if base else repository.default_base()
    sources = Sources(flags, os.environ, _configured(repository), _blob(repository, commit, "pyproject.toml"))
    settings, notes = gather(sources)
    return Desk(repository=repository, settings=settings, notes=notes)


def _configured(repository: Repository) -> tuple[tuple[str, str], ...]:
    # What `git -c agent.key=value agent …` hands on; it reaches this one question and no other
    given = {name: os.environ[name] for name in GIVEN if name in os.environ}
    answer = repository.git.ask("config", "--null", "--get-regexp", r"^agent\.", environ=given)
    pairs = (entry.partition("\n") for entry in os.fsdecode(answer.output).split("\0") if entry)
    return tuple((key, value) for key, _, value in pairs)


def _blob(repository: Repository, commit: str, path: str) -> bytes | None:
    answer = repository.git.ask("cat-file", "blob", f"{commit}:{path}")
    return None if answer.code else answer.output
