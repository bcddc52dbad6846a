"""Tells of the run whose branch a person stands on."""

import os
from contextlib import suppress
from pathlib import Path

from rich.text import Text

from bot.app import consoles
from bot.core.escape import line
from bot.core.summary import summarize
from bot.errors import AgentError
from bot.git.hooked import read_hooked
from bot.git.names import is_ours
from bot.git.repository import open_repository
from bot.git.runs import find_run, read_events

COMMAND = "bold cyan"
LONGEST = 60
"""Characters of what a run was asked."""


def tell_landing(directory: Path, branch: str) -> None:
    """Print whose branch it is, and what can be done with it; of a branch that no run knows nothing is said."""
    with suppress(AgentError):
        repository = open_repository(directory, read_hooked(os.environ, directory))
        run = find_run(repository, branch)
        report = summarize(read_events(repository, run))
        if report.branch != branch or not is_ours(branch, run):
            return
        goal = f" ({line(report.task.goal, LONGEST)})" if report.task.goal else ""
        told = Text.assemble(
            f"git agent: this is the branch of run {run}{goal}: ",
            (f"git agent show {run}", COMMAND),
            " tells of it, ",
            (f"git agent accept {run}", COMMAND),
            " on a branch of yours takes it",
        )
        consoles.progress().print(told, soft_wrap=True)
