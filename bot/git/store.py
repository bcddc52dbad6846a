"""Objects and refs: libgit2 where it can, the git executable where it cannot."""

import pygit2

from bot.git.library import Library
from bot.git.objects import AGENT, Identity, Store
from bot.git.plumbing import Plumbing
from bot.git.repository import Repository


def open_store(repository: Repository, identity: Identity = AGENT) -> Store:
    """Choose the back end that fits a repository."""
    if repository.library:
        try:
            pygit2.Repository(str(repository.common_dir))
        except (pygit2.GitError, KeyError, ValueError, OSError):
            return Plumbing(repository.shared, identity)
        return Library(str(repository.common_dir), identity)
    return Plumbing(repository.shared, identity)
