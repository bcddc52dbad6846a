"""What the last commits changed before a run began, block by block, and whether a run takes it back."""

import difflib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from bot.core.change import FileChange
from bot.core.diff import is_cut
from bot.core.evidence import evidence_paths
from bot.core.paths import is_sensitive
from bot.core.task import Record
from bot.core.tokens import find_forms

ALIKE = 0.5
"""Part of its tokens that a line keeps when it is changed only within."""
LONGEST_FILE = 40_000
LONGEST = 100_000
"""Characters of a patch: of one file, and of all."""
MOST_NAMED = 5
REVERTED = "partial revert: "
"""How it begins what is said of changes that are taken back."""

_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_SECTION = re.compile(r"^diff --git ", re.MULTILINE)
_NAME = re.compile(r"^(?:---|\+\+\+) (?!/dev/null)\"?[ab]/([^\t\n\"]+)", re.MULTILINE)
_TOKEN = re.compile(r"\w+|[^\w\s]")


class Touch(Record):
    """A commit, and the paths that it changed."""

    commit: str
    paths: tuple[str, ...]


class Past(Record):
    """What changed from a commit to the base of a run, as far as it is code that may be repaired."""

    since: str = ""
    """A full commit id; empty where no range is known."""
    patch: str = ""
    """Unified diff with three lines of context; sections that are too long are left out."""
    touches: tuple[Touch, ...] = ()
    """The commits in between, the newest first."""

    def blame(self, paths: Iterable[str]) -> str:
        """Name the commits that changed some files, short; where there are many, the range."""
        wanted = set(paths)
        found = [touch.commit[:10] for touch in self.touches if wanted & set(touch.paths)]
        return ", ".join(found) if 0 < len(found) <= MOST_NAMED else f"what changed since {self.since[:10]}"


NO_PAST = Past()


class Block(NamedTuple):
    """Adjacent lines that were changed together; every line has its line end."""

    path: str
    start: int
    """Of the first new line, counted from 1; where nothing came, of the line that the old ones stood before."""
    before: tuple[str, ...]
    after: tuple[str, ...]
    lead: tuple[str, ...]
    """Up to three lines that stand right before it and were not changed."""
    trail: tuple[str, ...]
    hunk: int
    """Which part of the patch it is in: those of one part stand close together."""
    whole: bool = False
    """Whether the file came or went with it."""

    @property
    def within_lines(self) -> bool:
        """Whether no line came or went: each only changed in part."""
        return len(self.before) == len(self.after) and all(map(_alike, self.before, self.after))


def _alike(old: str, new: str) -> bool:
    one, other = _TOKEN.findall(old), _TOKEN.findall(new)
    return difflib.SequenceMatcher(None, one, other, autojunk=False).ratio() >= ALIKE


def select(patch: str, scope: Sequence[str] = ()) -> str:
    """Keep those sections of a diff that are of code: no evidence, nothing made to hold secrets, nothing too long.

    What was taken away for a secret in it does not come back. Python comes first where there is not room for all.
    """
    starts = [found.start() for found in _SECTION.finditer(patch)]
    sections = [patch[start:end] for start, end in pairwise([*starts, len(patch)])]
    kept: list[str] = []
    room = LONGEST
    for section in sorted(sections, key=lambda section: not _path(section).endswith(".py")):
        path = _path(section)
        aside = not path or evidence_paths((FileChange(path=path, kind="modified"),)) or is_sensitive(path, scope)
        if not aside and len(section) <= min(LONGEST_FILE, room) and not _gives_back_secrets(section):
            room -= len(section)
            kept.append(section)
    return "".join(kept)


def _gives_back_secrets(section: str) -> bool:
    gone = "\n".join(line[1:] for line in section.split("\n") if line.startswith("-"))
    return any(form.pattern.search(gone) for form in find_forms(gone))


def _path(section: str) -> str:
    """Return the path that a section is of; nothing for one that shows no text."""
    head = section.partition("\n@@ ")
    names = _NAME.findall(head[0]) if head[1] else []
    return names[-1] if names else ""


def read_blocks(patch: str) -> tuple[Block, ...]:
    """Read the blocks of a diff, trusting the counts of its hunks and never the content."""
    reading = _Reading()
    for line in patch.split("\n"):
        reading.take(line)
    reading.close()
    return tuple(reading.found)


@dataclass(slots=True)
class _Reading:
    """A diff being read."""

    found: list[Block] = field(default_factory=list)
    path: str = ""
    whole: bool = False
    hunk: int = 0
    at: int = 0
    old: int = 0
    new: int = 0
    lead: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    trail: list[str] = field(default_factory=list)
    last: list[list[str]] = field(default_factory=list)
    """Where the line before went, for a remark that its newline is missing."""

    def take(self, line: str) -> None:
        """Read on."""
        if line.startswith("\\"):
            for side in self.last:
                side[-1] = side[-1].removesuffix("\n")
        elif self.old > 0 or self.new > 0:
            self._body(line[:1], f"{line[1:]}\n")
        else:
            self._head(line)

    def _body(self, sign: str, text: str) -> None:
        self.old -= sign != "+"
        self.new -= sign != "-"
        if sign in ("-", "+"):
            if self.trail:
                self._flush()
            side = self.before if sign == "-" else self.after
            side.append(text)
            self.last = [side]
        elif self.before or self.after:
            self.trail.append(text)
            self.last = [self.trail]
        else:
            self.lead.append(text)
            self.at += 1
            self.last = [self.lead]

    def _head(self, line: str) -> None:
        hunk = _HUNK.match(line)
        if hunk:
            self.close()
            self.hunk += 1
            self.old, self.new = int(hunk[2] or 1), int(hunk[4] or 1)
            self.at = int(hunk[3]) + (self.new == 0)
        elif line.startswith(("--- ", "+++ ")):
            self.close()
            self.whole = (self.whole and line[0] == "+") or line[4:] == "/dev/null"
            self.path = self.path if line[4:] == "/dev/null" else "".join(_NAME.findall(line)[:1])

    def _flush(self) -> None:
        """End a block; what follows it is what the next one follows."""
        if self.before or self.after:
            sides = (tuple(self.before), tuple(self.after), tuple(self.lead[-3:]), tuple(self.trail[:3]))
            self.found.append(Block(self.path, self.at, *sides, self.hunk, self.whole))
        self.at += len(self.after) + len(self.trail)
        self.lead = [*self.trail]
        self.before, self.after, self.trail = [], [], []

    def close(self) -> None:
        """End a hunk."""
        self._flush()
        self.lead = []


def taken_back(patches: Iterable[str], past: Past) -> tuple[Block, ...]:
    """List the blocks of the past that changes take back wholesale: a person has to say whether they were meant.

    A block counts when all that it brought goes and all that it took away comes again, where it was. It does not
    count, but is a repair like another, where its lines were changed only within, and where it is one line that comes
    back while other blocks of the same hunk stay.
    """
    blocks, back = _reversed(patches, past)
    kept = Counter(block.hunk for block in blocks) - Counter(block.hunk for block in back)
    return tuple(block for block in back if not block.within_lines and not (_one_line(block) and kept[block.hunk]))


def _reversed(patches: Iterable[str], past: Past) -> tuple[Sequence[Block], Sequence[Block]]:
    """Return all blocks of the past that say something, and those of them that changes take back."""
    whole = [patch for patch in patches if not is_cut(patch)]
    places = [place for patch in whole for place in _places(read_blocks(patch))]
    blocks = [block for block in read_blocks(past.patch) if _says_something(block)] if places else []
    return blocks, [block for block in blocks if any(place.reverses(block) for place in places)]


def _says_something(block: Block) -> bool:
    """Whether there is more to a block than comments and empty lines."""
    return any(not text.startswith("#") for text in (*_bare(block.before), *_bare(block.after)))


def _one_line(block: Block) -> bool:
    return not _bare(block.after) and len(_bare(block.before)) == 1


def _bare(lines: Iterable[str]) -> Counter[str]:
    return Counter(text for line in lines if (text := line.strip()))


class _Place(NamedTuple):
    """One hunk of a change: what it takes away and adds, and what stands around it."""

    path: str
    gone: Counter[str]
    come: Counter[str]
    around: frozenset[str]

    def reverses(self, block: Block) -> bool:
        """Whether a block is undone here, whatever else is done beside it."""
        if self.path != block.path or not (_bare(block.after) <= self.gone and _bare(block.before) <= self.come):
            return False
        near = [side for side in (block.lead[-1:], block.trail[:1]) if _bare(side)]
        return not near or any(set(_bare(side)) <= self.around for side in near)


def _places(blocks: Sequence[Block]) -> Iterator[_Place]:
    for hunk in dict.fromkeys(block.hunk for block in blocks):
        mine = [block for block in blocks if block.hunk == hunk]
        around = [line for block in mine for line in (*block.lead, *block.trail, *block.before, *block.after)]
        gone = _bare(line for block in mine for line in block.before)
        come = _bare(line for block in mine for line in block.after)
        yield _Place(mine[0].path, gone, come, frozenset(_bare(around)))


def tell_taken_back(blocks: Sequence[Block], past: Past) -> Iterator[str]:
    """Put in words that earlier changes are taken back; nothing where none are."""
    if blocks:
        where = ", ".join(dict.fromkeys(f"{block.path}:{block.start}" for block in blocks[:MOST_NAMED]))
        more = f" and {len(blocks) - MOST_NAMED} more" if len(blocks) > MOST_NAMED else ""
        count = f"{len(blocks)} change{'s' if len(blocks) > 1 else ''}"
        yield f"{REVERTED}{count} of {past.blame(block.path for block in blocks)} taken back, at {where}{more}"


def explain(patch: str, past: Past, *, meant: bool = False) -> str:
    """Say what a small edit has to do with what was there before; empty for nothing.

    `meant` says that it was made to take changes back, so that even a part of a line counts.
    """
    back = _reversed([patch], past)[1] if meant else taken_back([patch], past)
    if back:
        return next(tell_taken_back(back, past))
    blocks = read_blocks(past.patch)
    paths = {block.path for block in read_blocks(patch)}
    before = {path: _bare(line for b in blocks if b.path == path for line in b.before) for path in paths}
    come = {path: _bare(line for b in read_blocks(patch) if b.path == path for line in b.after) for path in paths}
    if any(come.values()) and all(come[path] <= before[path] for path in paths):
        return f"as it was before {past.blame(paths)}"
    return ""
