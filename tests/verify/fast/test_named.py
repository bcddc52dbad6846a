"""What files name, kept by their content."""

import time
from pathlib import Path

import pytest

from bot.core.change import Blob
from bot.protocols import Command, Completed
from bot.verify.fast.bounded import Bounded
from bot.verify.fast.named import FILE, Names
from bot.verify.impact import Graph
from tests.conftest import executor
from tests.verify.conftest import write

FILES = {"a.py": "import b\n", "b.py": "", "broken.py": "def (:\n", "build/x.py": "", "c.txt": ""}


class Listed:
    """Says what a tree holds. See Contents."""

    def __init__(self, **blobs: str) -> None:
        self.blobs = blobs

    def files(self, tree: str) -> tuple[Blob, ...]:
        return tuple(Blob(f"{path}.py", content) for path, content in self.blobs.items())

    def read(self, blobs: object, largest: int) -> object:
        raise NotImplementedError


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "kept").mkdir()
    return write(tmp_path / "tree", FILES)


def read(root: Path, contents: object = None, seconds: float = 60.0) -> Graph | None:
    until = time.monotonic() + seconds
    return Names(root.parent / "kept").read(root, "tree", contents, until)  # type: ignore[arg-type]


def test_only_what_has_another_content_is_read_again(root: Path) -> None:
    first = read(root)
    assert first is not None
    assert sorted(first.files) == ["a.py", "b.py", "broken.py"]
    assert first.steps(["b.py"]) == {"b.py": 0, "a.py": 1}
    written = (root.parent / "kept" / FILE).read_bytes()
    # With no time to read anything, all of it has to be known
    assert read(root, seconds=-1) == first
    assert (root.parent / "kept" / FILE).read_bytes() == written
    write(root, {"a.py": "import c\n"})
    assert read(root, seconds=-1) is None
    changed = read(root)
    assert changed is not None
    assert changed.files["a.py"].modules == {"c"}


def test_what_was_not_read_in_time_is_read_the_next_time_and_damage_is_no_matter(root: Path) -> None:
    assert read(root, Listed(a="1", b="2"), seconds=-1) is None
    known = read(root, Listed(a="1", b="2"))
    assert known is not None
    assert read(root, Listed(a="1", b="2", broken="3"), seconds=-1) is None
    assert read(root, Listed(a="1", b="2"), seconds=-1) == known
    kept = root.parent / "kept" / FILE
    for damage in (b"", b"{}", kept.read_bytes()[:-9], kept.read_bytes().replace(b"a.py", b"z.py")):
        kept.write_bytes(damage)
        assert read(root, Listed(a="1", b="2"), seconds=-1) is None
        kept.write_bytes(damage)
        assert read(root, Listed(a="1", b="2")) == known
    kept.unlink()
    kept.parent.rmdir()
    assert read(root, Listed(a="1", b="2")) == known


def test_files_that_cannot_be_read_may_run_anything(root: Path) -> None:
    (root / "a.py").unlink()
    (root / "a.py").symlink_to("b.py")
    found = read(root, Listed(a="1", gone="2"))
    assert found is not None
    assert all(told.wild for told in found.files.values())


def test_commands_end_when_the_time_does(tmp_path: Path) -> None:
    bounded = Bounded(executor(), time.monotonic() + 0.2)
    assert bounded.isolation == "process"

    def run(*argv: str, timeout: float = 60.0) -> Completed:
        return bounded.execute(Command(argv, tmp_path, timeout=timeout))

    cut = [bounded.cut]
    assert run("/bin/sleep", "9", timeout=0.05).ended == "timed_out"
    cut.append(bounded.cut)
    assert run("/bin/sleep", "9").ended == "timed_out"
    cut.append(bounded.cut)
    assert cut == [False, False, True]
    assert run("/nowhere").ended == "timed_out"
