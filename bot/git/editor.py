"""The editor that git would open for a person."""

import os

from bot.errors import UsageError
from bot.git.launch import environment, launch
from bot.git.repository import Repository

THEIRS = ("GIT_EDITOR", "GIT_CONFIG_PARAMETERS")
"""What a person says of it for one command, `git -c core.editor=…` too."""


def choose_editor(repository: Repository) -> str:
    """Return the command, as a shell reads it. Raises UsageError where there is none."""
    # For git itself we name one that does nothing
    plain = {name: value for name, value in environment().items() if name != "GIT_EDITOR"}
    given = {name: os.environ[name] for name in THEIRS if name in os.environ}
    answer = launch(("var", "GIT_EDITOR"), {**plain, **given}, repository.root, b"")
    command = os.fsdecode(answer.output).strip()
    if answer.code or not command:
        raise UsageError("no editor is set", "git config core.editor NAME, or --file FILE takes the text from a file")
    return command
