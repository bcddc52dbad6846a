"""A folder that holds one of several trees, and an executor that is believed to hide what is ours."""

from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from bot.core.change import FileChange
from bot.core.check import Check
from bot.errors import SandboxUnavailable
from bot.protocols import Command, Completed
from bot.sandbox.process import ProcessExecutor
from bot.verify.fast.sift import Question, Side, Sieve, sift
from bot.verify.ladder import Ladder
from tests.verify.conftest import bare

Tree = Mapping[str, str]


class Apart(ProcessExecutor):
    """Runs commands here and calls it something else; remembers them."""

    isolation = "apart"

    def __init__(self) -> None:
        super().__init__()
        self.ran: list[Command] = []

    def execute(self, command: Command) -> Completed:
        self.ran.append(command)
        return super().execute(command)


class Late(Apart):
    """Cannot close the first command in."""

    def execute(self, command: Command) -> Completed:
        if not self.ran:
            self.ran.append(command)
            raise SandboxUnavailable("the sandbox could not be made: no more of it")
        return super().execute(command)


@dataclass
class Folder:
    """A folder that holds exactly one of some trees; what stays the same is not written again. See Cleaner."""

    root: Path
    trees: Mapping[str, Tree]
    given: list[str] = field(default_factory=list)

    @contextmanager
    def clean(self, tree: str) -> Iterator[Path]:
        """Lay a tree out."""
        self.given.append(tree)
        wanted = self.trees[tree]
        for path in [path for path in self.root.rglob("*") if path.is_file()]:
            if path.relative_to(self.root).as_posix() not in wanted:
                path.unlink()
        for name, text in wanted.items():
            target = self.root / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.is_file() or target.read_text() != text:
                target.unlink(missing_ok=True)
                target.write_text(text)
        yield self.root

    def compose(self, tree: str, source: str, paths: Sequence[str]) -> str:
        """Return nothing that anybody asks for."""
        raise NotImplementedError

    def read(self, tree: str, path: str) -> bytes | None:
        """Return a file of a tree."""
        text = self.trees[tree].get(path)
        return text.encode() if text is not None else None


def changes(before: Tree, after: Tree) -> tuple[FileChange, ...]:
    """List what differs between two trees."""
    found = [FileChange(path=path, kind="deleted") for path in before if path not in after]
    for path, text in after.items():
        if path not in before:
            found.append(FileChange(path=path, kind="added"))
        elif before[path] != text:
            found.append(FileChange(path=path, kind="modified"))
    return tuple(found)


def finish(sifting: Generator[Check, None, Sieve]) -> tuple[list[Check], Sieve]:
    """Carry a sift out; return the checks that it asked, and what it found."""
    asked: list[Check] = []
    while True:
        try:
            asked.append(next(sifting))
        except StopIteration as end:
            return asked, end.value


def judge(  # noqa: PLR0913 - each is one side of the question
    root: Path,
    before: Tree,
    after: Tree,
    *checks: Check,
    seconds: float = 60.0,
    kept: Path | None = None,
    others: Sequence[Tree] = (),
    executor: Apart | None = None,
) -> tuple[list[Check], Sieve]:
    """Sift a change with these checks; `others` are what a merge brings in."""
    root.mkdir(exist_ok=True)
    sides = {f"side {number}": tree for number, tree in enumerate(others)}
    folder = Folder(root, {**sides, "before": before, "after": after, "4b825dc642cb6eb9a060e54bf8d69288fbee4904": {}})
    base = "before" if before else "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    question = Question("after", base, changes(before, after), seconds, kept)
    question = replace(question, others=tuple(Side(name, changes(tree, after)) for name, tree in sides.items()))
    return finish(sift(Ladder(checks, executor or Apart(), bare()), folder, question))
