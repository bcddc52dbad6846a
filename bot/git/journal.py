"""The events of a run as lines of a file under the git dir, written as they happen."""

import json
from collections.abc import Iterable
from pathlib import Path

from pydantic import JsonValue, ValidationError
from pydantic_core import PydanticSerializationError

from bot.core.event import EVENT, Event
from bot.core.task import Record
from bot.errors import WorkspaceError
from bot.git.repository import Repository

FILE = "trace.jsonl"


def runs_folder(repository: Repository) -> Path:
    """Return where journals lie; it exists only while there are any."""
    return repository.common_dir / "agent" / "runs"


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


def decode(data: bytes) -> tuple[Event, ...]:
    """Read events back; a last line that was cut off is dropped. Raises WorkspaceError."""
    events = []
    for number, line in enumerate(whole_lines(data).split(b"\n")[:-1], 1):
        try:
            events.append(EVENT.validate_json(line))
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]["msg"]
            raise WorkspaceError(f"line {number} of the run's trace cannot be read: {first}") from error
    return tuple(events)


def read(repository: Repository, run: str) -> bytes:
    """Return the whole lines of a journal; nothing when there is none."""
    try:
        return whole_lines((runs_folder(repository) / run / FILE).read_bytes())
    except OSError:
        return b""


def names(repository: Repository) -> Iterable[str]:
    """List the runs that have a journal with something in it: one that died at its very start has not."""
    folders = sorted(runs_folder(repository).glob("*"))
    return (folder.name for folder in folders if read(repository, folder.name))
