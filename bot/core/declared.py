"""Checks that a person or a project declares in words of its own."""

import posixpath
import shlex
from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError

from bot.core.check import Check, Reader, Rung
from bot.core.paths import refuse_path
from bot.core.task import Record
from bot.errors import ConfigError

LONGEST = 24 * 3600.0
"""Seconds that a check may be given."""
LONGEST_QUOTE = 80
"""Characters of a wrong value that a message repeats."""


def _split(value: object) -> object:
    return tuple(value.split()) if isinstance(value, str) else value


def _inside(path: str) -> str:
    """Refuse a path that could leave the tree, and write it one way."""
    reason = refuse_path(path) if path else None
    if reason is not None:
        raise ValueError(reason)
    return "" if posixpath.normpath(path) == "." else posixpath.normpath(path)


def _need(word: str) -> str:
    kind, colon, module = word.partition(":")
    fits = all(part.isidentifier() for part in module.split(".")) if colon and kind == "python" else not colon
    if not fits or not word or not word.isprintable() or " " in word:
        raise ValueError("expected a program, python:MODULE, or a path with a slash in it")
    return word


Inside = Annotated[str, AfterValidator(_inside)]


class Declared(Record):
    """What may be said of a check."""

    command: str
    rung: Rung = Rung.INTEGRATION
    reader: Reader = "exit"
    timeout: Annotated[float, Field(gt=0, le=LONGEST, allow_inf_nan=False)] = 300.0
    network: bool = False
    needs: Annotated[tuple[Annotated[str, AfterValidator(_need)], ...], BeforeValidator(_split)] = ()
    folder: Inside = ""
    junit: Inside = ""

    def check(self, name: str, where: str) -> Check:
        """Turn it into a check. Raises ConfigError."""
        return parse_check(f"{name}={self.command}", where).model_copy(update=self.model_dump(exclude={"command"}))


def read_check(name: str, entry: object, where: str) -> Check:
    """Read a declared check: a command, or a table that holds one. Raises ConfigError."""
    if isinstance(entry, str):
        return parse_check(f"{name}={entry}", where)
    if not isinstance(entry, Mapping) or "command" not in entry:
        raise ConfigError(f"{where}: check {name!r} needs a command", 'for example command = "npm test"')
    table = {str(key).replace("-", "_"): value for key, value in entry.items()}
    for key in table:
        if key not in Declared.model_fields:
            raise ConfigError(f"{where}: check {name!r} has no key {key!r}{_near(key)}", KEYS)
    try:
        return Declared.model_validate(table).check(name, where)
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        text = f"{where}: check {name!r}: {problem['loc'][0]}: {_complaint(problem['msg'], problem['input'])}"
        raise ConfigError(text, KEYS) from error


KEYS = f"the keys of a check are {', '.join(Declared.model_fields)}"


def parse_check(text: str, where: str) -> Check:
    """Read a check that is all name and command, `NAME=COMMAND`. Raises ConfigError."""
    name, equals, command = text.partition("=")
    argv = parse_command(command, where) if command.strip() else ()
    if not equals or not argv or not name.strip().replace("-", "_").isidentifier():
        raise ConfigError(
            f"{where}: expected NAME=COMMAND, not {quote(text)}", "for example --check unit='python -m pytest'"
        )
    return Check(name=name.strip(), rung=Rung.INTEGRATION, argv=argv, reason=f"declared in {where}")


def parse_command(text: str, where: str) -> tuple[str, ...]:
    """Split a command as a shell would; there is no shell. Raises ConfigError."""
    try:
        argv = tuple(shlex.split(text))
    except ValueError as error:
        raise ConfigError(f"{where}: {quote(text)}: {str(error).lower()}") from error
    if not argv or not argv[0] or "\0" in text:
        raise ConfigError(f"{where}: expected a command, not {quote(text)}")
    return argv


def quote(value: object) -> str:
    """Repeat a wrong value, not all of a long one."""
    text = repr(value)
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"


def _near(word: str) -> str:
    near = get_close_matches(word, Declared.model_fields, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _complaint(words: str, value: object) -> str:
    if words.startswith("Value error, "):
        return words.removeprefix("Value error, ")
    return f"expected {words.removeprefix('Input should be ').removeprefix('a valid ')}, not {quote(value)}"


def read_checks(value: object, where: str) -> tuple[Check, ...]:
    """Read checks that are declared as lines, as a table, or as a list of either. Raises ConfigError."""
    if isinstance(value, Mapping):
        return tuple(read_check(str(name), entry, where) for name, entry in value.items())
    if isinstance(value, list | tuple):
        return tuple(check for item in value for check in read_checks(item, where))
    return (
        (value,)
        if isinstance(value, Check)
        else tuple(parse_check(line, where) for line in read_lines(value, "NAME=COMMAND", where))
    )


def read_lines(value: object, expected: str, where: str) -> tuple[str, ...]:
    """Read one text of lines, or a list of them. Raises ConfigError, which says what was expected."""
    lines = value.splitlines() if isinstance(value, str) else value
    if not isinstance(lines, list | tuple) or not all(isinstance(line, str) for line in lines):
        raise ConfigError(f"{where}: expected {expected}, not {quote(value)}")
    return tuple(lines)
