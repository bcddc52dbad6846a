"""Objects and refs: libgit2 where it can, the git executable where it cannot."""

from importlib import import_module

from bot.git.objects import AGENT, Identity, Store
from bot.git.plumbing import Plumbing
from bot.git.repository import Repository


def open_store(repository: Repository, identity: Identity = AGENT) -> Store:
    """Choose the back end that fits a repository, as was tried when it was opened."""
    if repository.library:
        # Most of what is asked quickly is asked of the executable, and this takes a while to load
        store: Store = import_module("bot.git.library").Library(repository.shared, identity)
        return store
    return Plumbing(repository.shared, identity)
