"""Judges the commit that git is about to make: looks at what it is, and has its files laid out meanwhile."""

import os
import time
from importlib import import_module
from pathlib import Path

from bot.app.hooks.asked import Asked, Terminal, open_terminal
from bot.app.signals import interruptible
from bot.git.candidate import find_candidate
from bot.git.hooked import read_hooked
from bot.git.repository import open_repository
from bot.git.stand import open_stand


def judge_commit(directory: Path, terminal: Terminal = open_terminal) -> int:
    """Judge what is about to be committed; 1 refuses it. Raises UsageError."""
    with interruptible():
        begun = time.time()
        hooked = read_hooked(os.environ, directory)
        repository = open_repository(directory, hooked, unborn=True)
        candidate = find_candidate(repository, hooked)
        if candidate.tree == candidate.base:
            return 0
        with open_stand(repository.plain) as stand:
            stand.expect(candidate.tree)
            # To load what judges takes as long as to lay the files out
            court = import_module("bot.app.hooks.court")
            code: int = court.judge(Asked(repository, hooked, candidate, begun, terminal), stand)
            return code
