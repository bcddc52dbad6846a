"""Finds the files of a person's checkout without which a commit does not pass."""

import os
import re
import shutil
import stat
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from bot.app.proving.lacking import Lack, read_lacks
from bot.app.proving.values import Uncommitted
from bot.core.change import readable
from bot.core.check import Check, CheckResult, Verdict
from bot.core.policy import refuse_path, refuse_read
from bot.errors import Unprepared, WorkspaceError
from bot.git.repository import Repository
from bot.git.snapshot import Snapshots
from bot.git.untracked import list_edited
from bot.verify.compare import compare, got_worse
from bot.verify.ladder import Ladder

ROUNDS = 5
"""How often a check is asked again; what is added may lack something itself."""
MOST_FILES = 200
LARGEST = 20_000_000
"""Bytes of all that is added."""

_LOOKING = 60.0
"""Seconds to look for a file in history."""


class _Question(NamedTuple):
    """A check that failed, and how."""

    check: Check
    tree: str
    before: Verdict
    result: CheckResult


class _TooMuchError(Exception):
    """More is missing than could be an oversight."""


@dataclass(frozen=True, slots=True)
class Search:
    """Looks in a checkout for what a commit lacks, and asks the failing check again with just that added."""

    repository: Repository
    snapshots: Snapshots
    ladder: Ladder

    def find(self, commit: str, before: Verdict, verdict: Verdict) -> Iterator[Uncommitted]:
        """Name the files with which a check that fails would be no worse than before."""
        known, edited = _Known.of(self.repository, commit), self._edited(commit)
        for check in self.ladder.checks:
            result = verdict.result(check.name)
            if result is None or result.status not in ("failed", "errored") or _holds(before, result):
                continue
            for start in ((), edited)[: 1 + bool(edited)]:
                paths = self._try(_Question(check, verdict.tree, before, result), known, start)
                if paths:
                    shown = tuple(readable(os.fsencode(path)) for path in paths)
                    elsewhere = "" if start else self._elsewhere(paths)
                    yield Uncommitted(check=check.name, paths=shown, elsewhere=elsewhere, edited=bool(start))
                    break

    def _edited(self, commit: str) -> tuple[str, ...]:
        """List what a person changed on top of a commit and did not commit; nothing when they stand elsewhere."""
        if commit != self.repository.default_base():
            return ()
        edited = list_edited(self.repository, commit)
        kept = tuple(path for path in edited if _is_own(self.repository.root, path))
        return kept if len(kept) <= MOST_FILES else ()

    def _try(self, question: "_Question", known: "_Known", start: Sequence[str]) -> tuple[str, ...]:
        try:
            return self._enough(question, known, start)
        except (_TooMuchError, Unprepared, OSError):
            return ()

    def _enough(self, question: "_Question", known: "_Known", start: Sequence[str]) -> tuple[str, ...]:
        """Add what is lacking until the check holds; nothing when it never does."""
        check, tree, before, result = question
        added = dict.fromkeys(start)
        for number in range(ROUNDS):
            more = [path for lack in read_lacks(result) for path in known.find(lack, check.folder) if path not in added]
            if not more and not (start and number == 0):
                return ()
            added.update(dict.fromkeys(more))
            with self.ladder.ready(self.snapshots).clean(tree) as root:
                _copy(self.repository.root, root, tuple(added))
                result = self.ladder.run(check, root)
            if _holds(before, result):
                return tuple(sorted(added))
        return ()

    def _elsewhere(self, paths: Sequence[str]) -> str:
        """Name a commit that brought one of these files."""
        where = ("HEAD", "--branches", "--tags", "--remotes")
        git = replace(self.repository.git, timeout=_LOOKING)
        try:
            answer = git.ask("log", "-1", "--format=%H", "--diff-filter=AM", *where, "--", *paths)
        except WorkspaceError:
            return ""
        return answer.output.decode().strip()


def _holds(before: Verdict, result: CheckResult) -> bool:
    """Tell whether a check is no worse than before; where it was not asked before it has to pass."""
    if before.result(result.check) is None:
        return result.status == "passed"
    return result.status in ("passed", "failed") and not got_worse(compare(before, [result]))


@dataclass(frozen=True, slots=True)
class _Known:
    """What a commit holds, and the checkout that may hold more."""

    top: Path
    files: frozenset[str]
    folders: frozenset[str]

    @classmethod
    def of(cls, repository: Repository, commit: str) -> "_Known":
        """Read the names in a commit."""
        names = repository.git.names("ls-tree", "-r", "-z", "--name-only", commit)
        files = frozenset(map(os.fsdecode, names))
        folders = {parent.as_posix() for name in files for parent in Path(name).parents}
        return cls(repository.root, files, frozenset(folders) - {"."} | {""})

    def find(self, lack: Lack, folder: str) -> Iterator[str]:
        """Name the files of the checkout, and of it alone, that could be what is lacking. Raises _TooMuchError."""
        found = self._module(lack.name) if lack.is_module else self._file(lack.name, folder)
        for count, path in enumerate(sorted(set(found))):
            if count >= MOST_FILES:
                raise _TooMuchError
            yield path

    def _module(self, name: str) -> Iterator[str]:
        """Look below every folder of the commit, since any may be one that modules are imported from."""
        first, *rest = name.split(".")
        for root in sorted(self.folders):
            yield from self._step(root, first, rest)

    def _step(self, folder: str, name: str, rest: Sequence[str]) -> Iterator[str]:
        if not _plain(self.top, folder):
            return
        within = f"{folder}/" if folder else ""
        entries = _listed(self.top / folder)
        source = re.compile(rf"{re.escape(name)}(?:\.pyi?|(?:\.[\w-]+)?\.(?:so|pyd))")
        yield from (path for entry in entries if source.fullmatch(entry) for path in self._own(f"{within}{entry}"))
        if name not in entries or not (self.top / folder / name).is_dir():
            return
        if f"{within}{name}" not in self.folders:
            yield from self._below(f"{within}{name}")
        elif rest:
            yield from self._step(f"{within}{name}", rest[0], rest[1:])

    def _file(self, name: str, folder: str) -> Iterator[str]:
        plain = name.removeprefix(f"{self.top}/")
        absent = "/" + plain.lstrip("./")
        tails = [absent[at + 1 :] for at, sign in enumerate(absent) if sign == "/"] if name.startswith("/") else [plain]
        for tail in filter(None, tails):
            for start in dict.fromkeys((folder, "")):
                path = os.path.normpath(f"{start}/{tail}" if start else tail)
                if (self.top / path).is_dir() and path not in self.folders:
                    yield from self._below(path)
                yield from self._own(path)

    def _own(self, path: str) -> Iterator[str]:
        """Give a path back when the checkout holds it as a plain file and the commit does not."""
        if path not in self.files and _is_own(self.top, path):
            yield path

    def _below(self, folder: str) -> Iterator[str]:
        if not _plain(self.top, folder) or refuse_path(folder):
            return
        for count, (place, folders, names) in enumerate(os.walk(self.top / folder)):
            if count > MOST_FILES:
                raise _TooMuchError
            folders[:] = [name for name in folders if name not in ("__pycache__", ".git")]
            inside = Path(place).relative_to(self.top).as_posix()
            yield from (path for name in names for path in self._own(f"{inside}/{name}"))


def _listed(folder: Path) -> Collection[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - names are wanted
    except OSError:
        return ()


def _is_own(top: Path, path: str) -> bool:
    """Tell whether a path is a plain file of a checkout that may be handed on."""
    return not (refuse_path(path) or refuse_read(path)) and _plain(top, path) and (top / path).is_file()


def _plain(top: Path, path: str) -> bool:
    """Tell whether no part of a path is a link that leads elsewhere."""
    place = top
    for part in filter(None, path.split("/")):
        place /= part
        if place.is_symlink():
            return False
    return True


def _copy(source: Path, target: Path, paths: Sequence[str]) -> None:
    """Add files of the checkout to a clean folder, never through a link. Raises OSError, _TooMuchError."""
    if sum((source / path).lstat().st_size for path in paths) > LARGEST:
        raise _TooMuchError
    for path in paths:
        if not (_plain(target, path) and _plain(source, path)) or not stat.S_ISREG((source / path).lstat().st_mode):
            raise _TooMuchError
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / path, target / path, follow_symlinks=False)
        shutil.copymode(source / path, target / path)
