"""A message that claims evidence, held against the commit that it is for."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.app.hooks.claims import Claims, read_claims
from bot.app.hooks.message import LARGEST, check_message
from bot.core.branches import Made, Place
from bot.core.check import CheckResult, Rung, Verdict
from bot.core.event import Baselined, Ended, Published
from bot.core.task import Task
from bot.core.trailers import commit_message
from bot.errors import NotARepository
from tests.conftest import Repo, make_repo
from tests.git.past import record_all, started, stepped, write_commit, write_tree

TREE = "a" * 40
BLOCK = f"Agent-Run: r1\nAgent-Step: 1\nAgent-Tree: {TREE}\nAgent-Checks: none"


@dataclass
class Desk:
    """A repository with something staged, and a file for the message."""

    repo: Repo
    capsys: pytest.CaptureFixture[str]

    def check(self, message: str | bytes) -> tuple[int, list[str]]:
        """Ask about a message; return the code and what was said."""
        self.repo.write({"../message": message})
        code = check_message(self.repo.path, ("../message",))
        said = self.capsys.readouterr()
        assert said.out == ""
        return code, said.err.splitlines()


@pytest.fixture
def desk(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Desk:
    repo = make_repo(tmp_path / "repo")
    repo.commit({"a.txt": "1\n"})
    repo.write({"a.txt": "2\n"})
    repo.git("add", "a.txt")
    return Desk(repo, capsys)


def test_a_message_without_a_claim_is_not_even_held_against_a_repository(tmp_path: Path) -> None:
    path = tmp_path / "message"
    for written in (b"", b"fix\n", b"\0\xff" * 1000, b"Agent of change\n", b"Agent-" + b"x" * LARGEST):
        path.write_bytes(written)
        assert check_message(tmp_path, ("message",)) == 0
    for args in ((), ("missing",), (".",), ("a\0b",), ("/dev/null",)):
        assert check_message(tmp_path, args) == 0
    path.write_text(BLOCK)
    with pytest.raises(NotARepository):
        check_message(tmp_path, ("message",))


@pytest.mark.parametrize(
    "message",
    [
        f"fix\n\n{BLOCK}\n",
        f"fix\r\n\r\n{BLOCK}\r\n".replace("Tree: ", "Tree:   "),
        f"# top\nfix\n\n{BLOCK}\n# comment\n\n# another\n",
        f"fix\n\n{BLOCK}\n\n\n \n",
        f"fix\n\n{BLOCK}\n# {'-' * 24} >8 {'-' * 24}\n# below\ndiff --git a/x b/x\n+Agent-Tree: {'b' * 40}\n",
        f"fix\n\n{BLOCK.lower()}\n",
    ],
)
def test_claims_are_those_of_the_message_as_git_will_have_it(message: str) -> None:
    claims = read_claims(message)
    assert (claims.trees, claims.runs) == ((TREE,), ("r1",))


@pytest.mark.parametrize(
    ("message", "comments"),
    [
        (f"fix\n\nthe trailer Agent-Tree: {TREE} is stale\n", "#"),
        (f"fix\n\nAgent-Tree: {TREE}\n\nand more text\n", "#"),
        (f"fix\n\n# Agent-Tree: {TREE}\n", "#"),
        (f"fix\n\n; Agent-Tree: {TREE}\n", ";"),
        (f"fix\n// {'-' * 24} >8 {'-' * 24}\nAgent-Tree: {TREE}\n", "//"),
    ],
)
def test_what_is_no_trailer_claims_nothing(message: str, comments: str) -> None:
    assert read_claims(message, (comments,))[1:] == ((), ())


@given(st.text())
def test_any_text_is_read(message: str) -> None:
    assert isinstance(read_claims(message), Claims)


def test_a_claim_of_another_tree_is_refused_and_a_true_one_is_not(desk: Desk) -> None:
    tree, old = desk.repo.git("write-tree"), desk.repo.git("rev-parse", "HEAD^{tree}")
    before = desk.repo.state()
    assert desk.check(f"fix\n\nAgent-Tree: {tree}\n") == (0, [])
    assert desk.check(f"fix\n\n{BLOCK}\n") == (
        1,
        [
            f"git agent: not committed: the message says Agent-Tree: {TREE[:10]}, but this commit holds {tree[:10]}",
            "take its lines that begin with Agent- out of the message",
            "commit it as is:  git commit --no-verify",
        ],
    )
    # What was a true word of the last commit is about to be amended, or was copied from it
    code, said = desk.check(f"fix\n\nAgent-Tree: {old}\nAgent-Tree: {tree}\n")
    assert code == 1
    assert said[2:] == [
        "take them out:    the same command with --edit",
        "commit it as is:  the same command with --no-verify",
    ]
    assert desk.check(f"fix\n\nAgent-Tree: \x1b[2J\x07{'x' * 5000}\n")[1][0].isprintable()
    assert desk.repo.state() == before
    desk.repo.git("config", "core.commentChar", ";")
    assert desk.check(f"fix\n\n{BLOCK}\n; comment\n\n; another\n")[0] == 1
    desk.repo.git("config", "core.commentChar", "auto")
    assert desk.check(f"fix\n\n{BLOCK}\n% comment\n")[0] == 1


def test_what_a_record_says_of_its_run_is_held_against_the_message(desk: Desk) -> None:
    repo = desk.repo
    base = repo.git("rev-parse", "HEAD")
    judged, made = stepped(repo, 1, base, "one\n")
    passed = CheckResult(check="pytest", rung=Rung.UNIT, status="passed")
    judged = judged.model_copy(update={"verdict": Verdict(tree=made.tree, results=(passed,))})
    elsewhere = write_commit(repo, write_tree(repo, "moved\n"), base)
    place = Place(ref="refs/heads/main", before=base, after=elsewhere, made=(Made(step=1, commit=elsewhere),))
    published = Published(where="main", places=(place,))
    events = (started(repo), Baselined(verdict=Verdict(tree=base)), judged, made, Ended(stop="done"), published)
    record_all(repo, events).close()

    def check(run: str, step: int, tree: str, *results: CheckResult) -> str:
        repo.git("read-tree", tree)
        verdict = Verdict(tree=tree, results=results)
        task = Task(goal="x", base=base)
        message = commit_message("fix", "", run=run, step=step, verdict=verdict, model="m", task=task)
        code, said = desk.check(message)
        assert code == bool(said)
        return said[0].removeprefix("git agent: not committed: the message says ") if said else ""

    tree = repo.git("write-tree")
    assert check("r1", 1, made.tree, passed) == ""
    assert check("r1", 1, repo.git("rev-parse", f"{elsewhere}^{{tree}}"), passed) == ""
    assert check("r1", 1, tree, passed) == f"Agent-Run: r1, which made nothing that holds {tree[:10]}"
    assert check("r2", 1, tree, passed) == ""
    assert check("../x", 1, tree, passed) == ""
    assert check("r1", 2, made.tree, passed) == "Agent-Step: 2, which in r1 held something else"
    assert check("r1", 1, made.tree) == "Agent-Checks: none, and the record of r1 says pytest=passed"
