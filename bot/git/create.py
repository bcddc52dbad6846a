"""Makes a repository with a given history."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from typing import Protocol

from bot.errors import GitFailed
from bot.git.launch import environment, launch
from bot.git.run import Git


class Revision(Protocol):
    """One commit of a history: who, when (ISO 8601), why, and the files that it writes or (None) deletes."""

    @property
    def message(self) -> str:
        """Why."""
        ...

    @property
    def date(self) -> str:
        """When, in ISO 8601 with an offset."""
        ...

    @property
    def author(self) -> str:
        """Who, as `Name <mail>`."""
        ...

    @property
    def files(self) -> Sequence[tuple[str, str | None]]:
        """What."""
        ...


def create_repository(path: Path, revisions: Sequence[Revision]) -> None:
    """Make a repository with a branch `main` that holds these commits, checked out. Raises GitFailed."""
    path.mkdir(parents=True, exist_ok=True)
    made = launch(("init", "--quiet", "--initial-branch=main", "--template="), environment(), path, b"")
    if made.code:
        raise GitFailed(f"git init failed: {made.error}")
    git = Git(path / ".git", path)
    stream = b"".join(_commit(number, revision) for number, revision in enumerate(revisions, 1))
    git.output("fast-import", "--quiet", stdin=stream)
    git.output("reset", "--quiet", "--hard", "main")


def _commit(number: int, revision: Revision) -> bytes:
    return b"".join(_lines(number, revision))


def _lines(number: int, revision: Revision) -> Iterator[bytes]:
    yield f"commit refs/heads/main\nmark :{number}\n".encode()
    moment = datetime.fromisoformat(revision.date)
    when = f"{int(moment.timestamp())} {moment.strftime('%z')}"
    yield f"author {revision.author} {when}\ncommitter {revision.author} {when}\n".encode()
    yield _data(revision.message)
    if number > 1:
        yield f"from :{number - 1}\n".encode()
    for path, text in revision.files:
        if text is None:
            yield f"D {path}\n".encode()
        else:
            yield f"M 100644 inline {path}\n".encode() + _data(text)


def _data(text: str) -> bytes:
    raw = text.encode()
    return b"data %d\n%b\n" % (len(raw), raw)
