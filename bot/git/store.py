"""Objects and refs: libgit2 where it can, the git executable where it cannot."""

from bot.git.library import Library
from bot.git.objects import AGENT, Identity, Store
from bot.git.plumbing import Plumbing
from bot.git.repository import Repository


def open_store(repository: Repository, identity: Identity = AGENT) -> Store:
    """Choose the back end that fits a repository, as was tried when it was opened."""
    if repository.library:
        return Library(repository.shared, identity)
    return Plumbing(repository.shared, identity)
