"""What a run means to do, and what that rests on."""

from bot.core.task import Record


class Design(Record):
    """What a plan rests on, point by point."""

    requirements: tuple[str, ...] = ()
    """What has to be true in the end."""
    boundaries: tuple[str, ...] = ()
    """What is left as it is."""
    modules: tuple[str, ...] = ()
    """The files and parts that are concerned."""
    changes: tuple[str, ...] = ()
    """Where something is changed, and what."""
    tests: tuple[str, ...] = ()
    """What shows that it works."""
    verification: tuple[str, ...] = ()
    """Which checks judge it."""
