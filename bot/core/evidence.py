"""What a verdict rests on, and how a change can make it say less than before."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from bot.core.change import FileChange
from bot.core.check import CaseResult, Check, Rung, Verdict, mended
from bot.core.diff import Line, is_cut, read_lines
from bot.core.paths import same
from bot.core.policy import glob_matches

TESTS = (
    "test_*.py",
    "*_test.py",
    "tests.py",
    "**/tests/**",
    "**/test/**",
    "**/testing/**",
    "**/test_*/**",
    "**/*_tests/**",
    "**/__tests__/**",
    "**/__snapshots__/**",
    "**/testdata/**",
    "**/fixtures/**",
    "**/golden/**",
    "*.snap",
    "*_test.go",
    "*.test.*",
    "*.spec.*",
    "*Test.java",
)
CONFIGURATION = (
    "conftest.py",
    "pytest.ini",
    ".pytest.ini",
    "pytest.toml",
    ".pytest.toml",
    "tox.ini",
    "tox.toml",
    "setup.cfg",
    "setup.py",
    "pyproject.toml",
    "mypy.ini",
    ".mypy.ini",
    "pyrightconfig.json",
    "ruff.toml",
    ".ruff.toml",
    ".flake8",
    ".pylintrc",
    "pylintrc",
    ".coveragerc",
    "sitecustomize.py",
    "usercustomize.py",
    "*.pth",
    "*.dist-info/**",
    "*.egg-info/**",
    "noxfile.py",
    "/pytest.py",
    "/pytest/**",
    "/_pytest/**",
    "/unittest/**",
    "Makefile",
    "justfile",
    "package.json",
    "tsconfig*.json",
    "jest.config.*",
    "vitest.config.*",
    ".eslintrc*",
    "eslint.config.*",
    "*.lock",
    "*-lock.json",
    "*-lock.yaml",
    "go.sum",
    "Pipfile",
    "*requirements*.txt",
    "constraints*.txt",
    ".github/**",
    ".gitlab-ci.yml",
    ".circleci/**",
    ".travis.yml",
    "azure-pipelines.yml",
    ".pre-commit-config.yaml",
)
IGNORING = (".gitignore", ".ignore")
"""A linter does not look at what these name."""

_STARTER = re.compile(
    r"python[\d.]*|(?:ba|da|z|k)?sh|node|ruby|perl|php|deno|bun|env|uv|poetry|pdm|hatch|run|exec|time|\w+=.*"
)
_FINDINGS = frozenset({Rung.SYNTAX, Rung.STATIC, Rung.TYPES})
_SILENCERS = re.compile(
    r"#\s*(?P<kind>noqa|(?:ruff|flake8)\s*:\s*(?:noqa|disable)|type\s*:\s*ignore|mypy\s*:\s*\S+|pyright\s*:\s*\S+"
    r"|pylint\s*:\s*\S+|fmt\s*:\s*(?:off|skip)|nosec)(?:\s*[:\[]\s*(?P<codes>[\w, -]+)\]?)?"
    r"|@(?:typing\.)?(?P<mark>no_type_check)\b",
    re.IGNORECASE,
)
_ASSERTION = re.compile(r"assert\b|self\.(?:assert|fail)\w*\(|(?:with )?pytest\.(?:raises|fail|warns)\b")
_WATCHING = re.compile(
    r"PYTEST_|GIT_AGENT_|\b_pytest\b|['\"]pytest['\"] (?:not )?in sys\.modules|sys\.modules(?:\[|\.get\()['\"]pytest"
    r"|\bgc\.get_(?:objects|referrers)\b|\bos\._exit\b|\b_getframe\b|\bcurrentframe\b"
)
"""What code has no need of to do its work, and every need of to tell whether it is being tested."""


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

    def doubts(self) -> tuple[Doubt, ...]:
        """List what makes the verdict afterwards weigh less than the one before."""
        lines = [line for patch in self.patches for line in read_lines(patch)]
        touched = dict.fromkeys((*evidence_paths(self.files), *self._asked(), *self._named(), *self._hiding(lines)))
        found = [Doubt(f"{path} is part of the evidence and was changed", grave=True) for path in touched]
        found += [Doubt("the change is too long to be looked through", grave=True)] * any(map(is_cut, self.patches))
        found += [Doubt(_told_of(name), grave=True) for name in self.changed]
        found += [Doubt(f"{case} did not always end the same way", grave=False) for case in self.after.comparison.flaky]
        found += [*self._deleted(), *self._silenced(lines), *_lost(lines, self._modified(touched)), *_watching(lines)]
        return tuple(dict.fromkeys(found))

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
            if name in IGNORING and any(_ignores(line, folder, path) for path in watched - {line.path}):
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
        spare = Counter(mark for line in lines if line.sign == "-" for mark in _marks(line.text))
        for line in lines:
            for mark in _marks(line.text) if line.sign == "+" else ():
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


def evidence_paths(files: Sequence[FileChange]) -> tuple[str, ...]:
    """Return the changed paths that a verdict rests on: earlier tests, helpers, the configuration of the checks."""
    return tuple(file.path for file in files if _is_evidence(file))


def tell(doubts: Sequence[Doubt], before: Verdict | None, after: Verdict | None) -> tuple[str, ...]:
    """Put in words what a person should know: doubts, what fails, what gave no evidence."""
    found = [f"needs a person: {doubt.text}" if doubt.grave else doubt.text for doubt in doubts]
    known = before.bad if before is not None else ()
    for result in after.results if after is not None else ():
        bad = (case.id for case in result.cases if case.bad)
        found += [
            f"{'still failing, as on the base' if case in known else 'fails, unlike on the base'}: {case}"
            for case in bad
        ]
    errored = (result for result in (after.results if after is not None else ()) if result.status == "errored")
    found += [f"no evidence from {result.check}: {result.summary}" for result in errored]
    return tuple(found)


def merge_files(files: Iterable[FileChange]) -> tuple[FileChange, ...]:
    """Fold the files of several steps; what an earlier one made was not there on the base, whatever became of it."""
    merged: dict[str, FileChange] = {}
    for file in files:
        own = file.path in merged and merged[file.path].kind == "added"
        merged[file.path] = file.model_copy(update={"kind": "added"}) if own else file
    return tuple(merged.values())


def _is_evidence(file: FileChange) -> bool:
    # A new `__init__.py` beside tests runs before them; an empty one does nothing.
    fresh = file.kind == "added" and not (file.path.endswith("__init__.py") and file.added)
    return _matches(file.path, CONFIGURATION if fresh else (*TESTS, *CONFIGURATION))


def _matches(path: str, globs: Sequence[str]) -> bool:
    return any(glob_matches(glob.casefold(), same(path)) for glob in globs)


class _Mark(NamedTuple):
    """A comment that silences a check."""

    kind: str
    codes: frozenset[str]
    """Empty when it silences all."""
    text: str

    def covers(self, other: "_Mark") -> bool:
        """Tell whether it silenced all that another one does."""
        return self.kind == other.kind and (not self.codes or bool(other.codes and other.codes <= self.codes))


def _told_of(name: str) -> str:
    return f"{name} {'asks something else than on the base' if '::' in name else 'was rewritten while the tests ran'}"


def _marks(text: str) -> Iterator[_Mark]:
    for found in _SILENCERS.finditer(text):
        kind = re.sub(r"\s", "", found["kind"] or found["mark"]).lower()
        codes = frozenset(re.findall(r"[\w-]+", found["codes"] or ""))
        yield _Mark(kind, codes, found.group().strip())


def _lost(lines: Sequence[Line], paths: Collection[str]) -> Iterator[Doubt]:
    """Name assertions that were taken out of files that tests may be using."""
    kept = Counter(line.text.strip() for line in lines if line.sign == "+")
    for line in lines:
        text = line.text.strip()
        if line.sign == "-" and line.path in paths and _ASSERTION.match(text):
            kept[text] -= 1
            if kept[text] < 0:
                yield Doubt(f"{line.path} no longer says: {text}", grave=True)


def _watching(lines: Sequence[Line]) -> Iterator[Doubt]:
    """Name added code that looks at who runs it."""
    spare = Counter(word for line in lines if line.sign == "-" for word in _WATCHING.findall(line.text))
    for line in lines:
        if line.sign == "+" and line.path.endswith(".py") and not _matches(line.path, TESTS):
            for word in _WATCHING.findall(line.text):
                spare[word] -= 1
                if spare[word] < 0:
                    yield Doubt(f"{line.path}:{line.number} looks at what runs it: {word}", grave=True)


def _ignores(line: Line, folder: str, path: str) -> bool:
    """Tell whether a line of an ignoring file, added or taken out, decides about a path below its folder."""
    pattern = line.text.strip().removeprefix("!")
    inside = path.removeprefix(f"{folder}/") if folder else path
    below = not folder or path.startswith(f"{folder}/")
    return below and bool(pattern) and not pattern.startswith("#") and glob_matches(pattern, inside)


def _cases(verdict: Verdict, *, findings: bool) -> Iterator[CaseResult]:
    for result in verdict.results:
        if (result.rung in _FINDINGS) == findings:
            yield from result.cases


def _file(name: str) -> str:
    return name.partition("::")[0]
