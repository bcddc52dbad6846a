"""How a change can make a verdict say less than the one before."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from bot.core.change import FileChange
from bot.core.check import WORDS, CaseResult, Check, Rung, Verdict, mended
from bot.core.diff import Line, is_cut, read_lines
from bot.core.evidence import evidence_paths, is_configuration, is_test
from bot.core.proof import Audit, ChangeKind
from bot.core.silence import IGNORING, ignores, lost, read_marks, watching

_STARTER = re.compile(
    r"python[\d.]*|(?:ba|da|z|k)?sh|node|ruby|perl|php|deno|bun|env|uv|poetry|pdm|hatch|run|exec|time|\w+=.*"
)
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

    def doubts(self) -> tuple[Doubt, ...]:
        """List what makes the verdict afterwards weigh less than the one before."""
        lines = [line for patch in self.patches for line in read_lines(patch)]
        touched = dict.fromkeys((*evidence_paths(self.files), *self._asked(), *self._named(), *self._hiding(lines)))
        grave = [
            *self._touched(touched),
            *(["the change is too long to be looked through"] * any(map(is_cut, self.patches))),
            *map(_told_of, self.changed),
            *self._withdrawn(),
            *(f"{built} was built before its source was changed" for built in self.stale),
            *lost(lines, self._modified(touched)),
            *watching(lines),
        ]
        found = [*(Doubt(text, grave=True) for text in grave), *self._deleted(), *self._silenced(lines)]
        found += [Doubt(f"{case} did not always end the same way", grave=False) for case in self.after.comparison.flaky]
        found += [Doubt(f"{path} is imported by no test", grave=False) for path in self._unseen()]
        return tuple(dict.fromkeys(found))

    def _touched(self, touched: Iterable[str]) -> Iterator[str]:
        """Tell what became of the evidence: piece by piece where it was read so, else file by file."""
        audit = self.audit or Audit()
        yield from (_changed(path) for path in touched if path not in audit.read)
        yield from _objections(audit)

    def _withdrawn(self) -> Iterator[str]:
        """Name tests that are gone, although nothing that was read tells what became of them."""
        told = self.audit is not None and any(change.kind in GOING or change.grave for change in self.audit.tests)
        had, has = (Counter(map(_function, _passing(verdict))) for verdict in (self.before, self.after))
        for name in () if told else self.after.comparison.withdrawn:
            # Cases of a test may be called something else
            if "[" not in name or has[_function(name)] < had[_function(name)]:
                yield f"{name} is gone or silenced"

    def _unseen(self) -> Iterator[str]:
        """Name changed sources that no test imports, where that is known."""
        imported = {path for result in self.after.results for path in result.imported}
        for file in self.files if imported else ():
            aside = is_test(file.path) or is_configuration(file.path) or file.path in imported
            if file.path.endswith(".py") and file.kind != "deleted" and not aside:
                yield file.path

    def _asked(self) -> Iterator[str]:
        """Name changed files that tests were found in, whatever they are called; a doctest is known by its text."""
        holding = {_file(case.id) for case in _cases(self.before, findings=False) if "::" in case.id and not case.asks}
        yield from (file.path for file in self.files if file.kind != "added" and file.path in holding)

    def _named(self) -> Iterator[str]:
        """Name changed files that the command of a check runs."""
        programs = {_program(check.argv) for check in self.checks if check.reader == "exit"}
        yield from (file.path for file in self.files if file.path in programs)

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
        """Name comments that silence a check; grave where a finding is gone from the same file."""
        quiet = {case.path for case in self._mended()}
        spare = Counter(mark for line in lines if line.sign == "-" for mark in read_marks(line.text))
        for line in lines:
            for mark in read_marks(line.text) if line.sign == "+" else ():
                old = next((other for other in spare if spare[other] > 0 and other.covers(mark)), None)
                if old is not None:
                    spare[old] -= 1
                    continue
                yield Doubt(f"{line.path}:{line.number} silences a check: {mark.text}", grave=line.path in quiet)

    def _mended(self) -> Sequence[CaseResult]:
        names = set(mended(self.before, self.after))
        return [case for case in _cases(self.before, findings=True) if case.id in names]

    def _modified(self, touched: Collection[str]) -> frozenset[str]:
        kept = (f.path for f in self.files if f.kind == "modified" and f.path.endswith(".py") and f.path not in touched)
        return frozenset(kept)


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
    """Fold the files of several steps; what an earlier one made was not there on the base, whatever became of it."""
    merged: dict[str, FileChange] = {}
    for file in files:
        own = file.path in merged and merged[file.path].kind == "added"
        merged[file.path] = file.model_copy(update={"kind": "added"}) if own else file
    return tuple(merged.values())


def _told_of(name: str) -> str:
    return f"{name} {'asks something else than on the base' if '::' in name else 'was rewritten while the tests ran'}"


def _cases(verdict: Verdict, *, findings: bool) -> Iterator[CaseResult]:
    for result in verdict.results:
        if (result.rung in _FINDINGS) == findings:
            yield from result.cases


def _passing(verdict: Verdict) -> Iterator[str]:
    return (case.id for case in _cases(verdict, findings=False) if case.outcome == "passed")


def _function(name: str) -> str:
    return name.partition("[")[0]


def _file(name: str) -> str:
    return name.partition("::")[0]
