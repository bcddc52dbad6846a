"""Looking things up in a checkout and in the history behind it."""

import re
from collections.abc import Sequence
from dataclasses import replace
from math import prod

from bot.core.change import readable
from bot.core.paths import is_sensitive
from bot.errors import BadArguments, GitFailed
from bot.git.launch import Answer
from bot.git.run import Git
from bot.protocols import Match

LINE_LIMIT = 400
"""Characters of a matching line that are kept."""
OUTPUT_LIMIT = 4_000_000
"""Bytes of matches that are read."""
SECONDS = 30.0
"""For one search: an expression may be made to take forever."""
MOST_REPEATED = 100_000
ENOUGH = 500
"""Bytes that one match rarely exceeds."""

_COUNT = re.compile(r"\{(?:\d*,)?(\d+),?\}")
_FLAGS = (
    "-n",
    "-z",
    "-I",
    "--untracked",
    "--no-color",
    "--no-column",
    "--no-textconv",
    "--full-name",
    "--no-recurse-submodules",
)


def search(
    git: Git, pattern: str, *, glob: str, regex: bool, limit: int, scope: Sequence[str] = ()
) -> tuple[Match, ...]:
    """Find lines in tracked and untracked files, ignored ones left out, and those that a model must not read.

    Raises BadArguments.
    """
    if not pattern or "\0" in pattern or "\n" in pattern or "\0" in glob:
        raise BadArguments("a pattern is one line of text, and not empty")
    if regex and prod(int(most) for most in _COUNT.findall(pattern)) > MOST_REPEATED:
        raise BadArguments(f"counts of repetition that multiply to more than {MOST_REPEATED} take too much memory")
    where = (_pathspec(glob),) if glob else ()
    kind = "--extended-regexp" if regex else "--fixed-strings"
    argv = ("grep", *_FLAGS, kind, "-e", _encodable(pattern), "--", *where)
    found: tuple[Match, ...] = ()
    for room in (min(OUTPUT_LIMIT, limit * ENOUGH), OUTPUT_LIMIT):  # a pattern that is everywhere ends at once
        answer = _ask(git, argv, room)
        if answer.code not in (0, 1):
            raise BadArguments(f"the search cannot be made: {answer.error or 'pattern or glob is malformed'}")
        found = parse_matches(answer.output, limit, scope)
        if len(found) >= limit or len(answer.output) < room:
            break
    return found


def _ask(git: Git, argv: Sequence[str], room: int) -> Answer:
    try:
        return replace(git, timeout=SECONDS).head(*argv, limit=room, environ={"GIT_LITERAL_PATHSPECS": "0"})
    except GitFailed as error:
        if "did not finish" not in error.message:
            raise
        raise BadArguments(f"the search took more than {SECONDS:g} seconds: ask for something plainer") from error


def parse_matches(output: bytes, limit: int, scope: Sequence[str] = ()) -> tuple[Match, ...]:
    """Read what `git grep -n -z` printed; a match that was cut off at the end is dropped.

    What a model must not read is left out before it is counted: else a count would tell what is in it.
    """
    found: list[Match] = []
    at, last, hidden = 0, b"", False
    while len(found) < limit:
        name_end = output.find(b"\0", at)
        number_end = output.find(b"\0", name_end + 1)
        end = output.find(b"\n", number_end + 1)
        if min(name_end, number_end, end) < 0:
            break
        name = output[at:name_end]
        if name != last:
            last, hidden = name, is_sensitive(readable(name), scope)
        if not hidden:
            text = output[number_end + 1 : end].decode("utf-8", "replace").rstrip("\r")
            found.append(Match(readable(name), int(output[name_end + 1 : number_end]), text[:LINE_LIMIT]))
        at = end + 1
    return tuple(found)


def history(git: Git, base: str, path: str, limit: int) -> str:
    """Tell the last commits that led to the base, newest first; nothing later and no other branch is looked at."""
    shown = ("--no-color", "--no-decorate", "--no-show-signature", "--date=short", "--format=%h %ad %an: %s")
    where = ("--", _encodable(path)) if path and path != "." else ("--",)
    return (
        git.output("log", f"--max-count={max(1, limit)}", *shown, base, *where).decode("utf-8", "replace").rstrip("\n")
    )


def _pathspec(glob: str) -> str:
    """Make a pathspec that a glob cannot break out of; one without a slash counts at any depth."""
    anywhere = "" if "/" in glob else "**/"
    return f":(top,glob){anywhere}{_encodable(glob.removeprefix('./').lstrip('/'))}"


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")
