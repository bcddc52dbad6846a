"""Our own failures at a hook: said in one line, and no reason to refuse what a person does."""

import io
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, TextIO, cast

from bot.errors import AgentError

INTERRUPTED = 130
_REFUSED = 1
_LONGEST = 500
_TRUE = frozenset({"1", "true", "t", "yes", "y", "on"})
_GIVEN = "GIT_CONFIG_PARAMETERS"


class Asked(NamedTuple):
    """That a hook of git's asks, and which."""

    hook: str
    """Empty where it did not say."""
    directory: Path

    @property
    def passes(self) -> str:
        """Say what happens all the same."""
        ends = {"pre-push": "the push goes through", "post-checkout": "the checkout stands"}
        return ends.get(self.hook, "the commit goes through")


def find_asked(args: Sequence[str]) -> Asked | None:
    """Read whether a command line is that of a hook; as far as it goes, for it may be the fault."""
    words: list[str] = []
    directory, rest = Path(), list(args)
    while rest and len(words) < len(("hook", "run", "NAME")):
        word = rest.pop(0)
        if word == "-C":
            directory /= rest.pop(0) if rest else ""
        elif word.startswith("-C"):
            directory /= word[2:]
        elif word.startswith("-"):
            break
        else:
            words.append(word)
    return Asked(words[2] if words[2:] else "", directory) if words[:2] == ["hook", "run"] else None


def pardon(asked: Asked, why: str) -> int:
    """Say on standard error what was not judged and what follows, and return the exit code."""
    strict = asked.hook != "post-checkout" and is_strict(asked.directory, os.environ)
    then = "refused, as agent.hook.strict is set" if strict else asked.passes
    shown = "".join(c if c.isprintable() else "\ufffd" for c in " ".join(why.split()))
    cut = "…" * (len(shown) > _LONGEST)
    try:
        sys.stderr.write(f"git agent: not judged: {shown[:_LONGEST]}{cut}; {then}\n")
        sys.stderr.flush()
    except (OSError, ValueError, AttributeError):
        _silence()
    return _REFUSED if strict else 0


def _silence() -> None:
    """Keep Python from failing again over what nobody reads, which would be an exit code of its own."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError, AttributeError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def is_strict(directory: Path, environ: Mapping[str, str]) -> bool:
    """Say whether a person wants to be refused what we could not judge; nothing else that is set counts here."""
    said = environ.get("GIT_AGENT_HOOK_STRICT", "")
    if said:
        return said.lower() in _TRUE
    try:
        git = import_module("bot.git.launch")
        given = {_GIVEN: environ[_GIVEN]} if _GIVEN in environ else {}
        asking = ("config", "--type=bool", "--get", "agent.hook.strict")
        told = git.launch(asking, {**git.environment(), **given}, directory, b"")
    except (ImportError, OSError, AgentError):
        return False
    return bool(told.output.strip() == b"true")


def guard(args: Sequence[str]) -> None:
    """Have what goes wrong before the command line is there to catch it pardoned, and what nobody can read dropped."""
    asked = find_asked(args)
    if asked is not None:
        sys.excepthook = partial(_end, asked)
        if isinstance(sys.stderr, io.TextIOWrapper):
            # A sign that cannot be shown is no reason to say nothing
            sys.stderr.reconfigure(errors="replace")
        if sys.stderr is not None:
            sys.stderr = cast("TextIO", Unread(sys.stderr))


class Unread:
    """Standard error that may be full, or closed by whoever reads it: no answer to git depends on that."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """Write a text, as far as anybody can read it."""
        try:
            return self._stream.write(text)
        except (OSError, ValueError):
            _silence()
            return len(text)

    def flush(self) -> None:
        """Hand on what was written."""
        try:
            self._stream.flush()
        except (OSError, ValueError):
            _silence()


def _end(asked: Asked, kind: type[BaseException], error: BaseException, _: TracebackType | None) -> None:
    """Leave with an exit code of our choosing: Python's own for this is that of a refusal."""
    interrupted = issubclass(kind, KeyboardInterrupt)
    os._exit(INTERRUPTED if interrupted else pardon(asked, f"unexpected {kind.__name__}: {error}"))
