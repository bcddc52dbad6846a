"""One broken program: how it is laid out, what its suite says, what the correct version is."""

import ast
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

from checkouts import read_junit

from bot.core.task import Record
from bot.protocols import Command
from bot.sandbox.process import ProcessExecutor

QUIET = (("PYTHONDONTWRITEBYTECODE", "1"), ("PYTHONHASHSEED", "0"))
LONGEST = 300.0
"""Seconds that a suite may take."""


class Entry(Record):
    """The function that a program is asked through, for the sets whose programs are one function."""

    module: str
    """As a test imports it."""
    name: str


class Item(Record):
    """A broken program as it was prepared."""

    set: str
    name: str
    kind: str
    """What is wrong, as the set says it."""
    tree: Path
    """Folder of the whole program, as far as it is not in `broken`."""
    broken: Mapping[str, str]
    """The text of each file with the fault."""
    right: Mapping[str, tuple[str, ...]]
    """Every correct text of the same files, the original first."""
    python: Path
    place: Path | None = None
    """The folder that the environment imports it from; without one it may lie anywhere."""
    suite: tuple[str, ...] = ()
    """What pytest is given to run all tests that count."""
    passing: tuple[str, ...] = ()
    """Tests that pass with the correct version."""
    entry: Entry | None = None


class Suite(NamedTuple):
    """What became of each test, by name."""

    outcomes: Mapping[str, str]
    seconds: float
    said: str
    """The last that the runner printed."""

    @property
    def passed(self) -> frozenset[str]:
        """Name the tests that passed."""
        return frozenset(name for name, outcome in self.outcomes.items() if outcome == "passed")

    @property
    def failed(self) -> frozenset[str]:
        """Name the tests that failed, or were kept from running by an error."""
        return frozenset(name for name, outcome in self.outcomes.items() if outcome in ("failed", "error"))


def run_suite(python: Path, folder: Path, suite: Sequence[str], seconds: float = LONGEST) -> Suite:
    """Run tests in a fresh process; no outcomes where there is no report."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.xml"
        argv = (str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *suite)
        done = ProcessExecutor().execute(Command(argv=argv, cwd=folder, timeout=seconds, environment=QUIET))
        try:
            outcomes = read_junit(report) if report.exists() else {}
        except ET.ParseError:
            outcomes = {}
    return Suite({"::".join(name): told for name, told in outcomes.items()}, done.seconds, done.output[-2000:])


def failing(item: Item, folder: Path) -> list[str]:
    """List the tests of a program laid out that fail and pass with the correct version, as pytest is asked for them."""
    lost = set(item.passing) - run_suite(item.python, folder, item.suite).passed
    return sorted(node for name in lost if (node := _node(folder, name)))


def _node(folder: Path, name: str) -> str:
    """Turn what a report calls a test into what pytest calls it; empty for what stands in no file."""
    dotted, _, test = name.partition("::")
    parts = dotted.split(".")
    for count in range(len(parts), 0, -1):
        file = "/".join(parts[:count]) + ".py"
        if (folder / file).is_file():
            return "::".join([file, *parts[count:], test])
    return ""


def write_files(root: Path, files: Mapping[str, str]) -> None:
    """Write files to the letter."""
    for name, text in files.items():
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())


def read_file(path: Path) -> str:
    """Read a file to the letter. Raises UnicodeDecodeError."""
    return path.read_bytes().decode()


def fill(folder: Path, tree: Path) -> None:
    """Make a folder hold what a tree holds and nothing else; the folder itself stays where it is."""
    folder.mkdir(parents=True, exist_ok=True)
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()
    shutil.copytree(tree, folder, symlinks=True, dirs_exist_ok=True)


@contextmanager
def laid_out(item: Item) -> Iterator[Path]:
    """Lay the program out with its fault, where its environment looks for it."""
    with tempfile.TemporaryDirectory(prefix="repair-") as scratch:
        folder = item.place or Path(scratch) / item.name
        fill(folder, item.tree)
        write_files(folder, item.broken)
        yield folder


def tree_of(text: str) -> str:
    """Return a text's tree without positions; empty for what cannot be parsed."""
    try:
        return ast.dump(ast.parse(text))
    except (SyntaxError, ValueError):
        return ""


def read_items(folder: Path) -> Iterator[Item]:
    """Read the items that were prepared in a folder, in the order of their names."""
    for path in sorted(folder.glob("*.json"), key=lambda path: order(path.stem)):
        yield Item.model_validate_json(path.read_bytes())


def order(name: str) -> tuple[str, int]:
    """Sort names with numbers at their end as a person would."""
    stem = name.rstrip("0123456789")
    return stem, int(name[len(stem) :] or 0)


def write_item(folder: Path, item: Item) -> None:
    """Keep an item for `read_items`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{item.name}.json").write_text(item.model_dump_json(), encoding="utf-8")
