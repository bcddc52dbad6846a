"""Judges the commit that git is about to make: looks at what it is, and has its files laid out meanwhile."""

import os
import sys
import time
from pathlib import Path

from bot.app.hooks.asked import Asked, Terminal, open_terminal
from bot.app.loading import load
from bot.app.signals import interruptible
from bot.git.candidate import Conflicted, find_candidate
from bot.git.hooked import read_hooked
from bot.git.repository import open_repository
from bot.git.stand import open_stand


def judge_commit(directory: Path, terminal: Terminal = open_terminal) -> int:
    """Judge what is about to be committed; 1 refuses it. Raises UsageError."""
    with interruptible():
        begun = time.time()
        hooked = read_hooked(os.environ, directory)
        repository = open_repository(directory, hooked, unborn=True)
        try:
            candidate = find_candidate(repository, hooked)
        except Conflicted as error:
            # Whoever asks by hand is told what git would say; there is nothing here that could go through
            sys.stderr.write(f"git agent: {error.message} ({error.hint})\n")
            return 1
        if candidate.tree == candidate.base:
            return 0
        with open_stand(repository.plain) as stand:
            stand.expect(candidate.tree)
            # To load what judges takes as long as to lay the files out
            court = load("bot.app.hooks.court")
            code: int = court.judge(Asked(repository, hooked, candidate, begun, terminal), stand)
            return code
