"""The events of a run as lines of a file under the git dir, written as they happen."""

import json
import os
import shutil
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from pydantic import JsonValue, ValidationError
from pydantic_core import PydanticSerializationError

from bot.core.event import EVENT, Event
from bot.core.task import Record
from bot.errors import WorkspaceError
from bot.git import owner
from bot.git.disk import refusals
from bot.git.hold import is_held, take
from bot.git.repository import Repository

FILE = "trace.jsonl"

LONGEST = 128 << 20
"""Bytes of a trace; what is longer is neither written nor read."""

_FLAGS = os.O_NOFOLLOW | os.O_CLOEXEC


class Journal:
    """The open journal of one run, held by this process alone. Raises WorkspaceError.

    What the kernel has taken survives the end of the process however it comes. A loss of power may take what was not
    synced: that costs some milliseconds on a real disk, so it is done for lines that a person was told of as done.
    """

    def __init__(self, folder: Path, held: int) -> None:
        self.folder = folder
        self._held = held
        self._file: int | None = None
        self._size = 0

    def begin(self, data: bytes) -> None:
        """Start anew with what is known, so that a line that was cut off does not get into the middle."""
        fresh = self.folder / f"{FILE}.new"
        with refusals("keep a record of the run"):
            file = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | _FLAGS, 0o600)
            self._file = file
            _write(file, data)
            os.fsync(file)
            fresh.replace(self.folder / FILE)
            self._size = len(data)

    def append(self, line: bytes, *, sync: bool) -> None:
        """Add a line, or leave the journal as it was."""
        assert self._file is not None, "a journal begins with what is known"
        try:
            _write(self._file, line)
            if sync:
                os.fsync(self._file)
        except OSError as error:
            # Half a line would swallow the next one, once there is room again
            with suppress(OSError):
                os.ftruncate(self._file, self._size)
                os.lseek(self._file, self._size, os.SEEK_SET)
            raise WorkspaceError(f"the run's trace cannot be written: {error.strerror}") from error
        self._size += len(line)

    def leave(self) -> None:
        """Let go of the journal; it stays where it is."""
        for descriptor in (self._file, self._held):
            if descriptor is not None:
                os.close(descriptor)
        self._file = None

    def remove(self) -> None:
        """Take the journal away, and let go only then: who waits for it finds that it is gone."""
        remove(self.folder)
        self.leave()


def open_journal(repository: Repository, run: str) -> Journal:
    """Take a run up for this process alone. Raises UsageError when another one has it, WorkspaceError."""
    folder = runs_folder(repository) / run
    return Journal(folder, take(folder, owner.current(common_dir=repository.common_dir), f"run {run}"))


def runs_folder(repository: Repository) -> Path:
    """Return where journals lie; it exists only while there are any."""
    return repository.common_dir / "agent" / "runs"


def remove(folder: Path) -> None:
    """Remove a journal's folder, and those above it when it was the last one."""
    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        folder.parent.rmdir()
        folder.parent.parent.rmdir()


def _write(file: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


def encode(event: Event) -> bytes:
    """Write an event as one line of JSON."""
    return plain_json(event) + b"\n"


def plain_json(record: Record) -> bytes:
    """Write a record as JSON on one line; text that is not Unicode is escaped rather than lost."""
    try:
        return record.model_dump_json().encode()
    except (PydanticSerializationError, UnicodeEncodeError):
        return json.dumps(_unicode(record.model_dump(mode="python"))).encode()


def _unicode(value: JsonValue) -> JsonValue:
    """Replace lone surrogates, which JSON readers refuse."""
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode("utf-8")
        case dict():
            return {str(_unicode(key)): _unicode(item) for key, item in value.items()}
        case list() | tuple():
            return [_unicode(item) for item in value]
        case _:
            return value


def whole_lines(data: bytes) -> bytes:
    """Drop a last line that was cut off."""
    return data[: data.rfind(b"\n") + 1]


def split(data: bytes) -> Sequence[bytes]:
    """Split a trace into its lines, without their ends; one that was cut off is dropped."""
    return whole_lines(data).split(b"\n")[:-1]


def decode(data: bytes) -> tuple[Event, ...]:
    """Read events back; a last line that was cut off is dropped. Raises WorkspaceError."""
    events = []
    for number, line in enumerate(split(data), 1):
        try:
            events.append(EVENT.validate_json(line))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]["msg"]
            raise WorkspaceError(f"line {number} of the run's trace cannot be read: {first}") from error
    return tuple(events)


def read(repository: Repository, run: str) -> bytes:
    """Return the whole lines of a journal; nothing when there is none."""
    try:
        file = os.open(runs_folder(repository) / run / FILE, os.O_RDONLY | os.O_NONBLOCK | _FLAGS)
        with os.fdopen(file, "rb") as stream:
            return whole_lines(stream.read(LONGEST))
    except OSError:
        return b""


def names(repository: Repository) -> Iterable[str]:
    """List the runs that have a journal."""
    return tuple(folder.name for folder in sorted(runs_folder(repository).glob("*")) if folder.is_dir())


def is_live(repository: Repository, run: str) -> bool:
    """Say whether a process is recording this run right now."""
    return is_held(runs_folder(repository) / run)
