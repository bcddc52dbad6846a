"""Fills a worktree beside other work."""

from contextlib import suppress
from dataclasses import dataclass, field
from threading import Thread

from bot.errors import AgentError
from bot.git.checkout import Checkout


@dataclass(slots=True, eq=False)
class Filling:
    """A worktree of our own that a tree is laid out in; nobody else may use it until `holds` was asked.

    What goes wrong is not told: whoever needs the tree lays it out again.
    """

    checkout: Checkout
    tree: str
    _thread: Thread = field(init=False)
    _done: bool = field(default=False, init=False)

    def __post_init__(self) -> None:
        self._thread = Thread(target=self._fill, name="filling", daemon=True)
        self._thread.start()

    def holds(self, tree: str) -> bool:
        """Wait for it; say whether the worktree now holds exactly this tree."""
        self._thread.join()
        return self._done and self.tree == tree

    def _fill(self) -> None:
        with suppress(AgentError, OSError):
            self.checkout.lay(self.tree)
            self._done = True
