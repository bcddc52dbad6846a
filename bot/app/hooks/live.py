"""A line for somebody who waits for a hook."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bot.app import consoles


@contextmanager
def live(words: str) -> Iterator[Callable[[str], None]]:
    """Show what goes on, for as long as it does."""
    with consoles.progress().status(words) as status:
        yield lambda name: status.update(f"{words}: {name}")
