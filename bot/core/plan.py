"""What a run means to do, and what that rests on."""

from collections.abc import Iterator

from bot.core.task import Record

FIRST = "This takes several steps: call update_plan before you change anything, one purpose a step."
"""What a model is told of a task that wants a plan."""


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

    def points(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Return what there is under each heading, headings with nothing below them left out."""
        return ((name.capitalize(), told) for name, told in self if told)
