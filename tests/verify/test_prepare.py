"""What is made in a clean tree before its checks."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from bot.core.check import Check, Rung
from bot.errors import Unprepared
from bot.git.repository import open_repository
from bot.git.snapshot import Snapshots, open_snapshots
from bot.protocols import Cleaner
from bot.verify.prepare import Preparation, unprepared
from tests.conftest import Repo, executor

BUILD = ("sh", "-c", "echo built >> out.txt; mkdir -p gen/deep empty; echo x > gen/deep/a; ln -s a gen/deep/link")


@dataclass
class Counted:
    """A cleaner that counts."""

    snapshots: Snapshots
    asked: list[str] = field(default_factory=list)

    @contextmanager
    def clean(self, tree: str, /) -> Iterator[Path]:
        self.asked.append(tree)
        with self.snapshots.clean(tree) as root:
            yield root

    def compose(self, tree: str, source: str, paths: object, /) -> str:
        return tree

    def read(self, tree: str, path: str, /) -> bytes | None:
        return self.snapshots.read(tree, path)


@pytest.fixture
def snapshots(repo: Repo) -> Iterator[Snapshots]:
    with open_snapshots(open_repository(repo.path)) as made:
        yield made


def preparation(*commands: tuple[str, ...], seconds: float = 20.0) -> Preparation:
    return Preparation(executor(), commands, seconds=seconds)


def tree_of(repo: Repo, rev: str = "HEAD") -> str:
    return repo.git("rev-parse", f"{rev}^{{tree}}")


def runs(log: Path) -> int:
    return len(log.read_text().splitlines()) if log.exists() else 0


def test_nothing_to_do_changes_nothing(snapshots: Snapshots) -> None:
    assert preparation().around(snapshots) is snapshots


def test_what_was_made_is_there_and_made_once_for_a_tree(repo: Repo, snapshots: Snapshots, tmp_path: Path) -> None:
    log = tmp_path / "log"
    counted = Counted(snapshots)
    ready: Cleaner = preparation(BUILD, ("sh", "-c", f"echo ran >> {log}")).around(counted)
    tree = tree_of(repo)
    with ready.clean(tree) as root:
        assert (root / "gen/deep/link").read_text() == "x\n"
        assert (root / "out.txt").read_text() == "built\n"
        (root / "out.txt").write_text("spoiled by a check\n")
        (root / "gen/more").write_text("left by a check\n")
        with ready.clean(tree) as again:
            assert again == root
            assert (root / "out.txt").read_text() == "built\n"
            assert (root / "gen/deep/link").is_symlink()
            assert (root / "empty").is_dir()
            assert not (root / "gen/more").exists()
    assert runs(log) == 1
    assert counted.asked == [tree, tree]


def test_it_is_made_anew_for_another_tree(repo: Repo, snapshots: Snapshots, tmp_path: Path) -> None:
    log = tmp_path / "log"
    ready = preparation(("sh", "-c", f"cat calc.py > out.txt; echo ran >> {log}")).around(snapshots)
    first = tree_of(repo)
    repo.commit({"calc.py": "two = 2\n"})
    with ready.clean(first) as root:
        assert "add" in (root / "out.txt").read_text()
    with ready.clean(tree_of(repo)) as root:
        assert (root / "out.txt").read_text() == "two = 2\n"
    assert runs(log) == 2


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("sh", "-c", "echo no compiler >&2; exit 3"), "exit code 3: no compiler"),
        (("sh", "-c", "seq 9999; echo the end; exit 3"), "9999 the end"),
        (("no-such-program-here",), "no-such-program-here: exit code 127"),
        (("sleep", "20"), "sleep 20: timed out"),
        (("sh", "-c", "echo >> calc.py"), "changed what is committed: calc.py"),
        (("rm", "calc.py"), "changed what is committed: calc.py"),
    ],
)
def test_a_preparation_that_fails_is_told_and_not_tried_again(
    repo: Repo, snapshots: Snapshots, tmp_path: Path, command: tuple[str, ...], words: str
) -> None:
    log = tmp_path / "log"
    ready = preparation(("sh", "-c", f"echo ran >> {log}"), command, seconds=1.0).around(snapshots)
    for _ in range(2):
        with pytest.raises(Unprepared) as error, ready.clean(tree_of(repo)):
            pass
        assert words in error.value.message
        assert "\n" not in error.value.message
    assert runs(log) == 1


def test_rewriting_a_file_as_it_was_is_no_change(repo: Repo, snapshots: Snapshots) -> None:
    ready = preparation(("sh", "-c", "cp calc.py x; cat x > calc.py; rm x")).around(snapshots)
    with ready.clean(tree_of(repo)) as root:
        assert (root / "calc.py").exists()


def test_what_cannot_be_kept_is_made_again(repo: Repo, snapshots: Snapshots, tmp_path: Path) -> None:
    log = tmp_path / "log"
    ready = preparation(("sh", "-c", f"mkfifo pipe; echo ran >> {log}")).around(snapshots)
    for _ in range(2):
        with ready.clean(tree_of(repo)) as root:
            assert (root / "pipe").is_fifo()
    assert runs(log) == 2


def test_every_check_of_an_unprepared_tree_says_why(repo: Repo, snapshots: Snapshots) -> None:
    checks = [Check(name=name, rung=Rung.UNIT) for name in ("a", "b")]
    ready = preparation(("false",)).around(snapshots)
    with pytest.raises(Unprepared) as error, ready.clean(tree_of(repo)):
        pass
    told = unprepared(checks, error.value, base=True)
    assert [(result.check, result.status) for result in told] == [("a", "errored"), ("b", "errored")]
    assert {result.summary for result in told} == {"the base cannot be prepared: false: exit code 1"}
