"""What shows that a change does what was asked: tests that fail without it, and tests that are left as strong."""

from typing import Literal, TypeAlias

from bot.core.task import Record

ProofMode: TypeAlias = Literal["reproduction", "written", "reverted", "none"]
"""Where the red comes from.

`reproduction`: failed on the base as it was. `written`: a new test, run on the base. `reverted`: an earlier test that
the change adapted, run without the rest of it. `none`: nothing was red, for the reason given.
"""

ChangeKind: TypeAlias = Literal[
    "added", "equal", "renamed", "moved", "extended", "altered", "weakened", "silenced", "removed", "configuration"
]
"""What became of a test, of something that tests use, or of what configures the checks."""

HARMLESS: frozenset[ChangeKind] = frozenset({"added", "equal", "renamed", "moved", "extended"})
"""Kinds that leave everything asked that was asked before."""


class Red(Record):
    """A case that fails without the change."""

    id: str
    error: str = ""
    """Name of the exception."""
    message: str = ""


class Proof(Record):
    """What failed on the base and passes on the result; or why there is no such thing."""

    red: tuple[str, ...] = ()
    green: tuple[str, ...] = ()
    reason: str = ""
    mode: ProofMode = "none"
    shown: tuple[Red, ...] = ()
    """How the red ones failed, for as many as are worth showing."""


class TestChange(Record):
    """What became of one piece of the evidence."""

    __test__ = False  # its name would make pytest collect it

    path: str
    """Where it stands now, or stood before when it is gone."""
    name: str
    """Qualified name of a test, a fixture, a helper; the setting's name in a configuration; empty for a whole file."""
    kind: ChangeKind
    detail: str = ""
    was: str = ""
    """Where a piece stood that is the same otherwise, `path::qualified name`; empty where it is in its old place."""

    @property
    def grave(self) -> bool:
        """Whether a person has to look at it."""
        return self.kind not in HARMLESS


class Audit(Record):
    """What became of the evidence between the base and the result."""

    tests: tuple[TestChange, ...] = ()
    read: tuple[str, ...] = ()
    """Changed files of the evidence that were compared piece by piece."""
    unread: tuple[str, ...] = ()
    """Changed files of the evidence that could not be."""
    kept: tuple[str, ...] = ()
    """Changed files of the evidence whose base version was laid over the result and run."""
    unkept: tuple[str, ...] = ()
    """Cases of the base that do not pass on the result in their base version, and should."""
    reason: str = ""
    """Why the base versions tell nothing; empty when they do or none had to be run."""

    @property
    def sound(self) -> bool:
        """Whether everything that was asked on the base is still asked, and answered well."""
        return not (self.unread or self.unkept or self.reason or any(change.grave for change in self.tests))
