"""The demonstration project: real history with real faults in its last commits."""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable

SUFFIX = ".txt"
"""Stands after every file name, so that no tool of our own takes the samples for code of ours."""


@dataclass(frozen=True, slots=True)
class Revision:
    """One commit of a sample project."""

    message: str
    date: str
    """ISO 8601 with an offset, as git takes it."""
    author: str
    """`Name <mail>`, as git takes it."""
    files: tuple[tuple[str, str | None], ...]
    """Paths and their new content, None for a file that goes; what is not named stays as it was."""


def revisions() -> tuple[Revision, ...]:
    """Return the history of the demonstration project, oldest first."""
    root = files("bot.samples").joinpath("stockroom")
    commits = tomllib.loads(root.joinpath("history.toml").read_text("utf-8"))["commit"]
    return tuple(
        Revision(
            message=commit["message"].strip() + "\n",
            date=commit["date"],
            author=commit["author"],
            files=(*_contents(root.joinpath(str(number))), *((path, None) for path in commit.get("removed", ()))),
        )
        for number, commit in enumerate(commits, start=1)
    )


def _contents(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _contents(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name.removesuffix(SUFFIX), entry.read_text("utf-8")
