"""Whether two commits can be merged, found out without a working copy."""

import os
from collections.abc import Sequence

from bot.core.change import readable
from bot.errors import GitFailed
from bot.git.run import Git

_ASK = ("merge-tree", "--write-tree", "--no-messages", "--name-only", "-z")


LONGEST = 500
NAMED = 5
"""Paths that a sentence names."""


def name_clashes(paths: Sequence[str]) -> str:
    """Say where two commits conflict, in a few words."""
    more = f" and {len(paths) - NAMED} more" if paths[NAMED:] else ""
    return f"in {', '.join(paths[:NAMED])}{more}"[:LONGEST]


def conflicts(git: Git, ours: str, theirs: str) -> tuple[str, ...] | None:
    """List the paths in which two commits conflict; None where git cannot tell.

    An older git than 2.38 cannot, nor any without a common ancestor.
    """
    try:
        answer = git.ask(*_ASK, ours, theirs)
    except GitFailed:
        return None
    if answer.code not in (0, 1) or not answer.output:
        return None
    if answer.code == 0:
        return ()
    paths = answer.output.split(b"\0")[1:]
    return tuple(dict.fromkeys(readable(os.fsencode(os.fsdecode(path))) for path in paths if path))
