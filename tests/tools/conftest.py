"""A bench over a real worktree."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from pydantic import JsonValue

from bot.core.check import Check, Rung
from bot.core.message import ToolCall, ToolResult
from bot.core.task import Task
from bot.git.repository import open_repository
from bot.git.workspace import GitWorkspace, open_workspace
from bot.tools.catalog import ALL
from bot.tools.tool import Bench
from bot.verify.interpreter import OWN, Interpreter
from bot.verify.ladder import Ladder
from tests.conftest import Repo, executor, make_repo

TOOLS = {tool.name: tool for tool in ALL}
CHECKS = (
    Check(name="syntax", rung=Rung.SYNTAX, reader="syntax", reason="there are Python files"),
    Check(name="pytest", rung=Rung.UNIT, argv=("pytest",), reader="pytest", timeout=60, reason="there is test_calc.py"),
)


@dataclass(frozen=True)
class Desk:
    """A bench, and a short way to call its tools."""

    bench: Bench
    workspace: GitWorkspace

    def call(self, name: str, /, **arguments: JsonValue) -> ToolResult:
        return TOOLS[name].call(ToolCall(id="c1", name=name, arguments=arguments), self.bench)

    def ok(self, name: str, /, **arguments: JsonValue) -> str:
        result = self.call(name, **arguments)
        assert result.ok, result.output
        return result.output

    def fails(self, name: str, kind: str, /, **arguments: JsonValue) -> str:
        result = self.call(name, **arguments)
        assert (result.ok, result.error) == (False, kind), result
        return result.output

    def raw(self, path: str) -> bytes:
        return (self.bench.workspace.root / path).read_bytes()

    def put(self, path: str, data: bytes) -> Path:
        self.bench.workspace.disturb()
        target = self.bench.workspace.root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        return target


MakeDesk = Callable[..., Desk]


@pytest.fixture
def make_desk(tmp_path: Path) -> Iterator[MakeDesk]:
    with ExitStack() as stack:

        def make(repo: Repo, **task: JsonValue) -> Desk:
            repository = open_repository(repo.path)
            base = repository.default_base()
            workspace = stack.enter_context(open_workspace(repository, base=base, run="r1", branch="agent/r1"))
            interpreter = Interpreter(Path(sys.executable), OWN, frozenset({"pytest", "ruff", "mypy"}))
            ladder = Ladder(CHECKS, executor(), interpreter)
            asked = Task.model_validate({"base": base, **task})
            return Desk(Bench(workspace, executor(), ladder, asked, tmp_path / "store"), workspace)

        yield make


@pytest.fixture
def desk(repo: Repo, make_desk: MakeDesk) -> Desk:
    return make_desk(repo)


@pytest.fixture
def empty_desk(tmp_path: Path, make_desk: MakeDesk) -> Desk:
    made = make_repo(tmp_path / "empty")
    made.commit({"README": "hello\n"}, "start")
    return make_desk(made)
