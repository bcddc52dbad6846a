"""What commands leave in memory that all programs share is taken away, and nobody else's is."""

import mmap
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path

from bot.protocols import Command
from bot.sandbox.leavings import tidied
from bot.sandbox.openings import SHARED
from bot.sandbox.process import ProcessExecutor
from tests.sandbox.test_process import RUN


def test_what_nobody_holds_is_removed(tmp_path: Path) -> None:
    (tmp_path / "earlier").touch()
    with tidied(tmp_path):
        for name in ("left", "open", "mapped"):
            (tmp_path / name).write_bytes(b"x" * mmap.PAGESIZE)
        held = (tmp_path / "open").open("rb")
        with (tmp_path / "mapped").open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["earlier", "mapped", "open"]
    held.close()
    mapped.close()


def test_a_command_leaves_no_shared_memory(tmp_path: Path) -> None:
    mine = SharedMemory(create=True, size=1)
    script = f"echo x > {SHARED}/left-{RUN}; test -e {SHARED}/{mine.name} && echo there"
    try:
        assert ProcessExecutor().execute(Command(("sh", "-c", script), tmp_path)).output == "there\n"
        assert not (SHARED / f"left-{RUN}").exists()
        assert (SHARED / mine.name).exists()
    finally:
        mine.close()
        mine.unlink()
