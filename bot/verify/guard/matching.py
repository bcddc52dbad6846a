"""Which piece became which, across names and files."""

from collections.abc import Iterator
from functools import cached_property
from pathlib import PurePosixPath

from bot.core.proof import ChangeKind, TestChange
from bot.verify.guard.arrivals import Arrival, judge, shadowing
from bot.verify.guard.cases import instances
from bot.verify.guard.changes import compare
from bot.verify.guard.marks import is_silencing
from bot.verify.guard.modules import SPECIAL, Piece, collected, is_test_file
from bot.verify.guard.normal import FUNCTIONS, Writer
from bot.verify.guard.versions import Version, is_autouse
from bot.verify.guard.words import show

_IGNORED = frozenset({"build", "dist", "node_modules", "venv", "CVS", "_darcs"})
"""Folders in which pytest does not look for tests."""


def match(old: Version, new: Version) -> list[TestChange]:
    """Say what became of every piece that is not the same as before."""
    return list(_Matching(old, new).changes())


class _Matching:
    def __init__(self, old: Version, new: Version) -> None:
        self._old = old
        self._new = new
        before, after = ({(piece.path, piece.name): piece for piece in version.pieces()} for version in (old, new))
        self._both = [(before[key], after[key]) for key in before if key in after]
        self._gone = [piece for key, piece in before.items() if key not in after]
        self._fresh = [piece for key, piece in after.items() if key not in before]

    def changes(self) -> Iterator[TestChange]:
        """List the changes: pieces that stayed, those that went somewhere else, those that are gone or new."""
        for before, after in self._both:
            kind, detail = compare(before, after, self._old, self._new)
            if kind != "equal":
                yield _change(after, kind, detail)
        yield from self._same()
        yield from self._edited()
        for piece in self._gone:
            yield from self._lost(piece)
        for piece in self._fresh:
            arrival = Arrival(piece, self._old.modules.get(piece.path), self._new.modules[piece.path])
            told = judge(arrival, self._old, self._new)
            if told is not None:
                yield told

    def _same(self) -> Iterator[TestChange]:
        """Pair what is gone with what is new and says the same."""
        for piece in list(self._gone):
            partner = next((each for each in self._fresh if self._is_same(piece, each)), None)
            if partner is not None:
                self._gone.remove(piece)
                self._fresh.remove(partner)
                yield self._journey(piece, partner)

    def _edited(self) -> Iterator[TestChange]:
        """Pair what is gone with what has its name in another file."""
        for piece in list(self._gone):
            partners = [each for each in self._fresh if each.name == piece.name and each.role == piece.role]
            if len(partners) == 1 and piece.role != "suite":
                self._gone.remove(piece)
                self._fresh.remove(partners[0])
                kind, detail = compare(piece, partners[0], self._old, self._new)
                journey = self._journey(piece, partners[0])
                same = kind == "equal" or journey.grave
                yield journey if same else _change(partners[0], kind, f"{journey.detail}; {detail}")

    def _is_same(self, before: Piece, after: Piece) -> bool:
        if before.role == "suite" or before.name in SPECIAL or (before.role != "test" and before.last != after.last):
            return False
        alike = before.role == after.role or (before.role == "test" and after.role == "function")
        return alike and self._old.deep(before) == self._new.deep(after)

    def _journey(self, before: Piece, after: Piece) -> TestChange:
        earlier, later = self._old.modules[before.path], self._new.modules[after.path]
        kind: ChangeKind = "renamed" if before.path == after.path else "moved"
        detail = f"was {before.name}" if kind == "renamed" else f"was {before.path}::{before.name}"
        if before.role == "fixture":
            return self._fixture(before, after, kind, detail)
        if before.role != "test":
            acting = before.role == "hook" and not self._is_in_new_class(after)
            return _change(after, "altered" if acting else kind, detail)
        if collected(before, earlier.reach) and not collected(after, later.reach):
            return _change(after, "silenced", f"{detail}, and is not collected any more")
        if is_test_file(before.path) and not (is_test_file(after.path) and _is_looked_at(after.path)):
            return _change(after, "silenced", f"{detail}, and no test is looked for in {after.path}")
        if kind == "moved" and self._old.around(before.path) != self._new.around(after.path):
            return _change(after, "altered", f"{detail}, and other things act on it now")
        return _change(after, kind, detail).model_copy(update={"was": f"{before.path}::{before.name}"})

    def _fixture(self, before: Piece, after: Piece, kind: ChangeKind, detail: str) -> TestChange:
        """Judge a fixture that went elsewhere: those who ask for it have to find it, and nobody else."""
        if is_autouse(before) and not self._is_in_new_class(after):
            return _change(after, "altered", f"{detail}, and acts on other tests now")
        for path, module in self._new.modules.items():
            asks = before.last in module.requested and path in self._old.modules
            if asks and self._old.fixture(before.last, path) == before and self._new.fixture(after.last, path) != after:
                return _change(after, "altered", f"{detail}, where {path} does not find it")
        return shadowing(after, self._old, self._new, before.path) or _change(after, kind, detail)

    def _is_in_new_class(self, piece: Piece) -> bool:
        earlier = self._old.modules.get(piece.path)
        return bool(piece.classes) and (earlier is None or piece.classes[0].name not in earlier.pieces)

    def _lost(self, piece: Piece) -> Iterator[TestChange]:
        later = self._new.modules.get(piece.path)
        own = is_test_file(piece.path)
        if piece.role == "test":
            yield self._lost_test(piece)
        elif piece.role == "hook":
            yield _change(piece, "altered", "is not run any more")
        elif piece.role == "fixture" and (not own or is_autouse(piece)):
            yield _change(piece, "removed")
        elif piece.role == "fixture" and later is not None and piece.last in later.requested:
            yield _change(piece, "altered", f"{piece.last} comes from elsewhere now")
        elif piece.name in SPECIAL and later is not None:
            silent = is_silencing(piece.node, Writer(self._old.modules[piece.path].reach))
            yield _change(piece, "extended" if silent else "altered", f"{show(piece.node)} is gone")
        elif piece.role in ("function", "class", "constant") and not own:
            yield _change(piece, "removed")

    def _lost_test(self, piece: Piece) -> TestChange:
        case = self._cases.get(piece.shape) if not piece.classes else None
        if case is not None:
            told = _change(case, "renamed", f"{piece.name} is one of its cases now")
            return told.model_copy(update={"was": f"{piece.path}::{piece.name}"})
        return _change(piece, "removed", "" if piece.path in self._new.modules else f"{piece.path} is gone")

    @cached_property
    def _cases(self) -> dict[str, Piece]:
        """What tests that are run with several values come to, case by case."""
        found: dict[str, Piece] = {}
        for piece in self._new.pieces():
            reach = self._new.modules[piece.path].reach
            alone = piece.role == "test" and not piece.classes and collected(piece, reach)
            if alone and isinstance(piece.node, FUNCTIONS):
                found |= dict.fromkeys(instances(piece.node, reach), piece)
        return found


def _is_looked_at(path: str) -> bool:
    return not any(part in _IGNORED or part.startswith(".") for part in PurePosixPath(path).parts[:-1])


def _change(piece: Piece, kind: ChangeKind, detail: str = "") -> TestChange:
    return TestChange(path=piece.path, name=piece.name, kind=kind, detail=detail)
