"""A disk that is full ends the work with a clear word, and takes nothing along."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from bot.errors import UsageError, WorkspaceError
from bot.git.disk import check_space, refusals
from tests.conftest import Repo

ROOT = Path(__file__).parents[2]
FREE = (0, 8, 16, 28, 40, 56, 80, 120, 2000)
"""KiB that are left; the last is enough."""
NAMESPACE = ("unshare", "--map-root-user", "--mount")


def can_mount(folder: Path) -> bool:
    if shutil.which("unshare") is None:
        return False
    asked = [*NAMESPACE, "mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder)]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


def test_a_full_disk_leaves_the_person_all_they_have_and_nothing_of_ours(repo: Repo, tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if not can_mount(disk):
        pytest.skip("no small disk can be mounted here: that needs user namespaces")
    repo.write({"calc.py": "staged\n"})
    repo.git("add", "calc.py")
    repo.write({"calc.py": "changed\n", "untracked": "mine\n"})
    argv = [*NAMESPACE, sys.executable, "-m", "tests.git.fill", str(repo.path), str(disk), *map(str, FREE)]
    done = subprocess.run(argv, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [free for free, *_ in told] == list(FREE)
    assert told[-1][1] == ""
    assert sum(bool(error) for _, error, *_ in told) >= 3
    for free, error, changed, left, damage in told:
        assert (changed, left) == ([], []), f"{free} KiB: {error}"
        assert [line for line in damage.splitlines() if "dangling" not in line] == [], f"{free} KiB: {error}"
        assert not error or error.startswith(("WorkspaceError: ", "GitFailed: ")), error
        # Of a file that it lays out git says only that it could not, and of its index it has words of its own
        said = ("No space left on device", "unable to write file", "Out of diskspace")
        assert not error or any(words in error for words in said), error


def test_what_the_system_refuses_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="could not write it: No such file or directory"), refusals("write it"):
        (tmp_path / "gone" / "file").write_bytes(b"")


def test_temporary_files_never_lie_in_the_repository(repo: Repo) -> None:
    check_space(repo.path, repo.path / ".git")
    before = tempfile.tempdir
    tempfile.tempdir = str(repo.path)
    try:
        with pytest.raises(UsageError, match="would lie in the repository") as caught:
            check_space(repo.path, repo.path / ".git")
    finally:
        tempfile.tempdir = before
    assert "TMPDIR" in caught.value.hint


FULL = """
import subprocess, sys
from pathlib import Path
from bot.git.disk import check_space
from bot.errors import UsageError
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", sys.argv[1]], check=True)
try:
    check_space(Path("/nowhere"), Path(sys.argv[1]))
except UsageError as error:
    print(error)
"""


def test_a_disk_with_next_to_nothing_left_is_refused_at_the_start(tmp_path: Path) -> None:
    if not can_mount(tmp_path):
        pytest.skip("no small disk can be mounted here: that needs user namespaces")
    argv = [*NAMESPACE, sys.executable, "-c", FULL, str(tmp_path)]
    done = subprocess.run(argv, capture_output=True, text=True, check=True, env=dict(os.environ))
    assert done.stdout == f"there is less than 10 MB of space left in {tmp_path}\n"
