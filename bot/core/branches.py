"""What became of branches by a person's wish."""

from bot.core.task import Record

INDEX = "index"
"""Stands in a place of a branch for a person's index and files, where they take a change before a commit holds it."""


class Made(Record):
    """A commit with which a step came onto a branch, or with which it was taken back there."""

    step: int
    commit: str
    back: bool = False
    """Whether it takes the step back."""


class Place(Record):
    """What became of one branch by a person's wish."""

    ref: str
    """Its full name; HEAD where that is detached, INDEX where it is none."""
    before: str
    """The commit that it stood at; empty when it was made."""
    after: str
    made: tuple[Made, ...] = ()
    """The steps that came onto it or were taken back there, with the commits that did so."""
