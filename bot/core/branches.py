"""What became of branches by a person's wish."""

from bot.core.task import Record


class Made(Record):
    """A commit with which a step came onto a branch, or with which it was taken back there."""

    step: int
    commit: str
    back: bool = False
    """Whether it takes the step back."""


class Place(Record):
    """What became of one branch by a person's wish."""

    ref: str
    """Its full name; HEAD where that is detached."""
    before: str
    """The commit that it stood at; empty when it was made."""
    after: str
    made: tuple[Made, ...] = ()
    """The steps that came onto it or were taken back there, with the commits that did so."""
