"""How a change can make a verdict say less than the one before."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from bot.core.change import FileChange
from bot.core.check import WORDS, CaseResult, Check, Rung, Verdict, file_of, function_of, mended
from bot.core.diff import Line, is_cut, read_lines
from bot.core.evidence import evidence_paths, is_configuration, is_test
from bot.core.past import NO_PAST, Past, taken_back, tell_taken_back
from bot.core.proof import Audit, ChangeKind
from bot.core.silence import IGNORING, ignores, lost, read_marks, watching
from bot.core.stale import tell_stale
from bot.core.undecided import NOTHING_OPEN, Undecideds
from bot.core.unseen import find_smuggled

_STARTER = re.compile(
    r"python[\d.]*|(?:ba|da|z|k)?sh|node|ruby|perl|php|deno|bun|env|uv|poetry|pdm|hatch|run|exec|time|\w+=.*"
)
_SCRIPTS = (".sh", ".bash", ".zsh", ".bats", ".mk")
_FINDINGS = frozenset({Rung.SYNTAX, Rung.STATIC, Rung.TYPES})


GOING: frozenset[ChangeKind] = frozenset({"renamed", "moved", "extended"})
"""What can become of a test so that it is gone under its old name."""


class Doubt(NamedTuple):
    """Something that a person should know of a change."""

    text: str
    grave: bool
    """Whether the verdict says less than before because of it, so that it is not enough by itself."""


@dataclass(frozen=True, slots=True)
class Work:
    """What a run made of its base."""

    files: Sequence[FileChange]
    patches: Sequence[str]
    checks: Sequence[Check]
    before: Verdict
    after: Verdict
    changed: Sequence[str] = ()
    """Tests that ask something else than before, files that the tests rewrite."""
    audit: Audit | None = None
    """What became of the evidence, piece by piece; without it every changed file of the evidence is a doubt."""
    stale: Sequence[str] = ()
    """Things built from the base that the checks used although their sources changed."""
    prepare: Sequence[Sequence[str]] = ()
    """Commands that make something in the tree before its checks."""
    undecided: Undecideds = NOTHING_OPEN
    """Edits that were proposed beside others that pass the same tests."""
    past: Past = NO_PAST
    """What changed before the base."""

    def doubts(self) -> tuple[Doubt, ...]:
        """List what makes the verdict afterwards weigh less than the one before."""
        lines = [line for patch in self.patches for line in read_lines(patch)]
        touched = dict.fromkeys((*evidence_paths(self.files), *self._asked(), *self._named(), *self._hiding(lines)))
        grave = [
            *self._touched(touched),
            *(["the change is too long to be looked through"] * any(map(is_cut, self.patches))),
            *map(_told_of, self.changed),
            *self._withdrawn(),
            *self._unrun(),
            *map(tell_stale, self.stale),
            *self._complained(),
            *self._moved(),
            *self._taken_back(),
            *lost(lines, self._modified(touched)),
            *watching(lines),
        ]
        found = [*(Doubt(text, grave=True) for text in grave), *self._deleted(), *self._silenced(lines)]
        found += [Doubt(each.text, each.grave) for each in find_smuggled(lines)]
        found += [Doubt(text, grave=False) for text in self.undecided.ask(self.patches)]
        found += [Doubt(f"{case} did not always end the same way", grave=False) for case in self.after.comparison.flaky]
        found += [Doubt(f"{path} is imported by no test", grave=False) for path in self._unseen()]
        return tuple(dict.fromkeys(found))

    def _taken_back(self) -> Iterator[str]:
        """Tell of earlier changes that are taken back; that a file goes is told, and allowed, as that."""
        deleted = {file.path for file in self.files if file.kind == "deleted"}
        blocks = [block for block in taken_back(self.patches, self.past) if block.path not in deleted]
        yield from tell_taken_back(blocks, self.past)

    def _unrun(self) -> Iterator[str]:
        """Say when nothing above the reading rungs passed: that a file parses is no sign that it is right."""
        ran = any(case.outcome in ("passed", "xfailed") for case in _cases(self.after, findings=False))
        if self.after.ok and not ran and not self._mended():
            yield "no test or other check ran the code, so nothing says what it does"

    def _complained(self) -> Iterator[str]:
        """Tell what tools newly say that are not in the version of the project."""
        fresh = set(self.after.comparison.complained)
        versions = {check.name: check.borrowed for check in self.checks}
        for result in self.after.results:
            found = [case for case in result.cases if case.id in fresh and case.bad]
            if found:
                where = f"{found[0].path}:{found[0].line}" if found[0].line else found[0].path
                more = f" and {len(found) - 1} more" if len(found) > 1 else ""
                told = f"{where}: {found[0].message}{more}"
                yield f"{result.check}, {versions.get(result.check, '')}, newly complains of {told}"

    def _moved(self) -> Iterator[str]:
        """Name submodules of which no check saw what they are now."""
        for file in self.files:
            if "160000" in (file.mode, file.old_mode) and f"{file.path}/" not in self.stale:
                yield f"submodule {file.path} is moved, and no check saw where to"

    def _touched(self, touched: Iterable[str]) -> Iterator[str]:
        """Tell what became of the evidence: piece by piece where it was read so, else file by file."""
        audit = self.audit or Audit()
        yield from (_changed(path) for path in dict.fromkeys((*touched, *audit.unread)) if path not in audit.read)
        yield from _objections(audit)

    def _withdrawn(self) -> Iterator[str]:
        """Name tests that are gone, although nothing that was read tells what became of them."""
        going = [each for each in (self.audit or Audit()).tests if each.kind in GOING]
        went = {each.was or f"{each.path}::{each.name}": f"{each.path}::{each.name}" for each in going}
        now = {_dotted(old): _dotted(new) for old, new in went.items()}
        had, has = (Counter(map(function_of, _standing(verdict))) for verdict in (self.before, self.after))
        for name in self.after.comparison.withdrawn:
            function = function_of(name)
            # Cases of a test may be called something else
            there = now.get(function, function if "[" in name else "")
            if has[there] < max(1, had[function]):
                yield f"{name} is gone or silenced"

    def _unseen(self) -> Iterator[str]:
        """Name changed sources that no test imports, where that is known."""
        imported = {path for result in self.after.results for path in result.imported}
        # A file of tests that could not be loaded imports who knows what
        known = all("::" in case.id for case in _cases(self.after, findings=False) if case.bad)
        for file in self.files if imported and known else ():
            aside = is_test(file.path) or is_configuration(file.path) or file.path in imported
            if file.path.endswith(".py") and file.kind != "deleted" and not aside:
                yield file.path

    def _asked(self) -> Iterator[str]:
        """Name changed files that tests were found in, whatever they are called; a doctest is known by its text."""
        holding = {
            file_of(case.id) for case in _cases(self.before, findings=False) if "::" in case.id and not case.asks
        }
        yield from (file.path for file in self.files if file.kind != "added" and file.path in holding)

    def _named(self) -> Iterator[str]:
        """Name changed files that a command of the project runs, and scripts of which it may run any."""
        commands = [*self.prepare, *(check.argv for check in self.checks if check.reader == "exit")]
        programs = set(map(_program, commands))
        for file in self.files:
            script = bool(programs) and file.kind != "added" and file.path.endswith(_SCRIPTS)
            if script or file.path in programs:
                yield file.path

    def _hiding(self, lines: Sequence[Line]) -> Iterator[str]:
        """Name files that take others out of a check's sight."""
        complained = {case.path for case in _cases(self.before, findings=True)}
        watched = complained | {file.path for file in self.files if file.kind != "deleted"}
        for line in lines:
            folder, _, name = line.path.rpartition("/")
            if name in IGNORING and any(ignores(line, folder, path) for path in watched - {line.path}):
                yield line.path
        yield from (f.path for f in self.files if f.path.endswith(".pyi") and f.path[:-1] in complained)

    def _deleted(self) -> Iterator[Doubt]:
        gone = self._mended()
        for file in self.files:
            count = sum(case.path == file.path for case in gone)
            if file.kind == "deleted" and count:
                yield Doubt(f"{file.path} is gone, and {count} findings with it", grave=True)

    def _silenced(self, lines: Sequence[Line]) -> Iterator[Doubt]:
        """Name comments that silence a check; grave where they may be why a finding is gone, here or elsewhere."""
        gone = [(case.path, case.id) for case in self._mended()]
        spare = Counter(mark for line in lines if line.sign == "-" for mark in read_marks(line.text))
        for line in lines:
            for mark in read_marks(line.text) if line.sign == "+" else ():
                old = next((other for other in spare if spare[other] > 0 and other.covers(mark)), None)
                if old is not None:
                    spare[old] -= 1
                    continue
                grave = any(path == line.path or mark.silences(name) for path, name in gone)
                yield Doubt(f"{line.path}:{line.number} silences a check: {mark.text}", grave=grave)

    def _mended(self) -> Sequence[CaseResult]:
        names = set(mended(self.before, self.after))
        return [case for case in _cases(self.before, findings=True) if case.id in names]

    def _modified(self, touched: Collection[str]) -> frozenset[str]:
        """Name files that are not what they were, and that tests may be using."""
        imported = {path for result in self.before.results for path in result.imported}
        sources = (file for file in self.files if file.path.endswith(".py") and file.path not in touched)
        used = (f.path for f in sources if f.kind == "modified" or (f.kind == "deleted" and f.path in imported))
        return frozenset(used)


def _program(argv: Sequence[str]) -> str:
    """Name the file that a command runs, behind the programs that only start others."""
    for before, word in pairwise(("", *argv)):
        if before == "-m":
            return f"{word.replace('.', '/')}.py"
        if not word.startswith("-") and not _STARTER.fullmatch(word.rpartition("/")[2]):
            return word.removeprefix("./")
    return ""


def tell(doubts: Sequence[Doubt], before: Verdict | None, after: Verdict | None) -> tuple[str, ...]:
    """Put in words what a person should know: doubts, what fails, what gave no evidence."""
    found = [f"needs a person: {doubt.text}" if doubt.grave else doubt.text for doubt in doubts]
    known = before.bad if before is not None else ()
    results = after.results if after is not None else ()
    found += [_tell_case(case, known) for result in results for case in result.cases if case.bad]
    found += [f"no evidence from {result.check}: {result.summary}" for result in results if result.status == "errored"]
    return tuple(found)


def _tell_case(case: CaseResult, known: Collection[str]) -> str:
    if case.cause:
        return f"could not be judged, {WORDS[case.cause]}: {case.id}"
    return f"{'still failing, as on the base' if case.id in known else 'fails, unlike on the base'}: {case.id}"


def object_to(audit: Audit) -> str:
    """Put in words what speaks against a change of the evidence, one line each."""
    return "\n".join(f"- {text}" for text in (*map(_changed, audit.unread), *_objections(audit)))


def _changed(path: str) -> str:
    return f"{path} is part of the evidence and was changed"


def _objections(audit: Audit) -> Iterator[str]:
    for change in audit.tests:
        if change.grave:
            what = f"{change.path}: {change.name}" if change.name else change.path
            yield f"{what} ({change.kind}{': ' if change.detail else ''}{change.detail})"
    yield from (f"{case} does not hold in the version of the base" for case in audit.unkept)
    if audit.reason:
        yield f"the tests as they were on the base tell nothing: {audit.reason}"


def merge_files(files: Iterable[FileChange]) -> tuple[FileChange, ...]:
    """Fold the files of several steps; the first one to touch a file tells whether the base had it."""
    merged: dict[str, FileChange] = {}
    for file in files:
        known = merged.get(file.path)
        own, anew = known is not None and known.kind == "added", known is not None and file.kind == "added"
        kind = "added" if own else "modified" if anew else file.kind
        merged[file.path] = file.model_copy(update={"kind": kind})
    return tuple(merged.values())


def _told_of(name: str) -> str:
    return f"{name} {'asks something else than on the base' if '::' in name else 'was rewritten while the tests ran'}"


def _cases(verdict: Verdict, *, findings: bool) -> Iterator[CaseResult]:
    for result in verdict.results:
        if (result.rung in _FINDINGS) == findings:
            yield from result.cases


def _standing(verdict: Verdict) -> Iterator[str]:
    """Name the tests that say something, be it good or bad."""
    return (case.id for case in _cases(verdict, findings=False) if case.outcome in ("passed", "failed", "error"))


def _dotted(place: str) -> str:
    """Turn a file and a qualified name into the id of a test."""
    path, _, name = place.partition("::")
    return f"{path}::{name.replace('.', '::')}"
