"""The command: commits of any kind, judged and told."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from bot.app.desk import open_desk
from bot.app.proving.judge import judge
from bot.app.proving.target import find_target
from bot.app.proving.values import Judged
from bot.app.proving.watch import follow
from bot.app.signals import interruptible


class Wish(NamedTuple):
    """Which commits, and how many of them."""

    what: str
    root: bool = False
    """Whether to begin with the very first commit."""
    tip: bool = False
    """Whether to judge only the last one."""
    reuse: bool = False
    """Whether results may be used that were found before for the same tree in the same environment."""


def prove(directory: Path, flags: Mapping[str, object], wish: Wish) -> Judged:
    """Judge commits as the settings of their base say. Raises UsageError."""
    with interruptible():
        repository = open_desk(directory, flags).repository
        target = find_target(repository, wish.what, root=wish.root, tip=wish.tip)
        # Commits do not decide how they are judged, and HEAD may be one of them
        desk = open_desk(directory, flags, target.base or target.tip)
        return follow(judge(desk, target, reuse=wish.reuse), target)
