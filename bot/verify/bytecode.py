"""What Python and pytest make of the sources that tests import, laid into a clean tree in place of making it anew.

It can turn no wrong tree green. It is compiled by the project's interpreter while no code of the project runs, so that
nothing but the source decides what it is; it is kept where no command reaches it; and it is laid only beside a file of
exactly the content that it was compiled from. Python compares that content once more when it reads it, and a tree that
holds any other bytecode is run without both.
"""

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from pydantic import TypeAdapter, ValidationError

from bot.core.check import Check, CheckResult, file_of
from bot.core.task import Record
from bot.protocols import Mount
from bot.verify import suite
from bot.verify.place import APART, Place
from bot.verify.reuse import OPEN

COMPILER = suite.PROBE.with_name("compiled.py")
FOLDER = "__pycache__"
FEWEST = 15_000
"""Bytes of sources from which on compiling them once costs less than it saves."""
MOST = 64 << 20
"""Bytes that are kept."""
HEAD = 16
"""Bytes before the code."""
OUT_OF_SIGHT = frozenset({"node_modules", "venv"})
HOOK = b"enable_assertion_pass_hook"
"""A setting by which pytest compiles tests in another way."""
CONFIGURATION = ("pytest.ini", ".pytest.ini", "pytest.toml", ".pytest.toml", "pyproject.toml", "setup.cfg", "tox.ini")


class Made(Record):
    """What the compiler says of a file that it made."""

    path: str
    name: str
    source: str


_MADE = TypeAdapter(tuple[Made, ...])


@dataclass(frozen=True, slots=True)
class Form:
    """The compiled form of one source."""

    name: str
    source: str
    """Digest of the source."""
    data: bytes

    def beside(self, state: os.stat_result) -> bytes:
        """Return what to write beside a source of this state: older versions of pytest look at its time and size."""
        return self.data[: HEAD - 8] + _times(state) + self.data[HEAD:] if _is_dated(self.data) else self.data


@dataclass(slots=True)
class Bytecode:
    """Compiled forms of sources, as long as somebody holds on to it."""

    forms: dict[tuple[str, str], Form] = field(default_factory=dict)
    """By path and name."""
    _tried: set[tuple[str, str]] = field(default_factory=set)
    _digests: dict[Path, tuple[tuple[int, int, int], str]] = field(default_factory=dict)

    def run(self, check: Check, place: Place, targets: Sequence[str]) -> CheckResult:
        """Run tests with what is compiled already, and compile what they imported for the next time."""
        if place.executor.isolation in OPEN | APART:
            return suite.run(check, place, targets)
        with self._lent(check, place.root) as count:
            result = suite.run(check, place, targets, compiled=count)
        if not targets and result.status in ("passed", "failed"):
            self._learn(check, place, result)
        return result

    @contextmanager
    def _lent(self, check: Check, root: Path) -> Iterator[int]:
        """Lay what fits into a tree for the time of a run; tell how much of it the probe will see."""
        folders: dict[Path, bool] = {}
        count = 0
        inside = f"{check.folder}/" if check.folder else ""
        try:
            for (path, _), form in self.forms.items() if self.forms and _is_ignored(root) else ():
                if path.startswith(inside) and self._lay(root / path, form, folders, root):
                    count += 1
            yield count
        finally:
            for folder, ours in folders.items():
                if ours and _is_real(folder, root):
                    shutil.rmtree(folder, ignore_errors=True)

    def _lay(self, source: Path, form: Form, folders: dict[Path, bool], root: Path) -> bool:
        folder = source.parent / FOLDER
        try:
            state = source.lstat()
            if not stat.S_ISREG(state.st_mode) or self._digest(source, state) != form.source:
                return False
            if folder not in folders:
                folders[folder] = False
                if _is_real(source.parent, root):
                    folder.mkdir()
                    folders[folder] = True
            if folders[folder]:
                (folder / form.name).write_bytes(form.beside(state))
        except OSError:
            # One that lies half written counts as the tree's own, and then none is believed
            return False
        return folders[folder]

    def _digest(self, source: Path, state: os.stat_result) -> str:
        seen = (state.st_ctime_ns, state.st_size, state.st_ino)
        known = self._digests.get(source)
        if known is None or known[0] != seen:
            self._digests[source] = known = (seen, hashlib.sha256(source.read_bytes()).hexdigest())
        return known[1]

    def _learn(self, check: Check, place: Place, result: CheckResult) -> None:
        """Compile what was imported and is not known yet, if there is enough of it."""
        # Doctests stand in files that pytest leaves as they are
        tests = {file_of(case.id) for case in result.cases if not case.asks} if check.reader == "pytest" else set()
        wanted: list[tuple[str, bool]] = []
        size = 0
        for path in filter(_is_in_sight, result.imported):
            with suppress(OSError):
                state = (place.root / path).lstat()
                key = (path, self._digest(place.root / path, state))
                if stat.S_ISREG(state.st_mode) and key not in self._tried:
                    self._tried.add(key)
                    wanted += [(path, test) for test in _ways(path, path in tests)]
                    size += state.st_size
        if _has_hook(place.root, check.folder):
            wanted = [(path, test) for path, test in wanted if not test]
        if size >= FEWEST:
            self._compile(check, place, wanted)
        else:
            # Later there may be enough
            self._tried.difference_update((path, self._digests[place.root / path][1]) for path, _ in wanted)

    def _compile(self, check: Check, place: Place, wanted: Sequence[tuple[str, bool]]) -> None:
        lender = place.interpreter.lender
        with tempfile.TemporaryDirectory(prefix="git-agent-") as name:
            folder = Path(name)
            (folder / "wanted").write_text(_WANTED.dump_json(tuple(wanted)).decode())
            argv = [str(place.interpreter.path), "-I", str(COMPILER), name]
            argv += [str(lender)] if lender is not None and check.reader == "pytest" else []
            place.execute(check.model_copy(update={"folder": ""}), argv, mounts=[Mount(folder, writable=True)])
            with suppress(OSError, ValidationError):
                for number, made in enumerate(_MADE.validate_json((folder / "made").read_bytes())):
                    self._keep(made, (folder / str(number)).read_bytes(), place.root)

    def _keep(self, made: Made, data: bytes, root: Path) -> None:
        plain = made.name == PurePosixPath(made.name).name and made.name.endswith(".pyc")
        known = {path for path, _ in self._tried}
        if not plain or made.path not in known or sum(len(form.data) for form in self.forms.values()) > MOST:
            return
        if len(data) > HEAD and (not _is_dated(data) or data[HEAD - 8 : HEAD] == _times((root / made.path).stat())):
            self.forms[made.path, made.name] = Form(made.name, made.source, data)


_WANTED = TypeAdapter(tuple[tuple[str, bool], ...])


def _is_dated(data: bytes) -> bool:
    """Tell whether bytecode is held against the time and size of its source, rather than against its content."""
    return data[4:8] == bytes(4)


def _ways(path: str, tests: bool) -> tuple[bool, ...]:  # noqa: FBT001
    """Say in which ways a source is compiled: as a module, as tests, or as nobody knows which."""
    name = PurePosixPath(path).name
    if name == "conftest.py" or name.startswith("test_") or name.endswith("_test.py"):
        return (True,)
    return (False, True) if tests else (False,)


def _times(state: os.stat_result) -> bytes:
    """Write the time and the size of a source as bytecode does."""
    return b"".join((int(told) & 0xFFFFFFFF).to_bytes(4, "little") for told in (state.st_mtime, state.st_size))


def _is_in_sight(path: str) -> bool:
    """Tell whether the probe looks at what lies beside a source when it looks for bytecode."""
    parts = PurePosixPath(path).parts
    return path.endswith(".py") and not any(part[0] == "." or part in OUT_OF_SIGHT for part in parts)


def _is_real(folder: Path, root: Path) -> bool:
    """Tell whether a folder lies in the tree, and not behind a link in it."""
    return Path(os.path.realpath(folder)) == Path(os.path.realpath(root), folder.relative_to(root))


def _is_ignored(root: Path) -> bool:
    """Tell whether git is told not to see bytecode: tests may look whether their own repository is clean."""
    try:
        lines = (root / ".gitignore").read_bytes().splitlines()
    except OSError:
        return False
    return any(line.lstrip(b"*/").startswith((b"__pycache__", b".py[", b".pyc")) for line in lines)


def _has_hook(root: Path, folder: str) -> bool:
    for place in {root, root / folder}:
        for name in CONFIGURATION:
            with suppress(OSError):
                if HOOK in (place / name).read_bytes():
                    return True
    return False
