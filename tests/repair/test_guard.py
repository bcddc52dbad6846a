"""Processes that change nothing outside of what was given to them."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from bot.repair.worker import fork, guard


def refused(change: Callable[[], object]) -> bool:
    try:
        change()
    except OSError:
        return True
    return False


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    """Make a folder that is given and one that is not, each with a file."""
    if not guard.find_version():
        pytest.skip("this kernel has no Landlock")
    given, other = tmp_path / "given", tmp_path / "other"
    for folder in (given, other):
        folder.mkdir()
        (folder / "kept.txt").write_text("kept")
    return given, other


def test_a_confined_process_and_all_that_it_starts_change_nothing_outside_of_their_folders(
    folders: tuple[Path, Path],
) -> None:
    given, other = folders

    def work() -> list[bool]:
        held = guard.confine([str(given), "/nowhere"])
        subprocess.run(["rm", "-rf", str(other)], check=False)
        return [
            held,
            refused((other / "kept.txt").unlink),
            refused(lambda: (other / "kept.txt").write_text("")),
            refused(lambda: shutil.rmtree(other)),
            refused(lambda: (given / "kept.txt").rename(other / "moved.txt")),
            (other / "kept.txt").read_text() == "kept",
            not refused((given / "new").mkdir),
            not refused(lambda: (given / "kept.txt").rename(given / "new" / "kept.txt")),
            not refused(lambda: Path(os.devnull).write_text("x")),
        ]

    assert fork.ask(work, 5.0) == [True] * 9
    assert (other / "kept.txt").read_text() == "kept"


def test_a_sealed_process_changes_nothing_at_all_not_even_what_was_open(folders: tuple[Path, Path]) -> None:
    given, _ = folders
    reading, writing = os.pipe()
    kept = given / "kept.txt"
    with kept.open("a") as held:

        def work(pipe: int) -> None:
            sealed = guard.seal(pipe)
            answers = [
                sealed,
                refused(kept.unlink),
                refused(lambda: kept.write_text("")),
                refused(lambda: os.write(held.fileno(), b"more")),
                refused(lambda: os.write(writing, b"more")),
                kept.read_text() == "kept",
            ]
            fork.send(pipe, bytes(answers))

        child, told = fork.spawn(work)
        assert os.read(told, 100) == bytes([True] * 6)
        os.waitpid(child, 0)
    for descriptor in (told, reading, writing):
        os.close(descriptor)
    assert kept.read_text() == "kept"
