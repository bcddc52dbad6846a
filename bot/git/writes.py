"""What was written in a checkout since somebody last looked, and since its files were last laid out."""

from dataclasses import dataclass, field

_RULES = frozenset({b".gitignore", b".gitattributes", b".gitmodules"})
"""Files that decide over other files."""


@dataclass(slots=True)
class Writes:
    """Paths that were told of, and whether anything may have been written untold."""

    unseen: set[bytes] = field(default_factory=set)
    """Since the last look."""
    stray: set[bytes] = field(default_factory=set)
    """Since the files were laid out."""
    disturbed: bool = True
    littered: bool = True
    """Whether there may be files that no look shows, such as ignored ones."""

    def touch(self, path: bytes) -> None:
        """Note a path."""
        if path.rpartition(b"/")[2] in _RULES:
            self.disturb()
        self.unseen.add(path)
        self.stray.add(path)

    def disturb(self) -> None:
        """Note that it may be any path."""
        self.disturbed = self.littered = True

    def see(self) -> None:
        """Note that somebody looked."""
        self.unseen.clear()
        self.disturbed = False

    def settle(self) -> None:
        """Note that the files are exactly those of a tree."""
        self.see()
        self.stray.clear()
        self.littered = False
