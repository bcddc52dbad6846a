"""A model that says what it was told to say: for tests, demos and tasks of which every step is known."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from pydantic import Field, JsonValue, ValidationError

from bot.core.message import Finish, Prompt, Reply, ToolCall, Usage
from bot.core.task import Record
from bot.errors import ConfigError
from bot.models.service.arguments import clean, parse_arguments, refuse_constant

Line: TypeAlias = Reply | Callable[[Prompt], Reply]

LARGEST = 50_000_000
"""Bytes of a script that are read."""


@dataclass(slots=True)
class ScriptedModel:
    """Gives its replies in order; a callable among them sees the prompt first. After the last it says nothing more."""

    lines: Sequence[Line]
    file: str = ""
    prompts: list[Prompt] = field(default_factory=list)
    """What it was asked, in order."""
    asked: int = 0
    """How many of the replies were given before, to another process."""

    @property
    def name(self) -> str:
        """The spec of this model."""
        return f"scripted:{self.file}"

    def reply(self, prompt: Prompt, seconds: float | None = None) -> Reply:
        """Give the next reply."""
        self.prompts.append(prompt)
        number = self.asked + len(self.prompts)
        if number > len(self.lines):
            return Reply()
        line = self.lines[number - 1]
        return line if isinstance(line, Reply) else line(prompt)


class ScriptedCall(Record):
    """One call of a script; `raw_arguments` stands for arguments that could not be parsed."""

    name: str
    arguments: dict[str, JsonValue] = Field(default_factory=dict)
    raw_arguments: str | None = None


class ScriptedReply(Record):
    """One line of a script."""

    text: str = ""
    calls: tuple[ScriptedCall, ...] = ()
    finish: Finish | None = None
    usage: Usage = Usage()


def read_script(path: Path, asked: int = 0) -> ScriptedModel:
    """Read a file of replies, one JSON object a line, and go on after `asked` of them. Raises ConfigError."""
    try:
        with path.open("rb") as file:
            raw = file.read(LARGEST + 1)
    except OSError as error:
        raise ConfigError(f"the script {path} cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise ConfigError(f"the script {str(path)!r} cannot be read: {error}") from error
    if len(raw) > LARGEST:
        raise ConfigError(f"the script {path} is larger than {LARGEST:,} bytes")
    lines = raw.decode("utf-8-sig", "replace").split("\n")
    return ScriptedModel(tuple(_replies(lines, path)), file=str(path), asked=asked)


def _replies(lines: Sequence[str], path: Path) -> Iterator[Reply]:
    count = 0
    for number, line in enumerate(lines, 1):
        if line.strip():
            reply = _reply(_parse(line, f"{path}:{number}"), count)
            count += len(reply.calls)
            yield reply


def _parse(line: str, where: str) -> ScriptedReply:
    try:
        parsed = json.loads(line, parse_constant=refuse_constant)
    except json.JSONDecodeError as error:
        raise ConfigError(f"{where}: not JSON: {error.msg.lower()} at column {error.colno}") from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{where}: not JSON: {str(error).partition(';')[0]}") from error
    if not isinstance(parsed, dict):
        raise ConfigError(f"{where}: not a JSON object", 'a reply is, for example, {"text": "hello"}')
    try:
        return ScriptedReply.model_validate(clean(parsed))
    except ValidationError as error:
        problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, problem["loc"]))
        raise ConfigError(f"{where}: {place}: {problem['msg'].lower()}") from error


def _reply(line: ScriptedReply, count: int) -> Reply:
    calls = tuple(_call(call, f"c{count + index}") for index, call in enumerate(line.calls, 1))
    return Reply(
        text=line.text, calls=calls, usage=line.usage, finish=line.finish or ("tool_calls" if calls else "stop")
    )


def _call(call: ScriptedCall, id: str) -> ToolCall:  # noqa: A002 - the field's name
    if call.raw_arguments is None:
        return ToolCall(id=id, name=call.name, arguments=call.arguments)
    parsed = parse_arguments(call.raw_arguments)
    return (
        ToolCall(id=id, name=call.name, raw=call.raw_arguments)
        if parsed is None
        else ToolCall(id=id, name=call.name, arguments=dict(parsed))
    )
