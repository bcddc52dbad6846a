"""What we remember in our own comments and pull requests: a line of theirs that a page does not show."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

Kind: TypeAlias = Literal["progress", "pull", "reply"]

LONGEST = 5_000
"""Characters of a marker; the oldest attempts are forgotten first."""
LATEST = 4e9
"""Seconds since 1970 that are still a time of ours."""

_MARKER = re.compile(r"<!-- git-agent (\{[^\n<>]{1,20000}\}) -->")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_LIVE = re.compile(r"[^\x20-\x7e]|[<>&@#`:*\[\]]|-(?=[-\d])")
"""What could end a comment; or call somebody, close or skip something where a page becomes the message of a commit."""
_FULL = r"^(?:[0-9a-f]{40}(?:[0-9a-f]{24})?)?$"


class _Kept(BaseModel):
    """A value that a later version may have added to."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Attempt(_Kept):
    """One time that we were asked to work at a place."""

    run: str = Field(default="", max_length=80)
    """The run; empty where none was made."""
    job: str = Field(default="", max_length=40)
    """Id of the CI run that it was made in."""
    verb: str = Field(default="fix", max_length=20)
    at: float = Field(default=0.0, ge=0, le=LATEST, allow_inf_nan=False)
    """Seconds since 1970."""
    head: str = Field(default="", pattern=_FULL)
    """The commit that it began at."""
    tip: str = Field(default="", pattern=_FULL)
    """The commit that the branch was left at."""
    outcome: str = Field(default="", max_length=40)


class State(_Kept):
    """What is remembered at a place."""

    version: int = Field(default=1, ge=1)
    kind: Kind = "progress"
    issue: int = Field(default=0, ge=0)
    """The issue that it is done for; 0 for none."""
    branch: str = Field(default="", max_length=200)
    """Where the work stands, short."""
    pull: int = Field(default=0, ge=0)
    """The pull request that was opened; 0 for none."""
    cause: str = Field(default="", max_length=200)
    """What ordered it where no person did."""
    attempts: tuple[Attempt, ...] = ()
    """Oldest first."""

    def tried(self, head: str) -> int:
        """Count the attempts that began at a commit."""
        return sum(attempt.head == head for attempt in self.attempts)


def marker(state: State) -> str:
    """Write a state as a comment of HTML that nothing inside can end."""
    fewer = state
    while len(text := _write(fewer)) > LONGEST and fewer.attempts:
        fewer = fewer.model_copy(update={"attempts": fewer.attempts[1 + len(fewer.attempts) // 8 :]})
    return text


def _write(state: State) -> str:
    said = json.dumps(state.model_dump(mode="json", exclude_defaults=True) | {"version": state.version})
    quiet = _STRING.sub(lambda found: _LIVE.sub(_escape, found[0]), said)
    return f"<!-- git-agent {quiet} -->"


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"


def read_marker(text: str, *, last: bool = False) -> State | None:
    """Read the last marker of a text; None where there is none that can be read. Anybody can write one.

    `last` takes one that is the text's last line only, and the only one in it.
    """
    found = _MARKER.findall(text)
    if last and (len(found) != 1 or not _MARKER.fullmatch(text.rstrip().rpartition("\n")[2])):
        return None
    return next(_read(reversed(found)), None)


def bears(text: str) -> bool:
    """Say whether a text is one of ours, by its own word: then it says nothing of what is wished for."""
    return _MARKER.search(text) is not None


def _read(found: Iterable[str]) -> Iterator[State]:
    for said in found:
        try:
            yield State.model_validate(_prune(json.loads(said)))
        except (ValueError, ValidationError, RecursionError):
            continue


def _prune(said: object) -> object:
    """Leave out attempts that cannot be read: one of them must not make the others forgotten."""
    if not isinstance(said, dict) or not isinstance(said.get("attempts", ()), list):
        return said
    return {**said, "attempts": tuple(_attempts(said.get("attempts", ())))}


def _attempts(said: Iterable[object]) -> Iterator[Attempt]:
    for each in said:
        try:
            yield Attempt.model_validate(each)
        except ValidationError:
            continue
