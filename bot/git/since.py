"""From which commit a base came, and what changed from there: only as much of it as is had quickly and is there."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bot.core.change import readable
from bot.core.past import NO_PAST, Past, Touch, select
from bot.errors import GitFailed, UsageError
from bot.git.diffing import PLAIN, SETTINGS
from bot.git.past import is_partial
from bot.git.repository import Repository
from bot.git.run import Git

SECONDS = 2.0
"""Time for one question; a history that takes longer is done without."""
LARGEST = 4 << 20
"""Bytes of a difference that are read."""
MOST_COMMITS = 50

_FULL = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_USUAL = ("refs/remotes/*/HEAD", "refs/heads/main", "refs/heads/master")
_CLOSE = ("--diff-algorithm=histogram", "--ignore-submodules=all")
"""Changes are to be told block by block, and of files alone."""


def resolve_since(repository: Repository, base: str, asked: str) -> str:
    """Return the commit that a person named as the start of what is on trial. Raises UsageError."""
    since = repository.resolve(asked)
    if since == base or _merge_base(_quick(repository), since, base) != since:
        raise UsageError(
            f"--since {asked!r} is not a commit that the base {base[:10]} was made from",
            hint="name an ancestor of it, such as the commit that was green last",
        )
    return since


def find_since(repository: Repository, base: str, hint: str = "") -> str:
    """Return where a base left its upstream or the default branch, else its first parent; empty where none is known.

    `hint` is a full id that goes before these; it may be anything, and counts only where it leads to an ancestor.
    """
    git = _quick(repository)
    try:
        for start in _starts(repository, git, hint):
            found = _merge_base(git, start, base)
            if found and found != base:
                return found
        return _commit(git, f"{base}^1")
    except GitFailed:
        return ""


def read_changes(repository: Repository, since: str, base: str, scope: Sequence[str] = ()) -> Past:
    """Read what changed from a commit to a base; nothing where it would have to be fetched or is not there."""
    if not (_FULL.fullmatch(since) and _FULL.fullmatch(base)):
        return NO_PAST
    git = _quick(repository)
    try:
        if is_partial(git):
            return NO_PAST
        told = git.head("diff-tree", "-r", "-p", "--full-index", *PLAIN, *_CLOSE, since, base, "--", limit=LARGEST)
        patch = select(told.output.decode("utf-8", "replace"), scope) if not told.code else ""
        return Past(since=since, patch=patch, touches=tuple(_touches(git, since, base))) if patch else NO_PAST
    except GitFailed:
        return NO_PAST


def _quick(repository: Repository) -> Git:
    git = repository.shared
    return replace(git, timeout=SECONDS, config=(*git.config, *SETTINGS))


def _starts(repository: Repository, git: Git, hint: str) -> Iterator[str]:
    """Name commits of branches that a base may have left, the likeliest first."""
    if _FULL.fullmatch(hint):
        yield hint
    # The branch of the person's own checkout, which may be another worktree's
    yield _commit(replace(repository.git, timeout=SECONDS), "@{upstream}")
    told = git.ask("for-each-ref", "--format=%(objectname)", *_USUAL).output.decode("ascii", "replace")
    yield from reversed(told.split())


def _commit(git: Git, revision: str) -> str:
    told = git.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    return "" if told.code else told.output.decode("ascii", "replace").strip()


def _merge_base(git: Git, one: str, other: str) -> str:
    if not one:
        return ""
    told = git.ask("merge-base", one, other)
    return "" if told.code else told.output.decode("ascii", "replace").strip()


def _touches(git: Git, since: str, base: str) -> Iterator[Touch]:
    """List the commits in between with their paths."""
    shown = ("--no-merges", "--no-renames", "--name-only", "-z", "--format=%x01%H")
    told = git.head("log", f"--max-count={MOST_COMMITS + 1}", *shown, f"{since}..{base}", "--", limit=LARGEST)
    parts = told.output.split(b"\x01")[1:]
    for part in parts if not told.code and len(parts) <= MOST_COMMITS else ():
        commit, *paths = part.split(b"\0")
        yield Touch(commit=commit.decode("ascii"), paths=tuple(readable(p.lstrip(b"\n")) for p in paths if p.strip()))
