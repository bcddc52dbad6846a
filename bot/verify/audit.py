"""Finds out what a change did to the evidence: by reading, and by asking with the evidence of the base."""

from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePosixPath

from bot.core.change import FileChange
from bot.core.check import Check, Verdict, file_of, function_of
from bot.core.evidence import is_configuration
from bot.core.proof import Audit, TestChange
from bot.protocols import Cleaner
from bot.verify.guard.modules import is_test_file
from bot.verify.ladder import Ladder
from bot.verify.place import one_line
from bot.verify.support import find_evidence, holders, tests_of
from bot.verify.tamper import Inspected, Source, inspect

LARGEST = 1_000_000
"""Bytes of a file that is compared piece by piece."""
MOST_CONTEXT = 300
"""Unchanged files of tests that are read beside the changed ones."""
MESSAGE = 300
LINK = "120000"


@dataclass(frozen=True, slots=True)
class Auditor:
    """Lays the evidence of the base over the result, and asks again."""

    ladder: Ladder
    cleaner: Cleaner
    before: Verdict
    after: Verdict

    def look(self, files: Sequence[FileChange]) -> Generator[Check, None, Audit]:
        """Yield each check before it runs."""
        evidence = self._evidence(files)
        if not evidence:
            return Audit()
        sources = tuple(self._source(file) for file in evidence if not _is_linked(file))
        inspected = self._inspect(sources, evidence, files)
        unknown = (source.path for source in sources if source.before is None and source.after is None)
        unread = (*inspected.unread, *unknown, *(file.path for file in evidence if _is_linked(file)))
        told = bool(inspected.tests or unread)
        # A new file that says nothing of itself acts all the same when it is loaded, or by being there
        laid = [file for file in self._laid(evidence) if told or file.kind == "added"]
        tree = self._lay(laid)
        unkept, reason = (yield from self._ask(tree)) if tree != self.after.tree else ((), "")
        return Audit(
            tests=tuple(map(self._weigh, inspected.tests)),
            read=tuple(file.path for file in evidence if file.path not in unread),
            unread=unread,
            kept=tuple(file.path for file in laid if file.kind != "added" and tree != self.after.tree),
            unkept=unkept,
            reason=reason,
        )

    def hold(self, files: Sequence[FileChange]) -> Generator[Check, None, Verdict]:
        """Return the verdict afterwards, knowing which of the tests that are gone hold as they were on the base."""
        evidence = self._laid(self._evidence(files))
        changed = {file.path for file in evidence}
        gone = [name for name in self.after.comparison.removed if file_of(name) in changed]
        if not gone or (tree := self._lay(evidence)) == self.after.tree:
            return self.after
        # Without its tests a change may be nothing at all
        known = tree == self.before.tree
        verdict = self.before if known else (yield from self.ladder.judge(self.cleaner, tree, self.before))
        holding = {case.id for case in tests_of(verdict) if case.outcome == "passed"} - {*verdict.comparison.flaky}
        same = self._renamed(files) if not holding.issuperset(gone) else frozenset()
        held = tuple(name for name in gone if name in holding or function_of(name) in same)
        left = tuple(name for name in self.after.comparison.removed if name not in held)
        comparison = self.after.comparison.model_copy(update={"removed": left, "withdrawn": held})
        return self.after.model_copy(update={"comparison": comparison})

    def _evidence(self, files: Sequence[FileChange]) -> tuple[FileChange, ...]:
        return find_evidence(files, self.before, self.after, partial(self.cleaner.read, self.before.tree))

    def _laid(self, evidence: Sequence[FileChange]) -> list[FileChange]:
        """Pick what is taken back; a new file that only lends to others may lend to the code, so it stays."""
        holding = {*holders(self.after)}
        acting = (f.path in holding or _acts(f.path) for f in evidence)
        return [file for file, acts in zip(evidence, acting, strict=True) if acts or file.kind != "added"]

    def _inspect(
        self, sources: Sequence[Source], evidence: Sequence[FileChange], files: Sequence[FileChange]
    ) -> Inspected:
        others = [file for file in files if file not in evidence and not _is_linked(file) and file.path.endswith(".py")]
        return _read((*sources, *self._context(evidence)), tuple(map(self._source, others)))

    def _renamed(self, files: Sequence[FileChange]) -> frozenset[str]:
        """Name the tests that only have another name or place, with whatever they use, and pass there in all cases."""
        had, has = (Counter(_passing(verdict)) for verdict in (self.before, self.after))
        evidence = [file for file in self._evidence(files) if not _is_linked(file)]
        same = [each for each in self._inspect(tuple(map(self._source, evidence)), evidence, files).tests if each.was]
        names = ((_id(*each.was.split("::", 1)), _id(each.path, each.name)) for each in same if not each.grave)
        return frozenset(old for old, new in names if 0 < had[old] <= has[new])

    def _lay(self, files: Sequence[FileChange]) -> str:
        return self.cleaner.compose(self.after.tree, self.before.tree, [file.path for file in files])

    def _source(self, file: FileChange) -> Source:
        before, after = (self.cleaner.read(verdict.tree, file.path) for verdict in (self.before, self.after))
        if max(len(before or b""), len(after or b"")) > LARGEST:
            # What is too long to be read must not look as if it had stayed the same
            before, after = before and b"\0before", after and b"\0after"
        return Source(file.path, _text(before), _text(after))

    def _context(self, changed: Sequence[FileChange]) -> Iterator[Source]:
        """Read unchanged files that the changed ones act on."""
        paths = {file.path for file in changed}
        tests = dict.fromkeys(file_of(case.id) for case in tests_of(self.before) if "::" in case.id)
        folders = dict.fromkeys(parent for path in (*tests, *paths) for parent in PurePosixPath(path).parents)
        names = [*(str(folder / "conftest.py") for folder in folders), *tests]
        for path in [name for name in names if name.endswith(".py") and name not in paths][:MOST_CONTEXT]:
            content = self.cleaner.read(self.after.tree, path)
            if content is not None and len(content) <= LARGEST:
                yield Source(path, _text(content), _text(content))

    def _weigh(self, change: TestChange) -> TestChange:
        """Take a test that looks new, and was there before, for one that was altered: it was inherited."""
        name = f"{change.path}::{change.name.replace('.', '::')}"
        known = change.kind == "added" and any(function_of(case.id) == name for case in tests_of(self.before))
        detail = "was inherited before, and is written out now"
        return change.model_copy(update={"kind": "altered", "detail": detail}) if known else change

    def _ask(self, tree: str) -> Generator[Check, None, tuple[tuple[str, ...], str]]:
        """Name the cases of the base that do not hold with its own evidence, and should."""
        if tree == self.before.tree:
            return self._unkept(self.before), ""
        verdict = yield from self.ladder.judge(self.cleaner, tree, self.before)
        errored = next((result for result in verdict.results if result.status == "errored"), None)
        if errored is not None and errored.check not in verdict.comparison.unjudged:
            return (), f"{errored.check}: {one_line(errored.summary, MESSAGE)}"
        return self._unkept(verdict), ""

    def _unkept(self, verdict: Verdict) -> tuple[str, ...]:
        """A case may fail as it did before, when the result admits that it still does."""
        admitted = {case.id for case in tests_of(self.after) if case.bad}
        unstable = {*self.before.comparison.flaky, *self.after.comparison.flaky, *verdict.comparison.flaky}
        good = {case.id: case.outcome for case in tests_of(verdict) if not case.bad}
        return tuple(
            case.id
            for case in tests_of(self.before)
            if case.id not in unstable
            and not (case.bad and case.id in admitted)
            and (case.id not in good or (case.outcome == "passed" and good[case.id] != "passed"))
        )


def _is_linked(file: FileChange) -> bool:
    return file.kind == "typechange" or LINK in (file.mode, file.old_mode)


def _acts(path: str) -> bool:
    """Tell whether a file of the evidence does something to tests without being imported by them."""
    return is_test_file(path) or is_configuration(path) or PurePosixPath(path).name == "__init__.py"


def _read(sources: Sequence[Source], lent: Sequence[Source]) -> Inspected:
    """Compare by what names are called and by what they lead to: one reason to be equal is enough."""
    readings = (inspect(sources), inspect(sources, lent)) if lent else (inspect(sources),)
    return min(readings, key=lambda reading: sum(change.grave for change in reading.tests))


def _text(content: bytes | None) -> str | None:
    return None if content is None else content.decode("utf-8", "surrogateescape")


def _passing(verdict: Verdict) -> Iterator[str]:
    """Name the function of every case that passes."""
    return (function_of(case.id) for case in tests_of(verdict) if case.outcome == "passed")


def _id(path: str, name: str) -> str:
    return f"{path}::{name.replace('.', '::')}"
