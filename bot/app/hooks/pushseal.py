"""What is known of a commit that is pushed, by which an answer is found again. Light: git and a person wait for it."""

import os

from bot.app.hooks.quick import read_settings
from bot.app.hooks.seals import describe
from bot.git.pushes import Span
from bot.git.repository import Repository


def describe_push(repository: Repository, span: Span) -> str | None:
    """Put together what an answer depends on and can be told at once; None where git does not tell what is set."""
    where = (f"--git-dir={repository.git_dir}", f"--work-tree={repository.root}")
    settings = read_settings(where, os.environ, repository.root)
    names = " ".join(update.name for update in span.updates)
    # No commit that is about to be made is described so: the answer to one is no answer to the other
    commit = (f"push {span.tip} {names}", span.base_tree)
    return None if settings is None else describe(commit, repository.git_dir, settings, os.environ)
